"""The order of the configurations of a comparison on paper, and only the best of them."""

from __future__ import annotations

from collections.abc import Sequence

from wattmark.comparison.choices import Sort
from wattmark.comparison.compare.views import CompareGroup, CompareOut
from wattmark.comparison.compare.yardstick import yardstick
from wattmark.results.tables.marks import PUBLISHED


def in_order(compared: CompareOut, sort: Sort = "rank", top: int | None = None) -> CompareOut:
    """Put the groups of a comparison in the order of a table or a figure.

    By rank the best is first, and those without the figure compared by are last; by server the servers follow one
    another as their best configurations do, and published figures are last; by name they stay as they are. With
    ``top`` only so many of the best are kept, by their `standing` and then by the figure, and the baseline; the
    statement says so.
    """
    ranked = _best_first(compared)
    groups = {"rank": ranked, "server": _by_server(ranked), "name": compared.groups}[sort]
    if top is None or top >= len(groups):
        return compared.model_copy(update={"groups": groups})
    valued = [group for group in ranked if _distance(group, compared) is not None]
    best = [group.key for group in sorted(valued, key=standing)[:top]]
    shown = [group for group in groups if group.key in best or group.key == compared.baseline]
    count = f" {len(best)}" if len(best) > 1 else ""
    beside = ", and the baseline" if len(shown) > len(best) else ""
    mixed = len({standing(group) for group in valued}) > 1
    first = ", those that are measured and ranked first" if mixed else ""
    statement = f"{compared.statement} Shown: the best{count} of {len(groups)} configurations{first}{beside}."
    return compared.model_copy(update={"groups": shown, "statement": statement})


def standing(group: CompareGroup) -> tuple[int, bool]:
    """Return the sort key of how well a figure is founded: measured, simulated, published; of each the ranked first."""
    return {"simulated": 1, "published": 2}.get(group.kind, 0), group.rank_low is None


def _best_first(compared: CompareOut) -> list[CompareGroup]:
    distances = {group.key: _distance(group, compared) for group in compared.groups}
    return sorted(compared.groups, key=lambda group: (distances[group.key] is None, distances[group.key] or 0.0))


def _distance(group: CompareGroup, compared: CompareOut) -> float | None:
    """Return the figure compared by, the better the lower; None without it, or where its unit is another."""
    by = yardstick(compared.compared_by)
    figure, unit = by.value(group), by.unit_of(compared)
    if figure is None or by.unit(group) != unit:
        return None
    return figure.value if compared.direction == "lower" else -figure.value


def _by_server(groups: Sequence[CompareGroup]) -> list[CompareGroup]:
    """Put the configurations of a server side by side; servers and configurations keep their order."""
    places = {server: place for place, server in enumerate(dict.fromkeys(map(heading, groups)))}
    return sorted(groups, key=lambda group: (group.kind == PUBLISHED, places[heading(group)]))


def heading(group: CompareGroup) -> str:
    """Return what a group stands under where a figure is divided by servers."""
    return PUBLISHED.capitalize() if group.kind == PUBLISHED else group.server
