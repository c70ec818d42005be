"""The runs in the table of results."""

from __future__ import annotations

from wattmark.reports.sources import Sources
from wattmark.reports.table_query import FILTERS, TableQuery
from wattmark.results.pages.listing import RunQuery
from wattmark.tables.layouts import names_in


def chosen_runs(sources: Sources, query: TableQuery) -> list[str] | None:
    """List the runs of the table of results, oldest first; None: all. Raises `NotFound` for an unknown id."""
    wanted = {name: value for name in FILTERS if (value := getattr(query, name)) not in (None, "")}
    named = {sources.results.known(run_id).run_id for run_id in names_in(query.run_ids)}
    if not wanted and not named:
        return None
    matching = sources.pages.ids(RunQuery(**wanted, sort="created"))
    return [run_id for run_id in matching if not named or run_id in named]
