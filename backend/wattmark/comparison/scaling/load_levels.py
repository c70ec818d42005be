"""Power against load in one configuration: levels from full load to idle, SPECpower's sum rule, proportionality."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from wattmark.analysis.comparison.comparison import System, absolute, around, joint, product, system
from wattmark.analysis.comparison.specpower import LoadLevel, OverallRatio, overall_ratio
from wattmark.analysis.refusal import Refused
from wattmark.analysis.scaling.proportionality import Proportionality, proportionality
from wattmark.comparison.compare.cells import Repeated, repeated
from wattmark.comparison.compare.curves import curve_named
from wattmark.comparison.compare.groups import group_kind, group_title, program_versions
from wattmark.comparison.compare.installations import installations
from wattmark.comparison.compare.levels import target_load
from wattmark.comparison.compare.observation import idle_observation
from wattmark.comparison.compare.wording import steps_in_time
from wattmark.comparison.scaling.best_load import best_load, best_words, knee_pct
from wattmark.comparison.scaling.scaling_views import LoadLevelRow, LoadLevelsOut
from wattmark.core.errors import InputError
from wattmark.core.interval import Interval, PlusMinus
from wattmark.core.numbers import format_number, format_uncertain
from wattmark.results.disagreement import disagreements
from wattmark.results.plus_minus import joined, why_none
from wattmark.results.ranking_bars import why_not_ranked
from wattmark.results.result import Claim, Result
from wattmark.runs.record import RunRecord

_CLAIM: Claim = "power"
"""All figures of a level are of the same runs: those that may be ranked by their watts."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Level:
    """Repeats at one load; without ``rate`` and ``efficiency`` at active idle."""

    load_pct: float
    name: str
    power: System
    rate: Repeated | None = None
    efficiency: Repeated | None = None
    simulated: bool = False
    traceable: bool = True
    sources_disagree: bool = False
    included: bool = False
    remark: str | None = None

    @property
    def throughput(self) -> float:
        """Return the throughput [unit/s], 0 at idle."""
        return 0.0 if self.rate is None else self.rate.system.value


def load_levels_view(pairs: Iterable[tuple[RunRecord, Result]], key: str, workload: str) -> LoadLevelsOut:
    """Compute the overall figure and the proportionality of one curve, by its key as `curves_of` has it.

    Levels named in per cent are target loads. Where levels count processes or clients, the load is the share of the
    highest throughput. Idle is a level of that name, else the idle phases of the same runs. What one meter does to all
    levels is counted once: it adds with its signs, what scatters in quadrature. Raises `InputError` where nothing was
    measured.
    """
    listed = list(pairs)
    own = {result.run_id for result in curve_named((result for _, result in listed), key, workload)}
    curve, _ = load_curve([(run, result) for run, result in listed if result.run_id in own], key)
    if curve is None:
        raise InputError(
            f"{key} has no level of {workload[:80]!r} with throughput and power.", "Complete a run at full load."
        )
    return curve


def load_curve(own: Sequence[tuple[RunRecord, Result]], key: str) -> tuple[LoadLevelsOut | None, list[str]]:
    """Compute the curve of the runs of one configuration and workload; None with the reasons where no run counts."""
    loaded, powers, remarks = _loaded(own)
    if not loaded:
        return None, remarks
    levels = sorted([*loaded, *_idle(own, powers, remarks)], key=lambda level: -level.load_pct)
    rows = [_row(level, levels[0]) for level in levels]
    overall = _find_or_say(remarks, "The overall figure", lambda: _overall(levels))
    curve = _find_or_say(remarks, "Energy proportionality", lambda: _curve(levels))
    total = None if overall is None else _total(levels, overall)
    shape = {} if curve is None else _shape(levels, curve)
    best = best_load(rows, {level.name: level.efficiency.system for level in loaded if level.efficiency is not None})
    knee, unit = knee_pct(rows), f"{rows[0].throughput_unit.removesuffix('/s')}/J"
    results = [result for _, result in own]
    return LoadLevelsOut(
        key=key,
        title=group_title(results[-1]),
        server=results[-1].server,
        configuration=results[-1].configuration,
        kind=group_kind(results),
        workload=results[-1].workload,
        rows=rows,
        overall=total,
        efficiency_unit=unit,
        program_versions=program_versions([result for result in results if target_load(result.level) != 0]),
        energy_proportionality=shape.get("ep"),
        idle_to_peak=shape.get("idle_to_peak"),
        dynamic_range=shape.get("dynamic_range"),
        linear_deviation=shape.get("linear_deviation"),
        best=best,
        knee_pct=knee,
        statement=_statement(overall, total, curve, shape, best_words(best, knee, rows, unit)),
        simulated=any(level.simulated for level in levels),
        remarks=[
            *(curve.doubts if curve else ()),
            *_targets(overall, loaded),
            *remarks,
            *_without(levels),
            *steps_in_time([level.power.course for level in levels if level.load_pct > 0]),
        ],
    ), remarks


