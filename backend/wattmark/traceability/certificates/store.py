"""Certificates and overrides in the SQLite file, in one sequence of revisions; triggers refuse changes of rows."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

import apsw
from wattmark_calibration import Certificate, CertificateError, canonical_json, canonical_sha256

from wattmark.core.errors import Conflict, StoreError
from wattmark.store.database import Database
from wattmark.store.guards.guarded import REFUSED, GuardedRow, GuardedTable
from wattmark.store.query import query
from wattmark.traceability.certificates.register import Accepted, CertificateRegister, Decision, Lost

_LAST = """SELECT max(coalesce((SELECT max(revision) FROM certificate), 0),
                      coalesce((SELECT max(revision) FROM certificate_override), 0))"""
# the document may be damaged, so the serial number is searched in the text and not in parsed JSON
_SERIAL = re.compile(r'"meter":\{[^{}]*"serial":("(?:[^"\\]|\\.)*")')


def read_certificate(values: tuple[Any, ...]) -> Accepted:
    """Parse a row with a version of a certificate. Raises `ValueError`."""
    from wattmark_calibration.certificate.json_file import read_json

    revision, _, _, at_ns, reason, document, noted, _ = values
    try:
        return Accepted(revision, at_ns, reason, read_json(document.encode()), noted)
    except CertificateError as error:
        raise ValueError(str(error)) from error


def read_decision(values: tuple[Any, ...]) -> Decision:
    """Parse a row with an override. Raises `ValueError`."""
    revision, at_ns, name, by, reason, accepts, run_id, serial = values
    codes = json.loads(accepts)
    if not isinstance(codes, list) or not all(isinstance(code, str) for code in codes):
        raise ValueError("the accepted refusals are not a list of codes")
    return Decision(revision, at_ns, name, by, reason, frozenset(codes), run_id, serial)


CERTIFICATE_FILE = GuardedTable(
    name="certificate_file",
    row_name="The certificate file {0}",
    key=("sha256",),
    columns={"sha256": "TEXT", "content": "BLOB NOT NULL"},
    never_updated="certificate files never change",
)
CERTIFICATE = GuardedTable(
    name="certificate",
    row_name="Entry {0} of the certificate register",
    key=("revision",),
    columns={
        "revision": "INTEGER",
        "certificate_id": "TEXT NOT NULL",
        "version": "INTEGER NOT NULL",
        "accepted_ns": "INTEGER NOT NULL",
        "reason": "TEXT NOT NULL",
        "document": "TEXT NOT NULL",
        "sha256": "TEXT NOT NULL",
        "file_sha256": "TEXT NOT NULL REFERENCES certificate_file(sha256)",
    },
    constraints=("UNIQUE(certificate_id, version)",),
    rowid=True,
    reader=read_certificate,
    never_updated="certificates never change",
    never_deleted="certificates are kept",
)
OVERRIDE = GuardedTable(
    name="certificate_override",
    row_name="Override {0} of the certificate register",
    key=("revision",),
    columns={
        "revision": "INTEGER",
        "decided_ns": "INTEGER NOT NULL",
        "certificate_id": "TEXT NOT NULL",
        "signed_by": "TEXT NOT NULL",
        "reason": "TEXT NOT NULL",
        "accepts": "TEXT NOT NULL",
        "run_id": "TEXT",
        "serial": "TEXT",
    },
    rowid=True,
    reader=read_decision,
    never_updated="overrides never change",
    never_deleted="overrides are kept",
)
TABLES = CERTIFICATE_FILE, CERTIFICATE, OVERRIDE


class CertificateStore:
    """Keep certificates and overrides in order of arrival; nothing is ever overwritten.

    Every change is on disk when the call returns.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def register(self) -> CertificateRegister:
        """Read all certificates and overrides; a damaged row is listed as lost."""
        with self._database.snapshot() as connection:
            entries = [_accepted(row) for row in CERTIFICATE.rows(connection)]
            decisions = [_decision(row) for row in OVERRIDE.rows(connection)]
        return CertificateRegister(
            tuple(entry for entry in entries if isinstance(entry, Accepted)),
            tuple(decision for decision in decisions if isinstance(decision, Decision)),
            tuple(entry for entry in [*entries, *decisions] if isinstance(entry, Lost)),
        )

    def revision(self) -> int:
        """Return the number of the last change."""
        with self._database.snapshot() as connection:
            return _last(connection)

    def add(self, certificate: Certificate, content: bytes, accepted_ns: int, reason: str) -> None:
        """Add a version with the bytes it was read from; durable when it returns. Raises `Conflict` if it exists."""
        document, noted = canonical_json(certificate), canonical_sha256(certificate)
        file_sha256 = hashlib.sha256(content).hexdigest()
        key = certificate.id, certificate.version

        def insert(connection: apsw.Connection) -> None:
            if query(connection, "SELECT 1 FROM certificate WHERE certificate_id = ? AND version = ?", *key):
                raise Conflict(f"Certificate {certificate.name} is already in the register.", "Nothing was changed.")
            query(connection, "INSERT OR IGNORE INTO certificate_file VALUES (?, ?)", file_sha256, content)
            row = _last(connection) + 1, *key, accepted_ns, reason, document, noted, file_sha256
            query(connection, "INSERT INTO certificate VALUES (?, ?, ?, ?, ?, ?, ?, ?)", *row)

        self._database.write(insert)

    def add_decision(
        self,
        certificate_id: str,
        by: str,
        reason: str,
        accepts: frozenset[str],
        decided_ns: int,
        *,
        run_id: str | None = None,
        serial: str | None = None,
    ) -> None:
        """Add an override; durable when it returns."""
        row = decided_ns, certificate_id, by, reason, json.dumps(sorted(accepts)), run_id, serial

        def insert(connection: apsw.Connection) -> None:
            number = _last(connection) + 1
            query(connection, "INSERT INTO certificate_override VALUES (?, ?, ?, ?, ?, ?, ?, ?)", number, *row)

        self._database.write(insert)

    def content(self, certificate_id: str, version: int) -> bytes | None:
        """Read the bytes that a version was read from; None where it is not there.

        Raises `StoreError` where they no longer have the hash noted at acceptance.
        """
        sql = (
            "SELECT certificate_file.sha256, content FROM certificate JOIN certificate_file "
            "ON certificate_file.sha256 = file_sha256 WHERE certificate_id = ? AND version = ?"
        )
        with self._database.snapshot() as connection:
            rows = query(connection, sql, certificate_id, version)
        if not rows:
            return None
        noted, content = rows[0]
        if hashlib.sha256(content).hexdigest() != noted:
            raise StoreError(
                f"The file of certificate {certificate_id} v{version} is not the accepted one (hash mismatch).",
                "Restore it from a backup, or add the original again as a new version.",
            )
        return bytes(content)


