"""What the readings of a log say about a window: the mean of each part, the silences, whether a figure can be given."""

from __future__ import annotations

from itertools import pairwise
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from wattmark.analysis.efficiency.window import COMPLETE, Window
from wattmark.analysis.energy.energy import losses, window_energy
from wattmark.analysis.energy.trace import CleanTrace, Instrument, Trace, clean
from wattmark.analysis.refusal import Refused
from wattmark.analysis.verdict import Limits
from wattmark.audits.audit import Gap, Stretch

GAP_PERIODS = 2.5
"""A silence is longer than this many periods of the meter."""
LIMITS = Limits()
MOST_GAPS = 200
_STAMP_S = 0.0005
"""Stamps are whole milliseconds."""


class Stretches(TypedDict):
    """The readings before, inside and after a window."""

    before: Stretch
    inside: Stretch
    after: Stretch


def stretches(
    t_s: NDArray[np.float64], power_w: NDArray[np.float64], duration_s: float, *, edges_inside: bool
) -> Stretches:
    """Average the readings before, inside and after a window from 0 to its duration [s]."""
    before, after = (t_s < 0, t_s > duration_s) if edges_inside else (t_s <= 0, t_s >= duration_s)
    return Stretches(
        before=_stretch(power_w[before]), inside=_stretch(power_w[~before & ~after]), after=_stretch(power_w[after])
    )


def _stretch(power_w: NDArray[np.float64]) -> Stretch:
    return Stretch(readings=len(power_w), mean_w=float(power_w.mean()) if len(power_w) else None)


def silences(t_s: NDArray[np.float64], period_s: float, duration_s: float) -> list[Gap]:
    """List the silences of a meter that touch a window from 0 to its duration [s]; times in any order."""
    return [
        Gap(begin_s=begin, end_s=end)
        for begin, end in pairwise(np.sort(t_s).tolist())
        if end - begin > GAP_PERIODS * period_s and end > 0 and begin < duration_s
    ]


def why_refused(
    meter: str,
    t_ns: NDArray[np.int64],
    power_w: NDArray[np.float64],
    good: NDArray[np.bool_],
    *,
    period_s: float,
    window_ns: tuple[int, int],
) -> str | None:
    """Return why wattmark gives no energy for the readings of a meter over a window; None where it does."""
    try:
        window_energy(_cleaned(meter, t_ns, power_w, good, period_s, window_ns), LIMITS)
    except Refused as refused:
        return str(refused)
    return None


def lost_s(
    t_ns: NDArray[np.int64],
    power_w: NDArray[np.float64],
    good: NDArray[np.bool_],
    *,
    period_s: float,
    window_ns: tuple[int, int],
) -> float:
    """Compute for how long a meter gave no good reading within a window [s]; all of it where it gave none."""
    try:
        return losses(_cleaned("", t_ns, power_w, good, period_s, window_ns), LIMITS).lost_s
    except Refused:
        return (window_ns[1] - window_ns[0]) / 1e9


def _cleaned(
    meter: str,
    t_ns: NDArray[np.int64],
    power_w: NDArray[np.float64],
    good: NDArray[np.bool_],
    period_s: float,
    window_ns: tuple[int, int],
) -> CleanTrace:
    order = np.argsort(t_ns, kind="stable")
    instrument = Instrument(meter, period_s=period_s, logged_by_others=True)
    trace = Trace(instrument, t_ns[order], power_w[order], good[order], np.full(len(t_ns), _STAMP_S))
    return clean(trace, Window(*window_ns, COMPLETE))
