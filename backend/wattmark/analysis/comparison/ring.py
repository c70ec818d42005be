"""Ring comparison: one quantity measured by several laboratories, its consensus value, and the deviation of each.

The expanded uncertainty of each laboratory enters as it is stated: u = U95/1.96 is the standard uncertainty of the
normal distribution with the same 95 % interval, so that few repeats weigh as little as their wide interval implies, and
everything can be followed by hand from the printed ±. Errors of different laboratories are taken as independent: a
meter and its certificate belong to one laboratory, whose name is part of their identity. What laboratories share
without disclosing it, such as one institute that calibrated all their meters, is not known here.

Sources: M. G. Cox, Metrologia 39 (2002) 589 (weighted mean, chi-squared test, degrees of equivalence) and 44 (2007) 187
(largest consistent subset); ISO 13528:2015, 9.4 (z), 9.7 (En) and C.3.1 (Algorithm A); R. T. Birge, Phys. Rev. 40
(1932) 207.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy
from numpy.typing import NDArray
from pydantic import ConfigDict, computed_field

from wattmark.analysis.refusal import Refused
from wattmark.core.interval import PlusMinus
from wattmark.core.schema import Schema

Array = NDArray[np.float64]
Signal = Literal["satisfactory", "warning signal", "action signal"]
NORMAL_K = 1.959963984540054
"""Half width of the 95 % interval of a normal distribution [u]."""
SIGNIFICANCE = 0.05
"""Values whose chi-squared is exceeded by chance less often are not consistent (Cox 2002, 5.2)."""
FEWEST_FOR_ROBUST = 5
"""Fewest values for a robust standard deviation; from fewer, it does not assess any of them."""
WARNING_Z, ACTION_Z = 2.0, 3.0
MOST_EXACT = 120
"""Laboratories among which the largest consistent subset is searched without leaving any out."""
SMALLEST, LARGEST = 1e-30, 1e30
"""Bounds of values and uncertainties; beyond them squares leave floating point."""
ROWS = 1000
MOST_ITERATIONS = 1000


@dataclass(frozen=True, slots=True)
class LabValue:
    """The value of a laboratory with its expanded uncertainty [same unit]; ``U95`` None: none is stated."""

    lab: str
    value: float
    U95: float | None = None

    def __post_init__(self) -> None:
        """Refuse what no laboratory can have measured."""
        if not abs(self.value) <= LARGEST:
            raise Refused("not-finite", f"{self.lab}: the value is not a finite number below {LARGEST:g}; exclude it.")
        if self.U95 is not None and not SMALLEST <= self.U95 <= LARGEST:
            raise Refused(
                "no-uncertainty",
                f"{self.lab}: the ± is {self.U95:g}, but a measured value has one above 0; exclude it.",
            )


class Consistency(Schema):
    """Whether values agree within their uncertainties: chi-squared about their weighted mean."""

    chi_squared: float
    dof: int
    p: float
    """Probability of a larger chi-squared by chance."""
    birge_ratio: float
    """sqrt(chi-squared/dof): by how much all uncertainties had to grow for the values to agree [1]."""
    consistent: bool
    """Whether chance explains the scatter."""


@dataclass(frozen=True, slots=True)
class Robust:
    """Robust mean and standard deviation by Algorithm A [unit of the values]."""

    mean: float
    sd: float


@dataclass(frozen=True, slots=True)
class Reference:
    """The consensus value: the weighted mean of the laboratories at ``members``, with its ± [unit of the values]."""

    value: float
    U95: float
    members: tuple[int, ...]
    consistency: Consistency
    """Of the members."""
    exact: bool = True
    """Whether no larger consistent subset exists for certain; among very many laboratories not every one is tried."""


class Score(Schema):
    """Distance of a laboratory from the consensus value, or why it is not given."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=True)

    difference: PlusMinus | None = None
    """Degree of equivalence: its value less the consensus value."""
    en: float | None = None
    z: float | None = None
    in_reference: bool = False
    """Whether the consensus value is made of it too."""
    reason: str = ""
    """Why there is neither En nor z; empty where there is one."""

    @computed_field  # type: ignore[prop-decorator]
    @property
    def signal(self) -> Signal | None:
        """Return the verdict in the words of ISO 13528; None without a score."""
        if self.en is not None:
            return "satisfactory" if abs(self.en) <= 1 else "action signal"
        if self.z is None:
            return None
        if abs(self.z) <= WARNING_Z:
            return "satisfactory"
        return "warning signal" if abs(self.z) < ACTION_Z else "action signal"


