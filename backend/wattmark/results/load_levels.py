"""How power follows load in one configuration: levels from full load to idle, SPECpower's sum rule, proportionality."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from wattmark.analysis.proportionality import Proportionality, proportionality
from wattmark.analysis.refusal import Refused
from wattmark.analysis.specpower import LoadLevel, OverallRatio, overall_ratio
from wattmark.errors import InputError
from wattmark.results.cells import Repeated, repeated
from wattmark.results.table_views import LoadLevelRow, LoadLevelsOut
from wattmark.runs.record import RunRecord
from wattmark.runs.result import Result

IdleWatts = Callable[[RunRecord], float | None]
_PERCENT = re.compile(r"(\d{1,3}(?:\.\d+)?) ?%(?:\s.*)?", re.DOTALL)
_IDLE = ("idle", "active idle", "0 %", "0%")
T = TypeVar("T")


def load_levels_view(
    pairs: Iterable[tuple[RunRecord, Result]], key: str, workload: str, idle_watts: IdleWatts
) -> LoadLevelsOut:
    """Compute the overall figure and the proportionality of one configuration ("<server>/<configuration>").

    Levels named in per cent are target loads. Where levels count processes or clients, the load is the share of the
    highest throughput. Idle is a level of that name, else the idle phases of the same runs (``idle_watts``), which
    tell no uncertainty. Raises `InputError` where nothing was measured.
    """
    mine = [(run, r) for run, r in pairs if f"{run.server}/{run.configuration}" == key and run.workload == workload]
    rates, remarks = repeated(mine, "throughput")
    watts, of_power = repeated(mine, "power")
    remarks += [remark for remark in of_power if remark not in remarks]
    powers = {one.told["level"]: one for one in watts}
    loaded = [(one, powers[one.told["level"]]) for one in rates if one.told["level"] in powers]
    loaded = [(rate, power) for rate, power in loaded if _target(rate.told["level"]) != 0]
    if not loaded:
        raise InputError(f"{key} has no level of {workload[:80]!r} with work and watts.", "Finish a run at full load.")
    rows = [*_rows(loaded), *_idle_row(mine, powers, loaded, idle_watts, remarks)]
    rows = _relative(sorted(rows, key=lambda row: -row.load_pct))
    overall = _told(remarks, "The overall figure", lambda: _overall(rows))
    course = _told(remarks, "Energy proportionality", lambda: _course(rows))
    return LoadLevelsOut(
        key=key,
        workload=workload,
        rows=rows,
        overall=overall.overall if overall else None,
        efficiency_unit=f"{loaded[0][0].unit.removesuffix('/s')}/J",
        energy_proportionality=course.ep if course else None,
        u_energy_proportionality=course.u_ep if course else None,
        idle_to_peak=course.idle_to_peak if course else None,
        dynamic_range=course.dynamic_range if course else None,
        linear_deviation=course.linear_deviation if course else None,
        statement=_statement(overall, course),
        simulated=any(one.simulated for one in (*rates, *watts)),
        remarks=[*(course.doubts if course else ()), *_targets(overall, loaded), *remarks],
    )


def _target(level: str) -> float | None:
    """Read a target load [%]; None where the level names none."""
    if level.strip().lower() in _IDLE:
        return 0.0
    found = _PERCENT.fullmatch(level.strip())
    return float(found.group(1)) if found else None


def _rows(loaded: Sequence[tuple[Repeated, Repeated]]) -> list[LoadLevelRow]:
    targets = [_target(rate.told["level"]) for rate, _ in loaded]
    full = max(rate.system.value for rate, _ in loaded)
    by_target = all(target is not None for target in targets)
    rows = []
    for (rate, power), target in zip(loaded, targets, strict=True):
        load = target if by_target and target is not None else 100 * rate.system.value / full
        interval = power.interval
        half = None if interval is None else (interval[1] - interval[0]) / 2
        row = _row(load, rate.told["level"], rate.system.value, rate.unit, power.system.value, half, power.n)
        rows.append(row.model_copy(update={"included": bool(rate.included or power.included)}))
    return rows


def _row(
    load: float, level: str, rate: float, unit: str, watts: float, half: float | None, n: int | None
) -> LoadLevelRow:
    return LoadLevelRow(
        load_pct=load,
        level=level,
        throughput=rate,
        throughput_unit=unit,
        power_w=watts,
        power_U95_w=half,
        ops_per_joule=rate / watts if rate else None,
        relative_power=math.nan,
        n=n,
    )


def _idle_row(
    mine: Sequence[tuple[RunRecord, Result]],
    powers: dict[str, Repeated],
    loaded: Sequence[tuple[Repeated, Repeated]],
    idle_watts: IdleWatts,
    remarks: list[str],
) -> list[LoadLevelRow]:
    """Find active idle: a level of its own, else the mean of the idle phases."""
    unit = loaded[0][0].unit
    for level, power in powers.items():
        if _target(level) == 0:
            row = _row(0.0, level, 0.0, unit, power.system.value, None, power.n)
            return [row.model_copy(update={"included": bool(power.included)})]
    watts = [w for run, _ in mine if (w := idle_watts(run)) is not None]
    if not watts:
        return []
    remarks.append(f"Idle is the mean of the readings in {len(watts)} idle phases; its ± is not known.")
    return [_row(0.0, "idle phases", 0.0, unit, math.fsum(watts) / len(watts), None, len(watts))]


def _relative(rows: Sequence[LoadLevelRow]) -> list[LoadLevelRow]:
    peak = rows[0].power_w
    return [row.model_copy(update={"relative_power": row.power_w / peak}) for row in rows]


def _overall(rows: Sequence[LoadLevelRow]) -> OverallRatio:
    return overall_ratio([LoadLevel(row.load_pct, row.throughput, row.power_w) for row in rows])


def _course(rows: Sequence[LoadLevelRow]) -> Proportionality:
    return proportionality([row.load_pct for row in rows], [row.power_w for row in rows])


def _told(remarks: list[str], what: str, find: Callable[[], T]) -> T | None:
    try:
        return find()
    except Refused as refusal:
        remarks.append(f"{what} is not told: {refusal.text}")
        return None


def _targets(overall: OverallRatio | None, loaded: Sequence[tuple[Repeated, Repeated]]) -> list[str]:
    if overall is None:
        return []
    if any(_target(rate.told["level"]) is None for rate, _ in loaded):
        return ["The load is the share of the highest throughput; levels were not targets in per cent."]
    missed = [verdict.text for verdict in overall.targets if verdict.outcome == "fail"]
    return [] if overall.standard else ["Other levels than 100 to 10 % and idle.", *missed]


def _statement(overall: OverallRatio | None, course: Proportionality | None) -> str:
    told = []
    if overall is not None:
        told.append(
            f"Overall: {overall.sum_ops_per_s:.6g} operations per second over {overall.sum_power_w:.6g} W, idle "
            f"included, {overall.overall:.6g} per joule; no SPEC result, for SPEC reviews those"
        )
    if course is not None:
        told.append(
            f"Energy proportionality {course.ep:.3f}, idle to peak {course.idle_to_peak:.3f}, largest deviation from "
            f"the line {100 * course.linear_deviation:+.1f} % at {course.deviates_at_pct:.3g} % load"
        )
    return ". ".join(told) + "." if told else "Neither the overall figure nor the proportionality can be told."
