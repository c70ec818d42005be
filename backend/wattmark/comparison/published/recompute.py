"""Recompute the derived figures that articles print, exactly, and check whether they follow from printed inputs.

Rounding is half away from zero (a tie of -3.25 is printed as -3.3). A figure that rounds differently may still be
right: the article may have used digits that it does not print.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Literal

from wattmark.analysis.comparison.exact import chained_pct, change_pct, mean, round_half_away
from wattmark.core.errors import InputError

Status = Literal["exact", "within input rounding", "inconsistent", "derived"]
_Values = dict[str, list[Fraction]]


@dataclass(frozen=True, slots=True)
class Recomputed:
    """The figure from the printed inputs, the interval that their rounding allows, and how the print compares."""

    value: float
    low: float
    high: float
    status: Status


def recompute(
    operation: str,
    inputs: Mapping[str, float | Sequence[float]],
    half_width: float | Mapping[str, float] = 0.0,
    printed: float | None = None,
    decimals: int = 0,
) -> Recomputed:
    """Recompute a figure. ``half_width`` is half of the last printed digit of the inputs, for all or by name.

    Without a printed figure the status is "derived". Raises `InputError` for an unknown operation.
    """
    formula = _FORMULAS.get(operation)
    if formula is None:
        raise InputError(f"There is no operation {operation[:40]!r}.", f"Known: {', '.join(sorted(_FORMULAS))}.")
    values = {name: _exact(numbers) for name, numbers in inputs.items()}
    by_name = half_width if isinstance(half_width, Mapping) else dict.fromkeys(values, half_width)
    widths = {name: Fraction(str(by_name.get(name, 0))) for name in values}
    low, high = _reach(formula, values, widths)
    value = formula(values)
    return Recomputed(float(value), float(low), float(high), _status(value, low, high, printed, decimals))


def _status(value: Fraction, low: Fraction, high: Fraction, printed: float | None, decimals: int) -> Status:
    if printed is None:
        return "derived"
    stated = Fraction(str(printed))
    if round_half_away(value, decimals) == stated:
        return "exact"
    half = Fraction(1, 2 * 10**decimals)
    return "within input rounding" if low <= stated + half and high >= stated - half else "inconsistent"


def _exact(numbers: float | Sequence[float]) -> list[Fraction]:
    """Convert printed decimals exactly: 0.1 is a tenth, not the nearest binary fraction."""
    return [Fraction(str(value)) for value in (numbers if isinstance(numbers, Sequence) else [numbers])]


def _reach(
    formula: Callable[[_Values], Fraction], values: _Values, widths: dict[str, Fraction]
) -> tuple[Fraction, Fraction]:
    """Compute the range of a figure over the rounding intervals of its inputs (all formulas are monotone)."""
    low, high = _copy(values), _copy(values)
    for name, place in _places(values):
        width = widths[name]
        rises = formula(_moved(values, name, place, width)) >= formula(_moved(values, name, place, -width))
        high[name][place] += width if rises else -width
        low[name][place] -= width if rises else -width
    return formula(low), formula(high)


def _places(values: _Values) -> Iterator[tuple[str, int]]:
    return ((name, place) for name, numbers in values.items() for place in range(len(numbers)))


def _copy(values: _Values) -> _Values:
    return {name: list(numbers) for name, numbers in values.items()}


def _moved(values: _Values, name: str, place: int, step: Fraction) -> _Values:
    moved = _copy(values)
    moved[name][place] += step
    return moved


def _one(values: _Values, name: str) -> Fraction:
    return values[name][0]


def _factor(values: _Values, name: str) -> Fraction:
    return 1 + _one(values, name) / 100


_FORMULAS: dict[str, Callable[[_Values], Fraction]] = {
    "pct_change": lambda v: change_pct(_one(v, "new"), _one(v, "old")),
    "pct_change_of_means": lambda v: change_pct(mean(v["new"]), mean(v["old"])),
    "ratio": lambda v: _one(v, "num") / _one(v, "den"),
    "quotient": lambda v: _one(v, "a") / _one(v, "b"),
    "diff_half": lambda v: (_one(v, "a") - _one(v, "b")) / 2,
    "mean": lambda v: mean(v["values"]),
    "max": lambda v: max(v["values"]),
    "product": lambda v: prod(v["factors"], start=Fraction(1)),
    # Two speedups one after the other.
    "chain_scaling_pct": lambda v: chained_pct([_one(v, "s1"), _one(v, "s2")]),
    # The scaling of a faster machine, from that of the slower one and the lead at the lower and the higher count.
    "transfer_scaling_pct": lambda v: (_factor(v, "s_base") * _factor(v, "d_hi") / _factor(v, "d_lo") - 1) * 100,
    # A figure at another clock, where 10 % more clock raises it by a number of per cent.
    "scaled_by_clock": lambda v: (
        _one(v, "base") * (1 + (_one(v, "target_mhz") / _one(v, "mhz") - 1) * _one(v, "pct_per_10_pct") / 10)
    ),
    "cycles_from_ns": lambda v: _one(v, "ns") * _one(v, "mhz") / 1000,
    "ns_from_cycles": lambda v: _one(v, "cycles") * 1000 / _one(v, "mhz"),
    # Little's law: requests in flight = throughput x response time.
    "little_n": lambda v: _one(v, "x_per_s") * _one(v, "r_ms") / 1000,
    # In a closed loop +g throughput means -g/(1+g) response time.
    "closed_loop_rt_drop_pct": lambda v: 100 * (1 - 1 / _factor(v, "throughput_gain_pct")),
    "stream_mib": lambda v: _one(v, "elements") * _one(v, "arrays") * _one(v, "bytes") / 2**20,
}
OPERATIONS = tuple(_FORMULAS)
