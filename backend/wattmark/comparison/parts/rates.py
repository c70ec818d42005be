"""Watts of a part for what it gives: per terabyte, per gigabit per second of its link, and work for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from wattmark.analysis.parts.fit import LACK_OF_FIT, fit_counts
from wattmark.analysis.parts.quotient import quotient
from wattmark.analysis.refusal import Refused
from wattmark.comparison.compare.groups import build_group, inverse
from wattmark.comparison.compare.observation import work_run
from wattmark.comparison.parts.counting import Counting
from wattmark.comparison.parts.slope_words import slope_remark
from wattmark.comparison.parts.views import PartRate
from wattmark.core.interval import Interval, Interval95
from wattmark.core.part_words import NETWORKING, STORING, PartWords
from wattmark.results.ranking_bars import why_not_ranked
from wattmark.results.result import Result
from wattmark.runs.record import RunRecord

WORKING = {"disk": STORING, "network": NETWORKING}
"""Kinds of part that do the work, by what limits it: nothing of the work is done by a fan."""
NO_PLUS_MINUS = "No ±: watts per {} have none."
BYTES = {
    **{unit: 1000.0**power for power, unit in enumerate(("bytes", "kB", "MB", "GB", "TB"))},
    **{unit: 1024.0**power for power, unit in enumerate(("B", "KiB", "MiB", "GiB", "TiB"))},
    **{unit: 1000.0**power / 8 for power, unit in enumerate(("bit", "kbit", "Mbit", "Gbit", "Tbit"))},
}
"""Bytes of a unit of work, where a workload counts bytes or bits."""


def rates_of(
    loaded: Interval95 | None,
    idle: Interval95 | None,
    results: Sequence[Result],
    records: Sequence[RunRecord],
    fitted: Mapping[str, str],
    counting: Counting,
) -> list[PartRate]:
    """Compute what a part's watts give: W per TB, W per Gbit/s; IOPS per W or W per GB/s where the work counts them.

    ``loaded`` and ``idle`` are its watts [W/part], ``results`` the runs that count; ``records`` hold theirs, and may
    hold others. A rate that cannot be stated has no value and says why. Empty where no one model is counted.
    """
    model = counting.model
    if model is None:
        return []
    rates = [
        _per(watts, size, unit, words, counting.part)
        for size, unit in ((model.capacity_tb, "TB"), (model.link_gbit_s, "Gbit/s"))
        for watts, words in ((loaded, "loaded"), (idle, "idle"))
        if size and watts is not None
    ]
    return [*rates, *_of_work(loaded, results, records, fitted, counting)]


def _per(watts: Interval95, size: float, unit: str, load: str, part: PartWords) -> PartRate:
    return PartRate(
        quantity=f"W per {unit} of a {part.one}, {load}",
        value=_interval(watts.scaled(1 / size)),
        unit=f"W/{unit}" if unit == "TB" else f"W/({unit})",
        remark=None if watts.complete else NO_PLUS_MINUS.format(part.one),
    )


@dataclass(frozen=True, slots=True)
class _OfWork:
    """Work for watts, or watts for work, in the unit that people state it in."""

    name: str
    unit: str
    scale: float
    """Of its unit of work in one of the workload's."""
    watts_above: bool

    @classmethod
    def of(cls, unit: str, limit: str | None) -> _OfWork | None:
        """Return what is stated of a workload's unit of work and of what limits it; None: nothing is."""
        if unit == "operations" and limit == "disk":
            return cls("IOPS per W", "IOPS/W", 1.0, watts_above=False)
        return cls("W per GB/s", "W/(GB/s)", BYTES[unit] / 1e9, watts_above=True) if unit in BYTES else None


def _of_work(
    watts: Interval95 | None,
    results: Sequence[Result],
    records: Sequence[RunRecord],
    fitted: Mapping[str, str],
    counting: Counting,
) -> list[PartRate]:
    """Relate the work to watts: of the part by the slopes of both over its count, of the server at each count."""
    counted = [r for r in results if why_not_ranked(r, "throughput") is None and r.throughput is not None]
    units = {r.unit for r in counted}
    run_ids = {r.run_id for r in results}
    workloads = [run.disclosure.workload for run in records if run.run_id in run_ids]
    limits = {None if workload is None else workload.limited_by for workload in workloads}
    limit = limits.pop() if len(limits) == 1 else None
    rate = _OfWork.of(units.pop() if len(units) == 1 else "", limit)
    if rate is None:
        return []
    works = any(fnmatchcase(counting.part.one, pattern) for pattern in WORKING.get(limit or "", ()))
    alone = [] if watts is None or not works else [_alone(rate, counted, watts, fitted, counting)]
    return [*alone, *_of_server(rate, counted, fitted, counting)]


def _alone(
    rate: _OfWork, results: Sequence[Result], watts: Interval95, fitted: Mapping[str, str], counting: Counting
) -> PartRate:
    """Divide what a part adds to throughput by what it adds to power, or the reverse."""
    one = counting.part.one
    quantity = f"{rate.name} of a {one} alone"
    runs = [run for r in results if (run := work_run(r, counting.count(r), fitted[r.run_id])) is not None]
    try:
        fit = fit_counts(runs, counting.part)
    except Refused as refusal:
        return PartRate(quantity=quantity, unit=rate.unit, remark=f"No figure: {refusal.text}")
    work = fit.interval.scaled(rate.scale)
    try:
        value = quotient(watts, work) if rate.watts_above else quotient(work, watts)
    except Refused:
        adds = f"what a {one} adds to {'throughput' if rate.watts_above else 'power'}"
        remark = f"No figure: {adds} is not clearly above 0 by its interval; nothing bounds the quotient."
        return PartRate(quantity=quantity, unit=rate.unit, remark=remark)
    why = slope_remark(fit) if watts.complete else NO_PLUS_MINUS.format(one)
    bent = fit.lack_of_fit_p is not None and fit.lack_of_fit_p < LACK_OF_FIT
    curve = f"The throughput does not lie on a line: what a {one} adds depends on their number."
    remark = " ".join(filter(None, (why, curve if bent else "")))
    return PartRate(quantity=quantity, value=value, unit=rate.unit, remark=remark or None)


def _of_server(
    rate: _OfWork, results: Sequence[Result], fitted: Mapping[str, str], counting: Counting
) -> list[PartRate]:
    """Compute the same of the whole server, for each configuration by its count."""
    of_configuration: dict[tuple[int, str], list[Result]] = {}
    for r in results:
        of_configuration.setdefault((counting.count(r) or 0, r.configuration), []).append(r)
    counts = [count for count, _ in of_configuration]
    rates = []
    for (count, configuration), runs in sorted(of_configuration.items()):
        efficiency = build_group(runs, fitted, budgets=False).view.efficiency
        if efficiency is None:
            continue
        which = f" ({configuration})" if counts.count(count) > 1 else ""
        many = counting.part.one if count == 1 else counting.part.many
        value = inverse(efficiency).scaled(1 / rate.scale) if rate.watts_above else efficiency.scaled(rate.scale)
        rates.append(
            PartRate(
                quantity=f"{rate.name} of the server with {count} {many}{which}",
                value=_interval(value),
                unit=rate.unit,
                remark=None if efficiency.complete else "No ±: the error of a meter is not known or not limited.",
            )
        )
    return rates


def _interval(of: Interval95) -> Interval:
    return Interval.of(of.value, of.ends)
