"""Certificates and overrides in the SQLite file, in one order; triggers keep rows as they were written."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

import apsw
from wattmark_calibration import Certificate, CertificateError, canonical_json, canonical_sha256

from wattmark.certificates.shelf import Accepted, Decision, Lost, Shelf
from wattmark.errors import Conflict, StoreError
from wattmark.storage.database import Database
from wattmark.storage.guarded import REFUSED, Row
from wattmark.storage.guarded_tables import CERTIFICATE, OVERRIDE
from wattmark.storage.query import query

_LAST = """SELECT max(coalesce((SELECT max(revision) FROM certificate), 0),
                      coalesce((SELECT max(revision) FROM certificate_override), 0))"""
_SERIAL = re.compile(r'"meter":\{[^{}]*"serial":("(?:[^"\\]|\\.)*")')


class SqliteCertificateStore:
    """Keep certificates; every change is on disk when the call returns."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def shelf(self) -> Shelf:
        """Read everything; a row that is no certificate any more is lost and leaves the others as they are."""
        with self._database.snapshot() as connection:
            entries = [_accepted(row) for row in CERTIFICATE.rows(connection)]
            decisions = [_decision(row) for row in OVERRIDE.rows(connection)]
        return Shelf(
            tuple(one for one in entries if isinstance(one, Accepted)),
            tuple(one for one in decisions if isinstance(one, Decision)),
            tuple(one for one in [*entries, *decisions] if isinstance(one, Lost)),
        )

    def revision(self) -> int:
        """Give the number of the last change."""
        with self._database.snapshot() as connection:
            return _last(connection)

    def add(self, certificate: Certificate, content: bytes, accepted_ns: int, reason: str) -> None:
        """Add a version with the bytes it was read from; durable when it returns. Raises `Conflict` if it exists."""
        document, noted = canonical_json(certificate), canonical_sha256(certificate)
        file_sha256 = hashlib.sha256(content).hexdigest()
        key = certificate.id, certificate.version

        def insert(connection: apsw.Connection) -> None:
            if query(connection, "SELECT 1 FROM certificate WHERE certificate_id = ? AND version = ?", *key):
                raise Conflict(f"Certificate {certificate.name} is on the shelf already.", "Nothing was changed.")
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
                f"The file of certificate {certificate_id} v{version} is not the one that was accepted.",
                "Restore it from a backup, or add the original again as a new version.",
            )
        return bytes(content)


def _accepted(row: Row) -> Accepted | Lost:
    if row.values is None:
        return Lost(row.key[0], "unknown", 0, "", None, f"{row.name} is damaged")
    revision, name, version, _, _, document, noted, _ = row.values
    if not row.sound:
        return Lost(revision, name, version, noted, _serial(document), f"{row.name} is damaged")
    try:
        return read_certificate(row.values)
    except REFUSED as error:
        return Lost(revision, name, version, noted, _serial(document), str(error))


def read_certificate(values: tuple[Any, ...]) -> Accepted:
    """Read a version of a certificate. Raises `ValueError` for what is none."""
    from wattmark_calibration.certificate.json_file import read_json

    revision, _, _, at_ns, reason, document, noted, _ = values
    try:
        return Accepted(revision, at_ns, reason, read_json(document.encode()), noted)
    except CertificateError as error:
        raise ValueError(str(error)) from error


def _decision(row: Row) -> Decision | Lost:
    if row.values is None or not row.sound:
        name, serial = (row.values[2], row.values[-1]) if row.values else ("unknown", None)
        return Lost(row.key[0], name, 0, "", serial, f"{row.name} is damaged")
    try:
        return read_decision(row.values)
    except REFUSED as error:
        return Lost(row.key[0], row.values[2], 0, "", row.values[-1], f"{row.name} cannot be read ({error})")


def read_decision(values: tuple[Any, ...]) -> Decision:
    """Read an override. Raises `ValueError` for what is none."""
    revision, at_ns, name, by, reason, accepts, run_id, serial = values
    codes = json.loads(accepts)
    if not isinstance(codes, list) or not all(isinstance(code, str) for code in codes):
        raise ValueError("what it accepts is no list of codes")
    return Decision(revision, at_ns, name, by, reason, frozenset(codes), run_id, serial)


def _serial(document: str) -> str | None:
    """Find the meter's serial number in what is left of a certificate."""
    found = _SERIAL.search(document)
    try:
        return None if found is None else str(json.loads(found[1]))
    except ValueError:
        return None


def _last(connection: apsw.Connection) -> int:
    ((last,),) = query(connection, _LAST)
    return int(last)
