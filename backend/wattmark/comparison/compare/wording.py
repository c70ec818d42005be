"""Comparisons in plain words."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from wattmark.analysis.comparison.comparison import (
    FEWEST_TO_TEST,
    Estimate,
    System,
    equivalent,
    more_repeats,
    shared_half_width,
)
from wattmark.analysis.comparison.course import Course, Trend, Turns, turns
from wattmark.analysis.comparison.serial import Alike
from wattmark.comparison.compare.yardstick import EFFICIENCY, Yardstick
from wattmark.core.numbers import format_ratio, interval_texts

CHANGES = "room temperature, time of day, wear of fans, firmware"
"""Possible changes between runs that were made one after the other."""
COARSE = (0.02, 0.05, 0.1, 0.2)
FINE = (0.01, 0.005, 0.002, 0.001)
TIMES_FROM = 2.0


def difference(a: str, b: str, estimate: Estimate, by: Yardstick = EFFICIENCY) -> str:
    """Explain how much more or less of the figure ``a`` shows than ``b``, with the 95 % interval."""
    size, span = amount(estimate)
    if size.endswith("times"):
        return f"{a} {by.verb} {size} as much {by.noun} as {b} ({span})"
    return f"{a} {by.verb} {size} {by.noun} than {b} ({span})"


def amount(estimate: Estimate) -> tuple[str, str]:
    """Return the size of a difference ("4.8 % less", "2.5 times") and its 95 % interval in words."""
    low, high = estimate.interval()
    if max(estimate.value, 1 / estimate.value) >= TIMES_FROM:
        size, least, most = interval_texts(estimate.value, low, high, digits=2)
        return f"{size} times", f"95 % interval {least} to {most}"
    more = estimate.value >= 1
    ends = _percent(low, more=more), _percent(high, more=more)
    size, least, most = interval_texts(_percent(estimate.value, more=more), min(ends), max(ends))
    return f"{size} % {'more' if more else 'less'}", f"95 % interval {least} to {most} %"


def bare(a: str, b: str, ratio: float, by: Yardstick = EFFICIENCY) -> str:
    """Describe the ratio of two figures, to three digits and without an interval."""
    if max(ratio, 1 / ratio) >= TIMES_FROM:
        return f"{a} shows {format_ratio(ratio, 3)} times the {by.noun} of {b}"
    more = ratio > 1
    percent = _percent(float(f"{ratio:.2e}"), more=more)
    if percent == 0:
        return f"{a} and {b} show the same {by.noun} to three digits"
    return f"{a} shows {format_ratio(percent, 3)} % {'more' if more else 'less'} {by.noun} than {b}"


def small(estimate: Estimate, by: Yardstick = EFFICIENCY) -> str:
    """Explain that a difference is significant but below the smallest of interest; empty where it may matter."""
    if not equivalent(estimate, by.margin):
        return ""
    return f"; significant, but smaller than the {100 * by.margin:g} % that matter"


def tie(a: str, b: str, estimate: Estimate, system_a: System, system_b: System, by: Yardstick = EFFICIENCY) -> str:
    """Explain that two systems cannot be distinguished, and what would help."""
    if equivalent(estimate, by.margin):
        return f"{a} and {b} are equal within {100 * by.margin:g} % in {by.noun}"
    return f"{a} and {b} are not distinguishable{_remedy(estimate, system_a, system_b, by)}"


def untested(
    a: str,
    b: str,
    estimate: Estimate,
    system_a: System,
    system_b: System,
    by: Yardstick = EFFICIENCY,
    *,
    model: Sequence[str] = (),
    bounded: bool = True,
    order: Turns | None = None,
    other: str = "",
) -> str:
    """Describe a ratio that was not tested, with the reason; an interval only where ``bounded``.

    ``model`` names those of the two whose power is simulated; ``order``: it is the order of their runs in time that
    keeps the two from a test; ``other``: what else differs does, in words.
    """
    text = difference(a, b, estimate, by) if bounded else bare(a, b, estimate.value, by)
    if order is not None:
        return f"{text}; not called significant: {not_separable(order)}"
    if other:
        return f"{text}; not called significant: {other}"
    fewest = min(system_a.log.n, system_b.log.n)
    if len(model) == 1:
        why = f"the power of {model[0]} is simulated, not measured"
    elif fewest == 1:
        why = "with a single run the scatter between runs is not known"
    elif fewest < FEWEST_TO_TEST:
        why = f"two runs are too few to estimate the scatter; {FEWEST_TO_TEST} of each are needed"
    else:
        why = "the meters differ and their uncertainty is not known"
    return f"{text}; not tested: {why}"


def not_separable(order: Turns) -> str:
    """Explain why a difference of systems that were not measured in turns is not called significant."""
    if order == "not recorded":
        return "when the runs were made is not recorded, so that the difference cannot be told from a change with time"
    return f"measured one after the other, so that everything that changed in between ({CHANGES}) is in the difference"


def steps_in_time(courses: Sequence[Course | None], step: str = "level") -> list[str]:
    """Report steps ("level", "clock step") of which some were not measured in turns with the next; empty for others."""
    if all(turns(a, b) != "one after the other" for a, b in itertools.pairwise(courses)):
        return []
    return [
        f"The {step}s were measured one after the other: everything that changed in between ({CHANGES}) is in what one "
        f"{step} differs by from another. Repeats of the whole sweep measure them in turns."
    ]


def trend_words(trend: Trend, by: Yardstick = EFFICIENCY) -> str:
    """Explain how much the figure changed with time over the runs of all configurations, with the 95 % interval."""
    size, span = amount(Estimate(trend.change, trend.u, trend.dof))
    change = f"changed to {size}" if size.endswith("times") else f"{'rose' if trend.change > 0 else 'fell'} by {size}"
    change = change.removesuffix(" more").removesuffix(" less")
    when = "from the first to the last run" if trend.first_to_last else "over the time of the runs, pauses excluded"
    return f"Trend over time: {by.noun} {change} ({span}) {when}, all configurations together."


def alike_words(alike: Alike) -> str:
    """Explain that repeats which follow each other in time are not independent, and what that does to each ±."""
    return (
        f"Repeats that follow each other in time are alike (correlation {alike.correlation:.2f} from one run to the "
        "next, all configurations together): the ± of each mean takes them for independent and is too small."
    )


def _remedy(estimate: Estimate, a: System, b: System, by: Yardstick) -> str:
    """Explain how many repeats would resolve the smallest relevant difference, else the next one that they can."""
    low, high = estimate.interval()
    half = math.log(high / low) / 2
    if shared_half_width(a, b) >= math.log1p(by.margin):
        return f": repeats cannot resolve {100 * by.margin:g} %, because the uncertainty of the meters is larger"
    coarser = (by.margin, *(target for target in COARSE if target > by.margin))
    for target in coarser if half > math.log1p(by.margin) else [target for target in FINE if target < by.margin]:
        more = more_repeats(a, b, target) if target < half else None
        if more is not None:
            unit = repeated_unit(a, b)
            return f": about {more} more {unit}{'' if more == 1 else 's'} of each would resolve {100 * target:g} %"
    return ": the repeats scatter too much; find the cause before repeating more"


def repeated_unit(a: System, b: System) -> str:
    """Return what must be repeated: runs, or the boots or installations that runs are made in."""
    if all(s.log.units == s.log.n for s in (a, b)):
        return "repeat"
    return "installation" if max(a.installations, b.installations) > 1 else "boot"


def _percent(ratio: float, *, more: bool) -> float:
    return 100 * (ratio - 1 if more else 1 - ratio)