def _accepted(row: GuardedRow) -> Accepted | Lost:
    if row.values is None:
        return Lost(row.key[0], "unknown", 0, "", None, f"{row.name} is damaged")
    revision, name, version, _, _, document, noted, _ = row.values
    if not row.sound:
        return Lost(revision, name, version, noted, _serial(document), f"{row.name} is damaged")
    try:
        return read_certificate(row.values)
    except REFUSED as error:
        return Lost(revision, name, version, noted, _serial(document), str(error))


def _decision(row: GuardedRow) -> Decision | Lost:
    if row.values is None or not row.sound:
        name, serial = (row.values[2], row.values[-1]) if row.values else ("unknown", None)
        return Lost(row.key[0], name, 0, "", serial, f"{row.name} is damaged")
    try:
        return read_decision(row.values)
    except REFUSED as error:
        return Lost(row.key[0], row.values[2], 0, "", row.values[-1], f"{row.name} cannot be read ({error})")


def _serial(document: str) -> str | None:
    """Find the meter's serial number in a damaged certificate; None where it is lost too."""
    serial = _SERIAL.search(document)
    try:
        return None if serial is None else str(json.loads(serial[1]))
    except ValueError:
        return None


def _last(connection: apsw.Connection) -> int:
    ((last,),) = query(connection, _LAST)
    return int(last)