@dataclass(frozen=True, slots=True)
class Ring:
    """A ring comparison; ``scores`` are in the order of the laboratories."""

    scores: tuple[Score, ...]
    reference: Reference | None
    """None: there is no consensus value, for ``reason``."""
    consistency: Consistency | None
    """Of all laboratories with a ±; None for fewer than two."""
    robust: Robust | None
    reason: str = ""


def ring(labs: Sequence[LabValue]) -> Ring:
    """Compute consensus value, degrees of equivalence and scores of at least two laboratories.

    The consensus value is the weighted mean of all with a ± if they are consistent, else of their largest consistent
    subset, if that holds more than half of them. Two laboratories have a weighted mean in any case: En of both is then
    En of their difference, and which of them is wrong cannot be known. Raises `Refused`.
    """
    if len(labs) < 2:
        raise Refused("one-laboratory", "One laboratory is not a comparison; measure the same model in another one.")
    stated = [i for i, lab in enumerate(labs) if lab.U95 is not None]
    x = np.array([labs[i].value for i in stated])
    u = np.array([labs[i].U95 or 0.0 for i in stated]) / NORMAL_K
    overall = consistency(x, u) if len(stated) > 1 else None
    reference, reason = _reference(x, u, overall)
    robust = robust_mean([lab.value for lab in labs])
    scores = [_unscored(lab, reference, robust) for lab in labs]
    if reference is not None:
        for i, score in zip(stated, _scores(x, u, reference), strict=True):
            scores[i] = score
        reference = Reference(
            reference.value,
            reference.U95,
            tuple(stated[member] for member in reference.members),
            reference.consistency,
            reference.exact,
        )
    return Ring(tuple(scores), reference, overall, robust, reason)


def weighted_mean(x: Array, u: Array) -> tuple[float, float]:
    """Compute the mean with weights 1/u^2, and its standard uncertainty [unit of x]."""
    w = 1 / u**2
    # summed as differences from the most certain value: large values lose no digits
    surest = float(x[np.argmin(u)])
    return surest + float(np.sum(w * (x - surest)) / np.sum(w)), float(np.sum(w) ** -0.5)


def consistency(x: Array, u: Array) -> Consistency:
    """Test whether values with standard uncertainties u agree with their weighted mean (Cox 2002, 5.2)."""
    mean, _ = weighted_mean(x, u)
    chi_squared = float(np.sum(((x - mean) / u) ** 2))
    dof = len(x) - 1
    p = float(scipy.special.chdtrc(dof, chi_squared)) if dof else 1.0
    birge_ratio = math.sqrt(chi_squared / dof) if dof else 0.0
    return Consistency(chi_squared=chi_squared, dof=dof, p=p, birge_ratio=birge_ratio, consistent=p >= SIGNIFICANCE)


def largest_consistent_subset(x: Array, u: Array) -> tuple[NDArray[np.intp], bool]:
    """Find the largest subset that passes `consistency`, of several that with the least chi-squared (Cox 2007).

    The best subset of m values is the m nearest, by |x_i - c|/u_i, to some point c (its own mean): that order changes
    only where two of these distances are equal, so one c between every two such points tries all subsets that can be
    the best. Above `MOST_EXACT` values c is each value in turn, and the second answer is False.
    """
    exact = len(x) <= MOST_EXACT
    centre = x - np.median(x)
    best = np.full(len(x), np.inf)
    subsets: list[NDArray[np.intp]] = [np.arange(0)] * len(x)
    points = _points(centre, u) if exact else centre
    for first in range(0, len(points), ROWS):
        c = points[first : first + ROWS, None]
        order = np.argsort(np.abs(centre - c) / u, axis=1, kind="stable")
        chi_squared = _chi_squared(centre[order], u[order])
        rows = np.argmin(chi_squared, axis=0)
        for size in np.flatnonzero(chi_squared[rows, np.arange(len(x))] < best):
            best[size] = chi_squared[rows[size], size]
            subsets[size] = np.sort(order[rows[size], : size + 1])
    for subset in reversed(subsets):
        if consistency(x[subset], u[subset]).consistent:
            return subset, exact
    raise AssertionError  # a single value is consistent with itself


