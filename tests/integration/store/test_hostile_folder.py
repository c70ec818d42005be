"""A data folder in which any stored field holds an odd value of its type, checksums right: only its own run suffers."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient
from wattmark.bench.plan import Plan
from wattmark.campaigns.status import CampaignOut
from wattmark.core.schema import Record
from wattmark.reports.figures.product_figures import NAMES as FIGURES
from wattmark.reports.product_tables import NAMES as TABLES
from wattmark.reports.table_query import used_by
from wattmark.results.data_folder import LAYOUT
from wattmark.results.pages.row import RunRow
from wattmark.results.result import Result
from wattmark.runs.origin import Origin
from wattmark.runs.record import RunRecord
from wattmark.store.columns import checksum
from wattmark.store.database import Database
from wattmark.tables.formats import available_formats
from wattmark.traceability.cross_calibration.record import CrossCalibrationRecord

from tests.examples import WITHOUT_SHRINKING

from .odd_values import FLOATS, INTEGERS, TEXTS, Pick, spoil
from .sound_folder import OTHERS, SPOILT, fill, rows, served
from .unreadable import UNREADABLE, write

EXAMPLES = int(os.environ.get("WATTMARK_HOSTILE_FOLDERS", "12"))
"""More are for searching: a folder takes some two seconds."""
GROUP = "workload=rsa&level=1%20process"
WANTED = f"{GROUP}&server=s1&against=s1&run_id=r1&axis=clock&target=3000".split("&")


def asked_of(table: str) -> str:
    """Return the query of a table or figure: what of all choices it uses."""
    return "&".join(choice for choice in WANTED if choice.partition("=")[0] in used_by(table))


LISTS = (
    *(
        "/api/runs",
        "/api/run-rows?limit=100",
        "/api/compare/choices",
        "/api/scaling?workload=rsa",
        "/api/memory/published",
        "/api/trash",
    ),
    *(f"/api/compare?{GROUP}", f"/api/compare?{GROUP}&figure=power", f"/api/compare?{GROUP}&figure=throughput"),
    *(f"/api/memory?server=s1&{GROUP}", "/api/certificates", "/api/meters/calibration", "/api/alarms", "/api/audit"),
    *("/api/check-standards", "/api/campaign", "/api/tokens", "/api/annotations", "/api/live"),
    *("/api/sink", "/metrics", "/api/export/certificates", "/api/export/meters"),
    *(f"/api/export/results.{extension}" for extension in available_formats()),
    *(f"/api/export/compare.{extension}?{GROUP}" for extension in available_formats()),
    *(f"/api/export/{name}?{asked_of(name)}" for name in TABLES),
)
"""Answered whatever a run says; a question that the folder cannot answer (422, 404) says so in words."""
DRAWN = (
    "/api/export/report.html?campaign_id=c1",
    *(f"/api/export/figure/{name}.svg?{asked_of(name)}" for name in FIGURES),
)
OWN = ("", "/versions", "/traces", "/samples.csv")


class Start(Record):
    """A campaign's start, as it is stored."""

    plan: Plan
    cpus: dict[str, int]
    bench: str | None
    bench_text: str | None


class Service(Record):
    """The name of a data folder, as it is stored."""

    id: str


