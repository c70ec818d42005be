"""The answer of a comparison in plain sentences, the first of which is a headline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from wattmark.analysis.comparison.comparison import System, ratio
from wattmark.analysis.comparison.course import common_trend, turns
from wattmark.analysis.comparison.ranking import SIGNIFICANCE, Comparisons
from wattmark.analysis.comparison.serial import neighbours_alike
from wattmark.comparison.compare.installations import missing_scatter
from wattmark.comparison.compare.views import CompareGroup
from wattmark.comparison.compare.wording import CHANGES, alike_words, amount, difference, trend_words
from wattmark.comparison.compare.yardstick import EFFICIENCY, Yardstick
from wattmark.results.names import listed

_NO_PLUS_MINUS = "without ±"


def compare_statement(
    views: Sequence[CompareGroup],
    systems: Mapping[str, System],
    compared: Comparisons,
    names: Mapping[str, str],
    by: Yardstick = EFFICIENCY,
    base: str | None = None,
) -> str:
    """Describe the best configuration or the tie at the top, with its distance to the next and to the baseline.

    The distance to the next is that of the next against the best, as the table has it where the best is the baseline
    ``base``; to another baseline it is that of the best against it. Simulated configurations have a separate sentence,
    after the measured ones. Configurations that cannot be ranked are counted with their reasons.
    """
    kinds = {view.key: view.kind for view in views}
    model = {key: system for key, system in systems.items() if kinds[key] == "simulated"}
    measured = {key: system for key, system in systems.items() if key not in model}
    unranked = _unranked(views, systems, names, by)
    sentences = []
    if len(systems) > 1 or not unranked:
        sentences += [_sentence(views, measured, compared, names, by, base)] if measured or not model else []
        if model:
            apart = "Simulated power, ranked separately:" if measured else "Simulated power:"
            sentences.append(f"{apart} {_sentence(views, model, compared, names, by, base)}")
    missing = missing_scatter({names[key]: system for key, system in systems.items()}) if len(systems) > 1 else None
    chosen = [*_chosen(views, systems, names, by), *_chance(measured or model, compared)]
    last = [f"{missing[0].upper()}{missing[1:]}."] if missing else []
    over_time = _in_time(measured or model, by)
    return " ".join([*sentences, *unranked, *chosen, *_order(systems, compared), *over_time, *last])


def _in_time(systems: Mapping[str, System], by: Yardstick) -> list[str]:
    """Report a trend over the runs of all configurations, or else that runs which follow each other are alike.

    Empty where neither is significant or times are not known. Repeats of one installation or boot are known to be
    alike: their means are averaged, and they are not reported.
    """
    courses = [system.course for system in systems.values() if system.course is not None]
    if not courses or len(courses) < len(systems):
        return []
    trend = common_trend(courses)
    if trend is not None and trend.p < SIGNIFICANCE:
        return [trend_words(trend, by)]
    each_counts = all(system.log.units == system.log.n for system in systems.values())
    alike = neighbours_alike(courses) if each_counts else None
    return [alike_words(alike)] if alike is not None and alike.p < SIGNIFICANCE else []


def _order(systems: Mapping[str, System], compared: Comparisons) -> list[str]:
    """Explain that pairs were not measured in turns; empty where no test failed by that."""
    pairs = compared.not_in_turns
    if not pairs:
        return []
    unknown = sum(turns(systems[a].course, systems[b].course) == "not recorded" for a, b in pairs)
    sentences = []
    if after := len(pairs) - unknown:
        which = "They" if len(systems) == 2 else _pairs(after)
        sentences.append(
            f"{which} were measured one after the other: everything that changed in between ({CHANGES}) is in the "
            "difference, which is therefore not called significant. A plan in random blocks measures in turns."
        )
    if unknown:
        sentences.append(
            f"{'It is' if len(systems) == 2 else f'For {unknown} of the pairs it is'} not recorded when the runs were "
            "made: the difference cannot be told from a change with time and is not called significant."
        )
    return sentences


def _pairs(count: int) -> str:
    return "The configurations of 1 pair" if count == 1 else f"The configurations of {count} pairs"


def _sentence(
    views: Sequence[CompareGroup],
    systems: Mapping[str, System],
    compared: Comparisons,
    names: Mapping[str, str],
    by: Yardstick,
    base: str | None,
) -> str:
    if not systems:
        return _published_only(views)
    order = _best_first(systems, compared, by)
    best = order[0]
    if len(order) == 1:
        return f"{names[best]} is the only configuration with a result here; there is nothing to compare it with."
    tested = [key for key in order[1:] if compared.significant(best, key) is not None]
    untested = len(order) - 1 - len(tested)
    base = base if base in systems else None
    if not tested:
        return f"{names[best]} shows {by.best}, but {_untested(untested, len(order) - 1)}."
    ranked = compared.tested & systems.keys()
    unproven = [key for key in order if key not in ranked and _is_better(key, best, systems, by)]
    rest = f" {_untested(untested, len(order) - 1).capitalize()}." if untested > len(unproven) else ""
    if unproven:
        shows = "shows" if len(unproven) == 1 else "show"
        more = "less" if by.direction == "lower" else "more"
        rest = f" {listed([names[k] for k in unproven])} {shows} {more} {by.noun}, but cannot be tested.{rest}"
    first = first_place(systems, compared, by)
    if len(first) == len(order):
        return f"No configuration stands out: {listed([names[k] for k in order])} are not distinguishable."
    if len(order) == 2:
        above, against = (order[1], best) if base in (None, best) else (best, order[1])
        estimate = ratio(systems[above], systems[against])
        if estimate is not None:
            return f"{difference(names[above], names[against], estimate, by)}."
    among = f"the {len(ranked)} configurations that can be tested" if unproven else ""
    return f"{_headline(order, first, tested, systems, names, by, base, among)}{rest}"


def _headline(
    order: Sequence[str],
    first: Sequence[str],
    tested: Sequence[str],
    systems: Mapping[str, System],
    names: Mapping[str, str],
    by: Yardstick,
    base: str | None,
    among: str,
) -> str:
    """Name the first place of at least three, the next with its distance, and the distance to another baseline.

    One that differs from the best may lie above another that scatters so much that it does not: it is between them.
    ``among``: of which ones it is the first; empty: of all.
    """
    best = first[0]
    behind = next((key for key in tested if key not in first), None)
    head = f"{names[best]} {by.verb} {by.best} of {among or f'{len(order)} configurations'}"
    if len(first) > 1:
        head = f"{listed([names[k] for k in first])} share the first place in {by.noun}"
        head = f"{head} of {among}" if among else head
    other = base if base in tested and base not in first else None
    if other is not None and other == behind and len(first) == 1:
        more = _than(best, other, f"the baseline {names[other]}, the next one", systems)
        return f"{head}, {more}."
    if behind is not None:
        untested = [key for key in order[1:] if key not in tested]
        passed_over = any(
            _is_better(key, behind, systems, by) and not _is_better(key, best, systems, by) for key in untested
        )
        follows = f"the next{' that can be tested' if passed_over else ''}, {names[behind]}"
        if _is_better(behind, first[-1], systems, by):
            follows = f"{names[behind]}, between them"
        head = f"{head}; {follows}, {by.verb} {_than(behind, best, names[best], systems)}"
    if other is None:
        return f"{head}."
    return f"{head}. {names[best]} {by.verb} {_than(best, other, f'the baseline {names[other]}', systems)}."


def first_place(systems: Mapping[str, System], compared: Comparisons, by: Yardstick = EFFICIENCY) -> list[str]:
    """List the best system and those that no test tells from it; empty where none can be tested against it."""
    order = _best_first(systems, compared, by)
    if not any(compared.significant(order[0], key) is not None for key in order[1:]):
        return []
    return [order[0], *(key for key in order[1:] if compared.significant(order[0], key) is False)]


def _best_first(systems: Mapping[str, System], compared: Comparisons, by: Yardstick) -> list[str]:
    """Put the best first; those that cannot be tested against any other, and so have no rank, come last."""
    tested, sign = compared.tested, 1 if by.direction == "lower" else -1
    return sorted(systems, key=lambda key: (key not in tested, sign * systems[key].log.mean))


def _is_better(key: str, other: str, systems: Mapping[str, System], by: Yardstick) -> bool:
    a, b = systems[key].log.mean, systems[other].log.mean
    return a < b if by.direction == "lower" else a > b


def _than(key: str, other: str, called: str, systems: Mapping[str, System]) -> str:
    """Write how much one that is tested shows against another: "4.8 % less than X (95 % interval 4.1 to 5.5 %)"."""
    estimate = ratio(systems[key], systems[other])
    assert estimate is not None, "what is tested has a ratio"  # noqa: S101 - for the type
    size, span = amount(estimate)
    return f"{size} {'as much as' if size.endswith('times') else 'than'} {called} ({span})"


def _untested(count: int, of: int) -> str:
    if count == of:
        return "no difference can be tested"
    return f"{count} of {of} differences cannot be tested"


def _unranked(
    views: Sequence[CompareGroup], systems: Mapping[str, System], names: Mapping[str, str], by: Yardstick
) -> list[str]:
    """Count the configurations that cannot be ranked, by their reasons; empty where all can."""
    own = [view for view in views if view.kind != "published"]
    barred = [view for view in own if view.key not in systems]
    if not barred:
        return []
    causes = Counter(_cause(view, by) for view in barred)
    why = ", ".join(f"{cause} ({count})" for cause, count in causes.most_common())
    ranked = [view for view in own if view.key in systems]
    which = f"only {names[ranked[0].key]}" if len(ranked) == 1 else str(len(ranked)) if ranked else "none"
    others = "; the others" if ranked else ""
    return [f"{len(own)} configuration{'' if len(own) == 1 else 's'}; {which} can be ranked{others}: {why}."]


def _cause(view: CompareGroup, by: Yardstick) -> str:
    """Return in a few words why a configuration is not ranked."""
    barred = view.not_ranked.get(by.figure)
    if barred is not None:
        return barred.partition(";")[0].partition(" (rule")[0]
    if by.value(view) is not None:
        return "in another unit"
    return _NO_PLUS_MINUS if by.figure in view.unranked else f"without {by.noun}"


def _chosen(
    views: Sequence[CompareGroup], systems: Mapping[str, System], names: Mapping[str, str], by: Yardstick
) -> list[str]:
    """List the configurations that are ranked only because a person included their runs."""
    ranked = [view for view in views if view.key in systems]
    return [f"{names[view.key]}: {text}." for view in ranked for text in view.inclusions.get(by.figure, ())]


def _chance(systems: Mapping[str, System], compared: Comparisons) -> list[str]:
    """Explain what the choice of the best of several does to the intervals; empty for two, which it does nothing to."""
    if len(compared.tested & systems.keys()) < 3:
        return []
    return ["The tests allow for the choice of the best of several; the intervals of ratios to it do not."]


def _published_only(views: Sequence[CompareGroup]) -> str:
    if any(v.efficiency is not None for v in views):
        return "Published figures only: nothing was measured here, so no difference is tested."
    return "Published figures only, none with performance per watt; see the reason in each group."