def _loaded(own: Sequence[tuple[RunRecord, Result]]) -> tuple[list[_Level], dict[str, Repeated], list[str]]:
    """Collect the levels with throughput and the power of all levels by name, with remarks."""
    rates, watts = repeated(own, "throughput", _CLAIM), repeated(own, "power", _CLAIM)
    ratios = repeated(own, "efficiency", _CLAIM)
    remarks = list(dict.fromkeys([*rates[1], *watts[1]]))
    powers, efficiencies = ({f.factors["level"]: f for f in figures} for figures, _ in (watts, ratios))
    both = [
        (rate, powers[level], efficiencies[level])
        for rate in rates[0]
        if (level := rate.factors["level"]) in powers and level in efficiencies and target_load(level) != 0
    ]
    targets = [target_load(rate.factors["level"]) for rate, _, _ in both]
    full = max((rate.system.value for rate, _, _ in both), default=0.0)
    by_target = all(target is not None for target in targets)
    levels = [
        _Level(
            load_pct=target if by_target and target is not None else 100 * rate.system.value / full,
            name=rate.factors["level"],
            power=power.system,
            rate=rate,
            efficiency=ratio,
            simulated=power.simulated,
            traceable=power.traceable,
            sources_disagree=bool(power.disagreements),
            included=bool(rate.included or power.included),
            remark=joined([power.remark, rate.remark]),
        )
        for (rate, power, ratio), target in zip(both, targets, strict=True)
    ]
    return levels, powers, remarks


def _idle(own: Sequence[tuple[RunRecord, Result]], powers: dict[str, Repeated], remarks: list[str]) -> list[_Level]:
    """Find active idle: a level of its own, else the idle phases of the runs that may be ranked by work per joule."""
    for name, of in powers.items():
        if target_load(name) == 0:
            return [
                _Level(
                    0.0,
                    name,
                    of.system,
                    simulated=of.simulated,
                    traceable=of.traceable,
                    sources_disagree=bool(of.disagreements),
                    included=bool(of.included),
                    remark=of.remark,
                )
            ]
    fitted = installations(result for _, result in own)
    idle = [
        (result, seen)
        for _, result in own
        if why_not_ranked(result, "efficiency") is None
        and (seen := idle_observation(result, fitted[result.run_id])) is not None
    ]
    if not idle:
        return []
    results = [result for result, _ in idle]
    power = system([seen for _, seen in idle])
    remarks.append(f"Idle is the mean over the idle phases of {len(idle)} runs.")
    no_interval = None if absolute(power) is not None and power.complete else why_none(results)
    against = disagreements(results)
    remark = joined([no_interval, *against])
    simulated, traceable = any(r.simulated for r in results), all(r.traceable for r in results)
    level = _Level(0.0, "idle phases", power, simulated=simulated, traceable=traceable, remark=remark)
    return [replace(level, sources_disagree=bool(against))]


def _row(level: _Level, top: _Level) -> LoadLevelRow:
    rate, efficiency = level.rate, level.efficiency
    estimate = absolute(level.power) if level.power.complete else None
    return LoadLevelRow(
        load_pct=level.load_pct,
        level=level.name,
        throughput=Interval(value=0.0) if rate is None else rate.interval,
        throughput_unit=top.rate.unit if top.rate else "",
        power_w=around(level.power.value, estimate),
        ops_per_joule=None
        if rate is None or efficiency is None
        else Interval.of(level.throughput / level.power.value, efficiency.interval.ends),
        relative_power=_share(level, top),
        n=level.power.log.n,
        simulated=level.simulated,
        traceable=level.traceable,
        sources_disagree=level.sources_disagree,
        remark=level.remark,
        included=level.included,
    )


def _share(level: _Level, top: _Level) -> PlusMinus:
    """Return watts as a share of those at full load [1]."""
    share = level.power.value / top.power.value
    powers = [(share, level.power), (-share, top.power)]
    return PlusMinus(value=share, U95=None if level is top else _half([level, top], powers))


def _half(levels: Sequence[_Level], powers: Sequence[tuple[float, System]]) -> float | None:
    """Return half the width of a 95 % interval; None where a level's meter error or scatter is not known."""
    estimate = product(0.0, powers) if all(level.power.complete for level in levels) else None
    return None if estimate is None else estimate.half_width()


