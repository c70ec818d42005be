"""Throughput and performance per watt of one configuration against its load levels."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TypeVar

from wattmark.analysis.comparison.comparison import product
from wattmark.analysis.comparison.measured import Measured
from wattmark.analysis.refusal import Refused
from wattmark.analysis.scaling.speed_up import SpeedUp, speed_up
from wattmark.analysis.scaling.sweep import Sweep, knee, mean_from, peak, saturation, sweep
from wattmark.comparison.compare.curves import curve_named
from wattmark.comparison.compare.groups import Group, build_group
from wattmark.comparison.compare.levels import level_count
from wattmark.comparison.compare.wording import steps_in_time
from wattmark.comparison.compare.yardstick import ComparedBy
from wattmark.comparison.scaling.loops import Loop, loop_of
from wattmark.comparison.scaling.per_user import user_rate
from wattmark.comparison.scaling.scaling_views import ScalingLevel, ScalingOut
from wattmark.core.errors import InputError
from wattmark.core.interval import Interval, PlusMinus
from wattmark.core.numbers import format_number, format_uncertain
from wattmark.results.plus_minus import SINGLE_RUN
from wattmark.results.ranking_bars import why_not_ranked
from wattmark.results.result import Result

T = TypeVar("T")


def scaling_view(results: Sequence[Result], key: str, workload: str, threshold: float | None = None) -> ScalingOut:
    """Compare the levels of one configuration ("<server>/<configuration>", as `curves_of` has it).

    ``threshold`` adds the average over the levels at or above it ("5 and higher"). Response times are compared
    with throughput and clients by Little's law, and an inconsistent level is flagged.
    Runs that may not be ranked by a figure are excluded; an undetermined figure is among the sentences with its
    reason. Raises `InputError` where the configuration ran this workload at no level with a count.
    """
    own = curve_named(results, key, workload)
    by_count: dict[int, list[Result]] = defaultdict(list)
    for r in own:
        if (count := level_count(r.level)) is not None:
            by_count[count].append(r)
    if not by_count:
        raise InputError(
            f"{key} did not run {workload[:80]!r} at a level that is a number of threads, processes or clients.",
            "Run a plan with levels, such as levels: [1, 2, 4].",
        )
    groups = {count: build_group(by_count[count]) for count in sorted(by_count)}
    sentences: list[str] = []
    steps = {step.level: step for step in _find_or_say(sentences, "speed-up", lambda: _speed_ups(groups)) or ()}
    first = next(iter(groups.values())).view
    loops = {n: loop_of(n, group.view.throughput, by_count[n]) for n, group in groups.items()}
    upper_rate, upper_efficiency = (
        _upper(sentences, groups, figure, threshold) for figure in ("throughput", "efficiency")
    )
    return ScalingOut(
        key=key,
        title=first.title,
        workload=workload,
        throughput_unit=first.throughput_unit,
        efficiency_unit=first.efficiency_unit,
        levels=[
            _level(count, group, steps.get(count), loops[count], user_rate(by_count[count]))
            for count, group in groups.items()
        ],
        mean_from=threshold,
        mean_throughput=upper_rate,
        mean_efficiency=upper_efficiency,
        sentences=[
            *_curve(groups, "Throughput", first.throughput_unit, _throughput),
            *_curve(groups, "Performance per watt", first.efficiency_unit, _efficiency),
            *sentences,
            *_laws(by_count),
            *_mean(upper_rate, threshold, first.throughput_unit),
            *_mean(upper_efficiency, threshold, first.efficiency_unit),
            *(f"Level {n}: {loop.text}" for n, loop in loops.items() if loop is not None and not loop.possible),
            *_remarks(own, groups),
        ],
        simulated=any(r.simulated for r in own),
    )


def _throughput(group: Group) -> Measured | None:
    rate = group.view.throughput
    return None if rate is None else Measured(rate.value, rate.u, _freedom(rate.dof))


def _repeated_throughput(group: Group) -> Measured | None:
    """Return throughput with its scatter between runs; None for a single run, which does not show it."""
    rate = _throughput(group)
    return rate if rate is None or group.view.n > 1 else Measured(rate.value)


def _efficiency(group: Group) -> Measured | None:
    """Return efficiency with its scatter only: the meter's error is the same at all levels of one meter and range."""
    if group.system is None:
        return None
    log, value = group.system.log, group.system.value
    return Measured(value, None if log.u is None else value * log.u, _freedom(log.dof))


def _freedom(dof: float | None) -> float:
    """Return degrees of freedom of at least 1: Welch's formula may fall below by a rounding error."""
    return math.inf if dof is None else max(dof, 1.0)


def _figures(groups: dict[int, Group], take: Callable[[Group], Measured | None]) -> dict[int, Measured]:
    taken = {count: take(group) for count, group in groups.items()}
    return {count: figure for count, figure in taken.items() if figure is not None}


def _speed_ups(groups: dict[int, Group]) -> tuple[SpeedUp, ...]:
    figures = _figures(groups, _repeated_throughput)
    return speed_up(list(figures), list(figures.values()))


