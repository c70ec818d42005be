"""Performance per watt over load levels and workloads as geometric means, in the manner of SERT 2."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from wattmark.analysis.refusal import Refused
from wattmark.analysis.sert import WEIGHTS, LoadInterval, geometric_mean, server_efficiency, worklet_efficiency
from wattmark.errors import InputError
from wattmark.results.cells import Repeated, ratio_of, repeated
from wattmark.results.normalised import choose_baseline
from wattmark.results.scaling import level_count
from wattmark.results.table_views import GeometricOut, GeometricRow
from wattmark.runs.record import RunRecord
from wattmark.runs.result import Result

SUBSYSTEMS: Mapping[str, tuple[str, ...]] = {
    "cpu": ("openssl.*", "7zip*", "fractal*", "stress-ng.cpu*", "sysbench.cpu*"),
    "memory": ("memory-*", "stress-ng.stream*", "sysbench.memory*"),
    "storage": ("fio.*", "bonnie.*", "dbench*"),
}
"""What a workload stresses, by its key, as far as SERT's three kinds go; others count in the plain mean only."""
PER_KW = 1000.0
ALL = "all workloads"
WEIGHTED = "weighted: " + ", ".join(f"{weight:g} {name}" for name, weight in WEIGHTS.items())


class _Cell(NamedTuple):
    """One configuration, workload and level."""

    efficiency: Repeated
    rate: float
    power_w: float
    """Of the same windows: rate over efficiency. A score is work per joule and needs no steady power."""


_Course = dict[str, _Cell]
"""Cells by level."""
Worklets = dict[str, tuple[list[LoadInterval], list[LoadInterval]]]
"""Intervals of a configuration and those of the reference at the same levels, by workload."""


def subsystem(workload: str) -> str | None:
    """Tell what a workload stresses: "cpu", "memory" or "storage"; None: another or several of them."""
    return next((name for name, keys in SUBSYSTEMS.items() if any(fnmatchcase(workload, key) for key in keys)), None)


def geometric_view(
    pairs: Iterable[tuple[RunRecord, Result]], reference: str | None = None, from_level: float | None = None
) -> GeometricOut:
    """Average performance per watt over levels and workloads geometrically, beside a reference configuration.

    A score is the geometric mean over the levels of (throughput / the reference's highest throughput) per kilowatt
    [1/kW]; idle is no part of it. Only levels that the reference ran count; ``from_level`` takes those at or above it.
    Ends of intervals are the geometric means of the levels' ends, as if all of them erred alike: never too narrow.
    ``reference`` is "<server>/<configuration>", None the one with most figures. Raises `InputError` for an unknown one
    and where there are no figures.
    """
    pairs = list(pairs)
    sizes_gib = {f"{run.server}/{run.configuration}": result.memory_gib for run, result in pairs}
    courses, remarks = _courses(pairs, from_level)
    base = choose_baseline([cell.efficiency for course in courses.values() for cell in course.values()], reference)
    rows: list[GeometricRow] = []
    taken: dict[str, Worklets] = defaultdict(dict)
    for (key, workload), course in courses.items():
        against = courses.get((base, workload), {})
        shared = {level: cell for level, cell in course.items() if level in against}
        if len(shared) < len(course):
            remarks.append(f"{key}, {workload}: {len(course) - len(shared)} levels left out, for {base} lacks them.")
        if shared:
            same = {level: against[level] for level in shared}
            peak = max(cell.rate for cell in against.values())
            taken[key][workload] = _intervals(shared, peak), _intervals(same, peak)
            score = PER_KW * worklet_efficiency(taken[key][workload][0])
            rows.append(_row((key, workload), shared, same, score))
    totals = [row for key in taken for row in _totals(key, rows, taken[key], sizes_gib[key], remarks)]
    return GeometricOut(
        reference=base,
        from_level=from_level,
        rows=[*rows, *totals],
        statement=_statement(base, totals, from_level),
        simulated=any(row.simulated for row in rows),
        remarks=list(dict.fromkeys(remarks)),
    )


def _courses(
    pairs: Sequence[tuple[RunRecord, Result]], from_level: float | None
) -> tuple[dict[tuple[str, str], _Course], list[str]]:
    """Gather what has work and watts, by configuration and workload."""
    found, remarks = repeated(pairs, "efficiency")
    rates = {
        (one.key, one.told["workload"], one.told["level"]): one.system.value
        for one in repeated(pairs, "throughput", "efficiency")[0]
    }
    courses: dict[tuple[str, str], _Course] = defaultdict(dict)
    for one in found:
        workload, level = one.told["workload"], one.told["level"]
        at = one.key, workload, level
        if at in rates and (from_level is None or (level_count(level) or 0) >= from_level):
            courses[one.key, workload][level] = _Cell(one, rates[at], rates[at] / one.system.value)
    if not courses and found and from_level is not None:
        raise InputError(f"No level is {from_level:g} or higher.", "Choose a lower one.")
    return courses, remarks


