"""What the columns of an unknown CSV file seem to be, from its header and first lines: for a person to confirm.

The time zone is never proposed, and neither is the order of day and month where both are possible.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from statistics import median

import numpy as np

from wattmark.core.amounts import Decimal
from wattmark.core.errors import InputError
from wattmark.core.schema import Record
from wattmark.importers.column_shape import ColumnShape
from wattmark.importers.csv_mapping.csv_rows import split
from wattmark.importers.csv_mapping.named_quantity import named_quantities
from wattmark.importers.csv_mapping.numbers import MISSING, parse_number
from wattmark.importers.csv_mapping.stamp_format import ISO, parse_stamp
from wattmark.importers.csv_mapping.units import (
    INTERVAL_ENERGY,
    SETTINGS,
    SPREADS,
    UNITS,
    foreign_unit,
    no_load,
    no_power,
    spelled,
    written_factor,
    written_units,
)
from wattmark.importers.written_digits import half_digit

_LINES = 200
_SHOWN = 12
_LONGEST_CELL = 80
_DELIMITERS = (",", ";", "\t", "|")
_DATES = ("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%d %b %Y", "%b %d %Y")
_TIMES = ("%H:%M:%S", "%H:%M", "%I:%M:%S %p", "%I:%M %p")
_STAMPS = (ISO, *(f"{date} {time}" for date in _DATES for time in _TIMES))
_UNIX = (("unix s", 1e9), ("unix ms", 1e12), ("unix us", 1e15), ("unix ns", 1e18))
"""A form of stamps after 2001, and the least number that it then has; below that stands the form before."""
_MEASURED = (*("power", "apparent power", "voltage", "current", "power factor", "energy", "frequency", "temperature"),)
"""Quantities that a unit can name by itself, in the order of the proposal."""
_IS_SIDE = frozenset({"current", "total"})
"""Words that also say "now" or "in all": a unit beside them is of something else."""
_LETTERS = frozenset({"c", "f", "k"})
"""Letters that are units only in brackets: f alone may be a frequency."""
_NO_UNITS = frozenset({"h", "hr", "hour", "hours", "var", "btu"})
"""Words behind which a name is of no unit, beside those of `foreign_unit`."""
_NOT_A_READING = frozenset(
    {
        *("reactive", "blind", "blindleistung", "co2", "charge"),
        *("max", "min", "maximum", "minimum", "peak", "avg5", "p90", "p95", "p99", "q95", "percentile"),
        *SETTINGS,
        *SPREADS,
        *(
            "target",
            "per",
            "num",
            "correction",
            "offset",
            "estimate",
            "estimated",
            "model",
            "loss",
            "rf",
            "tx",
            "optical",
        ),
        *("idle", "standby", "baseline", "off"),
        *(
            "ret",
            "returned",
            "export",
            "exported",
            "feedin",
            "production",
            "solar",
            "pv",
            "generation",
            "yield",
        ),
        *("out", "output", "dc", "pout"),
    }
)
"""Words of columns that hold something else than what a load takes: bounds, settings, spreads, guesses, power without
a load, what flows back, the output side of a supply."""
_SENSOR_FILE = re.compile(r"(?:power|curr|in|temp)[0-9]+_(?:input|average)")
"""Names of Linux's hwmon: its files count in millionths and thousandths, and `sensors -u` prints watts by the same."""
_MEAN = frozenset({"avg", "average", "mean", "mo", "month", "monthly"})
"""Words of energies that are neither a total nor those of an interval."""
_OUTLET = re.compile(r"\boutput\s*[0-9]+\b")
"""Of a switched strip, whose outputs are its outlets."""
_LOAD = ("voltage", "current", "power")
_BY_THOUSANDS = {"voltage": ["V", "mV"], "current": ["A", "mA"], "power": ["W", "mW", "µW"]}
"""Units of a load without a unit, the usual one first."""
_POWER_FACTOR_FROM, _POWER_FACTOR_TO = 0.05, 1.1
"""Watts over volts times amperes of a load, with the errors of a cheap meter."""
_LEAST_STANDBY = 0.005
"""The same of a supply that is on standby, in the usual units."""


_NOTHING = {"quantity": None, "unit": ""}


