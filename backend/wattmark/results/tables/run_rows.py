"""The tables of runs that are read to compute with: what ran and how it went, and the figures with their ±."""

from __future__ import annotations

from collections.abc import Iterable

from wattmark.core.quantity import Quantity
from wattmark.results.pages.row import FIGURES, RunRow
from wattmark.results.plus_minus import NOT_KNOWN, NOT_TRACEABLE
from wattmark.results.ranking_bars import barred_text
from wattmark.results.result import Claim
from wattmark.results.tables.methods import METHODS
from wattmark.tables.fields import Field, Fields, columns_of, rows_of
from wattmark.tables.table import Column, Table


def runs_table(rows: Iterable[RunRow]) -> Table:
    """Build the table of runs, one row each: what ran on what, when, and how it went."""
    return Table("runs", "Runs", columns_of(_RUNS), rows_of(_RUNS, rows))


def run_results_table(rows: Iterable[RunRow]) -> Table:
    """Build the table of their figures, one row each: value, u and U95, and why one has no ± or is not ranked."""
    return Table("run-results", "Results of runs", columns_of(_RESULTS), rows_of(_RESULTS, rows), methods=METHODS)


def remark_of(row: RunRow) -> str | None:
    """Return why figures of a run have no ±; in general words where an older build wrote its row."""
    figures = (row.efficiency, row.power, row.throughput)
    if row.remark is not None or all(figure is None or figure.u is not None for figure in figures):
        return row.remark
    return NOT_KNOWN if row.traceable else NOT_TRACEABLE


def _ranked(claim: Claim, title: str) -> Field[RunRow]:
    return Column(f"{claim}_ranked", title, kind="flag"), lambda row: claim not in row.not_ranked


def _unit(quantity: Quantity | None) -> str | None:
    return None if quantity is None else quantity.unit


_WHICH: Fields[RunRow] = (
    (Column("run_id", "Run"), lambda row: row.run_id),
    (Column("lab", "Laboratory"), lambda row: row.lab or None),
    (Column("server", "Server"), lambda row: row.server),
    (Column("configuration", "Configuration"), lambda row: row.configuration),
    (Column("configuration_title", "Configuration in words"), lambda row: row.configuration_title),
    (Column("dimm_count", "DIMMs", kind="integer"), lambda row: row.dimm_count),
    (Column("workload", "Workload"), lambda row: row.workload),
    (Column("level", "Level"), lambda row: row.level),
    (Column("repeat", "Repeat", kind="integer"), lambda row: row.repeat),
    (Column("created", "Created", kind="time"), lambda row: row.created),
    (Column("kind", "Kind"), lambda row: row.kind),
    (Column("traceable", "Traceable", kind="flag"), lambda row: row.traceable),
)
_RUNS: Fields[RunRow] = (
    *_WHICH,
    (Column("campaign_id", "Campaign"), lambda row: row.campaign_id),
    (Column("source", "Source"), lambda row: row.source),
    (Column("meter", "Meter"), lambda row: row.meter),
    (Column("status", "Status"), lambda row: row.status.value),
    (Column("reason", "Reason"), lambda row: row.reason),
    (Column("quality", "Quality"), lambda row: row.quality),
    (Column("state", "State"), lambda row: row.state.words),
    (Column("state_reason", "Reason of the state"), lambda row: row.state.reason),
    (Column("failed_rules", "Failed rules"), lambda row: ", ".join(row.failed_rules) or None),
    (Column("limited_by", "Limited by"), lambda row: row.limited_by),
    (Column("tags", "Tags"), lambda row: ", ".join(row.tags) or None),
    (Column("note", "Note"), lambda row: row.note or None),
)
_EFFICIENCY, _POWER, _THROUGHPUT = FIGURES["efficiency"], FIGURES["power"], FIGURES["throughput"]
_RESULTS: Fields[RunRow] = (
    *_WHICH,
    *(_EFFICIENCY.value, _EFFICIENCY.u, _EFFICIENCY.U95),
    (Column("efficiency_unit", "Unit of work per joule"), lambda row: _unit(row.efficiency)),
    *(_POWER.value, _POWER.u, _POWER.U95),
    *(_THROUGHPUT.value, _THROUGHPUT.u, _THROUGHPUT.U95),
    (Column("throughput_unit", "Unit of throughput"), lambda row: _unit(row.throughput)),
    _ranked("efficiency", "May be ranked by work per joule"),
    _ranked("power", "May be ranked by full-load power"),
    _ranked("throughput", "May be ranked by throughput"),
    (Column("not_ranked", "Not ranked"), lambda row: barred_text(row.not_ranked)),
    (Column("remark", "On the ±"), remark_of),
    (Column("state", "State"), lambda row: row.state.words),
)
