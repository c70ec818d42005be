"""Performance per watt from an article's printed figures: which system leads, and which pairs are refused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from wattmark.comparison.compare.views import CompareGroup
from wattmark.comparison.published.article import Article
from wattmark.comparison.published.groups import published_groups
from wattmark.comparison.published.loading import Library

Row = list[str | float | None]
COLUMNS = ("Workload", "Level", "System", "Against", "Ratio", "Lowest", "Highest", "Status", "Why")
AHEAD, HINT, TIE, REFUSED = "ahead", "hint only", "not distinguishable", "refused"
SURE = 1.1
"""Two meters of 5 %, one high and one low, make 1.105 of 1; the articles do not describe theirs."""
REMARKS = (
    "Ratio of performance per watt; lowest and highest include only the rounding of the printed figures. Meter, "
    "duration and scatter between runs are not stated, so a lead below 10 % is only a hint.",
    "Refused: throughput or power of one of the two is missing, extrapolated, borrowed, or from another build.",
)


def conclusions(library: Library, article: Article) -> list[Row]:
    """Compare every pair of figures of one workload and level of an article."""
    own = {figure.id for workload in article.workloads for figure in workload.figures}
    groups = [group for group in published_groups(library) if group.key.removeprefix("published:") in own]
    works = dict.fromkeys((group.workload, group.level) for group in groups)
    rows: list[Row] = []
    for work in works:
        own_groups = [group for group in groups if (group.workload, group.level) == work]
        rows += [_compared(*pair) for pair in _pairs(own_groups)]
        rows += [_refused(group) for group in own_groups if group.efficiency is None]
    return rows


def _pairs(groups: Sequence[CompareGroup]) -> Iterator[tuple[CompareGroup, CompareGroup]]:
    """Pair the figures that can be compared, the better one first."""
    complete = [group for group in groups if group.efficiency is not None]
    ranked = sorted(complete, key=lambda group: -(group.efficiency.value if group.efficiency else 0.0))
    return combinations(ranked, 2)


def _compared(better: CompareGroup, other: CompareGroup) -> Row:
    a, b = better.efficiency, other.efficiency
    assert a is not None  # noqa: S101 - `_pairs` takes no other
    assert b is not None  # noqa: S101
    low, high = a.low / b.high, a.high / b.low
    status = AHEAD if low > SURE else HINT if low > 1 else TIE
    remarks = " ".join(dict.fromkeys((*better.remarks, *other.remarks)))
    return [better.workload, better.level, better.title, other.title, a.value / b.value, low, high, status, remarks]


def _refused(group: CompareGroup) -> Row:
    return [group.workload, group.level, group.title, "all others", None, None, None, REFUSED, group.refusal]
