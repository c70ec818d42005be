"""Ratios of systems: log-Welch with the instrument's term outside."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from wattmark_calibration import (
    coverage_factor,
    half_width,
    mixed_dof,
    probability_within,
    two_sided_p,
    welch_satterthwaite,
)

from wattmark.analysis.comparison.course import Course, course, time_term, time_term_of
from wattmark.analysis.comparison.repeats import Repeats, repeat_mean
from wattmark.core.interval import Interval

Array = NDArray[np.float64]
MOST_REPEATS = 100
student_factor = coverage_factor
"""Student's factor of every interval: budgets and comparisons have one rule."""
FEWEST_DOF = 2.0 - 1e-6
"""Scatter of fewer than two degrees of freedom, as of two boots, keeps them beside a rectangle: `mixed_dof` then covers
0.92. Rounding alone does not make two degrees fewer: parts of an estimate are computed back from their sum."""
SMALLEST_DIFFERENCE = 0.02
"""Smallest relevant difference; two systems closer than this are equivalent for practical purposes."""
FEWEST_TO_TEST = 3
"""Runs of each system that a test needs. Welch's test on two has tails that Holm's adjustment does not survive: eight
equal systems were called different in 15 % of campaigns, twelve in 28 %."""


@dataclass(frozen=True, slots=True)
class Observation:
    """One run: value, its own relative scatter (None: not known), and relative errors it shares with other runs.

    ``shared`` maps the identity of an error (meter and range) to its relative standard uncertainty in this run.
    ``complete`` is False where an instrument without specification took part; ``meter`` then names it.
    Runs with the same ``installation`` were made without re-assembling the system in between, those with the same
    ``boot`` also without a reboot.
    """

    value: float
    within: float | None
    within_dof: float
    shared: Mapping[str, float]
    complete: bool
    meter: str
    rectangular: frozenset[str] = frozenset()
    """Those of ``shared`` that are limits of error: no such error exceeds sqrt(3) times its uncertainty."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Name of each error of ``shared`` in a budget."""
    installation: str = ""
    boot: str = ""
    made_s: float | None = None
    """When the run was made [Unix s]; None: not known."""


@dataclass(frozen=True, slots=True)
class System:
    """Repeats of one system on the log scale."""

    log: Repeats
    shared: Mapping[str, float]
    complete: bool
    meters: frozenset[str]
    rectangular: frozenset[str] = frozenset()
    names: Mapping[str, str] = field(default_factory=dict)
    installations: int = 1
    boots: int = 1
    course: Course | None = None
    """The runs over time; None: when they were made is not known."""

    @property
    def value(self) -> float:
        """Compute the geometric mean [unit of the values]."""
        return math.exp(self.log.mean)

    @property
    def u_shared(self) -> float:
        """Combine the errors that all repeats share [1]; they are never divided by the number of repeats."""
        return math.sqrt(math.fsum(u * u for u in self.shared.values()))


@dataclass(frozen=True, slots=True)
class Estimate:
    """A log value with its standard uncertainty and degrees of freedom.

    ``rectangular_u`` is the part of ``u`` that is one rectangular error (a maker's limit of error), 0 without any.
    """

    log: float
    u: float
    dof: float
    rectangular_u: float = 0.0

    @property
    def value(self) -> float:
        """Return the value or ratio [unit of the values, or 1]."""
        return math.exp(self.log)

    def interval(self, probability: float = 0.95) -> tuple[float, float]:
        """Compute the two-sided interval of the value or ratio."""
        half = self.half_width(probability)
        return math.exp(self.log - half), math.exp(self.log + half)

    @property
    def p(self) -> float:
        """Compute the two-sided p-value of "no difference" (log = 0)."""
        if self.u == 0:
            return 0.0 if self.log else 1.0
        if self.rectangular_u > 0:
            return float(1 - probability_within(abs(self.log), *self._parts))
        return two_sided_p(self.log / self.u, self.dof)

    def half_width(self, probability: float = 0.95) -> float:
        """Compute the half width of the interval of the log value: Student's, or with one rectangular error."""
        if self.rectangular_u > 0:
            return float(half_width(*self._parts, probability))
        return student_factor(self.dof, probability) * self.u

    @property
    def _parts(self) -> tuple[float, float, float]:
        """Split into (u of all but the rectangular error, its degrees of freedom, u of the rectangular error)."""
        rest = math.sqrt(max(self.u**2 - self.rectangular_u**2, 0.0))
        dof = self.dof * (rest / self.u) ** 4 if math.isfinite(self.dof) else self.dof
        free = float(mixed_dof(rest, dof, self.rectangular_u)) if dof >= FEWEST_DOF else dof
        return rest, free, self.rectangular_u


