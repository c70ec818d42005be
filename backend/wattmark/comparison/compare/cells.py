"""Repeats at the same factors as one figure, for delta tables, normalised tables and extrapolations."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from wattmark.analysis.comparison.comparison import (
    Estimate,
    Observation,
    System,
    absolute,
    around,
    product,
    ratio,
    same_meter,
    system,
)
from wattmark.analysis.comparison.course import turns
from wattmark.analysis.comparison.measured import Measured
from wattmark.comparison.choices import Figure
from wattmark.comparison.compare.factors import MEMORY, factors, left_equal, typed_alike
from wattmark.comparison.compare.installations import installations, on_single_installations
from wattmark.comparison.compare.observation import (
    efficiency_observation,
    power_observation,
    throughput_observation,
)
from wattmark.comparison.compare.pairs import different_programs
from wattmark.comparison.compare.wording import not_separable
from wattmark.core.interval import Interval
from wattmark.results.disagreement import disagreements
from wattmark.results.plus_minus import (
    CANCELS,
    NOT_KNOWN,
    OF_DIFFERENT_KIND,
    SINGLE_RUN,
    joined,
    notes_on,
    why_none,
)
from wattmark.results.ranking_bars import inclusions_by_run, memory_contradicted, why_not_ranked
from wattmark.results.result import Claim, Result
from wattmark.runs.record import RunRecord

TITLES: Mapping[str, str] = {"efficiency": "Performance per watt", "throughput": "Throughput", "power": "Power"}
_OBSERVE: Mapping[Figure, Callable[[Result, str], Observation | None]] = {
    "efficiency": efficiency_observation,
    "throughput": throughput_observation,
    "power": power_observation,
}


@dataclass(frozen=True, slots=True)
class Repeated:
    """One figure of the repeats of one configuration under one workload and level."""

    key: str
    factors: Mapping[str, str]
    unit: str
    system: System
    simulated: bool
    traceable: bool
    included: tuple[str, ...] = ()
    """Runs among the repeats that count by a person's choice, in words."""
    remark: str | None = None
    """Why the figure has no ±, what is not in it, or what contradicts it; None without any of these."""
    disagreements: tuple[str, ...] = ()
    """Disagreement of other sources of power with the figure."""

    @property
    def n(self) -> int:
        return self.system.log.n

    @property
    def figure(self) -> Measured:
        """Return the figure with its scatter only, without the error that the meter adds to all readings of a range."""
        log, value = self.system.log, self.system.value
        return Measured(value, None if log.u is None else value * log.u, max(log.dof, 1.0))

    @property
    def interval(self) -> Interval:
        """Return the figure with its 95 % interval [unit]; no ends where a part of what limits it is not known."""
        estimate = absolute(self.system) if self.system.complete else None
        return around(self.system.value, estimate)


def repeated(
    pairs: Iterable[tuple[RunRecord, Result]], figure: Figure, claim: Claim | None = None
) -> tuple[list[Repeated], list[str]]:
    """Group runs by configuration, workload and level, in their order; exclusions are remarks.

    A run counts where it may be ranked by ``claim`` (None: that of the figure); those that a person included are named.
    Calibration intervals find the maximum of graduated levels, and are none themselves.
    """
    claim = claim or figure
    groups: dict[tuple[str, str, str], list[tuple[RunRecord, Result]]] = defaultdict(list)
    for run, result in pairs:
        if run.disclosure.task.task != "calibrate":
            groups[f"{run.server}/{run.configuration}", run.workload, run.level].append((run, result))
    fitted = installations(result for members in groups.values() for _, result in members)
    figures, remarks = [], []
    for (key, workload, level), members in groups.items():
        counted = [(run, result) for run, result in members if why_not_ranked(result, claim) is None]
        summary = _summary(key, counted, figure, claim, fitted)
        if summary is not None:
            figures.append(summary)
        missing = len(members) - (summary.n if summary else 0)
        if missing:
            why = _why([why_not_ranked(result, claim) for _, result in members])
            remarks.append(f"{key}, {workload}, {level}: {missing} of {len(members)} runs excluded: {why}.")
        remarks += [f"{key}, {workload}, {level}: {text}" for text in (summary.included if summary else ())]
    rows = typed_alike([figure.factors for figure in figures])
    figures = [replace(figure, factors=row) for figure, row in zip(figures, rows, strict=True)]
    return figures, [*remarks, *on_single_installations([f.system for f in figures])]


def with_known_memory(
    pairs: Iterable[tuple[RunRecord, Result]], factor: str, ignored: Sequence[str]
) -> tuple[list[tuple[RunRecord, Result]], list[str]]:
    """Exclude runs whose memory contradicts the bench file where a factor of it counts; exclusions are remarks.

    It counts as the factor that is compared, and as one that has to be equal: in such runs it is not known.
    """
    known: list[tuple[RunRecord, Result]] = []
    excluded: Counter[tuple[str, str]] = Counter()
    for run, result in pairs:
        compared = left_equal(factors(run), factor, ignored)
        contradicted = memory_contradicted(result) if any(name.startswith(MEMORY) for name in compared) else None
        if contradicted is None:
            known.append((run, result))
        else:
            excluded[f"{run.server}/{run.configuration}, {run.workload}, {run.level}", contradicted[0]] += 1
    return known, [
        f"{of}: {'1 run is' if count == 1 else f'{count} runs are'} excluded: {cause}."
        for (of, cause), count in excluded.items()
    ]


