"""A sheet as data: its entries in order, their sources, and the conditions for a complete entry."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Annotated, Literal

from pydantic import Field
from ruamel.yaml import YAML

from wattmark.core.schema import Record
from wattmark.tables.table import ColumnKind

SheetName = Literal["eehpc", "mlperf-summary", "procurement"]
_FILES: dict[SheetName, str] = {
    "eehpc": "eehpc.yaml",
    "mlperf-summary": "mlperf.yaml",
    "procurement": "procurement.yaml",
}


class SheetEntry(Record):
    """One entry: a row of a form, or a column of a table."""

    key: str
    title: str
    value: str
    """Name of the value in `values.py`."""
    part: str = ""
    kind: ColumnKind = "text"
    unit: str | Literal[True] = ""
    """True: each row has its own."""
    plus_minus: bool = False
    """It counts as given only with its ±."""
    at_least: float | None = None
    at_most: float | None = None
    needed: bool | Literal["idle", "loaded"] = False
    """Whether a table needs it; or in which state of the machine."""
    levels: tuple[Annotated[int, Field(ge=1, le=3)], ...] = ()
    """Quality levels of a form that need it; empty: optional."""
    digits: int = 6
    once: bool = False
    """Said once in a note where all rows agree."""
    people: bool = True
    remedy: str = ""
    """What to do where it is missing."""


class SheetLayout(Record):
    """A sheet: what it is for, whose entries it has, and the entries."""

    title: str
    source: str
    shape: Literal["form", "rows"]
    per: Literal["run", "phase"] = "run"
    entries: tuple[SheetEntry, ...]


@cache
def sheet_layout(name: SheetName) -> SheetLayout:
    """Read the layout of a sheet."""
    text = files("wattmark.reports.sheets").joinpath(_FILES[name]).read_text("utf-8")
    return SheetLayout.model_validate(YAML(typ="safe").load(text))