def around(value: float, estimate: Estimate | None) -> Interval:
    """Return a value with the 95 % interval of its estimate; without ends where there is none."""
    return Interval.of(value, None if estimate is None else estimate.interval())


def system(runs: Sequence[Observation]) -> System:
    """Combine the repeats of one system. All values must be positive."""
    names = sorted({name for run in runs for name in run.shared})
    installations = [run.installation for run in runs]
    boots = [f"{run.installation} {run.boot}" for run in runs]
    refitted = len(set(installations)) > 1
    logs = [math.log(run.value) for run in runs]
    return System(
        log=repeat_mean(
            logs,
            [run.within for run in runs],
            [run.within_dof for run in runs],
            installations if refitted else boots,
        ),
        shared={name: math.fsum(run.shared.get(name, 0.0) for run in runs) / len(runs) for name in names},
        complete=all(run.complete for run in runs),
        meters=frozenset(run.meter for run in runs),
        rectangular=frozenset().union(*(run.rectangular for run in runs)),
        names={name: called for run in runs for name, called in run.names.items()},
        installations=len(set(installations)),
        boots=len(set(boots)),
        course=course([run.made_s for run in runs], logs),
    )


def absolute(summary: System) -> Estimate | None:
    """Estimate one system with everything that limits it; None where nothing is known about its scatter."""
    if summary.log.u is None:
        return None
    largest = max((abs(summary.shared.get(name, 0.0)) for name in summary.rectangular), default=0.0)
    return _combined(summary.log.mean, [(summary.log.u, summary.log.dof)], summary.u_shared, largest)


def ratio(a: System, b: System) -> Estimate | None:
    """Estimate a/b by log-Welch (method 4), shared errors outside; None where the scatter of either is not known.

    What a trend over the time of the runs leaves in the ratio counts as scatter (`time_term`).
    """
    if a.log.u is None or b.log.u is None:
        return None
    left = differences(a, b)
    largest = max((abs(left[name]) for name in left if name in a.rectangular | b.rectangular), default=0.0)
    scatter = [(a.log.u, a.log.dof), (b.log.u, b.log.dof), time_term(a.course, b.course)]
    few = any(summary.log.units == 2 < summary.log.n for summary in (a, b))
    return _combined(a.log.mean - b.log.mean, scatter, shared_difference(a, b), largest, few=few)


def product(log: float, powers: Sequence[tuple[float, System]]) -> Estimate | None:
    """Estimate the logarithm of a product of powers of systems; None where the scatter of one is not known.

    ``powers`` pairs an exponent with each system: how much the logarithm changes with that of the system, to first
    order also for sums. The very same error of several systems adds with its signs, scatter adds in quadrature
    (JCGM 100, 5.2.2), and what a trend over the time of the runs leaves counts as scatter, as it does in a `ratio`.
    """
    scatter, shared, limits = [], dict[str, float](), frozenset[str]()
    for exponent, of in powers:
        if of.log.u is None:
            return None
        scatter.append((abs(exponent) * of.log.u, of.log.dof))
        limits |= of.rectangular
        for name, u in of.shared.items():
            shared[name] = shared.get(name, 0.0) + exponent * u
    largest = max((abs(shared[name]) for name in limits if name in shared), default=0.0)
    scatter.append(time_term_of([(exponent, of.course) for exponent, of in powers]))
    few = any(of.log.units == 2 < of.log.n for _, of in powers)
    return _combined(log, scatter, math.sqrt(math.fsum(u * u for u in shared.values())), largest, few=few)


