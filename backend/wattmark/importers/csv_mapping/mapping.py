"""A mapping: what the columns of a CSV file are, as a person declared it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from wattmark.bench.yaml_source import YamlSource, read_text
from wattmark.core.amounts import Decimal
from wattmark.core.errors import InputError
from wattmark.core.inputs import FILLED_LINE, LINE, SCALAR, WHOLE, Input
from wattmark.importers.csv_mapping.stamp_format import FORMATS, names_zone, problem_of
from wattmark.importers.csv_mapping.units import (
    COUNT,
    INTERVAL_ENERGY,
    TOTAL,
    UNITS,
    LogQuantity,
    TableQuantity,
)
from wattmark.importers.zones import read_zone

MOST_COLUMNS = 1000
Name = Annotated[str, Field(min_length=1, max_length=60), FILLED_LINE]
"""Of a mapping, a meter, a unit of work."""
_ByName = Annotated[str, Field(min_length=1, max_length=200), FILLED_LINE]
_ByNumber = Annotated[int, Field(ge=1, le=MOST_COLUMNS)]
Place = Annotated[_ByName | _ByNumber, SCALAR]
"""A column by its name in the header, or by its number from 1."""
Encoding = Literal["utf-8", "utf-16", "cp1252"]
Delimiter = Literal[",", ";", "\t", "|", " "]
Where = Annotated[
    dict[_ByName, Annotated[Annotated[str, Field(max_length=200), LINE] | int, SCALAR]],
    Field(max_length=20),
]
"""Columns by name and the text that they hold in the lines to read; "*": any text."""
Holds = Literal["power log", "power log with throughput", "table of results"]
_OF_A_LOG = {
    *("power", "apparent power", "voltage", "current", "power factor", "energy", INTERVAL_ENERGY),
    *("frequency", "temperature"),
}
_OF_A_TABLE = {
    *("server", "configuration", "workload", "load level"),
    *("power", "idle power", "throughput", "performance per watt"),
}


class CsvColumn(Input):
    """What one column holds."""

    column: Place
    quantity: LogQuantity | TableQuantity
    unit: Annotated[str, Field(max_length=20), LINE] = ""
    """One of those of its quantity; empty for text."""
    meter: Name = "meter"
    """Which meter measured it; columns of the same meter belong together."""
    role: Literal["wall", "secondary"] = "wall"
    """Of a column with power or energy: wall meters add up, a secondary meter is shown and not added."""
    where: Where = Field(default_factory=dict)
    """Which lines hold it, where several series stand in one column; beside those of the mapping."""


class CsvTime(Input):
    """Where the stamps are, and how they are written."""

    columns: Annotated[tuple[Place, ...], Field(min_length=1, max_length=2)]
    """One column, or a date and a time of day."""
    format: Annotated[str, Field(min_length=1, max_length=60), FILLED_LINE]
    """"iso 8601", "unix s", "unix ms", "unix us", "unix ns", or a date and time such as "%d.%m.%Y %H:%M:%S"."""


class CsvMapping(Input):
    """What a CSV file is, and what each of its columns holds."""

    name: Name
    holds: Holds = "power log"
    encoding: Encoding = "utf-8"
    delimiter: Delimiter = ","
    decimal: Decimal = "."
    header_rows: Annotated[int, Field(ge=0, le=100), WHOLE] = 1
    """Rows above the data."""
    names_row: Annotated[int, Field(ge=0, le=100), WHOLE] = 1
    """Which of them names the columns, from 1; 0: none does."""
    header: Annotated[tuple[Annotated[str, Field(max_length=200), LINE], ...], Field(max_length=MOST_COLUMNS)] = ()
    """The names of the file that the mapping was made for; a file with the same names is recognised."""
    time: CsvTime | None = None
    """None for a table of results."""
    zone: Annotated[str, Field(max_length=60), LINE] | None = None
    """Time zone of stamps that name none; None: it is asked for at each import."""
    readings: Literal["instantaneous", "averaged"] = "instantaneous"
    """Whether a reading is the value at its stamp or the mean since the reading before."""
    columns: Annotated[tuple[CsvColumn, ...], Field(min_length=1, max_length=MOST_COLUMNS)]
    where: Where = Field(default_factory=dict)
    """Which lines are read, where several series stand in one column."""
    work_unit: Name = "work"
    """What is counted by a column with throughput: signs, samples, queries."""
    server: Annotated[str, Field(max_length=200), LINE] = ""
    configuration: Annotated[str, Field(max_length=200), LINE] = ""
    workload: Annotated[str, Field(max_length=200), LINE] = ""

    @model_validator(mode="after")
    def _is_sound(self) -> Self:
        if mistake := self._mistake():
            raise PydanticCustomError("mapping", "{mistake}", {"mistake": mistake})
        return self

    @property
    def needs_zone(self) -> bool:
        """Return whether stamps of this form can lack a time zone."""
        return self.time is not None and not names_zone(self.time.format)

    def _mistake(self) -> str | None:
        if self.names_row > self.header_rows:
            return f"Row {self.names_row} cannot name the columns where only {self.header_rows} rows are above the data"
        return self._mistake_of_columns() or self._mistake_of_time() or self._mistake_of_kind()

    def _mistake_of_columns(self) -> str | None:
        names = [place for place in self._places() if isinstance(place, str)]
        if names and self.names_row == 0:
            return f"Column {names[0]!r} is given by name, but no row names the columns: give its number"
        for column in self.columns:
            units = UNITS.get(column.quantity)
            if units is None and column.unit:
                return f"Column {column.column!r} is a {column.quantity}, which has no unit"
            if units is not None and column.unit not in units:
                return (
                    f"Column {column.column!r}: {column.quantity} is given in {', '.join(units)}, not {column.unit!r}"
                )
        return None

    def _mistake_of_time(self) -> str | None:
        if self.holds == "table of results":
            return "A table of results has no time column" if self.time else None
        if self.time is None:
            return "A log needs a time column"
        if (problem := problem_of(self.time.format)) is not None:
            return f"The form of the stamps {self.time.format!r} {problem}: use {FORMATS}"
        try:
            read_zone(self.zone)
        except InputError as error:
            return error.cause.rstrip(".")
        return None

    def _mistake_of_kind(self) -> str | None:
        quantities = [column.quantity for column in self.columns]
        if self.holds == "table of results":
            if any(column.unit in (COUNT, TOTAL) for column in self.columns):
                return f"A table gives a rate as throughput: its unit is {', '.join(_RATES)}"
            if any(column.where for column in self.columns):
                return "A table of results chooses its lines for all columns: write where: beside them"
            return _mistake_of_table(quantities)
        allowed = _OF_A_LOG | ({"throughput"} if self.holds == "power log with throughput" else set())
        for quantity in quantities:
            if quantity not in allowed:
                return f"A {self.holds} has no column of {quantity}"
        if not {"power", "energy", INTERVAL_ENERGY} & set(quantities):
            return "No column holds power or energy"
        if self.holds == "power log with throughput" and quantities.count("throughput") != 1:
            return f"One column must hold the throughput, not {quantities.count('throughput')}"
        of_meters = [
            (column.meter, _STORED.get(column.quantity, column.quantity))
            for column in self.columns
            if column.quantity != "throughput"
        ]
        for meter, stored in of_meters:
            if of_meters.count((meter, stored)) > 1:
                return f"Two columns hold {stored} of {meter!r}: give each meter a name of its own"
        return self._mistake_of_series()

    def _mistake_of_series(self) -> str | None:
        """Find a throughput that stands in the lines of several series, of which the others are chosen one by one."""
        if self.where or not any(column.where for column in self.columns):
            return None
        of_all = next((c.column for c in self.columns if c.quantity == "throughput" and not c.where), None)
        return None if of_all is None else f"Column {of_all!r} counts work in the lines of all series: give it a where:"

    def _places(self) -> list[str | int]:
        where = [*self.where, *(name for column in self.columns for name in column.where)]
        return [*(self.time.columns if self.time else ()), *(column.column for column in self.columns), *where]


_STORED: dict[str, str] = {INTERVAL_ENERGY: "power"}
_RATES = [unit for unit in UNITS["throughput"] if unit not in (COUNT, TOTAL)]


def _mistake_of_table(quantities: list[Any]) -> str | None:
    for quantity in quantities:
        if quantity not in _OF_A_TABLE:
            return f"A table of results has no column of {quantity}"
        if quantities.count(quantity) > 1:
            return f"Two columns hold {quantity}: choose one"
    missing = [quantity for quantity in ("server", "power", "throughput") if quantity not in quantities]
    return f"No column holds {' or '.join(missing)}" if missing else None


def read_mapping(path: Path) -> CsvMapping:
    """Read a mapping from a YAML or JSON file. Raises `InputError` with the field and the remedy."""
    source = YamlSource(str(path), read_text(path))
    try:
        return CsvMapping.model_validate(source.data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        line = source.line(source.written([step for step in first["loc"] if isinstance(step, (str, int))]))
        field = ".".join(str(step) for step in first["loc"])
        raise InputError(
            f"{path}:{line}: {f'{field}: ' if field else ''}{first['msg'][:200]}.",
            "Change the mapping; `wattmark mapping show NAME` prints one that works.",
        ) from None