def robust_mean(values: Sequence[float]) -> Robust | None:
    """Compute robust mean and standard deviation by Algorithm A (ISO 13528:2015, C.3.1).

    None for fewer than `FEWEST_FOR_ROBUST` values, and where more than half are equal: their deviation is then 0.
    """
    x = np.array(values, dtype=np.float64)
    if len(x) < FEWEST_FOR_ROBUST:
        return None
    mean = float(np.median(x))
    # 1.483, 1.5 and 1.134 are the constants of Algorithm A
    sd = 1.483 * float(np.median(np.abs(x - mean)))
    for _ in range(MOST_ITERATIONS):
        clipped = np.clip(x, mean - 1.5 * sd, mean + 1.5 * sd)
        last = mean, sd
        mean, sd = float(np.mean(clipped)), 1.134 * float(np.std(clipped, ddof=1))
        if max(abs(mean - last[0]), abs(sd - last[1])) <= 1e-9 * sd:
            break
    return Robust(mean, sd) if sd > 0 else None


def _reference(x: Array, u: Array, overall: Consistency | None) -> tuple[Reference | None, str]:
    """Return the consensus value, or None and why there is none."""
    if overall is None:
        n = len(x)
        return None, f"{n or 'No'} laborator{'y' if n == 1 else 'ies'} stated a ±; a consensus value needs two."
    if overall.consistent or len(x) == 2:
        members, exact = np.arange(len(x)), True
    else:
        members, exact = largest_consistent_subset(x, u)
    if 2 * len(members) <= len(x):
        most = f"{len(members)} of {len(x)} laboratories"
        return None, f"No more than {most} agree within their ±, so there is no consensus value."
    mean, u_mean = weighted_mean(x[members], u[members])
    agreement = consistency(x[members], u[members])
    return Reference(mean, NORMAL_K * u_mean, tuple(int(i) for i in members), agreement, exact), ""


def _scores(x: Array, u: Array, reference: Reference) -> list[Score]:
    """Compute degrees of equivalence and En; members are correlated with the value that they made (Cox 2002, 5.4).

    For a member u^2 - u_ref^2 = u^2 (W - w)/W with W the sum of all weights, which is formed without the difference.
    """
    members = set(reference.members)
    w = 1 / u**2
    inside = np.array(reference.members)
    total = math.fsum(w[inside])
    u_reference = reference.U95 / NORMAL_K
    scores = []
    for i in range(len(x)):
        if i in members:
            others = inside[inside != i]
            difference = math.fsum(w[others] * (x[i] - x[others])) / total
            spread = float(u[i]) * math.sqrt(math.fsum(w[others]) / total)
        else:
            difference = float(x[i]) - reference.value
            spread = math.hypot(u[i], u_reference)
        expanded = NORMAL_K * spread
        of_difference = PlusMinus(value=difference, U95=expanded)
        scores.append(Score(difference=of_difference, en=difference / expanded, in_reference=i in members))
    return scores


def _unscored(lab: LabValue, reference: Reference | None, robust: Robust | None) -> Score:
    """Score a laboratory without En by the scatter of all, or explain why it has no score."""
    difference = None if reference is None else PlusMinus(value=lab.value - reference.value)
    if robust is None:
        lacks = "no ±" if lab.U95 is None else "no consensus value"
        return Score(
            difference=difference,
            reason=f"Not judged: there is {lacks}, and a z score needs at least {FEWEST_FOR_ROBUST} laboratories whose "
            "values differ.",
        )
    return Score(difference=difference, z=(lab.value - robust.mean) / robust.sd)


def _points(x: Array, u: Array) -> Array:
    """List a point between every two neighbouring ones at which two values are equally far away in terms of their u."""
    i, j = np.triu_indices(len(x), 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        inner = (x[i] * u[j] + x[j] * u[i]) / (u[i] + u[j])
        outer = (x[i] * u[j] - x[j] * u[i]) / (u[j] - u[i])
    equal = np.unique(np.concatenate([inner, outer[np.isfinite(outer)]]))
    equal = equal[(equal >= x.min()) & (equal <= x.max())]
    edges = np.concatenate([[x.min()], equal, [x.max()]])
    return np.asarray((edges[:-1] + edges[1:]) / 2, dtype=np.float64)


def _chi_squared(x: Array, u: Array) -> Array:
    """Compute chi-squared of the first 1, 2, ... values of each row about their own weighted mean.

    A value adds w W/(w + W) times the square of its distance from the mean of those before it, W being their weight: a
    sum of positive terms, exact where values are far from each other in terms of u.
    """
    w = 1 / u**2
    total = np.cumsum(w, axis=1)
    mean = np.cumsum(w * x, axis=1) / total
    added = w[:, 1:] * (total[:, :-1] / total[:, 1:]) * (x[:, 1:] - mean[:, :-1]) ** 2
    return np.hstack([np.zeros((len(x), 1)), np.cumsum(added, axis=1)])
