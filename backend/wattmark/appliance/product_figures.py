"""Every figure of the product by its name, from the same choices as the tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

from wattmark.appliance.product_tables import chosen_course
from wattmark.appliance.queries import Queries
from wattmark.appliance.table_query import TableQuery
from wattmark.errors import InputError
from wattmark.reports.plot import Plot
from wattmark.reports.plots import compare_plot, load_levels_plot, memory_plot, scaling_plot, trace_plot
from wattmark.results.defaults import choose_comparison, choose_memory
from wattmark.results.load_levels import load_levels_view
from wattmark.results.scaling import scaling_view
from wattmark.results.yardstick import yardstick

FigureName = Literal["compare", "memory", "scaling", "load-levels", "run"]
NAMES: tuple[str, ...] = get_args(FigureName)
_PIXELS = 600


def product_figure(queries: Queries, name: str, query: TableQuery) -> Plot:
    """Build a figure by its name. Raises `InputError` naming what is missing, unknown or empty."""
    make = _MAKERS.get(name)
    if make is None:
        raise InputError(f"There is no figure {name[:80]!r}.", f"Figures: {', '.join(NAMES)}.")
    plot = make(queries, query)
    if not any(series.x for series in plot.series):
        raise InputError(f"{plot.title}: there is nothing to draw.", "The table of that name says why.")
    return plot


def _compare(queries: Queries, query: TableQuery) -> Plot:
    chosen = choose_comparison(queries.choices(), query.workload, query.level)
    by = yardstick(query.figure, query.smallest_pct)
    return compare_plot(queries.compare(chosen.workload, chosen.level, query.baseline, by, query.rule))


def _memory(queries: Queries, query: TableQuery) -> Plot:
    chosen = choose_memory(queries.results(), query.server, query.workload, query.level)
    return memory_plot(queries.memory(*chosen, (query.claim_w, query.margin_w), query.rule))


def _scaling(queries: Queries, query: TableQuery) -> Plot:
    return scaling_plot(scaling_view(queries.results(query.rule), *chosen_course(queries, query), query.from_level))


def _load_levels(queries: Queries, query: TableQuery) -> Plot:
    key, workload = chosen_course(queries, query)
    return load_levels_plot(load_levels_view(queries.measured(workload, query.rule), key, workload))


def _run(queries: Queries, query: TableQuery) -> Plot:
    if query.run_id is None:
        raise InputError("The figure of a run needs the run.", "Name it: run_id (see `wattmark results`).")
    return trace_plot(queries.run(query.run_id, query.rule), queries.traces(query.run_id, _PIXELS, None, None))


_MAKERS: dict[str, Callable[[Queries, TableQuery], Plot]] = {
    "compare": _compare,
    "memory": _memory,
    "scaling": _scaling,
    "load-levels": _load_levels,
    "run": _run,
}
