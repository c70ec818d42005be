"""A person's statements about a source, as texts of a command line or a form."""

from __future__ import annotations

import csv
import io
import re
from datetime import datetime
from pathlib import Path
from typing import Any

from wattmark.core.errors import InputError
from wattmark.importers.importer import Choices, Edge, LogPart, Precision
from wattmark.importers.zones import read_zone

_SECONDS = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?) ?s?", re.ASCII)
_ROUND = re.compile(r"v[0-9]{1,3}\.[0-9]{1,3}", re.ASCII)
_PHASE_COLUMNS = ("name", "from", "to")
_LARGEST_PHASES = 2**20
_MOST_PHASES = 1000
_LONGEST_NAME = 200
_IN_PHASES = "Write a table with the columns name, from, to and a line for each phase, such as: full load,120,480"


def read_choices(
    zone: str | None = None,
    power: str | None = None,
    precision: Precision | None = None,
    begin: str | None = None,
    parts: tuple[LogPart, ...] = (),
    chosen_by: str | None = None,
    round_name: str | None = None,
) -> Choices:
    """Read a person's statements. Raises `InputError` for impossible ones."""
    return Choices(
        zone=read_zone(zone),
        power=power or None,
        precision=precision,
        begin=read_begin(begin),
        round=read_round(round_name),
        parts=parts,
        chosen_by=chosen_by,
    )


def read_round(text: str | None) -> str | None:
    """Read a round of published results; None stays None. Raises `InputError` for what is none."""
    if text is not None and not _ROUND.fullmatch(text):
        raise InputError(f"{text[:40]!r} is not a round of results.", "Write it as folders name it, such as v1.1.")
    return text


def read_begin(text: str | None) -> datetime | None:
    """Read a date, with or without a time of day; None stays None. Raises `InputError` for what is none."""
    if text is None:
        return None
    remedy = "Write a date such as 2025-12-31, or a date with a time such as 2025-12-31T14:30:00, without a zone."
    try:
        begin = datetime.fromisoformat(text)
    except ValueError:
        raise InputError(f"{text[:40]!r} is not a date.", remedy) from None
    if begin.tzinfo is not None:
        raise InputError(f"{text[:40]!r} has a time zone of its own.", remedy)
    if not 1970 <= begin.year < 2116:
        raise InputError(f"{text[:40]!r} is not in the years 1970 to 2115.", remedy)
    return begin


def read_part(begin: str | None, end: str | None) -> tuple[LogPart, ...]:
    """Read begin and end of a part of a log; none where neither is said. Raises `InputError`."""
    part = LogPart(None, read_edge(begin), read_edge(end))
    return () if part.begin is None and part.end is None else (part,)


def read_edge(text: str | None) -> Edge | None:
    """Read seconds from the start of a log, or a date and time; None where nothing is said. Raises `InputError`."""
    if text is None or not text.strip():
        return None
    plain = text.strip()
    if match := _SECONDS.fullmatch(plain):
        return float(match[1])
    try:
        instant = datetime.fromisoformat(plain)
    except ValueError:
        instant = None
    if instant is None or not 1971 <= instant.year < 2115 or len(plain) <= len("2025-12-31"):
        raise InputError(
            f"{plain[:40]!r} is not an instant of a log.",
            "Write seconds from its start such as 120, or a date and time such as 2025-12-31T14:30:00 (in the time "
            "zone of the log) or 2025-12-31T14:30:00Z.",
        )
    return instant


def read_phases(path: Path) -> tuple[LogPart, ...]:
    """Read a file of phases: a table with name, from and to. Raises `InputError` naming the line."""
    try:
        with path.open("rb") as file:
            text = file.read(_LARGEST_PHASES + 1)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.", _IN_PHASES) from error
    if len(text) > _LARGEST_PHASES:
        raise InputError(f"{path} is larger than 1 MiB.", _IN_PHASES)
    lines = text.decode("utf-8-sig", "replace").splitlines()
    delimiter = next((sign for sign in ("\t", ";") if lines and sign in lines[0]), ",")
    rows = csv.DictReader(io.StringIO("\n".join(lines)), delimiter=delimiter, skipinitialspace=True)
    if [name.strip().casefold() for name in rows.fieldnames or ()] != list(_PHASE_COLUMNS):
        raise InputError(f"{path} does not begin with the columns name, from, to.", _IN_PHASES)
    try:
        parts = [_phase(f"{path}, line {rows.line_num}", list(row.values())) for row in rows]
    except csv.Error as error:
        raise InputError(f"{path}, line {rows.line_num}: {error}.", _IN_PHASES) from error
    if not 1 <= len(parts) <= _MOST_PHASES:
        raise InputError(f"{path} holds {len(parts)} phases; 1 to {_MOST_PHASES} can be imported.", _IN_PHASES)
    return tuple(parts)


def _phase(where: str, cells: list[Any]) -> LogPart:
    """Read a line of a file of phases, of which ``None`` cells are missing. Raises `InputError`."""
    if len(cells) != len(_PHASE_COLUMNS) or not all(cell and cell.strip() for cell in cells):
        raise InputError(f"{where}: it is not a name, a start and an end.", _IN_PHASES)
    name, begin, end = (cell.strip() for cell in cells)
    if not name.isprintable() or len(name) > _LONGEST_NAME:
        raise InputError(
            f"{where}: the name has more than {_LONGEST_NAME} characters, or some are unprintable.", _IN_PHASES
        )
    try:
        return LogPart(name, read_edge(begin), read_edge(end))
    except InputError as error:
        raise InputError(f"{where}: {error.cause}", error.remedy) from None