def _upper(
    sentences: list[str], groups: dict[int, Group], figure: ComparedBy, threshold: float | None
) -> PlusMinus | None:
    """Average a figure over the levels at or above a threshold; None where none was requested, or with its reason."""
    if threshold is None:
        return None
    systems = {count: of for count, group in groups.items() if (of := group.by(figure)) is not None}
    values = [Measured(of.value) for of in systems.values()]
    mean = _find_or_say(
        sentences, "the average of the upper levels", lambda: mean_from(sweep(list(systems), values), threshold)
    )
    if mean is None:
        return None
    chosen = [systems[round(level)] for level in mean.levels]
    total = math.fsum(of.value for of in chosen)
    estimate = product(0.0, [(of.value / total, of) for of in chosen])
    complete = estimate is not None and all(of.complete for of in chosen)
    half = mean.figure.value * estimate.half_width() if estimate is not None and complete else None
    return PlusMinus(value=mean.figure.value, U95=half)


def _mean(mean: PlusMinus | None, threshold: float | None, unit: str) -> list[str]:
    """Describe the average over the upper levels, with its ± where its full uncertainty is known."""
    if mean is None:
        return []
    of = f"Average over levels {threshold:g} and higher: {format_uncertain(mean.value, mean.U95, unit)}"
    return [f"{of}."] if mean.U95 is not None else [f"{of} (no ±: the ± of a level is not known)."]


def _level(count: int, group: Group, step: SpeedUp | None, loop: Loop | None, of_user: float | None) -> ScalingLevel:
    view = group.view
    gain = None if step is None else Interval.of(step.ratio, step.interval)
    bare = step is not None and step.level != step.base and step.interval is None
    return ScalingLevel(
        count=count,
        level=view.level,
        n=view.n,
        throughput=view.throughput,
        power_w=view.power_w,
        efficiency=view.efficiency,
        speed_up=gain,
        parallel_efficiency=None if step is None or gain is None else _parallel(step, gain),
        response_s=None if loop is None else loop.response_s,
        in_flight=None if loop is None else loop.in_flight,
        possible=None if loop is None else loop.possible,
        user_rate=of_user,
        simulated=view.kind == "simulated",
        traceable=view.traceable,
        refusal=view.refusal,
        remarks=[*view.remarks, *([f"Speed-up: {SINGLE_RUN}"] if bare else [])],
    )


def _parallel(step: SpeedUp, gain: Interval) -> PlusMinus:
    """Return the parallel efficiency; relative to it its ± is that of the speed-up."""
    half = gain.U95
    return PlusMinus(value=step.efficiency, U95=None if half is None else half / gain.value * step.efficiency)


def _curve(groups: dict[int, Group], title: str, unit: str, take: Callable[[Group], Measured | None]) -> list[str]:
    """Explain where a figure peaks, bends and saturates, or why that is not known."""
    sentences: list[str] = []
    figures = _figures(groups, take)
    curve = _find_or_say(sentences, f"{title}: its curve", lambda: sweep(list(figures), list(figures.values())))
    if curve is None:
        return sentences
    sentences.append(_peak(curve, title, unit))
    bend = _find_or_say(sentences, f"{title}: a knee", lambda: knee(curve))
    if bend is not None:
        sentences.append(f"{title} bends most at level {bend.level:g}.")
    sentences.append(f"{title} reaches 95 % of its peak at level {saturation(curve):g}.")
    return sentences


def _peak(curve: Sweep, title: str, unit: str) -> str:
    top = peak(curve)
    also = f" and {', '.join(f'{level:g}' for level in top.also_at)}" if top.also_at else ""
    edge = ", the highest measured: the true peak may lie beyond it" if top.at_edge else ""
    return f"{title} peaks at level {top.level:g}{also} with {format_number(top.figure.value, 4)} {unit}{edge}."


def _laws(by_count: dict[int, list[Result]]) -> list[str]:
    """Fit Amdahl's law and the universal scalability law to every run, or explain why not.

    Imported here because scipy.optimize takes longer to load than most commands run.
    """
    from wattmark.comparison.scaling.scaling_laws import amdahl_sentence, usl_sentence

    counted = [(n, r) for n, runs in by_count.items() for r in runs if why_not_ranked(r, "throughput") is None]
    rows = [(n, r.throughput.value) for n, r in counted if r.throughput is not None and r.throughput.value]
    levels, rates = [n for n, _ in rows], [rate for _, rate in rows]
    reasons: list[str] = []
    laws = (
        _find_or_say(reasons, "Amdahl's law", lambda: amdahl_sentence(levels, rates)),
        _find_or_say(reasons, "The universal scalability law", lambda: usl_sentence(levels, rates)),
    )
    return [*(law for law in laws if law is not None), *reasons]


def _find_or_say(sentences: list[str], title: str, find: Callable[[], T]) -> T | None:
    """Return what ``find`` returns; where it is refused, add the reason to the sentences and return None."""
    try:
        return find()
    except Refused as refusal:
        sentences.append(f"{title[0].upper()}{title[1:]} is not known: {refusal.text}")
        return None


def _remarks(results: Sequence[Result], groups: dict[int, Group]) -> list[str]:
    other = sorted({r.level for r in results if level_count(r.level) is None})
    remarks = [f"Level {count}: {remark}" for count, group in groups.items() for remark in group.view.remarks]
    if other:
        remarks.append(f"Excluded, because these levels are not a count: {', '.join(other)}.")
    systems = [system for group in groups.values() if (system := group.throughput or group.system) is not None]
    return [*remarks, *steps_in_time([system.course for system in systems])]
