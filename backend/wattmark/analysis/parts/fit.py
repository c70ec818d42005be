"""A line through a figure over the number of parts, with an interval that holds re-fitting and the meter's error."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import scipy
from numpy.typing import NDArray
from wattmark_calibration import welch_satterthwaite

from wattmark.analysis.comparison.comparison import student_factor
from wattmark.analysis.comparison.course import Turns
from wattmark.analysis.comparison.repeats import floored, joined
from wattmark.analysis.efficiency.steady_state import theil_sen_slope
from wattmark.analysis.parts.order import counts_in_turns
from wattmark.analysis.refusal import Refused
from wattmark.core.interval import Interval, Interval95
from wattmark.core.part_words import PartWords

Array = NDArray[np.float64]
LACK_OF_FIT = 0.05
"""Below this p the points are taken as not on a line, and the interval is widened by their misfit."""

LINE_POINTS = 25
"""Points of a line as it is drawn: its band is curved."""
ROUNDING = 1e-9
MOST_MOVED = 0.7
"""Share of its own half width by which a trend with time alone may move a slope before it gets a term of its own.

The trend scatters the runs about the line too: up to here their scatter covers 0.95 to 0.99, whatever the trend
(simulated: 4 to 40 runs), and a term of its own would make the interval of few runs several times wider."""


@dataclass(frozen=True, slots=True)
class CountedRun:
    """One run: number of parts, what is fitted over it (power [W]), its own scatter (None: not known) and errors shared
    with other runs, all in the unit of the value.

    Runs of one count with the same ``installation`` share the effect of fitting the parts.
    """

    count: int
    value: float
    within: float | None
    shared: Mapping[str, float]
    within_dof: float = math.inf
    installation: str = ""
    made_s: float | None = None
    """When it was made [Unix s]; None: not known."""


@dataclass(frozen=True, slots=True)
class _Units:
    """The installations of each count, which are independent. ``of_run`` maps each run to its installation."""

    count: Array
    value: Array
    """What is fitted, on average [unit of the value]."""
    runs: Array
    of_run: NDArray[np.intp]
    made_s: Array | None
    """When each was measured, on average [s from the mean]; None: not known."""

    def __len__(self) -> int:
        return len(self.count)

    @property
    def counts(self) -> int:
        return len(np.unique(self.count))

    @property
    def one_each(self) -> bool:
        """Return whether every count was fitted once only."""
        return self.counts == len(self.count)

    def of_runs(self, weights: Array) -> Array:
        """Spread weights of installations over their runs."""
        return np.asarray((weights / self.runs)[self.of_run], dtype=np.float64)

    def residual(self) -> Array:
        """Compute the distance of each from the least-squares line through all [unit of the value]."""
        slope = self.slope_weights() @ self.value
        return np.asarray(self.value - self.value.mean() - slope * (self.count - self.count.mean()))

    def slope_weights(self) -> Array:
        """Return the weights w with slope = sum w y."""
        centred = self.count - self.count.mean()
        return np.asarray(centred / float(centred @ centred), dtype=np.float64)

    def line_weights(self, count: float) -> Array:
        """Return the weights h with fitted value at ``count`` = sum h y."""
        return np.asarray(1 / len(self) + (count - self.count.mean()) * self.slope_weights(), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class CountFit:
    """Line y = intercept + slope x count with the slope's uncertainty and checks [unit of the value, per part]."""

    slope: float
    slope_u: float
    dof: float
    intercept: float
    residual_sd: float
    """Scatter about the line of what is independent: installations, or runs where each is of its own."""
    theil_sen: float
    lack_of_fit_p: float | None
    """Against the scatter of the runs where every count was fitted once: it then shows a curve or seating, not which.

    None: fewer than three counts, or no replicates."""
    runs: tuple[CountedRun, ...]
    turns: Turns
    """Order in time of the counts."""
    part: PartWords
    spread: Spread = field(repr=False, compare=False)

    @property
    def seated(self) -> bool:
        """Return whether the data show the effect of re-seating: more than two installations.

        A line through two always fits. Then ``slope_u`` includes the scatter of the runs alone, and is not a ± of the
        slope.
        """
        return len(self.spread.units) > 2

    @property
    def bounded(self) -> bool:
        """Return whether ``slope_u`` is a ± of the slope: the data tell fitting anew, and the count from time.

        Where the counts only rise or fall with time, what changed with it acts as parts do, and no scatter shows it.
        """
        return self.seated and self.turns != "one after the other"

    @property
    def one_installation_each(self) -> bool:
        """Return whether every count was fitted once only, so that its runs share the effect of seating."""
        return self.spread.units.one_each

    @property
    def interval(self) -> Interval95:
        """Compute the slope with its 95 % interval [unit of the value per part]."""
        half = student_factor(self.dof) * self.slope_u
        return Interval95.student(self.slope, half, self.slope_u, self.dof, complete=self.bounded)

    @property
    def shared_slope(self) -> dict[str, float]:
        """List what errors shared by runs do to the slope, with their sign, unless its scatter holds them."""
        return self.spread.shared(self.spread.units.slope_weights())

    @property
    def slope_scatter(self) -> tuple[float, float]:
        """Split off the slope's own scatter: (u, degrees of freedom)."""
        return self.spread.scatter(self.spread.units.slope_weights())

    def shared_line(self, count: float) -> dict[str, float]:
        """List what errors shared by runs do to the fitted value at ``count`` as `shared_slope` does."""
        return self.spread.shared(self.spread.units.line_weights(count))

    def line_scatter(self, count: float) -> tuple[float, float]:
        """Split off the scatter of the fitted value at ``count``: (u, degrees of freedom)."""
        return self.spread.scatter(self.spread.units.line_weights(count))

    def line(self, counts: Sequence[float]) -> list[tuple[float, float, float, float]]:
        """Compute (count, fitted value, low, high) with the 95 % band of the fitted line."""
        rows = []
        for count in counts:
            u, dof = self.spread.term(self.spread.units.line_weights(count))
            fit, half = self.intercept + self.slope * count, student_factor(dof) * u
            rows.append((count, fit, fit - half, fit + half))
        return rows

    def across(self, points: int = LINE_POINTS) -> list[tuple[float, float, float, float]]:
        """Compute points of `line` from the lowest count to the highest."""
        counts = [run.count for run in self.runs]
        return self.line(np.linspace(min(counts), max(counts), points).tolist())

    @property
    def base_measured(self) -> bool:
        """Return whether 0 parts were measured, so that the intercept is not extrapolated."""
        return any(run.count == 0 for run in self.runs)

    @property
    def base(self) -> Interval:
        """Compute the fitted value without parts, with its 95 % interval where that was measured and has one."""
        if not (self.base_measured and self.bounded):
            return Interval(value=self.intercept)
        _, fitted, low, high = self.line([0.0])[0]
        return Interval(value=fitted, low=low, high=high)


