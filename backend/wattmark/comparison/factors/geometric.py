"""Performance per watt over load levels and workloads as geometric means, in the manner of SERT 2."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import NamedTuple

from wattmark.analysis.comparison.comparison import Estimate, System, around, product
from wattmark.analysis.comparison.sert import (
    WEIGHTS,
    LoadInterval,
    geometric_mean,
    server_efficiency,
    worklet_efficiency,
)
from wattmark.analysis.refusal import Refused
from wattmark.comparison.compare.cells import Repeated, mean_ratio, ratio_remark, repeated, scatter_only
from wattmark.comparison.compare.levels import level_count
from wattmark.comparison.factors.normalised import choose_baseline
from wattmark.comparison.factors.table_views import GeometricOut, GeometricRow
from wattmark.core.errors import InputError
from wattmark.core.interval import Interval
from wattmark.core.numbers import format_uncertain
from wattmark.results.plus_minus import joined
from wattmark.results.ranking_bars import memory_contradicted
from wattmark.results.result import Result
from wattmark.runs.record import RunRecord

SUBSYSTEMS: Mapping[str, tuple[str, ...]] = {
    "cpu": (
        *("openssl.*", "7zip*", "fractal*", "stress-ng.cpu*", "sysbench.cpu*", "hpcc.hpl"),
        *(f"paced.{worklet}" for worklet in ("compress", "crypto", "lu", "sort", "sql")),
    ),
    "memory": (
        *("memory-*", "stress-ng.stream*", "sysbench.memory*", "hpcc.stream", "hpcc.random-access"),
        *("paced.key-value", "paced.scan"),
    ),
    "storage": ("fio.*", "bonnie.*", "dbench*", "paced.*-io"),
}
"""The resource that a workload stresses, by its key, among SERT's three kinds; others count in the plain mean only."""
PER_KW = 1000.0
ALL = "all workloads"
WEIGHTED = "weighted: " + ", ".join(f"{weight:g} {name}" for name, weight in WEIGHTS.items())


class _Cell(NamedTuple):
    """One configuration, workload and level."""

    efficiency: Repeated
    rate: Repeated
    power_w: float
    """Of the same windows: rate over efficiency. A score is work per joule and needs no steady power."""


_Curve = dict[str, _Cell]
"""Cells by level."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A row with its inputs: the figures of each level with those of the reference, and its peak throughput."""

    row: GeometricRow
    pairs: Sequence[tuple[Repeated, Repeated]]
    peak: Repeated


_Weighted = Sequence[tuple[float, _Part]]
"""Parts of a mean with their exponents."""
Worklets = dict[str, tuple[list[LoadInterval], list[LoadInterval]]]
"""Intervals of a configuration and those of the reference at the same levels, by workload."""


def subsystem(workload: str) -> str | None:
    """Return the resource that a workload stresses: "cpu", "memory" or "storage"; None: another or several of them."""
    return next((name for name, keys in SUBSYSTEMS.items() if any(fnmatchcase(workload, key) for key in keys)), None)


