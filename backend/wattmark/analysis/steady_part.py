"""Which part of an unsteady window was steady: a suggestion for the next run, never applied to this one."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wattmark.analysis.change_points import change_points
from wattmark.analysis.limits import Limits
from wattmark.analysis.refusal import Refused
from wattmark.analysis.steady_state import mser5, steadiness
from wattmark.analysis.type_a import type_a

Array = NDArray[np.float64]
PARTS = 12
MOST_STEPS = 6


@dataclass(frozen=True, slots=True)
class SteadyPart:
    """A steady part of the window, in seconds from its begin, with mean power over it [W]."""

    begin_s: float
    end_s: float
    mean_w: float

    @property
    def text(self) -> str:
        """Say what to do about it."""
        return (
            f"Power was steady from {self.begin_s:.4g} s to {self.end_s:.4g} s of the window ({self.mean_w:.4g} W): "
            "repeat the run and measure only there. The result still covers the whole window."
        )


def steady_part(t_s: Array, x: Array, duration_s: float, limits: Limits) -> SteadyPart | None:
    """Find the longest part of a window that passes every test of steadiness; None where none is long enough.

    Parts begin and end at twelfths of the window, at steps of the level and where MSER-5 ends the warm-up.
    """
    for begin_s, end_s in _spans(_edges(t_s, x, duration_s), limits.short_window_s):
        inside = (t_s >= begin_s) & (t_s < end_s)
        if not limits.too_short(end_s - begin_s, int(inside.sum())) and _steady(t_s[inside], x[inside], limits):
            return SteadyPart(begin_s, end_s, float(x[inside].mean()))
    return None


def _edges(t_s: Array, x: Array, duration_s: float) -> list[float]:
    """List where a part may begin or end [s]."""
    steps = change_points(x)[:MOST_STEPS]
    inner = [float(t_s[k]) for k in (*steps, mser5(x)) if 0 < k < len(t_s)]
    return sorted({*np.linspace(0.0, duration_s, PARTS + 1).tolist(), *inner})


def _spans(edges: Iterable[float], shortest_s: float) -> list[tuple[float, float]]:
    """Pair the edges, longest first, without the whole window."""
    pairs = [(b, e) for b, e in itertools.combinations(edges, 2) if e - b >= shortest_s]
    return sorted(pairs, key=lambda span: (span[0] - span[1], span[0]))[1:]


def _steady(t_s: Array, x: Array, limits: Limits) -> bool:
    """Apply the tests to one part, the cheap one first."""
    half = len(x) // 2
    if abs(x[half:].mean() - x[:half].mean()) > limits.half_split_pct / 100 * x.mean():
        return False
    try:
        scatter = type_a(x)
    except Refused:
        return False
    return steadiness(t_s - t_s[0], x, float(t_s[-1] - t_s[0]), scatter, limits).steady is True