def fit_counts(runs: Sequence[CountedRun], part: PartWords) -> CountFit:
    """Fit a figure over the number of parts by least squares through the means of the installations (method 5.3).

    Runs of one installation share what re-seating would change, so the scatter is that of the installations' means,
    with installations - 2 degrees of freedom: where every count was fitted once, the level means. Where each run is an
    installation of its own, it is the common scatter of the runs, the heteroscedastic one (HC3) where they scatter
    more at counts that weigh more, or the misfit of the counts where it is told (as if widened by sqrt(F)), and at
    least the scatter within the runs. An error shared by runs (same meter and range) enters as it acts on the
    slope: an offset cancels, a gain error scales it. A straight trend with time, as far as it goes with the count and
    the scatter does not hold it, widens the interval. Raises `Refused` with the reason.
    """
    spread = Spread(_checked(runs, part))
    units, weights = spread.units, spread.units.slope_weights()
    u, dof = spread.term(weights)
    return CountFit(
        slope=float(weights @ units.value),
        slope_u=u,
        dof=dof,
        intercept=float(units.line_weights(0.0) @ units.value),
        residual_sd=spread.sd,
        theil_sen=theil_sen_slope(*_columns(runs)),
        lack_of_fit_p=spread.lack_of_fit_p,
        runs=tuple(runs),
        turns=counts_in_turns([run.count for run in runs], [run.made_s for run in runs]),
        part=part,
        spread=spread,
    )