def _overall(levels: Sequence[_Level]) -> OverallRatio:
    return overall_ratio([LoadLevel(level.load_pct, level.throughput, level.power.value) for level in levels])


def _total(levels: Sequence[_Level], of: OverallRatio) -> Interval:
    """Propagate sum X / sum P: d ln = sum X_i/sum X d ln X_i - sum P_i/sum P d ln P_i [ops/J]."""
    powers: list[tuple[float, System]] = []
    for level in levels:
        of_watts = level.power.value / of.sum_power_w
        if level.rate is None or level.efficiency is None:
            powers.append((-of_watts, level.power))
            continue
        of_work = level.throughput / of.sum_ops_per_s
        both = joint(level.rate.system, of_work, level.power, of_watts, level.efficiency.system)
        powers.append((1.0, both))
    complete = all(level.power.complete for level in levels)
    return around(of.overall, product(math.log(of.overall), powers) if complete else None)


def _curve(levels: Sequence[_Level]) -> Proportionality:
    return proportionality([level.load_pct for level in levels], [level.power.value for level in levels])


def _shape(levels: Sequence[_Level], curve: Proportionality) -> dict[str, PlusMinus]:
    """Return the figures of a power curve [1]; in their ±, what scales all watts alike cancels."""
    rising = sorted(levels, key=lambda level: level.load_pct)
    low, high = rising[0].power, rising[-1].power
    deviating = next(level for level in rising if level.load_pct == curve.deviates_at_pct)
    share = deviating.load_pct / 100
    line_w = low.value + (high.value - low.value) * share
    deviation = 1 + curve.linear_deviation
    off_line = [
        (deviation, deviating.power),
        (-deviation * (1 - share) * low.value / line_w, low),
        (-deviation * share * high.value / line_w, high),
    ]
    of_ep = list(zip(curve.weights, (level.power for level in rising), strict=True))
    idle = _share(rising[0], rising[-1])
    return {
        "ep": PlusMinus(value=curve.ep, U95=_half(levels, of_ep)),
        "idle_to_peak": idle,
        "dynamic_range": PlusMinus(value=curve.dynamic_range, U95=idle.U95),
        "linear_deviation": PlusMinus(value=curve.linear_deviation, U95=_half(levels, off_line)),
    }


def _find_or_say(remarks: list[str], title: str, find: Callable[[], T]) -> T | None:
    try:
        return find()
    except Refused as refusal:
        remarks.append(f"{title} is not known: {refusal.text}")
        return None


def _targets(overall: OverallRatio | None, loaded: Sequence[_Level]) -> list[str]:
    if overall is None:
        return []
    if any(target_load(level.name) is None for level in loaded):
        return [
            "The load is the share of the highest throughput, because the levels were not target loads in per cent. "
            "The ± of the proportionality does not include the uncertainty of the loads."
        ]
    missed = [verdict.text for verdict in overall.targets if verdict.outcome == "fail"]
    return [] if overall.standard else ["Other levels than 100 to 10 % and idle.", *missed]


def _without(levels: Sequence[_Level]) -> list[str]:
    """Explain why the figures of all levels have no ±; empty where they have one."""
    reasons = joined(level.remark for level in levels if not level.power.complete or level.power.log.u is None)
    return [f"The figures of all levels have no ±: {reasons}"] if reasons else []


def _statement(
    overall: OverallRatio | None,
    total: Interval | None,
    curve: Proportionality | None,
    shape: Mapping[str, PlusMinus],
    best: Sequence[str],
) -> str:
    sentences: list[str] = []
    if overall is not None and total is not None:
        sentences.append(
            f"Overall: {format_number(overall.sum_ops_per_s)} operations per second over "
            f"{format_number(overall.sum_power_w)} W, idle included, {format_uncertain(total.value, total.U95)} per "
            "joule; not a SPEC result, because SPEC has not reviewed it"
        )
    if curve is not None:
        ep, idle, off = (shape[name] for name in ("ep", "idle_to_peak", "linear_deviation"))
        sentences.append(
            f"Energy proportionality {format_uncertain(ep.value, ep.U95)}, idle to peak "
            f"{format_uncertain(idle.value, idle.U95)}, largest deviation from the line "
            f"{format_uncertain(100 * off.value, None if off.U95 is None else 100 * off.U95)} % at "
            f"{format_number(curve.deviates_at_pct, 3)} % load"
        )
    if not sentences:
        sentences.append("Neither the overall ratio nor the energy proportionality can be computed")
    return ". ".join([*sentences, *best]) + "."
