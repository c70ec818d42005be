"""Every figure by its name, from the same choices as the tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

from wattmark.comparison.compare.defaults import choose_comparison, choose_memory, choose_published
from wattmark.comparison.compare.yardstick import yardstick
from wattmark.comparison.scaling.scaling import scaling_view
from wattmark.core.errors import InputError
from wattmark.reports.figures.plot import Plot
from wattmark.reports.figures.plots import (
    compare_plot,
    cross_check_plot,
    line_plot,
    load_levels_plot,
    scaling_plot,
    trace_plot,
)
from wattmark.reports.figures.years import years_plot
from wattmark.reports.product_tables import chosen_curve, chosen_parts, load_levels
from wattmark.reports.sources import Sources
from wattmark.reports.table_query import TableQuery

FigureName = Literal["compare", "memory", "parts", "scaling", "load-levels", "years", "run", "cross-check"]
NAMES: tuple[str, ...] = get_args(FigureName)
_PIXELS = 600


def product_figure(sources: Sources, name: str, query: TableQuery) -> Plot:
    """Build a figure by its name. Raises `InputError` naming what is missing, unknown or empty."""
    make = _MAKERS.get(name)
    if make is None:
        raise InputError(f"There is no figure {name[:80]!r}.", f"Figures: {', '.join(NAMES)}.")
    plot = make(sources, query)
    if not any(series.x for series in plot.series):
        raise InputError(f"{plot.title}: there is nothing to draw.", "See the table of the same name for the reason.")
    return plot


def _compare(sources: Sources, query: TableQuery) -> Plot:
    chosen = choose_comparison(sources.comparisons.choices(), query.workload, query.level)
    criterion = yardstick(query.figure, query.smallest_pct)
    compared = sources.comparisons.compare(
        chosen.workload,
        chosen.level,
        query.baseline,
        criterion,
        query.rule,
        query.server,
        any_version=query.any_version,
    )
    return compare_plot(compared, query.sort, query.top)


def _memory(sources: Sources, query: TableQuery) -> Plot:
    chosen = choose_memory(sources.results.results(), query.server, query.workload, query.level)
    return line_plot("memory", sources.comparisons.memory(*chosen, query.claim, query.rule, query.modules))


def _parts(sources: Sources, query: TableQuery) -> Plot:
    return line_plot("parts", chosen_parts(sources, query))


def _scaling(sources: Sources, query: TableQuery) -> Plot:
    return scaling_plot(
        scaling_view(sources.results.results(query.rule), *chosen_curve(sources, query), query.from_level)
    )


def _load_levels(sources: Sources, query: TableQuery) -> Plot:
    return load_levels_plot(load_levels(sources, query))


def _years(sources: Sources, query: TableQuery) -> Plot:
    chosen = choose_published(sources.comparisons.choices(), query.workload, query.level)
    criterion = yardstick(query.figure)
    compared = sources.comparisons.compare(chosen.workload, chosen.level, None, criterion)
    return years_plot(compared, query.dates, {key for key in query.keys.split(",") if key})


def _run(sources: Sources, query: TableQuery) -> Plot:
    if query.run_id is None:
        raise InputError("The figure of a run needs a run id.", "Set run_id; list the runs with `wattmark results`.")
    return trace_plot(
        sources.pages.run(query.run_id, query.rule), sources.pages.traces(query.run_id, _PIXELS, None, None)
    )


def _cross_check(sources: Sources, query: TableQuery) -> Plot:
    if query.run_id is None:
        raise InputError(
            "The figure of a cross-check needs the run.", "Set run_id; list the runs with `wattmark results`."
        )
    return cross_check_plot(sources.results.shown(sources.results.known(query.run_id), query.rule))


_MAKERS: dict[str, Callable[[Sources, TableQuery], Plot]] = {
    "compare": _compare,
    "memory": _memory,
    "parts": _parts,
    "scaling": _scaling,
    "load-levels": _load_levels,
    "years": _years,
    "run": _run,
    "cross-check": _cross_check,
}
