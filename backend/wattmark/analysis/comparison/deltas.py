"""Delta tables: one value of a factor against another, everything else equal, in per cent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wattmark.analysis.comparison.comparison import Estimate
from wattmark.analysis.comparison.exact import change_pct, mean
from wattmark.analysis.comparison.measured import Measured, ratio_estimate, require_positive
from wattmark.analysis.comparison.rounding import decimal, decimal_mean, round_half_away
from wattmark.analysis.comparison.sert import geometric_mean
from wattmark.analysis.refusal import Refused

Factors = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Cell:
    """One figure and the factors it was measured at (kernel 2.6.18, prefetch on, 64 bit, 2 CPUs, workload)."""

    factors: Factors
    figure: Measured


@dataclass(frozen=True, slots=True)
class Delta:
    """Change from old to new at equal other factors; ``estimate`` of new/old is None where scatter is not known."""

    others: Factors
    new: Measured
    old: Measured
    estimate: Estimate | None

    @property
    def delta_pct(self) -> float:
        """Compute 100 (new/old - 1) [%], exact in the decimals of both."""
        return float(change_pct(decimal(self.new.value), decimal(self.old.value)))

    @property
    def factor(self) -> float:
        """Compute new/old [1]."""
        return self.new.value / self.old.value

    @property
    def interval_pct(self) -> tuple[float, float] | None:
        """Compute the 95 % interval of the change [%]; None where scatter is not known."""
        if self.estimate is None:
            return None
        low, high = self.estimate.interval()
        return 100 * (low - 1), 100 * (high - 1)


@dataclass(frozen=True, slots=True)
class DeltaTable:
    """All pairs of one comparison, and the cells that found no partner (never silently dropped)."""

    factor: str
    new: str
    old: str
    rows: tuple[Delta, ...]
    unpaired: tuple[Cell, ...]

    @property
    def mean_of_deltas_pct(self) -> float:
        """Compute the plain mean of the changes [%]."""
        return mean_of_deltas_pct([row.delta_pct for row in self.rows])

    @property
    def delta_of_means_pct(self) -> float:
        """Compute the change of the means [%]; only figures of one unit and one workload may be averaged so."""
        return delta_of_means_pct([row.new.value for row in self.rows], [row.old.value for row in self.rows])

    @property
    def geometric_mean_pct(self) -> float:
        """Compute the change whose factor is the geometric mean of the factors [%]; the same from either end."""
        return 100 * (geometric_mean([row.factor for row in self.rows]) - 1)


def delta(new: Measured, old: Measured, others: Factors | None = None) -> Delta:
    """Compute the change from ``old`` to ``new``, both positive."""
    require_positive([new.value, old.value], "A delta")
    return Delta(others or {}, new, old, ratio_estimate(new, old))


def delta_table(cells: Sequence[Cell], factor: str, new: str, old: str) -> DeltaTable:
    """Compare every figure at ``factor`` = new with the one at ``factor`` = old whose other factors are all equal.

    Raises `Refused`: a value of the factor that no cell has ("no-such-value"), two cells with the same factors
    ("ambiguous"), no pair at all ("no-pair").
    """
    if new == old:
        raise Refused("same-value", f"{factor} {new} cannot be compared with itself.")
    tops, bases = _by_others(cells, factor, new), _by_others(cells, factor, old)
    rows = tuple(
        delta(cell.figure, bases[key].figure, {k: v for k, v in cell.factors.items() if k != factor})
        for key, cell in tops.items()
        if key in bases
    )
    if not rows:
        raise Refused(
            "no-pair", f"No result with {factor} {new} has a counterpart with {factor} {old} and everything else equal."
        )
    alone = [
        cell
        for side, other_side in ((tops, bases), (bases, tops))
        for key, cell in side.items()
        if key not in other_side
    ]
    return DeltaTable(factor, new, old, rows, tuple(alone))


def _by_others(cells: Sequence[Cell], factor: str, value: str) -> dict[frozenset[tuple[str, str]], Cell]:
    by_others: dict[frozenset[tuple[str, str]], Cell] = {}
    for cell in cells:
        if cell.factors.get(factor) != value:
            continue
        key = frozenset((k, v) for k, v in cell.factors.items() if k != factor)
        if key in by_others:
            raise Refused("ambiguous", f"Two results have the same factors at {factor} {value}; average them first.")
        by_others[key] = cell
    if not by_others:
        raise Refused("no-such-value", f"No result has {factor} {value}.")
    return by_others


def mean_of_deltas_pct(deltas_pct: Sequence[float]) -> float:
    """Average changes in per cent, exact in their decimals [%]."""
    return decimal_mean(deltas_pct)


def delta_of_means_pct(new: Sequence[float], old: Sequence[float]) -> float:
    """Compute the change of the means of two lists [%]; each list weighs its members alike."""
    require_positive(list(new), "New figures")
    require_positive(list(old), "Old figures")
    if not new or not old:
        raise Refused("empty", "There are no values to average.")
    return float(change_pct(*(mean([decimal(v) for v in values]) for values in (new, old))))


def shown_pct(delta_pct: float, decimals: int = 1) -> str:
    """Format a change with its sign, rounded half away from zero: "+12.0 %"; 0 has no sign."""
    rounded = round_half_away(delta_pct, decimals)
    return f"{rounded:+.{decimals}f} %" if rounded else f"{0:.{decimals}f} %"