DOCUMENTS: dict[str, tuple[str, str, Any]] = {
    "record": ("run", f"run_id = '{SPOILT}'", RunRecord),
    "statement": ("issued_result", f"run_id = '{SPOILT}' AND version = 2", Result),
    "first statement": ("issued_result", f"run_id = '{SPOILT}' AND version = 1", Result),
    "row": ("result_row", f"run_id = '{SPOILT}'", RunRow),
    "campaign": ("document", "kind = 'campaign'", CampaignOut),
    "start of a campaign": ("document", "kind = 'campaign-start'", Start),
    "origin": ("document", "kind = 'run-origin'", Origin),
    "cross_calibration": ("document", "kind = 'cross_calibration'", CrossCalibrationRecord),
    "appliance": ("document", "kind = 'appliance'", Service),
    "certificate": ("certificate", "true", Any),
    "choice to rank": ("run_inclusion", "true", tuple[str, ...]),
}
"""JSON that is stored: table, row, and the type that the service reads it as."""
TEXT_COLUMN = {
    **dict.fromkeys(("run",), "record"),
    **dict.fromkeys(("issued_result",), "result"),
    **dict.fromkeys(("document", "certificate"), "document"),
    **dict.fromkeys(("result_row",), "line"),
    **dict.fromkeys(("run_inclusion",), "rules"),
}
RESTING = {"cross_calibration": "bmc", "origin": "theirs"}
"""Stored document: the run among the others whose archive holds it."""
NAMED_IN_REFUSAL = {"bmc": "Cross-calibration s1/bmc/wall/1", "theirs": "origin of run theirs"}
KEYS = {
    **dict.fromkeys(("run", "result_row", "run_note", "run_inclusion", "trash", "run_tag"), "run_id"),
    **dict.fromkeys(("certificate", "certificate_override", "alarm", "audit", "series"), "rowid"),
    "check_standard": "name",
    "access_token": "name",
    "check_reading": "at_ns",
    **dict.fromkeys(("statement", "issued_result"), "version"),
    "document": "kind || '/' || name",
}
TABLES_OF_COLUMNS = (
    *(
        "run",
        "statement",
        "issued_result",
        "certificate",
        "certificate_override",
        "check_standard",
        "check_reading",
        "run_tag",
        "run_note",
    ),
    *("run_inclusion", "alarm", "access_token", "audit", "trash", "series"),
)
"""Tables of which any plain column may be spoilt."""
OF_A_RUN = {"run", "issue", "issued_result", "run_note", "run_inclusion", "trash", "result_row", "series"}
POOLS: dict[str, tuple[Any, ...]] = {"INTEGER": INTEGERS, "REAL": FLOATS, "TEXT": tuple(TEXTS)}


def spoil_document(connection: apsw.Connection, which: str, pick: Pick) -> list[str]:
    """Put odd values into a stored document."""
    table, row, annotation = DOCUMENTS[which]
    column = TEXT_COLUMN[table]
    key, text = pick(list(connection.execute(f"SELECT {KEYS[table]}, {column} FROM {table} WHERE {row}")))
    document = json.loads(text)
    done = spoil(document, annotation, pick)
    text = json.dumps(document, ensure_ascii=False)
    crc = f", crc = {checksum(text.encode())}" if table == "result_row" else ""
    connection.execute(f"UPDATE {table} SET {column} = ?{crc} WHERE {KEYS[table]} = ? AND {row}", (text, key))
    return [f"{which}: {change}" for change in done]


def spoil_column(connection: apsw.Connection, table: str, pick: Pick) -> list[str]:
    """Put an odd value into a column of a row."""
    columns = [
        (name, kind, needed)
        for _, name, kind, needed, _, part_of_key in connection.execute(f"PRAGMA table_info({table})")
        if not part_of_key and (table, name) not in {("series", "run_id"), ("series", "id"), ("run", "record")}
    ]
    own = f"run_id = '{SPOILT}'" if table in OF_A_RUN else "true"
    rows = [key for (key,) in connection.execute(f"SELECT {KEYS[table]} FROM {table} WHERE {own}")]
    if not columns or not rows:
        return []
    name, kind, needed = pick(columns)
    value = pick((*POOLS[kind], *(() if needed else (None,))))
    try:
        connection.execute(f"UPDATE {table} SET {name} = ? WHERE {KEYS[table]} = ? AND {own}", (value, pick(rows)))
    except (apsw.ConstraintError, OverflowError):  # no column takes more than 64 bits
        return []
    return [f"{table}.{name} = {str(value)[:60]!r}"]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sound")
    fill(folder)
    return folder / "data"