def _summary(
    key: str, members: Sequence[tuple[RunRecord, Result]], figure: Figure, claim: Claim, fitted: Mapping[str, str]
) -> Repeated | None:
    seen = [_OBSERVE[figure](result, fitted[result.run_id]) for _, result in members]
    runs = [o for o in seen if o is not None and o.value > 0 and math.isfinite(o.value)]
    if not runs:
        return None
    run, last = members[-1]
    unit = {"efficiency": last.efficiency_unit, "throughput": last.throughput_unit, "power": "W"}[figure]
    simulated = any(result.simulated for _, result in members)
    included = tuple(inclusions_by_run((result for _, result in members), claim))
    traceable = all(result.traceable for _, result in members)
    of = system(runs)
    results = [result for _, result in members]
    against = () if figure == "throughput" else tuple(disagreements(results))
    remark = joined([_remark(of, results), *against])
    return Repeated(key, factors(run), unit, of, simulated, traceable, included, remark, against)


def _remark(of: System, results: Sequence[Result]) -> str | None:
    """Explain why repeats have no ±, or what is not in that of a single run."""
    if not of.complete or of.log.u is None:
        return why_none(results)
    return joined(notes_on(results)) if of.log.n == 1 else None


def _why(causes: Sequence[str | None]) -> str:
    return ", ".join(dict.fromkeys(cause for cause in causes if cause is not None)) or "without the figure"


def ratio_of(new: Repeated, old: Repeated) -> Estimate | None:
    """Estimate new/old with every error that the two do not share; None where a part of it is not known.

    A meter without specification allows no estimate unless it measured both, where its error is taken to cancel; a
    single run does not show the scatter between runs, and a simulated figure does not inform about a measured one.
    """
    a, b = new.system, old.system
    if min(new.n, old.n) < 2 or new.simulated != old.simulated:
        return None
    return ratio(a, b) if (a.complete and b.complete) or same_meter(a, b) else None


def mean_ratio(weighted: Iterable[tuple[float, Repeated, float, Repeated]]) -> Estimate | None:
    """Estimate a mean of ratios, or a ratio of means, of figures (exponent, new, exponent, old), as `product` does.

    The logarithm of the estimate is that of the product. None where a ratio is not known, and for figures that are
    compared with themselves.
    """
    listed = list(weighted)
    if any(new is old or ratio_of(new, old) is None for _, new, _, old in listed):
        return None
    powers = [(exponent, new.system) for exponent, new, _, _ in listed]
    powers += [(-exponent, old.system) for _, _, exponent, old in listed]
    return product(math.fsum(exponent * of.log.mean for exponent, of in powers), powers)


def ratio_remark(estimate: Estimate | None, new: Sequence[Repeated], old: Sequence[Repeated]) -> str | None:
    """Explain why a ratio of figures, or of their means, has no interval, what is not in it, or what contradicts it."""
    both = (*new, *old)
    remarks = [f.remark for f in both]
    if estimate is not None:
        complete = all(f.system.complete for f in both)
        first = [text for f in both for text in f.disagreements] if complete else [*remarks, CANCELS]
        return joined([*first, *order_remarks(new, old), *program_remarks(new, old)])
    if len({f.simulated for f in both}) > 1:
        remarks.append(OF_DIFFERENT_KIND)
    if any(f.n == 1 for f in both):
        remarks.append(SINGLE_RUN)
    return joined([joined(remarks) or NOT_KNOWN, *program_remarks(new, old)])


def order_remarks(new: Sequence[Repeated], old: Sequence[Repeated]) -> list[str]:
    """Explain that figures were not measured in turns with those that they are compared with; empty if all were."""
    orders = {turns(a.system.course, b.system.course): None for a, b in zip(new, old, strict=True) if a is not b}
    return [f"Not called significant: {not_separable(order)}." for order in orders if order != "in turns"]


def other_program(a: Repeated, b: Repeated) -> str:
    """Describe different versions of the load program of two figures; empty if they are equal, or one is not known."""
    versions = ([figure.factors["program"]] if "program" in figure.factors else [] for figure in (a, b))
    return different_programs(*versions)


def program_remarks(new: Sequence[Repeated], old: Sequence[Repeated]) -> list[str]:
    """Explain that figures are of other versions of the load program than those that they are compared with."""
    texts = dict.fromkeys(text for a, b in zip(new, old, strict=True) if (text := other_program(a, b)))
    return [f"{text[0].upper()}{text[1:]}." for text in texts]


def scatter_only(estimate: Estimate | None, figures: Sequence[Repeated]) -> bool:
    """Return whether an interval includes scatter only, as the errors of the meter are not known."""
    return estimate is not None and not all(f.system.complete for f in figures)