def _intervals(course: _Course, peak: float) -> list[LoadInterval]:
    return [LoadInterval(cell.rate / peak, cell.power_w) for cell in course.values()]


def _row(of: tuple[str, str], course: _Course, against: _Course, score: float) -> GeometricRow:
    pairs = [(cell.efficiency, against[level].efficiency) for level, cell in course.items()]
    cells = [cell for cell, _ in pairs]
    low, high = _ends([cell.interval for cell in cells])
    ratios = [None if cell is other else ratio_of(cell, other) for cell, other in pairs]
    factor_low, factor_high = _ends([ratio.interval() if ratio else None for ratio in ratios])
    return GeometricRow(
        key=of[0],
        workload=of[1],
        subsystem=subsystem(of[1]),
        levels=len(cells),
        efficiency=geometric_mean([cell.system.value for cell in cells]),
        low=low,
        high=high,
        unit=cells[0].unit,
        score=score,
        factor=geometric_mean([cell.system.value / other.system.value for cell, other in pairs]),
        factor_low=factor_low,
        factor_high=factor_high,
        simulated=any(cell.simulated for cell in cells),
        traceable=all(cell.traceable for cell in cells),
        included=any(one.included for pair in pairs for one in pair),
    )


def _ends(intervals: Sequence[tuple[float, float] | None]) -> tuple[float | None, float | None]:
    """Average the ends of intervals geometrically; None where one is not known."""
    known = [interval for interval in intervals if interval is not None]
    if len(known) < len(intervals):
        return None, None
    return geometric_mean([low for low, _ in known]), geometric_mean([high for _, high in known])


def _totals(
    key: str, rows: Sequence[GeometricRow], taken: Worklets, memory_gib: float | None, remarks: list[str]
) -> list[GeometricRow]:
    """Put the workloads of a configuration together: plainly, and weighted where all three kinds were run."""
    mine = [row for row in rows if row.key == key]
    ends = _ends([(r.factor_low, r.factor_high) if r.factor_low and r.factor_high else None for r in mine])
    plain = _total(key, ALL, mine, geometric_mean([row.factor for row in mine]), ends)
    totals = [plain] if len(mine) > 1 else []
    try:
        score, theirs = (
            _weighted({workload: both[at] for workload, both in taken.items()}, memory_gib) for at in (0, 1)
        )
    except Refused as refusal:
        remarks.append(f"No weighted mean: {refusal.text}")
        return totals
    weighted = _total(key, WEIGHTED, mine, score / theirs, (None, None)).model_copy(update={"score": PER_KW * score})
    return [*totals, weighted]


def _weighted(worklets: Mapping[str, list[LoadInterval]], memory_gib: float | None) -> float:
    if memory_gib is None:
        raise Refused("no-size", "The size of memory is not known; state it in the bench file.")
    kinds: dict[str, dict[str, list[LoadInterval]]] = defaultdict(dict)
    for workload, intervals in worklets.items():
        if (kind := subsystem(workload)) is not None:
            kinds[kind][workload] = intervals
    return server_efficiency(kinds, memory_gib).overall


def _total(
    key: str, what: str, rows: Sequence[GeometricRow], factor: float, ends: tuple[float | None, float | None]
) -> GeometricRow:
    return GeometricRow(
        key=key,
        workload=what,
        subsystem=None,
        levels=sum(row.levels for row in rows),
        efficiency=None,
        low=None,
        high=None,
        unit="",
        score=geometric_mean([row.score for row in rows]),
        factor=factor,
        factor_low=ends[0],
        factor_high=ends[1],
        simulated=any(row.simulated for row in rows),
        traceable=all(row.traceable for row in rows),
        included=any(row.included for row in rows),
    )


def _statement(base: str, totals: Sequence[GeometricRow], from_level: float | None) -> str:
    levels = "" if from_level is None else f" of levels {from_level:g} and higher"
    told = ", ".join(f"{row.key} {row.factor:.4g} ({row.workload})" for row in totals if row.key != base)
    shown = f" {told}." if told else ""
    return (
        f"Geometric means{levels} of performance per watt, {base} = 1.{shown} In the manner of SERT 2; no SPEC result."
    )