class ProposedColumn(Record):
    """A column: its name, some of its cells, and what it seems to hold; None: nothing is proposed."""

    name: str
    cells: tuple[str, ...]
    quantity: str | None
    unit: str
    """Empty where the file does not show it: it is asked for."""
    is_number: bool


class Proposal(Record):
    """How a file seems to be written, and what its columns seem to hold."""

    encoding: str
    delimiter: str
    decimal: Decimal
    header_rows: int
    columns: tuple[ProposedColumn, ...]
    time_columns: tuple[int, ...]
    """Numbers from 1; empty where no column looks like stamps."""
    formats: tuple[str, ...]
    """Forms of which every stamp is one: more than one where day and month cannot be distinguished."""
    rows: tuple[tuple[str, ...], ...]
    """The first lines, header included; one that is no row has no cells."""


@dataclass(frozen=True, slots=True)
class TextForm:
    """How a person says that a file is written; None: as it seems."""

    encoding: str | None = None
    delimiter: str | None = None
    decimal: Decimal | None = None
    header_rows: int | None = None


def propose(head: bytes, written: TextForm = TextForm()) -> Proposal:
    """Propose what a file is, from its first lines. Raises `InputError` for what is not a table."""
    encoding, text = _decoded(head, written.encoding)
    lines = [line.rstrip("\n") for line in islice(io.StringIO(text, newline=None), _LINES)]
    delimiter = written.delimiter or _delimiter([line for line in lines if line.strip()])
    rows = [(split(line, delimiter) or []) if line.strip() else [] for line in lines] if delimiter else []
    widths = Counter(len(row) for row in rows if row).most_common(1)
    width = widths[0][0] if widths else 0
    if width < 2:
        raise InputError("The file is not a table of rows and columns.", "Choose a CSV file with one reading per line.")
    header_rows = _header_rows(rows, width) if written.header_rows is None else written.header_rows
    data = [row for row in rows[header_rows:] if len(row) == width]
    decimal = written.decimal or _decimal(data, delimiter)
    names = rows[header_rows - 1] if 0 < header_rows <= len(rows) else []
    columns = [_column(names[i] if i < len(names) else "", [row[i] for row in data], decimal) for i in range(width)]
    time_columns, formats = _time(columns, [[row[i] for row in data] for i in range(width)])
    columns = [c.model_copy(update=_NOTHING) if i in time_columns else c for i, c in enumerate(columns)]
    columns = _with_units(columns, data, decimal)
    return Proposal(
        encoding=encoding,
        delimiter=delimiter,
        decimal=decimal,
        header_rows=header_rows,
        columns=tuple(columns),
        time_columns=tuple(i + 1 for i in time_columns),
        formats=formats,
        rows=tuple(tuple(cell[:_LONGEST_CELL] for cell in row) for row in rows[: header_rows + _SHOWN]),
    )


def _decoded(head: bytes, encoding: str | None) -> tuple[str, str]:
    if encoding is not None:
        return encoding, head.decode(encoding, "replace").removeprefix("\ufeff")
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16", head.decode("utf-16", "replace")
    if b"\0" in head:
        raise InputError("The file is not text.", "Choose a CSV file.")
    try:
        return "utf-8", head.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if error.start >= len(head) - 3:  # the head ends within a character
            return "utf-8", head[: error.start].decode("utf-8-sig")
        return "cp1252", head.decode("cp1252", "replace")


def _delimiter(lines: Sequence[str]) -> str:
    """Choose the delimiter that splits most lines into the same number of columns."""

    def score(delimiter: str) -> tuple[int, int]:
        counts = Counter(len(row) for line in lines if (row := split(line, delimiter)) is not None and len(row) > 1)
        return (max(counts.values()), max(counts)) if counts else (0, 0)

    # where decimals are written with a comma, as many lines are split by it as by the delimiter itself
    best = max(_DELIMITERS, key=lambda delimiter: (score(delimiter)[0], delimiter != ",", score(delimiter)[1]))
    return best if score(best)[0] else ""


