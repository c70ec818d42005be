"""The tables of the fleet store, declared once; `ddl` renders them for a server's version, alone or in a cluster.

A name here never changes its meaning. Another layout gets the next number of `LAYOUT`.
"""

from __future__ import annotations

from dataclasses import dataclass

from wattmark.results.pages.row import FIGURES
from wattmark.results.result import Claim

LAYOUT = 1


@dataclass(frozen=True, slots=True)
class Column:
    """A column; ``codec`` is what current servers compress it with, ``named`` says that its texts repeat."""

    name: str
    type: str
    codec: str = ""
    named: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table in which the row with the same key that was written last replaces the others."""

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    month_of: str
    """Column with the time by whose month it is partitioned [UTC ns]."""
    version: str = ""
    """Column that tells which row is the later one; without it, the one inserted last."""
    raw: bool = False
    """Its rows may be given a time to live."""
    rows_per_mark: int | None = None
    """Rows that are unpacked to read one of them; None: as many as the server likes, which is 8192."""


def _number(name: str, kind: str = "Float64") -> Column:
    return Column(name, f"Nullable({kind})")


def _figure(name: Claim) -> tuple[Column, ...]:
    """A value, its standard and its expanded uncertainty, and whether it may be ranked by it."""
    of = FIGURES[name]
    return *(_number(column.key) for column, _ in (of.value, of.u, of.U95)), Column(f"{name}_ranked", "UInt8")


def _names(*names: str) -> tuple[Column, ...]:
    return tuple(Column(name, "String", named=True) for name in names)


_TEXT = "ZSTD(3)"
_FEW = 64
"""Of a million rows with documents of 12 kB each, 250 are read with 0.2 s of processor time instead of 1.2 s."""
_RUN = Column("run", "String", "ZSTD(1)")
_CREATED = Column("created_ns", "Int64")
_WRITTEN = Column("written_ns", "Int64")
_DELETED = Column("deleted", "UInt8")

SAMPLE = Table(
    "sample",
    (
        *_names("lab"),
        _RUN,
        *_names("server", "source", "channel"),
        Column("part", "UInt8", "ZSTD(1)"),
        Column("t_ns", "Int64", "DoubleDelta, ZSTD(1)"),
        Column("repeat", "UInt16", "ZSTD(1)"),
        Column("value", "Float64", "Gorilla, ZSTD(1)"),
        Column("quality", "UInt16", "ZSTD(1)"),
        Column("u_t_s", "Float32", "ZSTD(1)"),
        Column("simulated", "UInt8", "ZSTD(1)"),
    ),
    key=("lab", "run", "server", "source", "channel", "part", "t_ns", "repeat"),
    month_of="t_ns",
    raw=True,
)
RUN = Table(
    "run",
    (*_names("lab"), _RUN, _CREATED, _WRITTEN, *_names("status"), _DELETED, Column("record", "String", _TEXT)),
    key=("run",),
    month_of="created_ns",
    version="written_ns",
    rows_per_mark=_FEW,
)
RESULT = Table(
    "result",
    (
        *_names("lab"),
        _RUN,
        _CREATED,
        _WRITTEN,
        _DELETED,
        Column("version", "UInt32"),
        *_names("status", "kind"),
        Column("simulated", "UInt8"),
        *_names("quality", "server", "server_model", "processor", "configuration", "configuration_title"),
        _number("dimm_count", "UInt16"),
        *_names("memory", "workload", "level"),
        Column("repeat", "UInt16"),
        *_names("unit"),
        *(column for name in FIGURES for column in _figure(name)),
        _number("energy_j"),
        _number("window_s"),
        Column("verdict_rule", "Array(String)"),
        Column("verdict_outcome", "Array(String)"),
        Column("line", "String", _TEXT),
        Column("document", "String", _TEXT),
    ),
    key=("run",),
    month_of="created_ns",
    version="written_ns",
    rows_per_mark=_FEW,
)
TABLES = SAMPLE, RUN, RESULT

SCHEMA = "wattmark_schema"
"""A view of one row (layout, software, made_ns). It is made last: where it exists, every table does."""