class Spread:
    """Scatter of the installations about their line, and its effect on weighted sums of them [unit of the value]."""

    def __init__(self, runs: Sequence[CountedRun]) -> None:
        self._runs = runs
        self.units = units = _units(runs)
        self._residual = units.residual()
        self._free = len(units) - 2.0
        n, p = _columns(runs)
        self._inside = p - units.value[units.of_run]
        pure = len(n) - len(units)
        self._inside_sd = math.sqrt(float(self._inside @ self._inside) / pure) if pure else 0.0
        self.sd = math.sqrt(float(self._residual @ self._residual) / self._free) if self._free else self._inside_sd
        self._lack_sd, self._lack_p = _lack_of_fit(units)
        self.lack_of_fit_p = self._lack_p if not units.one_each else _lack_of_fit(_units(runs, each=True))[1]
        self._in_residuals = _of_one_count(runs) if units.one_each and self._free else frozenset[str]()
        """Errors that all runs of one count share and no others: they scatter the means, and are not added again."""
        self._trend = _trend(units)

    def term(self, weights: Array) -> tuple[float, float]:
        """Combine scatter and shared errors of a weighted sum of the installations: (u, dof)."""
        shared = [(abs(u), math.inf) for u in self.shared(weights).values()]
        return joined([self.scatter(weights), *shared])

    def shared(self, weights: Array) -> dict[str, float]:
        """Carry the errors that the scatter does not hold through a weighted sum, with their sign."""
        carried = _carried(self._runs, self.units.of_runs(weights))
        return {name: u for name, u in carried.items() if name not in self._in_residuals}

    def scatter(self, weights: Array) -> tuple[float, float]:
        """Compute the scatter of a weighted sum of the installations: (u, degrees of freedom)."""
        if not self._free:
            return self._of_runs(weights)
        carried = _carried(self._runs, self.units.of_runs(weights))
        own = student_factor(math.inf) * math.hypot(*(u for name, u in carried.items() if name in self._in_residuals))
        (seen, dof), (within, within_dof) = self._of_units(weights), self._within(weights)
        if seen <= ROUNDING * within:  # equal digits of a coarse meter: the runs scatter as they do within
            seen, dof = within, within_dof
        scatter = floored(seen, dof, math.hypot(own, max(self._of_runs(weights)[0], within)))
        if self._trend is None or self.units.made_s is None:
            return scatter
        rate, rate_dof = self._trend
        return joined([scatter, (rate * abs(float(weights @ self.units.made_s)), rate_dof)])

    def _of_units(self, weights: Array) -> tuple[float, float]:
        """Return the widest of the estimates of the installations' scatter about the line (u, degrees of freedom)."""
        size = float(np.linalg.norm(weights))
        curved = self._lack_p is not None and self._lack_p < LACK_OF_FIT
        return max(self.sd * size, self._hc3(weights), self._lack_sd * size if curved else 0.0), self._free

    def _hc3(self, weights: Array) -> float:
        """Compute the HC3 standard error (MacKinnon and White 1985) where replicates scatter more at counts that weigh
        more, else 0: with equal scatter it is wider than need be.
        """
        _, which, fitted = np.unique(self.units.count, return_inverse=True, return_counts=True)
        if fitted.min() < 2:
            return 0.0
        apart = self.units.value - (np.bincount(which, weights=self.units.value) / fitted)[which]
        spread = (np.bincount(which, weights=apart**2) / (fitted - 1))[which]
        pooled = float(apart @ apart) / (len(apart) - len(fitted))
        if float(weights**2 @ spread) <= (1 + ROUNDING) * pooled * float(weights @ weights):
            return 0.0
        centred = self.units.count - self.units.count.mean()
        leverage = 1 / len(self.units) + centred**2 / float(centred @ centred)
        return float(np.linalg.norm(weights * self._residual / (1 - leverage)))

    def _of_runs(self, weights: Array) -> tuple[float, float]:
        """Return the scatter of the runs about the mean of their installation, each with its own spread (Welch).

        An installation of a single run is given the spread of all.
        """
        units, used = self.units, weights != 0
        squares = np.bincount(units.of_run, weights=self._inside**2, minlength=len(units))
        free = np.where(units.runs > 1, units.runs - 1, max(len(self._runs) - len(units), 1))
        variance = np.where(units.runs > 1, squares / free, self._inside_sd**2)
        parts = np.abs(weights) * np.sqrt(variance / units.runs)
        return float(np.linalg.norm(parts)), welch_satterthwaite(parts[used].tolist(), free[used].tolist())

    def _within(self, weights: Array) -> tuple[float, float]:
        """Combine the runs' own scatter; (0, infinite) where one run has none."""
        own = [run.within for run in self._runs if run.within is not None]
        if len(own) < len(self._runs):
            return 0.0, math.inf
        parts = np.abs(self.units.of_runs(weights)) * np.array(own)
        dof = welch_satterthwaite(parts.tolist(), [run.within_dof for run in self._runs])
        return float(np.linalg.norm(parts)), dof


