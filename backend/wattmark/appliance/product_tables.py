"""Every table of the product by its name, from one set of choices; for the command line, the API and the report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Literal, get_args

from wattmark.appliance.queries import Queries
from wattmark.appliance.table_query import TableQuery, choices_made
from wattmark.errors import InputError
from wattmark.reports.break_even_table import break_even_table
from wattmark.reports.factor_tables import (
    deltas_table,
    extrapolated_table,
    factors_table,
    load_levels_table,
    normalised_table,
)
from wattmark.reports.geometric_table import geometric_table
from wattmark.reports.memory_fit_table import memory_fit_table
from wattmark.reports.scaling_table import scaling_table
from wattmark.reports.table import Table
from wattmark.reports.tables import published_table
from wattmark.results.defaults import choose_memory, choose_scaling
from wattmark.results.deltas import deltas_view, factor_values
from wattmark.results.extrapolated import extrapolated_view
from wattmark.results.geometric import geometric_view
from wattmark.results.load_levels import load_levels_view
from wattmark.results.normalised import normalised_view
from wattmark.results.scaling import scaling_view
from wattmark.results.yardstick import yardstick

TableName = Literal[
    "results",
    "compare",
    "memory",
    "memory-fit",
    "break-even",
    "run",
    "scaling",
    "deltas",
    "normalised",
    "geometric-means",
    "extrapolated",
    "load-levels",
    "factors",
    "published",
]
TITLES: Mapping[str, str] = {
    "memory-fit": "Watts per DIMM with its interval, as numbers",
    "break-even": "DIMMs at which one server's advantage over another is gone, and what their DIMMs cost",
    "scaling": "One configuration over its load levels",
    "deltas": "One value of a factor against another, everything else equal",
    "normalised": "Multiples of a configuration: factor 1 = baseline",
    "geometric-means": "Geometric means over levels and workloads, in the manner of SERT 2",
    "extrapolated": "Throughput beyond the measured clock, cores or load",
    "load-levels": "Power against load: overall figure, energy proportionality",
    "factors": "Factors that differ between the runs",
}
"""Tables that `Queries.table` does not know."""
NAMES: tuple[str, ...] = get_args(TableName)


def product_table(queries: Queries, name: str, query: TableQuery) -> Table:
    """Build a table by its name. Raises `InputError` naming what is missing or unknown."""
    if name not in NAMES:
        raise InputError(f"There is no table {name[:80]!r}.", f"Tables: {', '.join(NAMES)}.")
    table = _MAKERS.get(name, partial(_plain, name))(queries, query)
    return replace(table, methods=(*choices_made(name, query), *table.methods))


def _plain(name: str, queries: Queries, query: TableQuery) -> Table:
    parts = {"run_id", "server", "workload", "level", "baseline"}
    chosen = query.model_dump(include=parts)
    by, claim = yardstick(query.figure, query.smallest_pct), (query.claim_w, query.margin_w)
    return queries.table(name, **chosen, by=by, claim=claim, rule=query.rule)  # type: ignore[arg-type]


def _memory_fit(queries: Queries, query: TableQuery) -> Table:
    chosen = choose_memory(queries.results(query.rule), query.server, query.workload, query.level)
    return memory_fit_table(queries.memory(*chosen, (query.claim_w, query.margin_w), query.rule))


def _break_even(queries: Queries, query: TableQuery) -> Table:
    if query.against is None:
        raise InputError("A break-even needs another server.", "Name it: against (--against SERVER).")
    server, workload, level = choose_memory(queries.results(query.rule), query.server, query.workload, query.level)
    return break_even_table(queries.break_even((server, query.against), workload, level, query.rule))


def _deltas(queries: Queries, query: TableQuery) -> Table:
    pairs = queries.measured(query.workload, query.rule)
    if query.factor is None:
        known = ", ".join(factor_values(pairs)) or "none"
        raise InputError("A delta table needs the factor that differs.", f"Name one of: {known}.")
    ignored = [name.strip() for name in query.ignore.split(",") if name.strip()]
    return deltas_table(deltas_view(pairs, query.factor, query.new, query.old, query.figure, ignored))


def _normalised(queries: Queries, query: TableQuery) -> Table:
    return normalised_table(normalised_view(queries.measured(query.workload, query.rule), query.baseline, query.figure))


def _geometric(queries: Queries, query: TableQuery) -> Table:
    pairs = queries.measured(query.workload, query.rule)
    return geometric_table(geometric_view(pairs, query.baseline, query.from_level))


def _extrapolated(queries: Queries, query: TableQuery) -> Table:
    if query.target is None:
        raise InputError("An extrapolation needs its target.", "Name a clock [MHz], number of cores or load (target).")
    ignored = [name.strip() for name in query.ignore.split(",") if name.strip()]
    pairs = queries.measured(query.workload, query.rule)
    view = extrapolated_view(pairs, query.axis, query.target, query.workload, query.configuration, ignored)
    return extrapolated_table(view)


def _load_levels(queries: Queries, query: TableQuery) -> Table:
    key, workload = chosen_course(queries, query)
    return load_levels_table(load_levels_view(queries.measured(workload, query.rule), key, workload))


def _scaling(queries: Queries, query: TableQuery) -> Table:
    key, workload = chosen_course(queries, query)
    return scaling_table(scaling_view(queries.results(query.rule), key, workload, query.from_level))


def chosen_course(queries: Queries, query: TableQuery) -> tuple[str, str]:
    """Choose configuration and workload: what was asked for, or the one with most levels."""
    if query.configuration is not None and query.workload is not None:
        return query.configuration, query.workload
    return choose_scaling(queries.results(query.rule), query.configuration, query.workload)


def _factors(queries: Queries, query: TableQuery) -> Table:
    return factors_table(factor_values(queries.measured(query.workload, query.rule)))


def _published(queries: Queries, query: TableQuery) -> Table:
    tables = {table.id: table for table in queries.published().tables}
    found = tables.get(query.article or "")
    if found is None:
        raise InputError(
            f"There is no published table {(query.article or '')[:80]!r}.", f"Name one of: {', '.join(tables)}."
        )
    return published_table(found)


_MAKERS: dict[str, Callable[[Queries, TableQuery], Table]] = {
    "memory-fit": _memory_fit,
    "break-even": _break_even,
    "deltas": _deltas,
    "normalised": _normalised,
    "extrapolated": _extrapolated,
    "load-levels": _load_levels,
    "scaling": _scaling,
    "factors": _factors,
    "published": _published,
    "geometric-means": _geometric,
}
