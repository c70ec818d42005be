"""Rows that are as somebody wrote them, checksums right, and that their own readers refuse."""

from __future__ import annotations

from pathlib import Path

import apsw
from wattmark.results.data_folder import LAYOUT
from wattmark.store.database import FILE_NAME, Database
from wattmark.store.verify import verify

NO_UNCERTAINTY = """UPDATE issued_result SET result = json_set(result, '$.power.budget[0].u', NULL)
    WHERE run_id = 'r2' AND version = 2"""
UNREADABLE = {
    NO_UNCERTAINTY: ("Version 2 of the issued result of run r2", "wattmark trash r2"),
    "UPDATE issued_result SET result = json_set(result, '$.run_id', 'r1') WHERE run_id = 'r2' AND version = 1": (
        "Version 1 of the issued result of run r2",
        "wattmark trash r2",
    ),
    "UPDATE run SET record = json_set(record, '$.throughput[0].amount', 1e150) WHERE run_id = 'r2'": (
        "The record of run r2",
        "wattmark trash r2",
    ),
    "UPDATE run SET record = json_set(record, '$.run_id', 'r1') WHERE run_id = 'r2'": (
        "The record of run r2",
        "wattmark trash r2",
    ),
    "UPDATE document SET document = '{\"lab\": 5}' WHERE kind = 'run-origin'": (
        "Document run-origin/theirs",
        "wattmark trash theirs",
    ),
    "UPDATE document SET document = json_set(document, '$.gain', 'x') WHERE kind = 'cross_calibration'": (
        "Document cross_calibration/s1/bmc/wall/1",
        "wattmark meter cross-calibrate",
    ),
    "UPDATE document SET document = json_set(document, '$.runs', 'x') WHERE kind = 'campaign'": (
        "Document campaign/c1",
        "Start the plan again",
    ),
    "UPDATE document SET document = json_remove(document, '$.plan') WHERE kind = 'campaign-start'": (
        "Document campaign-start/c1",
        "Start the plan again",
    ),
    "UPDATE document SET document = '[]' WHERE kind = 'appliance'": ("Document appliance/this", "backup"),
    "UPDATE certificate SET document = json_set(document, '$.due_on', 'never')": (
        "Entry 1 of the certificate register",
        "wattmark certificate add",
    ),
    "UPDATE certificate_override SET accepts = '50 %'": (
        "Override 2 of the certificate register",
        "wattmark certificate override",
    ),
    "UPDATE check_standard SET nominal_w = -1": ("Check standard lamp", "wattmark check-standard add"),
    "UPDATE check_reading SET power_w = 1e300 WHERE at_ns = (SELECT min(at_ns) FROM check_reading)": (
        "The reading of check standard lamp at",
        "wattmark check-standard add",
    ),
    "UPDATE run_inclusion SET rules = '[]'": ("The ranking override of run r2", "wattmark trash r2"),
    "UPDATE access_token SET role = 'root'": ("Token kim", "wattmark token create"),
    "UPDATE alarm SET side = 'left' WHERE number = 1": ("Alarm 1", "missing from"),
}
"""How to make one of each kind: what it is called then, and what its remedy says."""


def write(data: Path, *issuer: str) -> None:
    """Change a folder with checksums made right, as triggers do."""

    def change(connection: apsw.Connection) -> None:
        stays = "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name GLOB '*_stays'"
        for (name,) in list(connection.execute(stays)):
            connection.execute(f"DROP TRIGGER {name}")
        for sql in issuer:
            connection.execute(sql)
            assert connection.changes() > 0, sql

    database = Database(data, LAYOUT)
    database.write(change)
    database.close()
    assert verify(data / FILE_NAME, LAYOUT) == [], "every checksum is right"