def _columns(runs: Sequence[CountedRun]) -> tuple[Array, Array]:
    return np.array([run.count for run in runs], dtype=np.float64), np.array([run.value for run in runs])


def _checked(runs: Sequence[CountedRun], part: PartWords) -> Sequence[CountedRun]:
    n, p = _columns(runs)
    if not np.all(np.isfinite(p)):
        raise Refused("not-finite", "What was measured in a run is not a finite number; exclude that run.")
    if len(set(n.tolist())) < 2:
        text = f"All runs have the same {part.one} count; measure at least one more {part.one} count."
        raise Refused("one-count", text)
    if len(n) < 3:
        raise Refused("few-runs", "Two runs show a difference but not the scatter between runs; repeat both.")
    return runs


def _units(runs: Sequence[CountedRun], *, each: bool = False) -> _Units:
    """Group the runs by installation; ``each``: every run is its own installation."""
    keys = [(run.count, str(i) if each else run.installation) for i, run in enumerate(runs)]
    number = {key: i for i, key in enumerate(dict.fromkeys(keys))}
    of_run = np.array([number[key] for key in keys])
    sizes = np.bincount(of_run).astype(np.float64)
    mean = np.bincount(of_run, weights=[run.value for run in runs]) / sizes
    times_s = [run.made_s for run in runs if run.made_s is not None]
    made_s = np.bincount(of_run, weights=times_s) / sizes if len(times_s) == len(runs) else None
    centred_s = None if made_s is None else made_s - made_s.mean()
    return _Units(np.array([count for count, _ in number], dtype=np.float64), mean, sizes, of_run, centred_s)


def _trend(units: _Units) -> tuple[float, float] | None:
    """Estimate a straight trend with time beside the slope: (root of its square and variance [its unit/s], dof).

    None where it need not be separated: times are not known or equal, or it moves the slope by `MOST_MOVED` at most.
    """
    dof = len(units) - 3.0
    if units.made_s is None or dof < 1:
        return None
    count, made_s = units.count - units.count.mean(), units.made_s
    beside = made_s - count * float(count @ made_s) / float(count @ count)
    left = float(beside @ beside)
    if left <= ROUNDING * float(made_s @ made_s):
        return None
    moved = math.sqrt(max(float(made_s @ made_s) / left - 1, 0.0) * (dof + 1)) / student_factor(dof + 1)
    if moved <= MOST_MOVED:
        return None
    rate = float(beside @ units.value) / left
    about = units.residual() - rate * beside
    return math.sqrt(rate**2 + float(about @ about) / dof / left), dof


def _carried(runs: Sequence[CountedRun], weights: Array) -> dict[str, float]:
    """Carry each error shared by runs through a weighted sum of them, with its sign."""
    names = sorted({name for run in runs for name in run.shared})
    return {name: float(weights @ np.array([run.shared.get(name, 0.0) for run in runs])) for name in names}


def _of_one_count(runs: Sequence[CountedRun]) -> frozenset[str]:
    """Return the errors that act at one count only, such as the last digit of a quiet reading."""
    counts: dict[str, set[int]] = {}
    for run in runs:
        for name in run.shared:
            counts.setdefault(name, set()).add(run.count)
    return frozenset(name for name, counted in counts.items() if len(counted) == 1)


def _lack_of_fit(units: _Units) -> tuple[float, float | None]:
    """Test by F whether the counts lie on a line, against the scatter of replicates: (misfit as sd, p)."""
    residual = units.residual()
    counts, which = np.unique(units.count, return_inverse=True)
    dof_lack, dof_pure = len(counts) - 2, len(units) - len(counts)
    if dof_lack < 1 or dof_pure < 1:
        return 0.0, None
    means = np.bincount(which, weights=units.value) / np.bincount(which)
    pure = float(np.sum((units.value - means[which]) ** 2))
    lack = max(float(residual @ residual) - pure, 0.0)
    if pure <= 0:
        return math.sqrt(lack / dof_lack), None
    p = float(scipy.special.fdtrc(dof_lack, dof_pure, lack / dof_lack / (pure / dof_pure)))
    return math.sqrt(lack / dof_lack), p
