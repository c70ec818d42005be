"""Watts of a part for what it gives: per terabyte, per gigabit per second of its link, and work for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from wattmark.analysis.parts.fit import LACK_OF_FIT, fit_counts
from wattmark.analysis.parts.quotient import quotient
from wattmark.analysis.refusal import Refused
from wattmark.comparison.compare.groups import build_group, inverse
from wattmark.comparison.compare.observation import work_run
from wattmark.comparison.parts.counting import Counting
from wattmark.comparison.parts.fitted_parts import FittedPart
from wattmark.comparison.parts.slope_words import slope_remark
from wattmark.comparison.parts.views import PartRate, PartsOut
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
    line: PartsOut,
    part: FittedPart,
    results: Sequence[Result],
    records: Sequence[RunRecord],
    fitted: Mapping[str, str],
    counting: Counting,
) -> list[PartRate]:
    """Compute what a part's watts give: W per TB, W per Gbit/s; IOPS per W or W per GB/s where the work counts them.

    ``line`` is its fit, ``results`` the runs that count. A rate that cannot be stated has no value and says why.
    """
    idle = None if line.idle is None else line.idle.watts_per_part
    rates = [
        _per(watts, size, unit, words, counting.part)
        for size, unit in ((part.capacity_tb, "TB"), (part.link_gbit_s, "Gbit/s"))
        for watts, words in ((line.watts_per_part, "loaded"), (idle, "idle"))
        if size and watts is not None
    ]
    return [*rates, *_of_work(line.watts_per_part, results, records, fitted, counting)]


def _per(watts: Interval95, size: float, unit: str, load: str, part: PartWords) -> PartRate:
    return PartRate(
        quantity=f"W per {unit} of a {part.one}, {load}",
        value=_scaled(watts, 1 / size),
        unit=f"W/{unit}" if unit == "TB" else f"W/({unit})",
        remark=None if watts.complete else NO_PLUS_MINUS.format(part.one),
    )


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
    workloads = [run.disclosure.workload for run in records]
    limits = {None if workload is None else workload.limited_by for workload in workloads}
    unit = units.pop() if len(units) == 1 else ""
    part = counting.part
    limit = limits.pop() if len(limits) == 1 else None
    works = any(fnmatchcase(part.one, pattern) for pattern in WORKING.get(limit or "", ()))
    alone = []
    if unit == "operations" and limit == "disk":
        if works:
            alone = _part_rate(f"IOPS per W of a {part.one} alone", "IOPS/W", counted, watts, fitted, counting, 1.0)
        return [*alone, *_server_rates("IOPS per W", "IOPS/W", counted, fitted, counting, 1.0, inverted=False)]
    if unit in BYTES:
        gb = BYTES[unit] / 1e9
        if works:
            alone = _part_rate(f"W per GB/s of a {part.one} alone", "W/(GB/s)", counted, watts, fitted, counting, gb)
        return [*alone, *_server_rates("W per GB/s", "W/(GB/s)", counted, fitted, counting, gb, inverted=True)]
    return []


def _part_rate(
    quantity: str,
    unit: str,
    results: Sequence[Result],
    watts: Interval95 | None,
    fitted: Mapping[str, str],
    counting: Counting,
    scale: float,
) -> list[PartRate]:
    """Divide what a part adds to throughput by what it adds to power, or the reverse where the unit is W per work."""
    if watts is None:
        return []
    runs = [run for r in results if (run := work_run(r, counting.count(r), fitted[r.run_id])) is not None]
    try:
        fit = fit_counts(runs, counting.part)
    except Refused as refusal:
        return [PartRate(quantity=quantity, unit=unit, remark=f"No figure: {refusal.text}")]
    work = fit.interval.scaled(scale)
    above, below = (watts, work) if unit.startswith("W/") else (work, watts)
    try:
        value = quotient(above, below)
    except Refused:
        what = "throughput" if below is work else "power"
        adds = f"what a {counting.part.one} adds to {what} is not clearly above 0 by its interval"
        remark = f"No figure: {adds}; nothing bounds the quotient."
        return [PartRate(quantity=quantity, unit=unit, remark=remark)]
    why = slope_remark(fit) if watts.complete else NO_PLUS_MINUS.format(counting.part.one)
    bent = fit.lack_of_fit_p is not None and fit.lack_of_fit_p < LACK_OF_FIT
    curve = f"The throughput does not lie on a line: what a {counting.part.one} adds depends on their number."
    remark = " ".join(filter(None, (why, curve if bent else "")))
    return [PartRate(quantity=quantity, value=value, unit=unit, remark=remark or None)]


def _server_rates(
    quantity: str,
    unit: str,
    results: Sequence[Result],
    fitted: Mapping[str, str],
    counting: Counting,
    scale: float,
    *,
    inverted: bool,
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
        rates.append(
            PartRate(
                quantity=f"{quantity} of the server with {count} {many}{which}",
                value=_scaled(inverse(efficiency) if inverted else efficiency, 1 / scale if inverted else scale),
                unit=unit,
                remark=None if efficiency.complete else "No ±: the error of a meter is not known or not limited.",
            )
        )
    return rates


def _scaled(of: Interval95, scale: float) -> Interval:
    wanted = of.scaled(scale)
    return Interval.of(wanted.value, wanted.ends)