def geometric_view(
    pairs: Iterable[tuple[RunRecord, Result]], reference: str | None = None, from_level: float | None = None
) -> GeometricOut:
    """Average performance per watt over levels and workloads geometrically, beside a reference configuration.

    A score is the geometric mean over the levels of (throughput / the reference's highest throughput) per kilowatt
    [1/kW]; idle is not part of it. Only levels that the reference ran count; ``from_level`` takes those at or above it.
    In intervals, what one meter does to all levels counts once, and what scatters adds in quadrature.
    ``reference`` is "<server>/<configuration>", None the one with most figures. Raises `InputError` for an unknown one
    and where there are no figures.
    """
    pairs = list(pairs)
    sizes_gib = {
        f"{run.server}/{run.configuration}": result.memory_gib
        for run, result in pairs
        if memory_contradicted(result) is None
    }
    curves, remarks = _curves(pairs, from_level)
    base = choose_baseline([cell.efficiency for curve in curves.values() for cell in curve.values()], reference)
    parts: list[_Part] = []
    taken: dict[str, Worklets] = defaultdict(dict)
    for (key, workload), curve in curves.items():
        against = curves.get((base, workload), {})
        shared = {level: cell for level, cell in curve.items() if level in against}
        if len(shared) < len(curve):
            remarks.append(
                f"{key}, {workload}: {len(curve) - len(shared)} levels excluded, because {base} did not run them."
            )
        if shared:
            same = {level: against[level] for level in shared}
            peak = max((cell.rate for cell in against.values()), key=lambda rate: rate.system.value)
            taken[key][workload] = _intervals(shared, peak), _intervals(same, peak)
            score = PER_KW * worklet_efficiency(taken[key][workload][0])
            parts.append(_part((key, workload), shared, same, peak, score))
    rows = [part.row for part in parts]
    totals = [row for key in taken for row in _totals(key, parts, taken[key], sizes_gib.get(key), remarks)]
    return GeometricOut(
        reference=base,
        from_level=from_level,
        rows=[*rows, *totals],
        statement=_statement(base, totals, from_level),
        simulated=any(row.simulated for row in rows),
        remarks=list(dict.fromkeys(remarks)),
    )


def _curves(
    pairs: Sequence[tuple[RunRecord, Result]], from_level: float | None
) -> tuple[dict[tuple[str, str], _Curve], list[str]]:
    """Collect the levels with throughput and power, by configuration and workload."""
    figures, remarks = repeated(pairs, "efficiency")
    rates = {
        (f.key, f.factors["workload"], f.factors["level"]): f for f in repeated(pairs, "throughput", "efficiency")[0]
    }
    curves: dict[tuple[str, str], _Curve] = defaultdict(dict)
    for figure in figures:
        workload, level = figure.factors["workload"], figure.factors["level"]
        key = figure.key, workload, level
        if key in rates and (from_level is None or (level_count(level) or 0) >= from_level):
            curves[figure.key, workload][level] = _Cell(
                figure, rates[key], rates[key].system.value / figure.system.value
            )
    if not curves and figures and from_level is not None:
        raise InputError(f"No level is {from_level:g} or higher.", "Choose a lower level.")
    return curves, remarks


def _intervals(curve: _Curve, peak: Repeated) -> list[LoadInterval]:
    return [LoadInterval(cell.rate.system.value / peak.system.value, cell.power_w) for cell in curve.values()]


def _part(of: tuple[str, str], curve: _Curve, against: _Curve, peak: Repeated, score: float) -> _Part:
    pairs = [(cell.efficiency, against[level].efficiency) for level, cell in curve.items()]
    cells = [cell for cell, _ in pairs]
    mean = geometric_mean([cell.system.value for cell in cells])
    share = 1 / len(cells)
    row = GeometricRow(
        key=of[0],
        workload=of[1],
        subsystem=subsystem(of[1]),
        levels=len(cells),
        efficiency=around(mean, _if_complete(math.log(mean), [(share, cell.system) for cell in cells])),
        unit=cells[0].unit,
        score=Interval(value=score),
        factor=Interval(value=geometric_mean([cell.system.value / other.system.value for cell, other in pairs])),
        simulated=any(cell.simulated for cell in cells),
        traceable=all(cell.traceable for cell in cells),
        sources_disagree=any(cell.disagreements for pair in pairs for cell in pair),
        included=any(cell.included for pair in pairs for cell in pair),
    )
    part = _Part(row, pairs, peak)
    return _Part(row.model_copy(update=_intervals_of(row, [(1.0, part)])), pairs, peak)