def _header_rows(rows: Sequence[Sequence[str]], width: int) -> int:
    """Count the lines down to the last row before the first in which a cell is a number or a stamp."""
    last = 0
    for number, row in enumerate(rows, start=1):
        if len(row) == width and any(_is_datum(cell) for cell in row):
            return last
        if row:
            last = number
    return next(number for number, row in enumerate(rows, start=1) if row)


def _is_datum(cell: str) -> bool:
    return bool(re.fullmatch(r"[+-]?[0-9][0-9.,:/ T+-]*[A-Za-z%°]{0,3}", cell)) or _stamp_forms([cell]) != ()


def _decimal(data: Sequence[Sequence[str]], delimiter: str) -> Decimal:
    if delimiter == ",":
        return "."
    cells = [cell for row in data for cell in row]
    commas = sum(re.fullmatch(r"[+-]?[0-9]+,[0-9]+", cell) is not None for cell in cells)
    points = sum(re.fullmatch(r"[+-]?[0-9]+\.[0-9]+", cell) is not None for cell in cells)
    return "," if commas > points else "."


def _column(name: str, cells: Sequence[str], decimal: Decimal) -> ProposedColumn:
    quantity, unit = _meaning(name)
    if quantity == "energy" and _often_falls(cells, decimal):
        quantity = INTERVAL_ENERGY
    return ProposedColumn(
        name=name[:200],
        cells=tuple(c[:_LONGEST_CELL] for c in cells[:5]),
        quantity=quantity,
        unit=unit,
        is_number=_all_numbers(cells, decimal),
    )


def _often_falls(cells: Sequence[str], decimal: Decimal) -> bool:
    """Return whether the numbers of a column go as no running total does."""
    shape = ColumnShape()
    shape.add(np.array([number for cell in cells if (number := _number(cell, decimal)) is not None]))
    return shape.often_falls


def _all_numbers(cells: Sequence[str], decimal: Decimal) -> bool:
    there = [cell for cell in cells if cell.lower() not in MISSING]
    return bool(there) and all(_number(re.sub(r" ?[A-Za-z%°]{1,3}$", "", cell), decimal) is not None for cell in there)


def _number(text: str, decimal: Decimal) -> float | None:
    try:
        return parse_number(text, decimal)
    except ValueError:
        return None


