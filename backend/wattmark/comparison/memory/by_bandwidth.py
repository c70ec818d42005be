"""Watts of memory modules at each bandwidth of one load, and watts for its traffic."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from wattmark.analysis.parts.traffic import TrafficSlope, WorkedRun, traffic_slope
from wattmark.analysis.refusal import Refused
from wattmark.comparison.compare.observation import counted_run
from wattmark.comparison.compare.wording import CHANGES
from wattmark.comparison.memory.module_kinds import DIMMS
from wattmark.comparison.parts.kinds import ALL
from wattmark.comparison.parts.line import all_known, counted_runs, fit_counted
from wattmark.comparison.parts.rates import BYTES
from wattmark.comparison.parts.slope_words import slope_remark
from wattmark.comparison.parts.slopes import METER_UNKNOWN
from wattmark.comparison.parts.views import PartRate
from wattmark.core.interval import Interval, Interval95
from wattmark.core.numbers import format_number
from wattmark.results.plus_minus import joined
from wattmark.results.result import Result
from wattmark.runs.record import RunRecord

FEWEST = 2
"""Fewest levels with watts per DIMM that are worth a list."""
PER_GB = "W/(GB/s)"


def rates_by_bandwidth(
    pairs: Iterable[tuple[RunRecord, Result]], fitted: Mapping[str, str], modules: str
) -> list[PartRate]:
    """Fit watts per DIMM at each level of a load that counts bytes of memory, and watts for a gigabyte per second.

    ``pairs`` are the runs of one server and workload at all levels, ``modules`` the kind of modules, or `ALL`. Runs
    that calibrate a load are none of its levels. Empty for other loads, and where only one level ran.
    """
    measured = [
        result
        for record, result in pairs
        if record.disclosure.task.task != "calibrate"
        and record.disclosure.workload is not None
        and record.disclosure.workload.limited_by == "memory"
        and record.unit in BYTES
    ]
    counted = [r for r in counted_runs(measured, DIMMS) if modules in (ALL, DIMMS.kind(r))]
    by_level: dict[str, list[Result]] = defaultdict(list)
    for r in counted:
        by_level[r.level].append(r)
    if len(by_level) < FEWEST:
        return []
    rising = sorted(by_level, key=lambda level: (_mean_rate(by_level[level]), level))
    return [*(_per_dimm(level, by_level[level], fitted) for level in rising), _per_traffic(counted, fitted)]


def _per_dimm(level: str, results: Sequence[Result], fitted: Mapping[str, str]) -> PartRate:
    rate = _mean_rate(results)
    traffic = "" if rate == 0 else f", {format_number(rate * BYTES[results[0].unit] / 1e9, 3)} GB/s on average"
    quantity = f"W per {DIMMS.part.one} at {level}{traffic}"
    fit, refusal = fit_counted(results, fitted, DIMMS)
    if fit is None:
        return PartRate(quantity=quantity, unit="W", remark=f"No figure: {refusal}")
    known = all_known(results)
    remark = joined([slope_remark(fit), METER_UNKNOWN if fit.bounded and not known else None])
    return PartRate(quantity=quantity, value=_interval(fit.interval.complete_if(known)), unit="W", remark=remark)


def _per_traffic(results: Sequence[Result], fitted: Mapping[str, str]) -> PartRate:
    """Compute the watts that a gigabyte per second costs, from the runs with traffic."""
    loaded = [r for r in results if r.throughput is not None and r.throughput.value > 0]
    runs = [
        WorkedRun(r.throughput.value * BYTES[r.unit] / 1e9, power)
        for r in loaded
        if r.throughput is not None and (power := counted_run(r, DIMMS.count(r), fitted[r.run_id])) is not None
    ]
    quantity = "W per GB/s of memory traffic"
    try:
        slope = traffic_slope(runs)
    except Refused as refusal:
        return PartRate(quantity=quantity, unit=PER_GB, remark=f"No figure: {refusal.text}")
    known = all_known(loaded)
    value = _interval(slope.interval.complete_if(known))
    return PartRate(quantity=quantity, value=value, unit=PER_GB, remark=_traffic_remark(slope, known=known))


def _traffic_remark(slope: TrafficSlope, *, known: bool) -> str:
    """Explain what the watts for traffic hold, and why they have no ± where they have none."""
    many = slope.installations
    modules = "one installation of the modules" if many == 1 else f"{many} installations of the modules"
    sentences = [
        "At the wall: power-supply loss and what the processor draws for the traffic are in it. From "
        f"{slope.runs} runs of {modules}, idle excluded."
    ]
    if slope.differs:
        sentences.append("It differs between installations by more than the runs scatter; this is the mean of them.")
    if slope.turns == "one after the other":
        sentences.append(
            f"There is no ±: the bandwidths were measured one after the other, so everything that changed over time "
            f"({CHANGES}) is in it; repeats of the levels tell them apart."
        )
    elif not known:
        sentences.append(METER_UNKNOWN)
    return " ".join(sentences)


def _mean_rate(results: Sequence[Result]) -> float:
    rates = [0.0 if r.throughput is None else r.throughput.value for r in results]
    return sum(rates) / len(rates)


def _interval(of: Interval95) -> Interval:
    return Interval.of(of.value, of.ends)
