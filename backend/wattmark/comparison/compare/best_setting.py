"""The best of the power settings under which a configuration was measured, and what is not distinguishable from it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence

from wattmark.analysis.comparison.comparison import System, absolute
from wattmark.analysis.comparison.ranking import compare_all
from wattmark.comparison.compare.pairs import programs_differ
from wattmark.comparison.compare.views import BestSetting, CompareGroup, CompareOut, SettingPoint
from wattmark.comparison.compare.yardstick import Yardstick
from wattmark.core.interval import Interval
from wattmark.core.numbers import interval_texts
from wattmark.runs.power_settings import TITLES, settings_words

ERROR = 0.05
FEWEST_FOR_AN_EDGE = 3
Systems = Callable[[Collection[str]], Mapping[str, System]]
"""Returns the repeats of groups as systems, by their keys; without those that are not ranked."""


def with_best_settings(compared: CompareOut, systems: Systems, by: Yardstick, *, any_version: bool) -> CompareOut:
    """Add to a comparison the best setting of each configuration that was measured under several."""
    best_settings = [
        best
        for groups in _families(compared.groups)
        if (best := best_setting(groups, systems([group.key for group in groups]), by, any_version=any_version))
    ]
    if not best_settings:
        return compared
    statement = " ".join([compared.statement, *(best.statement for best in best_settings)])
    return compared.model_copy(update={"best_settings": best_settings, "statement": statement})


def best_setting(
    groups: Sequence[CompareGroup], systems: Mapping[str, System], by: Yardstick, *, any_version: bool
) -> BestSetting | None:
    """Find the best of the settings of one configuration; None where fewer than two are ranked.

    The best of several figures is on average too good: whichever it is, chance has helped it. Its interval therefore
    holds for all settings at once (each at 1 - 5 % / their number), and every setting that no test tells from it, with
    p-values adjusted for all pairs of this sweep (Holm), is named beside it. One that can be tested goes before one
    that cannot, as in the whole comparison.
    """
    ranked = [group for group in groups if group.key in systems]
    if len(ranked) < 2:
        return None
    varying = _varying(groups)
    words = {group.key: _words(group, varying) for group in ranked}
    versions = {group.key: group.program_versions for group in ranked}
    tested = compare_all(
        {group.key: systems[group.key] for group in ranked},
        set_apart=lambda a, b: not any_version and programs_differ(versions[a], versions[b]),
    )
    sign = 1 if by.direction == "higher" else -1
    best = max(ranked, key=lambda group: (group.key in tested.tested, sign * systems[group.key].log.mean))
    others = [group for group in ranked if group is not best]
    is_first = all(sign * (systems[best.key].log.mean - systems[group.key].log.mean) >= 0 for group in others)
    verdicts = {group.key: tested.significant(best.key, group.key) for group in others}
    estimate = absolute(systems[best.key])
    complete = systems[best.key].complete  # else its scatter alone is known, which is enough to tell settings apart
    ends = estimate.interval(1 - ERROR / len(ranked)) if estimate is not None and complete else None
    interval = Interval.of(systems[best.key].value, ends)
    alike = [group.key for group in others if verdicts[group.key] is False]
    untested = [group.key for group in others if verdicts[group.key] is None]
    unranked = len(groups) - len(ranked)
    at_edge = _at_edge(best, ranked, varying)
    if len(untested) == len(others):
        tied = ", but no difference can be tested."
    else:
        tied = _tied([words[key] for key in alike], [words[key] for key in untested], at_edge=at_edge)
    return BestSetting(
        server=best.server,
        configuration=best.facts.variant_of or best.configuration,
        settings=varying,
        points=[
            SettingPoint(key=group.key, settings=_settings(group), title=words[group.key], figure=figure)
            for group in ranked
            if (figure := by.value(group)) is not None
        ],
        best=best.key,
        interval=interval,
        alike=alike,
        untested=untested,
        simulated=best.kind == "simulated",
        at_edge=at_edge,
        statement=f"{_named_best(best, interval, words, by, unranked, is_first=is_first)}{tied}",
    )


def _families(groups: Sequence[CompareGroup]) -> list[list[CompareGroup]]:
    """Put together the groups of a configuration that differ in power settings alone, in the order of their values."""
    families: dict[tuple[str, str, str, str, tuple[str, ...]], list[CompareGroup]] = defaultdict(list)
    for group in groups:
        if group.facts.settings and group.facts.variant_of:
            key = (group.server, group.lab, group.facts.variant_of, group.kind, tuple(sorted(group.facts.settings)))
            families[key].append(group)
    return [sorted(family, key=_order) for family in families.values() if len(family) > 1]


def _order(group: CompareGroup) -> list[tuple[float, str]]:
    """Return the sort key of a group: its settings, numbers by their size."""
    stated = _settings(group)
    return [
        (float(stated[name]), "") if name.endswith("_w") else (0.0, stated[name]) for name in TITLES if name in stated
    ]


def _settings(group: CompareGroup) -> Mapping[str, str]:
    return group.facts.settings or {}


def _varying(groups: Sequence[CompareGroup]) -> list[str]:
    return [name for name in TITLES if len({_settings(group).get(name) for group in groups}) > 1]


def _words(group: CompareGroup, varying: Collection[str]) -> str:
    return settings_words({name: value for name, value in _settings(group).items() if name in varying})


def _at_edge(best: CompareGroup, ranked: Sequence[CompareGroup], varying: Sequence[str]) -> bool:
    """Return whether the best is the first or last of a sweep over one number: the true best may lie beyond it."""
    numbers = len(varying) == 1 and varying[0].endswith("_w") and len(ranked) >= FEWEST_FOR_AN_EDGE
    return numbers and best in (ranked[0], ranked[-1])


def _named_best(
    best: CompareGroup, interval: Interval, words: Mapping[str, str], by: Yardstick, unranked: int, *, is_first: bool
) -> str:
    """Describe which setting is the best of how many, with its figure; not ``is_first``: one that cannot be tested is
    before it.
    """
    model = "Simulated power: of" if best.kind == "simulated" else "Of"
    more = f" ({unranked} more not ranked)" if unranked else ""
    configuration = best.facts.variant_of or best.configuration
    best_of = f"{model} {len(words)} settings{more} of {configuration} on {best.server}"
    sentence = f"{best_of}, {words[best.key]} {by.verb} {by.best}"
    if not is_first:
        sentence = f"{sentence} of those that can be tested"
    if interval.low is None or interval.high is None:
        return sentence
    value, least, most = interval_texts(interval.value, interval.low, interval.high)
    holds = f"an interval that holds for all {len(words)} at once with 95 %"
    return f"{sentence}: {value} {by.unit(best)} ({least} to {most}, {holds})"


def _tied(alike: Sequence[str], untested: Sequence[str], *, at_edge: bool) -> str:
    """Say, after a best setting, which others may be as good, and whether a better one may lie beyond the sweep."""
    tied = (
        f"not distinguishable from it: {', '.join(alike)}" if alike else "each of the others that was tested is worse"
    )
    parts = [f"; {tied}."]
    if untested:
        parts.append(f"Not tested against it: {', '.join(untested)}.")
    if at_edge:
        parts.append("It stands at the end of the sweep: the best may lie beyond it.")
    return " ".join(parts)
