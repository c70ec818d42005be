"""Runs in order of time: which systems were measured in turns, and the effect of a change over time on a ratio.

What changes with time (room temperature, fan wear, time of day) acts on every run. Where all runs of one system come
before those of the other, system and time are one factor, and repeats cannot separate them (NIST/SEMATECH e-Handbook of
Statistical Methods, 5.3.3.2: what cannot be held equal is blocked, the rest is randomised).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from wattmark_calibration import two_sided_p

Turns = Literal["in turns", "one after the other", "not recorded"]
"""How the runs of two systems follow one another in time."""


@dataclass(frozen=True, slots=True)
class Course:
    """The runs of one system over time: when, and how their values go with it.

    ``sxx``, ``sxy`` and ``syy`` are the sums of squares and products of time [s] and value about their means.
    """

    times_s: tuple[float, ...]
    values: tuple[float, ...]
    mean_s: float
    sxx: float
    sxy: float
    syy: float

    @property
    def n(self) -> int:
        """Return the number of runs."""
        return len(self.times_s)

    @property
    def span_s(self) -> tuple[float, float]:
        """Return when the first and the last run were made [s]."""
        return min(self.times_s), max(self.times_s)

    @property
    def reach_s(self) -> float:
        """Compute the time that the runs represent [s]: from the first to the last, plus one step."""
        begin_s, end_s = self.span_s
        return (end_s - begin_s) * self.n / (self.n - 1) if self.n > 1 else 0.0


def course(times_s: Sequence[float | None], values: Sequence[float]) -> Course | None:
    """Summarise runs over time; None where the time of one is not known."""
    known = tuple(time_s for time_s in times_s if time_s is not None)
    if not known or len(known) < len(times_s):
        return None
    mean_s, mean = math.fsum(known) / len(known), math.fsum(values) / len(values)
    late, apart = [t - mean_s for t in known], [y - mean for y in values]
    sums = ((late, late), (late, apart), (apart, apart))
    return Course(known, tuple(values), mean_s, *(math.fsum(a * b for a, b in zip(x, y, strict=True)) for x, y in sums))


def turns(a: Course | None, b: Course | None) -> Turns:
    """Return how the runs of two systems follow one another.

    In turns: a run of one lies between runs of the other, or the runs of both were made at the same times.
    """
    if a is None or b is None:
        return "not recorded"
    (a_begin, a_end), (b_begin, b_end) = a.span_s, b.span_s
    if a_begin == a_end == b_begin == b_end:
        return "not recorded"
    between = any(b_begin < t < b_end for t in (a_begin, a_end)) or any(a_begin < t < a_end for t in (b_begin, b_end))
    return "in turns" if between or (a_begin, a_end) == (b_begin, b_end) else "one after the other"


@dataclass(frozen=True, slots=True)
class Trend:
    """Trend over the time of the runs of several systems, apart from the differences of their means.

    ``change`` is that from the first to the last run [unit of the values], with its standard uncertainty.
    """

    change: float
    u: float
    dof: float
    first_to_last: bool
    """False: not over pauses that no system's runs span; ``change`` is then that over the time of the runs alone."""

    @property
    def p(self) -> float:
        """Compute the two-sided p-value of "no trend"."""
        if self.u == 0:
            return 0.0 if self.change else 1.0
        return two_sided_p(abs(self.change) / self.u, self.dof)


def common_trend(courses: Sequence[Course]) -> Trend | None:
    """Estimate a straight trend common to systems (analysis of covariance); None with too few runs to see one."""
    repeated = [of for of in courses if of.sxx > 0]
    sxx = math.fsum(of.sxx for of in repeated)
    # a mean for each system and the common slope are estimated
    dof = sum(of.n - 1 for of in repeated) - 1.0
    if sxx <= 0 or dof < 1:
        return None
    sxy, syy = math.fsum(of.sxy for of in repeated), math.fsum(of.syy for of in repeated)
    slope = sxy / sxx
    about = max(syy - slope * sxy, 0.0) / dof
    span_s = max(of.span_s[1] for of in courses) - min(of.span_s[0] for of in courses)
    reached_s = math.fsum(of.reach_s for of in repeated)
    distance_s = min(span_s, reached_s)
    return Trend(slope * distance_s, math.sqrt(about / sxx) * distance_s, dof, first_to_last=span_s <= reached_s)


def time_term_of(weighted: Sequence[tuple[float, Course | None]]) -> tuple[float, float]:
    """Compute the uncertainty of a weighted sum of means from a trend over time, as `time_term` does: (u, dof).

    A trend moves the sum in proportion to the distance of its weighted mean time from the middle of all runs; with
    weights that add up to 0, as for a ratio, the choice of that middle does not matter.
    """
    courses = [(weight, of) for weight, of in weighted if of is not None]
    if len(courses) < len(weighted) or not courses:
        return 0.0, math.inf
    sxx, dof = math.fsum(of.sxx for _, of in courses), sum(of.n - 1 for _, of in courses) - 1.0
    if sxx <= 0 or dof < 1:
        return 0.0, math.inf
    slope = math.fsum(of.sxy for _, of in courses) / sxx
    about = max(math.fsum(of.syy - slope * of.sxy for _, of in courses), 0.0) / dof
    middle_s = math.fsum(of.mean_s for _, of in courses) / len(courses)
    reach_s = math.fsum(abs(weight) * of.reach_s for weight, of in courses) / 2
    distance_s = min(abs(math.fsum(weight * (of.mean_s - middle_s) for weight, of in courses)), reach_s)
    # no figure is corrected for the trend, so its size counts as well as its uncertainty
    return math.sqrt(slope**2 + about / sxx) * distance_s, dof


def time_term(a: Course | None, b: Course | None) -> tuple[float, float]:
    """Compute the uncertainty of a difference of two means from a trend over time: (u [unit of the values], dof).

    A straight trend common to both is estimated from the values of each over time. The means of runs made in turns are
    at nearly the same time, so its effect is negligible; for runs made one after the other it is most of the u.
    The trend is not extrapolated beyond the runs. Without times there is no term: (0, infinite).
    """
    return time_term_of([(1.0, a), (-1.0, b)])