def _meaning(name: str) -> tuple[str | None, str]:
    """Read quantity and unit out of the name of a column.

    A unit that is written decides what the quantity can be; one that is not known leaves nothing to propose.
    """
    plain = re.sub(r"[^a-z0-9%°]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()).split()
    denied = _NOT_A_READING.intersection(_OUTLET.sub(" ", " ".join(plain)).replace("feed in", "feedin").split())
    if denied or written_factor(name) or (len(plain) > 1 and plain[-1] == "n"):
        return None, ""
    quantity, unit = _named(name, plain)
    is_denied = (quantity == "power" and no_power(name)) or (quantity == "energy" and no_load(name))
    return (None, "") if is_denied else (quantity, unit)


def _named(name: str, plain: Sequence[str]) -> tuple[str | None, str]:
    """Read quantity and unit out of the words of a name."""
    written = _unit(name)
    if written is None:
        return None, ""
    said = named_quantities(name)
    if not written:
        return (said[0], "") if len(said) == 1 else (None, "")
    possible = [q for q in _MEASURED if written in UNITS[q]]
    fitting = [q for q in said if q in possible]
    if "energy" in possible and _MEAN.intersection(plain):
        return None, ""
    if fitting:
        return fitting[0], written
    if not possible or written in ("%", "K") or (said and not _IS_SIDE.intersection(plain)):
        return None, ""
    return possible[0], written


def _unit(name: str) -> str | None:
    """Find a unit in brackets, or as the last word of a name; None: what is in brackets is a unit that is not known."""
    if (bracketed := re.search(r"[\[(]([^\])]{1,12})[\])]", name)) is not None:
        return spelled(bracketed[1]) or None
    if foreign_unit(name):
        return None
    if units := written_units(name):
        return units[0] if len(units) == 1 else None
    last = re.split(r"[\s_,/:-]+", name.strip())[-1]
    if last.lower() in _NO_UNITS:
        return None
    return spelled(last) if last.lower() not in _LETTERS else ""


def _time(columns: Sequence[ProposedColumn], cells: Sequence[Sequence[str]]) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Find the column whose cells are all stamps, or a date and the time of day beside it."""
    for index, column in enumerate(columns):
        if forms := _stamp_forms(cells[index]):
            return (index,), forms
        if re.search(r"time|epoch|stamp|zeit", column.name, re.IGNORECASE) and (form := _unix_form(cells[index])):
            return (index,), (form,)
    for index in range(len(columns) - 1):
        joined = [f"{day} {time}" for day, time in zip(cells[index], cells[index + 1], strict=True)]
        if forms := _stamp_forms(joined):
            return (index, index + 1), forms
    return (), ()


def _stamp_forms(cells: Sequence[str]) -> tuple[str, ...]:
    there = [cell for cell in cells if cell]
    forms = tuple(form for form in _STAMPS if there and all(_is_stamp(cell, form) for cell in there))
    return forms[:1] if forms[:1] == (ISO,) else forms


def _is_stamp(text: str, form: str) -> bool:
    try:
        parse_stamp(text, form)
    except ValueError:
        return False
    return True


def _unix_form(cells: Sequence[str]) -> str | None:
    numbers = [_number(cell, ".") for cell in cells]
    known = [number for number in numbers if number is not None]
    if not known or len(known) < len(cells):
        return None
    forms = [form for form, least in _UNIX if min(known) >= least]
    return forms[-1] if forms else None


def _with_units(
    columns: Sequence[ProposedColumn], data: Sequence[Sequence[str]], decimal: Decimal
) -> list[ProposedColumn]:
    """Complete units that no heading states: for volts, amperes and watts from each other, else the usual ones."""
    proposed = [c if c.is_number or c.quantity is None else c.model_copy(update=_NOTHING) for c in columns]
    first = {q: index for q in _LOAD if (index := _first(proposed, q)) is not None}
    typical = {q: _typical([row[index] for row in data], decimal) for q, index in first.items()}
    units: Mapping[str, str] = {}
    if len(typical) == len(_LOAD) and all(value for value, _ in typical.values()):
        units = _consistent({q: proposed[index].unit for q, index in first.items()}, typical)
    return [c if c.unit or c.quantity is None else c.model_copy(update={"unit": _usual(c, units)}) for c in proposed]


def _usual(column: ProposedColumn, units: Mapping[str, str]) -> str:
    """Return the unit of a column that states none: that of its quantity, the usual one, or empty to ask for it."""
    quantity = column.quantity or ""
    if quantity in ("energy", INTERVAL_ENERGY) or _SENSOR_FILE.fullmatch(column.name):
        return ""
    return units.get(quantity, next(iter(UNITS[quantity])))


def _first(columns: Sequence[ProposedColumn], quantity: str) -> int | None:
    return next((index for index, column in enumerate(columns) if column.quantity == quantity), None)


def _typical(cells: Sequence[str], decimal: Decimal) -> tuple[float, float]:
    """Return the median of the numbers of a column that are not 0, and half of its last digit."""
    values = [abs(value) for cell in cells if (value := _number(cell, decimal))]
    return (median(values), half_digit(np.array(values))) if values else (0.0, 0.0)


def _consistent(stated: Mapping[str, str], typical: Mapping[str, tuple[float, float]]) -> dict[str, str]:
    """Choose the units in which the watts are volts times amperes times a power factor; none to ask for where none are.

    Others than by steps of a thousand are never chosen: ten times the watts are those of several phases as well.
    """
    choices = [[stated[q]] if stated[q] else _BY_THOUSANDS[q] for q in _LOAD]
    for units in product(*choices):
        (volts, amperes, watts), halves = zip(*(typical[q] for q in _LOAD), strict=True)
        v, a, w = (UNITS[q][unit].factor for q, unit in zip(_LOAD, units, strict=True))
        least = _LEAST_STANDBY if units == ("V", "A", "W") else _POWER_FACTOR_FROM
        most = (volts + halves[0]) * v * (amperes + halves[1]) * a * _POWER_FACTOR_TO
        if watts * w >= least * volts * v * amperes * a and (watts - halves[2]) * w <= most:
            return dict(zip(_LOAD, units, strict=True))
    return dict.fromkeys(_LOAD, "")
