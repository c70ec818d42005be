"""The tables of the fleet store, declared once; `ddl` renders them for a server's version, alone or in a cluster.

A name here never changes its meaning. Another layout gets the next number of `LAYOUT`.
"""

from __future__ import annotations

from dataclasses import dataclass

from wattmark.results.pages.row import FIGURES
from wattmark.results.result import Claim

LAYOUT = 1


@dataclass(frozen=True, slots=True)
class ClickHouseColumn:
    """A column; ``codec`` is what current servers compress it with, ``named`` says that its texts repeat."""

    name: str
    type: str
    codec: str = ""
    named: bool = False


@dataclass(frozen=True, slots=True)
class ClickHouseTable:
    """A table in which the row with the same key that was written last replaces the others."""

    name: str
    columns: tuple[ClickHouseColumn, ...]
    key: tuple[str, ...]
    month_of: str
    """Column with the time by whose month it is partitioned [UTC ns]."""
    version: str = ""
    """Column that tells which row is the later one; without it, the one inserted last."""
    raw: bool = False
    """Its rows may be given a time to live."""
    rows_per_mark: int | None = None
    """Rows that are unpacked to read one of them; None: as many as the server likes, which is 8192."""


def _number(name: str, kind: str = "Float64") -> ClickHouseColumn:
    return ClickHouseColumn(name, f"Nullable({kind})")


def _figure(name: Claim) -> tuple[ClickHouseColumn, ...]:
    """A value, its standard and its expanded uncertainty, and whether it may be ranked by it."""
    of = FIGURES[name]
    return *(_number(column.key) for column, _ in (of.value, of.u, of.U95)), ClickHouseColumn(f"{name}_ranked", "UInt8")


def _names(*names: str) -> tuple[ClickHouseColumn, ...]:
    return tuple(ClickHouseColumn(name, "String", named=True) for name in names)


_TEXT = "ZSTD(3)"
_FEW = 64
"""Of a million rows with documents of 12 kB each, 250 are read with 0.2 s of processor time instead of 1.2 s."""
_RUN = ClickHouseColumn("run", "String", "ZSTD(1)")
_CREATED = ClickHouseColumn("created_ns", "Int64")
_WRITTEN = ClickHouseColumn("written_ns", "Int64")
_DELETED = ClickHouseColumn("deleted", "UInt8")

SAMPLE = ClickHouseTable(
    "sample",
    (
        *_names("lab"),
        _RUN,
        *_names("server", "source", "channel"),
        ClickHouseColumn("part", "UInt8", "ZSTD(1)"),
        ClickHouseColumn("t_ns", "Int64", "DoubleDelta, ZSTD(1)"),
        ClickHouseColumn("repeat", "UInt16", "ZSTD(1)"),
        ClickHouseColumn("value", "Float64", "Gorilla, ZSTD(1)"),
        ClickHouseColumn("quality", "UInt16", "ZSTD(1)"),
        ClickHouseColumn("u_t_s", "Float32", "ZSTD(1)"),
        ClickHouseColumn("simulated", "UInt8", "ZSTD(1)"),
    ),
    key=("lab", "run", "server", "source", "channel", "part", "t_ns", "repeat"),
    month_of="t_ns",
    raw=True,
)
RUN = ClickHouseTable(
    "run",
    (
        *_names("lab"),
        _RUN,
        _CREATED,
        _WRITTEN,
        *_names("status"),
        _DELETED,
        ClickHouseColumn("record", "String", _TEXT),
    ),
    key=("run",),
    month_of="created_ns",
    version="written_ns",
    rows_per_mark=_FEW,
)
RESULT = ClickHouseTable(
    "result",
    (
        *_names("lab"),
        _RUN,
        _CREATED,
        _WRITTEN,
        _DELETED,
        ClickHouseColumn("version", "UInt32"),
        *_names("status", "kind"),
        ClickHouseColumn("simulated", "UInt8"),
        *_names("quality", "server", "server_model", "processor", "configuration", "configuration_title"),
        _number("dimm_count", "UInt16"),
        *_names("memory", "workload", "level"),
        ClickHouseColumn("repeat", "UInt16"),
        *_names("unit"),
        *(column for name in FIGURES for column in _figure(name)),
        _number("energy_j"),
        _number("window_s"),
        ClickHouseColumn("verdict_rule", "Array(String)"),
        ClickHouseColumn("verdict_outcome", "Array(String)"),
        ClickHouseColumn("line", "String", _TEXT),
        ClickHouseColumn("document", "String", _TEXT),
    ),
    key=("run",),
    month_of="created_ns",
    version="written_ns",
    rows_per_mark=_FEW,
)
TABLES = SAMPLE, RUN, RESULT

SCHEMA = "wattmark_schema"
"""A view of one row (layout, software, made_ns). It is made last: where it exists, every table does."""
