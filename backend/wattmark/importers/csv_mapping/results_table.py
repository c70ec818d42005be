"""A CSV table of finished results: rows of one server, configuration and workload become one published result."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from wattmark.audits.findings import printed_finding
from wattmark.comparison.published.published_result import PublishedLevel, PublishedResult
from wattmark.comparison.published.rounding import half_width
from wattmark.core.amounts import problem
from wattmark.core.errors import InputError
from wattmark.core.numbers import format_number
from wattmark.importers.csv_mapping.csv_rows import CsvLines, CsvRow, csv_rows, wrong_width
from wattmark.importers.csv_mapping.header import Places, find_places, is_heading, require_units_row
from wattmark.importers.csv_mapping.line_quantity import LineQuantities
from wattmark.importers.csv_mapping.mapping import CsvMapping
from wattmark.importers.csv_mapping.numbers import parse_cell, require_clear, unit_of
from wattmark.importers.csv_mapping.summary_rows import compares, sums_up
from wattmark.importers.csv_mapping.units import UNITS
from wattmark.importers.importer import ImportedFigures
from wattmark.importers.unread import Unread
from wattmark.runs.disclosure import SourceFileNote
from wattmark.workloads.loadgen.source_file import broken

_MOST = 20_000
"""Rows of a table, which are held in memory."""
_LONGEST = 300
_MOST_CONTRADICTIONS = 20
_AGREE_PCT = 1.0
"""How far a printed figure may lie from its row, beside its own rounding [%]: throughput and power are rounded too."""
_COMPUTED = "The table prints no performance per watt: it was computed from throughput and power, without idle."
_COMPUTED_OF_ALL = (
    "The table prints performance per watt for single load levels: that of all was computed from throughput and power, "
    "without idle."
)
_NO_SERVER = "it names no server"


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    written: str
    text: dict[str, str]
    levels: tuple[PublishedLevel, ...]
    """That of its load, and idle."""

    @property
    def target_pct(self) -> float:
        return self.levels[0].target_pct


@dataclass(slots=True)
class ResultTable:
    """The results of a table, and the lines that were not understood."""

    note: SourceFileNote
    results: list[ImportedFigures]
    unread: Unread = field(default_factory=Unread)


def read_table(path: Path, mapping: CsvMapping) -> ResultTable:
    """Read a table to its end. Raises `InputError` with what is wrong and what to do."""
    unread, file = Unread(), CsvLines(path, mapping, path.name)
    lines = []
    for line in _lines(file, mapping, unread):
        lines.append(line)
        if len(lines) > _MOST:
            raise broken(file.name, line.number, f"the table has more than {_MOST} rows", "Split the file.")
    groups = _groups(lines, file.name, unread)
    count = sum(len(lines) for repeats in groups for lines in repeats)
    remedy = f"Check delimiter, decimal sign, header rows and columns in the mapping {mapping.name!r}."
    if unread.count > count:
        first = unread.first[0]
        if first.why == _NO_SERVER:
            remedy = (
                "Name the server in each row: a cell that spans several rows of a sheet is empty in all but the first."
            )
        raise broken(file.name, first.line, f"{first.why}; {unread.count} lines were not understood", remedy)
    if count == 0:
        raise InputError(f"{file.name} has no row below its header.", remedy)
    _require_percent(file.name, mapping, groups)
    note = file.note
    results = [
        _figures(lines, mapping, note, repeat) for repeats in groups for repeat, lines in enumerate(repeats, start=1)
    ]
    return ResultTable(note, results, unread)


def _require_percent(file: str, mapping: CsvMapping, groups: Iterable[list[list[_Line]]]) -> None:
    """Refuse load levels from 0 to 1 that were declared as percentages. Raises `InputError`."""
    unit = next((column.unit for column in mapping.columns if column.quantity == "load level"), None)
    most = max(line.target_pct for repeats in groups for lines in repeats for line in lines)
    if unit == "%" and 0 < most <= 1:
        raise InputError(
            f"{file}: the largest load level is {most:g} %: the levels are shares of full load, not percentages.",
            "Give the column of the load level the unit '1' in the mapping.",
        )


def _groups(lines: Sequence[_Line], file: str, unread: Unread) -> list[list[list[_Line]]]:
    """Sort rows by result and repeat; those that compare servers, or repeat some load levels only, are not read."""
    servers = {line.text["server"] for line in lines}
    groups: dict[tuple[str, ...], list[list[_Line]]] = {}
    for line in lines:
        server = line.text["server"]
        if compares(server, servers - {server}):
            unread.add(file, line.number, line.written, f"{server[:40]!r} is not a server: the row compares two others")
        else:
            _add(groups.setdefault(tuple(line.text.values()), []), line)
    return [_whole_repeats(repeats, file, unread) for repeats in groups.values()]


def _add(repeats: list[list[_Line]], line: _Line) -> None:
    """Add a row to the first repeat of its result that has no such load level yet."""
    for lines in repeats:
        if all(other.target_pct != line.target_pct for other in lines):
            lines.append(line)
            return
    repeats.append([line])


def _whole_repeats(repeats: list[list[_Line]], file: str, unread: Unread) -> list[list[_Line]]:
    """Return the repeats of a result that have all its load levels; its first has."""
    whole = []
    for lines in repeats:
        if len(lines) == len(repeats[0]):
            whole.append(lines)
            continue
        for line in lines:
            earlier = next(other.number for other in repeats[0] if other.target_pct == line.target_pct)
            why = f"load level {line.target_pct:g} % stands in line {earlier} too, and other levels of it once only"
            unread.add(file, line.number, line.written, why)
    return whole


def _lines(file: CsvLines, mapping: CsvMapping, unread: Unread) -> Iterator[_Line]:
    names: list[str] = []
    heads: dict[int, list[str]] = {}
    width, quantities = 0, None
    first: dict[tuple[str, ...], int] = {}
    places = None if mapping.names_row else find_places(mapping, (), file.name)
    for row in csv_rows(file, mapping):
        if row.number <= mapping.header_rows:
            names = row.cells or [] if row.number == mapping.names_row else names
            heads[row.number] = row.cells or []
            continue
        if not row.text.strip():
            continue
        places = places or find_places(mapping, names, file.name)
        if quantities is None:
            quantities = LineQuantities(mapping, names, places, file.name)
            width = _width(names, places) or len(row.cells or [])
            require_units_row(mapping, places, heads | {row.number: row.cells or []}, file.name)
        if not _is_chosen(row.cells or [], places):
            continue
        try:
            line = _line(row, mapping, places, width)
            quantities.require_same(row.number, row.cells or [])
            if (earlier := first.setdefault(tuple(row.cells or ()), row.number)) != row.number:
                raise ValueError(f"it is line {earlier} once more")
            yield line
        except ValueError as error:
            if is_heading(row.cells or [], names, places, f"{file.name}, line {row.number}"):
                continue
            require_units_row(mapping, places, {row.number: row.cells or []}, file.name)
            unread.add(file.name, row.number, row.text, str(error))


def _width(names: Sequence[str], places: Places) -> int:
    """Return how many columns a heading has, without empty names at its end."""
    named = [place for place, name in enumerate(names, start=1) if name]
    return max(named[-1], places.cells) if named else 0


def _is_chosen(cells: Sequence[str], places: Places) -> bool:
    """Return whether a row is one of those that the mapping chooses (where:)."""
    return all(len(cells) > place and text in ("*", cells[place]) for place, text in places.where[0])


def _line(row: CsvRow, mapping: CsvMapping, places: Places, width: int) -> _Line:
    """Read one row. Raises ValueError with what is wrong."""
    if row.cells is None:
        raise ValueError("a quoted text does not end in this line")
    if mistake := wrong_width(row.cells, places.cells, width):
        raise ValueError(mistake)
    text = {"server": "", "configuration": mapping.configuration.strip(), "workload": mapping.workload.strip()}
    amounts: dict[str, float | None] = {}
    for column, place in zip(mapping.columns, places.columns, strict=True):
        cell = row.cells[place]
        if column.quantity not in UNITS:
            text[column.quantity] = cell[:_LONGEST]
            continue
        number = parse_cell(cell, mapping.decimal, column.quantity, column.unit, mapping.work_unit)
        if number is None:
            amounts[column.quantity] = None
            continue
        if number.ambiguous and mapping.delimiter != ",":
            require_clear(f"Line {row.number}", cell, mapping.decimal)
        factor, offset = unit_of(number, column.quantity, column.unit)
        amounts[column.quantity] = number.value * factor + offset
    _require_server(text, "" if 0 in places.columns else row.cells[0])
    return _Line(row.number, row.text, text, tuple(_levels(amounts)))


def _require_server(text: dict[str, str], first_cell: str) -> None:
    """Refuse a row that is of no single server. Raises ValueError."""
    if not text["server"]:
        raise ValueError(_NO_SERVER)
    for quantity, name in text.items():
        if sums_up(name):
            raise ValueError(f"{name[:40]!r} is not a {quantity}: the row sums up others")
    if sums_up(first_cell, in_any_column=True):
        raise ValueError(f"its first cell is {first_cell[:40]!r}: the row sums up others")


def _levels(amounts: dict[str, float | None]) -> Iterator[PublishedLevel]:
    power, throughput, idle = (amounts.get(name) for name in ("power", "throughput", "idle power"))
    if power is None or throughput is None:
        raise ValueError(f"it has no {'power' if power is None else 'throughput'}")
    load = amounts.get("load level")
    target = 100.0 if load is None else load
    if not 0 <= target <= 100:
        raise ValueError(f"{target:g} % is not a load level")
    yield _level(target, throughput, power, amounts.get("performance per watt"))
    if idle is not None:
        yield _level(0.0, 0.0, idle, None)


def _level(target_pct: float, throughput: float, power: float, ratio: float | None) -> PublishedLevel:
    for value, what, unit in ((power, "power", "W"), (throughput, "throughput", "1/s")):
        if value < 0 or problem(value):
            raise ValueError(f"{value:g} {unit} is not possible as {what}")
    if power == 0:
        raise ValueError("0 W is not the power of a working server")
    if throughput == 0 and target_pct > 0:
        raise ValueError("a throughput of 0 is that of a load that failed")
    return PublishedLevel(
        target_pct=target_pct, actual_pct=None, ops_per_s=throughput, power_w=power, printed_ratio=ratio
    )


def _figures(lines: list[_Line], mapping: CsvMapping, note: SourceFileNote, repeat: int) -> ImportedFigures:
    text = lines[0].text
    levels = {level.target_pct: level for line in lines for level in line.levels}
    ordered = tuple(sorted(levels.values(), key=lambda level: -level.target_pct))
    loaded = [level for level in ordered if level.target_pct > 0] or ordered
    overall = sum(level.ops_per_s for level in loaded) / sum(level.power_w for level in loaded)
    printed = loaded[0].printed_ratio if len(loaded) == 1 else None
    denied = (*_contradictions(loaded), *_idle_above_load(ordered), *_less_load_above(loaded), *_two_idles(lines))
    notes = [f"Read by the mapping {mapping.name!r}.", *denied]
    if printed is None:
        is_printed = any(level.printed_ratio is not None for level in loaded)
        notes.append(_COMPUTED_OF_ALL if is_printed else _COMPUTED)
    title = " · ".join([*(part for part in text.values() if part), *([f"repeat {repeat}"] if repeat > 1 else [])])
    identity = f"{note.sha256} {title}".encode("utf-8", "replace")
    result = PublishedResult(
        id=f"csv-{hashlib.sha256(identity).hexdigest()[:16]}",
        kind="csv",
        title=title[:_LONGEST],
        source=f"{note.file}, line {lines[0].number}, read by the mapping {mapping.name!r}",
        submitter="",
        maker="",
        model=" · ".join(part for part in (text["server"], text["configuration"]) if part)[:_LONGEST],
        workload=text["workload"] or "unknown workload",
        unit=f"{mapping.work_unit.removesuffix('/s')}/s",
        levels=ordered,
        stated_overall=printed,
        overall=overall,
        contradictions=denied[:_MOST_CONTRADICTIONS],
        disclosure={"lines": [line.number for line in lines][:100]},
        file=note,
    )
    return ImportedFigures(result, tuple(notes))


def _contradictions(levels: Iterable[PublishedLevel]) -> Iterator[str]:
    """Report rows whose printed performance per watt contradicts their throughput and power."""
    for level in levels:
        if level.printed_ratio is None:
            continue
        ratio = level.ops_per_s / level.power_w
        limit_pct = _AGREE_PCT + (100 * half_width(level.printed_ratio) / ratio if ratio else 0.0)
        text = (
            f"At {level.target_pct:g} % load the performance per watt is printed as {level.printed_ratio:g}; "
            f"throughput and power of the row give {format_number(ratio, 6)}."
        )
        if finding := printed_finding(level.printed_ratio, ratio, limit_pct, text, "the row"):
            yield finding.text


def _idle_above_load(levels: Iterable[PublishedLevel]) -> Iterator[str]:
    """Report load levels whose printed power is below the printed idle power."""
    by_target = {level.target_pct: level.power_w for level in levels}
    idle_w = by_target.pop(0.0, 0.0)
    for target_pct, power_w in by_target.items():
        if idle_w > power_w:
            yield (
                f"Idle power is printed as {format_number(idle_w, 6)} W, above the {format_number(power_w, 6)} W at "
                f"{target_pct:g} % load."
            )


def _less_load_above(levels: Sequence[PublishedLevel]) -> Iterator[str]:
    """Report load levels at which more work, or more power, is printed than at the next higher one."""
    for higher, lower in pairwise(levels):
        for quantity, unit, below, above in (
            ("throughput", "/s", lower.ops_per_s, higher.ops_per_s),
            ("power", " W", lower.power_w, higher.power_w),
        ):
            if below > (1 + _AGREE_PCT / 100) * above:
                yield (
                    f"At {lower.target_pct:g} % load {quantity} is printed as {format_number(below, 6)}{unit}, above "
                    f"the {format_number(above, 6)}{unit} at {higher.target_pct:g} % load."
                )


def _two_idles(lines: Iterable[_Line]) -> Iterator[str]:
    """Report rows of one result that print different idle power."""
    printed = sorted({level.power_w for line in lines for level in line.levels if level.target_pct == 0})
    if len(printed) > 1:
        yield (
            f"Idle power is printed as {format_number(printed[0], 6)} W and as {format_number(printed[-1], 6)} W in "
            "rows of the same result."
        )
