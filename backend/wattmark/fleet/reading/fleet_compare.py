"""A page of the configurations of a fleet, compared as an appliance compares all of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from wattmark.comparison.compare.groups import SIMULATED
from wattmark.comparison.compare.views import CompareGroup, CompareOut
from wattmark.comparison.compare.yardstick import Yardstick
from wattmark.comparison.comparisons import Comparisons
from wattmark.comparison.published.library import Library
from wattmark.core.errors import InputError
from wattmark.fleet.reading.fleet_groups import builds, counts
from wattmark.fleet.reading.fleet_results import FleetResults
from wattmark.fleet.reading.fleet_tables import FleetTables
from wattmark.fleet.reading.lab_names import Build, builds_keyed, key_of
from wattmark.fleet.reading.views import FleetCompareOut, GroupQuery
from wattmark.fleet.reading.where import Where

PUBLISHED = "published:"
"""Begin of the key of a published figure."""


def compare_page(
    tables: FleetTables,
    library: Callable[[], Library],
    query: GroupQuery,
    baseline: str | None,
    by: Yardstick,
    offset: int,
    limit: int,
    *,
    any_version: bool,
) -> FleetCompareOut:
    """Compare a page of configurations, best first; the baseline is always among them.

    Without ``baseline`` it is the best, or what an appliance chooses where all that match are on the page. Raises
    `InputError` where none matches.
    """
    matching, total = counts(tables, query)
    page = builds(tables, query, by.figure, offset, limit)
    whole = len(page) == matching
    shown = [*page]
    if baseline is None and page and not whole:
        best = page[0] if offset == 0 else builds(tables, query, by.figure, 0, 1)[0]
        shown, baseline = [*dict.fromkeys([best, *page])], key_of(best)
    elif baseline is not None and not baseline.startswith(PUBLISHED):
        key = baseline.removesuffix(SIMULATED)
        shown = page if key in map(key_of, page) else [*_known(tables, query, builds_keyed(key)), *page]
    beside = (offset == 0 and matching == total) or (baseline or "").startswith(PUBLISHED)
    if not page and not beside:
        raise InputError(
            f"No configuration of {query.workload[:80]!r} at {query.level[:80]!r} matches.", "Remove a filter."
        )
    comparisons = Comparisons(FleetResults.of_builds(tables, shown), library if beside else _nothing_published)
    compared = comparisons.compare(query.workload, query.level, baseline, by, any_version=any_version)
    groups = _with_labs(compared.groups, page if set(shown) == set(page) else shown)
    if not whole:
        groups = [group.model_copy(update={"rank_low": None, "rank_high": None}) for group in groups]
        compared = _of_page(compared)
    following = offset + limit if offset + limit < matching else None
    fields = {**dict(compared), "groups": groups, "matching": matching, "total": total, "next_offset": following}
    return FleetCompareOut(**fields)


def _of_page(compared: CompareOut) -> CompareOut:
    """Remove what is the best of a page alone, and say that the statement speaks of no other configurations."""
    statement = compared.statement
    for setting in reversed(compared.best_settings):  # other settings of the same may be on another page
        statement = statement.removesuffix(f" {setting.statement}")
    return compared.model_copy(
        update={
            "best": None,
            "first_place": [],
            "against_best": [],
            "best_settings": [],
            "statement": f"On this page alone: {statement}",
        }
    )


def _known(tables: FleetTables, query: GroupQuery, candidates: Sequence[Build]) -> list[Build]:
    """Choose the configurations that ran the workload of a query."""
    where = Where()
    where.equal("workload", query.workload)
    where.equal("level", query.level)
    where.among("(lab, server, configuration)", candidates)
    rows = tables.results("DISTINCT lab, server, configuration", where) if candidates else []
    return [(lab, server, configuration) for lab, server, configuration in rows]


def _with_labs(groups: Sequence[CompareGroup], order: Sequence[Build]) -> list[CompareGroup]:
    """Put groups in the order of the page, published ones last, and add their labs."""
    places: Mapping[str, int] = {key_of(build): place for place, build in enumerate(order)}

    def place(group: CompareGroup) -> int:
        return places.get(group.key.removesuffix(SIMULATED), len(places))

    def at_lab(group: CompareGroup) -> CompareGroup:
        if place(group) == len(places):
            return group
        lab = order[place(group)][0]
        facts = group.facts.model_copy(update={"lab": lab or None})
        return group.model_copy(update={"lab": lab, "facts": facts})

    return [at_lab(group) for group in sorted(groups, key=place)]


def _nothing_published() -> Library:
    return Library((), {}, ())