def _intervals_of(row: GeometricRow, weighted: _Weighted) -> dict[str, object]:
    """Find the intervals of score and factor of a mean of parts, or explain why there are none."""
    # in a geometric mean of n levels each has the exponent 1/n
    triples = [(weight / len(part.pairs), new, old) for weight, part in weighted for new, old in part.pairs]
    score = [(exponent, new.system) for exponent, new, _ in triples]
    # every level of a part is divided by the same peak of the reference
    score += [(-weight, part.peak.system) for weight, part in weighted]
    factor = mean_ratio((exponent, new, exponent, old) for exponent, new, old in triples)
    news, olds = [new for _, new, _ in triples], [old for _, _, old in triples]
    baseline = all(new is old for new, old in zip(news, olds, strict=True))
    return {
        "score": around(row.score.value, _if_complete(math.log(row.score.value), score)),
        "factor": around(row.factor.value, factor),
        "scatter_only": scatter_only(factor, [*news, *olds]),
        "remark": joined([f.remark for f in news]) if baseline else ratio_remark(factor, news, olds),
    }


def _if_complete(log: float, powers: Sequence[tuple[float, System]]) -> Estimate | None:
    """Estimate a product with its full uncertainty; None where a part of it is not known."""
    return product(log, powers) if all(of.complete for _, of in powers) else None


def _totals(
    key: str, parts: Sequence[_Part], taken: Worklets, memory_gib: float | None, remarks: list[str]
) -> list[GeometricRow]:
    """Average the workloads of a configuration: plainly, and weighted where all three kinds were run."""
    own_parts = [part for part in parts if part.row.key == key]
    rows = [part.row for part in own_parts]
    plain = _total(
        key, ALL, rows, geometric_mean([r.score.value for r in rows]), geometric_mean([r.factor.value for r in rows])
    )
    plain = plain.model_copy(update=_intervals_of(plain, [(1 / len(own_parts), part) for part in own_parts]))
    totals = [plain] if len(own_parts) > 1 else []
    try:
        score, other_score = (
            _weighted({workload: both[side] for workload, both in taken.items()}, memory_gib) for side in (0, 1)
        )
    except Refused as refusal:
        remarks.append(f"No weighted mean: {refusal.text}")
        return totals
    weighted = _total(key, WEIGHTED, rows, PER_KW * score, score / other_score)
    kinds = [(part.row.subsystem, part) for part in own_parts]
    members = Counter(kind for kind, _ in kinds)
    of_kind = [(WEIGHTS[kind] / members[kind], part) for kind, part in kinds if kind is not None]
    return [*totals, weighted.model_copy(update=_intervals_of(weighted, of_kind))]


def _weighted(worklets: Mapping[str, list[LoadInterval]], memory_gib: float | None) -> float:
    if memory_gib is None:
        text = "The memory size is not known; describe the memory in the bench file, as the server has it."
        raise Refused("no-size", text)
    kinds: dict[str, dict[str, list[LoadInterval]]] = defaultdict(dict)
    for workload, intervals in worklets.items():
        if (kind := subsystem(workload)) is not None:
            kinds[kind][workload] = intervals
    return server_efficiency(kinds, memory_gib).overall


def _total(key: str, title: str, rows: Sequence[GeometricRow], score: float, factor: float) -> GeometricRow:
    return GeometricRow(
        key=key,
        workload=title,
        subsystem=None,
        levels=sum(row.levels for row in rows),
        efficiency=None,
        unit="",
        score=Interval(value=score),
        factor=Interval(value=factor),
        simulated=any(row.simulated for row in rows),
        traceable=all(row.traceable for row in rows),
        sources_disagree=any(row.sources_disagree for row in rows),
        included=any(row.included for row in rows),
    )


def _statement(base: str, totals: Sequence[GeometricRow], from_level: float | None) -> str:
    levels = "" if from_level is None else f" of levels {from_level:g} and higher"
    factors = ", ".join(
        f"{row.key} {format_uncertain(row.factor.value, row.factor.U95)} ({row.workload})"
        for row in totals
        if row.key != base
    )
    shown = f" {factors}." if factors else ""
    return (
        f"Geometric means{levels} of performance per watt, {base} = 1.{shown} Computed as in SERT 2; not a SPEC result."
    )