@pytest.fixture(scope="module")
def rows_before(sound: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    copy = tmp_path_factory.mktemp("before") / "data"
    shutil.copytree(sound, copy)
    with served(copy) as client:
        failed = failures(client, (*LISTS, *DRAWN))
        assert failed == []
        return rows(client)


def failures(client: TestClient, paths: tuple[str, ...]) -> list[str]:
    """Ask, and list what was answered with a failure of the service."""
    failed = []
    for path in paths:
        answer = client.get(path)
        if answer.status_code >= 500:
            failed.append(f"{path}: {answer.status_code} {answer.text[:300]}")
        elif answer.status_code >= 400:
            assert answer.json()["cause"], path
    return failed


def spoilt_by(change: Callable[[apsw.Connection], list[str]], folder: Path) -> list[str]:
    """Change a folder behind the service's back, as somebody with another program would, checksums right."""

    def work(connection: apsw.Connection) -> list[str]:
        guards = "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name GLOB '*_stays'"
        for (name,) in list(connection.execute(guards)):
            connection.execute(f"DROP TRIGGER {name}")
        done = change(connection)
        if not any(entry.startswith("row:") for entry in done):
            connection.execute("DELETE FROM result_row WHERE run_id = ?", (SPOILT,))
        return done

    database = Database(folder, LAYOUT)
    try:
        return database.write(work)
    finally:
        database.close()


@settings(max_examples=EXAMPLES, phases=WITHOUT_SHRINKING, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_an_odd_value_anywhere_takes_no_other_row_with_it(
    sound: Path, rows_before: dict[str, Any], data: st.DataObject
) -> None:
    def pick(of: Any) -> Any:
        return data.draw(st.integers(0, of - 1) if isinstance(of, int) else st.sampled_from(list(of)))

    which = pick((*DOCUMENTS, *TABLES_OF_COLUMNS))

    def change(connection: apsw.Connection) -> list[str]:
        spoil_it = spoil_document if which in DOCUMENTS else spoil_column
        return spoil_it(connection, which, pick)

    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "data"
        shutil.copytree(sound, folder)
        note(str(spoilt_by(change, folder)))
        with served(folder) as client:
            look_at(client, rows_before, RESTING.get(which))


def look_at(client: TestClient, before: dict[str, Any], excluded: str | None) -> None:
    """Ask everything, then move the spoilt run to the trash and ask again.

    An archive carries what its runs rest on, so one of the run that rests on the spoilt document may be refused.
    """
    assert failures(client, (*LISTS, *DRAWN)) == []
    shown = rows(client)
    assert {name: shown.get(name) for name in OTHERS} == {name: before[name] for name in OTHERS}
    assert SPOILT in shown
    assert failures(client, tuple(f"/api/runs/{name}{page}" for name in OTHERS for page in OWN)) == []
    for path in (*(f"/api/runs/{SPOILT}{page}" for page in OWN), "/api/check-standards/lamp"):
        answer = client.get(path)
        named = answer.status_code == 503 and any(name in answer.text for name in (SPOILT, "lamp", "series"))
        assert answer.status_code == 200 or named, f"{path}: {answer.status_code} {answer.text[:300]}"
    archive = client.get("/api/archive", params={"run_id": [name for name in OTHERS if name != excluded]})
    assert archive.status_code == 200, archive.text
    if excluded is not None:
        archive = client.get("/api/archive", params={"run_id": [excluded]})
        assert archive.status_code == 200 or NAMED_IN_REFUSAL[excluded] in archive.json()["cause"], archive.text
    moved = client.post("/api/trash", json={"run_ids": [SPOILT]})
    assert moved.status_code == 200, moved.text
    assert [run["run_id"] for run in client.get("/api/trash").json()["runs"]] == [SPOILT]
    assert failures(client, LISTS) == []
    assert rows(client) == {name: before[name] for name in OTHERS}


def test_where_something_of_everything_is_broken_the_rest_is_shown(
    sound: Path, rows_before: dict[str, Any], tmp_path: Path
) -> None:
    """Each of these took lists or the whole service with it."""
    folder = tmp_path / "data"
    shutil.copytree(sound, folder)
    broken = [sql for sql in UNREADABLE if "UPDATE check_standard SET" not in sql]
    write(folder, *broken, "DELETE FROM result_row")
    with served(folder) as client:
        assert failures(client, LISTS) == []
        shown = rows(client)
        assert {name: shown[name] for name in OTHERS} == {name: rows_before[name] for name in OTHERS}
        assert shown[SPOILT]["reason"].startswith(f"The record of run {SPOILT} in ")
        (lamp,) = client.get("/api/check-standards").json()
        assert lamp["statement"].startswith("The reading of check standard lamp at ")
        assert client.get("/api/archive", params={"run_id": ["r1", "r3", "big", "wall"]}).status_code == 200
        assert client.post("/api/trash", json={"run_ids": [SPOILT]}).status_code == 200
        assert set(rows(client)) == set(OTHERS)