def joint(work: System, a: float, watts: System, b: float, quotient: System) -> System:
    """Join work^a / watts^b of the same runs to one system; its logarithm scatters as theirs do together.

    How the two scatter together follows from the scatter of their quotient: 2 cov = u_X^2 + u_P^2 - u_(X/P)^2.
    """
    shared = {
        name: a * work.shared.get(name, 0.0) - b * watts.shared.get(name, 0.0)
        for name in work.shared.keys() | watts.shared.keys()
    }
    parts = (work.log, watts.log, quotient.log)
    over_time = None
    if work.course is not None and watts.course is not None and work.course.times_s == watts.course.times_s:
        logs = [a * x - b * p for x, p in zip(work.course.values, watts.course.values, strict=True)]
        over_time = course(watts.course.times_s, logs)
    log = replace(watts.log, mean=a * work.log.mean - b * watts.log.mean, u=None, dof=min(part.dof for part in parts))
    if work.log.u is not None and watts.log.u is not None and quotient.log.u is not None:
        u_x, u_p = work.log.u, watts.log.u
        most = u_x * u_p
        covariance = min(max((u_x**2 + u_p**2 - quotient.log.u**2) / 2, -most), most)
        variance = (a * u_x) ** 2 + (b * u_p) ** 2 - 2 * a * b * covariance
        log = replace(log, u=math.sqrt(max(variance, 0.0)))
    return replace(
        watts,
        log=log,
        shared=shared,
        complete=work.complete and watts.complete,
        rectangular=work.rectangular | watts.rectangular,
        course=over_time,
    )


def _combined(
    log: float, scatter: Sequence[tuple[float, float]], shared: float, rectangular: float, *, few: bool = False
) -> Estimate:
    """Combine scatter and shared errors; with ``few`` the scatter has the fewest degrees of freedom of its parts.

    Welch's degrees of freedom are too many where one part has one (Mickey and Brown 1966); a test of two installations
    must keep its level nevertheless.
    """
    parts = [(u, dof) for u, dof in scatter if u > 0]
    if few and parts:
        parts = [(math.hypot(*(u for u, _ in parts)), min(dof for _, dof in parts))]
    u = [*(u for u, _ in parts), shared]
    dof = welch_satterthwaite(u, [*(dof for _, dof in parts), math.inf])
    return Estimate(log, math.sqrt(math.fsum(x * x for x in u)), dof, rectangular)


def same_meter(a: System, b: System) -> bool:
    """Return whether the same physical meter measured both systems."""
    return a.meters == b.meters and len(a.meters) == 1


def can_test(a: System, b: System) -> bool:
    """Return whether a difference can be tested: three runs of each, and instruments that are known or the same."""
    return min(a.log.n, b.log.n) >= FEWEST_TO_TEST and ((a.complete and b.complete) or same_meter(a, b))


def equivalent(estimate: Estimate, margin: float = SMALLEST_DIFFERENCE, level: float = 0.05) -> bool:
    """Test equivalence by two one-sided tests at ``level`` each: the 90 % interval lies inside the margin."""
    # two one-sided tests at 5 % are the 90 % interval; as a ratio the margin is symmetric, so a/b and b/a agree
    low, high = estimate.interval(1 - 2 * level)
    return 1 / (1 + margin) < low and high < 1 + margin


def more_repeats(a: System, b: System, difference: float) -> int | None:
    """Compute about how many more runs (or installations, or boots) of each would bring the half width below it.

    None: not even `MOST_REPEATS` would, because the scatter or the instruments' own term is too large.
    """
    more = np.arange(0, MOST_REPEATS + 1)
    n_a, n_b = a.log.units + more, b.log.units + more
    var_a, var_b = a.log.sd**2 / n_a, b.log.sd**2 / n_b
    total = var_a + var_b + shared_difference(a, b) ** 2
    denominator = var_a**2 / (n_a - 1) + var_b**2 / (n_b - 1)
    dof = total**2 / np.maximum(denominator, 1e-300)
    enough = half_width(np.sqrt(total), dof, 0.0) <= math.log1p(difference)
    return int(np.argmax(enough)) if enough.any() else None


def shared_difference(a: System, b: System) -> float:
    """Compute the uncertainty of a ratio from errors that runs share [1].

    The very same error (same meter and range) cancels but for its change with power; others count in full.
    """
    return math.sqrt(math.fsum(u * u for u in differences(a, b).values()))


def shared_half_width(a: System, b: System) -> float:
    """Compute the half width at 95 % of the log of a ratio from shared errors; repeats do not reduce it."""
    left = differences(a, b)
    largest = max((abs(left[name]) for name in left if name in a.rectangular | b.rectangular), default=0.0)
    low, high = _combined(0.0, [], shared_difference(a, b), largest).interval()
    return math.log(high / low) / 2


def differences(a: System, b: System) -> dict[str, float]:
    """Compute the remainder of each shared error in a ratio, by its identity [1]."""
    return {name: a.shared.get(name, 0.0) - b.shared.get(name, 0.0) for name in a.shared.keys() | b.shared.keys()}
