"""Certificates typed into a spreadsheet: facts as "key,value" lines, then one table of points."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterator
from datetime import date
from io import StringIO

from wattmark_calibration.certificate.checks import require
from wattmark_calibration.certificate.points import CalibratedRange, CommonUncertainty, Point
from wattmark_calibration.certificate.record import (
    Certificate,
    Laboratory,
    MeterIdentity,
    ReferenceStandard,
    SourceFile,
)
from wattmark_calibration.errors import CertificateError

LARGEST_FILE = 1024 * 1024
REQUIRED = ("id", "number", "manufacturer", "model", "serial", "laboratory", "method", "calibrated_on", "due_on")
OPTIONAL = ("firmware", "accreditation", "supersedes", "reference_standard", "reference_traceable_to")
COMMON = ("common_gain", "common_offset_w")
COLUMNS = ("range", "state", "reference_w", "indication_w", "expanded_u_w", "k")
MORE_COLUMNS = (
    "coverage_probability", "power_factor", "reactive", "frequency_hz", "voltage_v", "temperature_c", "limit_w",
    "error_w",
)  # fmt: skip
STATES = ("as_found", "as_left")
Row = dict[str, str]


def read_csv(content: bytes, file_name: str) -> Certificate:
    """Read a certificate. Raises `CertificateError` with one line that names the row.

    Facts come first, one "key,value" per line (`REQUIRED`, `OPTIONAL`, `COMMON`), then the header of the table, which
    begins with "range", then one line per point. Columns carry their unit; others than `COLUMNS` and `MORE_COLUMNS`
    are errors. Semicolons separate where the decimal sign is a comma.
    """
    require(len(content) <= LARGEST_FILE, f"The file has {len(content)} bytes; at most {LARGEST_FILE} are accepted.")
    try:
        text = content.decode("utf-8-sig")
        facts, rows = _split(text)
    except (UnicodeDecodeError, csv.Error) as error:
        raise CertificateError(f"{file_name} is not a CSV file in UTF-8: {error}.") from None
    source = SourceFile(name=file_name, sha256=hashlib.sha256(content).hexdigest())
    return _certificate(facts, rows, source)


def _split(text: str) -> tuple[Row, list[tuple[int, Row]]]:
    """Split the file into facts and table lines, both with known names only."""
    comma = ";" not in text.partition("reference_w")[0].rpartition("\n")[2]
    lines = enumerate(csv.reader(StringIO(text, newline=""), delimiter="," if comma else ";", strict=True), 1)
    facts: Row = {}
    for number, cells in lines:
        if not any(cell.strip() for cell in cells):
            continue
        key, value, *extra = [cell.strip() for cell in [*cells, ""]]
        if key == "range":
            return facts, list(_table(cells, lines, decimal_comma=not comma))
        require(
            key in REQUIRED + OPTIONAL + COMMON, f"Line {number}: {key[:80]!r} is not a known field of a certificate."
        )
        require(key not in facts, f"Line {number}: {key} is given twice.")
        require(not any(extra), f"Line {number}: put a value with a separator in double quotes.")
        facts[key] = value
    raise CertificateError("The file has no table; its header begins with: " + ",".join(COLUMNS))


def _table(
    header: list[str], lines: Iterator[tuple[int, list[str]]], *, decimal_comma: bool
) -> Iterator[tuple[int, Row]]:
    """Return each point as a row by column name, without empty cells."""
    names = [name.strip() for name in header]
    require(len(set(names)) == len(names), "A column name occurs twice in the table.")
    for name in names:
        hint = "write powers in watts, with the unit in the name" if name.rpartition("_")[0] else "check its spelling"
        require(name in COLUMNS + MORE_COLUMNS, f"Column {name[:80]!r} is not known; {hint}.")
    for name in COLUMNS:
        require(name in names, f"The table has no column {name}; powers are in watts, U is the expanded uncertainty.")
    for number, cells in lines:
        if any(cell.strip() for cell in cells):
            require(len(cells) == len(names), f"Line {number}: {len(cells)} cells for {len(names)} columns.")
            values = [cell.strip().replace(",", ".") if decimal_comma else cell.strip() for cell in cells]
            yield number, {name: value for name, value in zip(names, values, strict=True) if value}


def _certificate(facts: Row, rows: list[tuple[int, Row]], source: SourceFile) -> Certificate:
    """Build the certificate from facts and points."""
    for key in REQUIRED:
        require(bool(facts.get(key)), f"The field {key} is missing; add a line: {key},value")
    states = {state: _ranges(facts, rows, state) for state in STATES}
    standard = facts.get("reference_standard")
    traceable = facts.get("reference_traceable_to") or None
    return Certificate(
        id=facts["id"],
        number=facts["number"],
        meter=MeterIdentity(
            manufacturer=facts["manufacturer"],
            model=facts["model"],
            serial=facts["serial"],
            firmware=facts.get("firmware") or None,
        ),
        laboratory=Laboratory(name=facts["laboratory"], accreditation=facts.get("accreditation") or None),
        method=facts["method"],
        calibrated_on=_day(facts, "calibrated_on"),
        due_on=_day(facts, "due_on"),
        as_found=states["as_found"],
        as_left=states["as_left"],
        adjusted=bool(states["as_left"]),
        chain=(ReferenceStandard(name=standard, traceable_to=traceable),) if standard else (),
        file=source,
        supersedes=facts.get("supersedes") or None,
    )


def _ranges(facts: Row, rows: list[tuple[int, Row]], state: str) -> tuple[CalibratedRange, ...]:
    """Group the points of one state by range, in the order of the file."""
    groups: dict[str, list[Point]] = {}
    for number, row in rows:
        require(row.get("state") in STATES, f"Line {number}: state must be as_found or as_left.")
        require("range" in row, f"Line {number}: the range is missing.")
        if row["state"] == state:
            groups.setdefault(row["range"], []).append(_point(number, row))
    common = _common(facts)
    return tuple(CalibratedRange(name=name, points=tuple(points), common=common) for name, points in groups.items())


def _point(number: int, row: Row) -> Point:
    """Read one line of the table; a stated error must be indication - reference."""
    values = {name: _number(number, name, text) for name, text in row.items() if name not in _WORDS}
    for name in COLUMNS[2:]:
        require(name in values, f"Line {number}: {name} is missing.")
    stated = values.pop("error_w", None)
    try:
        point = Point(**values, **({"reactive": row["reactive"]} if "reactive" in row else {}))  # type: ignore[arg-type]
    except CertificateError as error:
        raise CertificateError(f"Line {number}: {error}") from None
    agrees = stated is None or abs(stated - point.error_w) <= point.expanded_u_w / 2
    require(agrees, f"Line {number}: error_w {stated} is not indication - reference = {point.error_w:.6g} W.")
    return point


_WORDS = ("range", "state", "reactive")


def _common(facts: Row) -> CommonUncertainty | None:
    """Read the reference's common uncertainty; None where the file does not state it."""
    if not any(facts.get(key) for key in COMMON):
        return None
    gain, offset_w = (_number(None, key, facts.get(key) or "0") for key in COMMON)
    return CommonUncertainty(gain=gain, offset_w=offset_w)


def _number(line: int | None, name: str, text: str) -> float:
    """Read a plain decimal number."""
    where = f"Line {line}: {name}" if line else name
    try:
        return float(text.replace("_", "x"))
    except ValueError:
        raise CertificateError(
            f"{where}: {text[:80]!r} is not a number; omit the unit, which belongs in the column name."
        ) from None


def _day(facts: Row, key: str) -> date:
    """Read a calendar day."""
    try:
        return date.fromisoformat(facts[key])
    except ValueError:
        raise CertificateError(f"{key}: {facts[key][:80]!r} is not a date; write YYYY-MM-DD.") from None
