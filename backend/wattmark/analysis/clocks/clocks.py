"""Clocks of other machines and of meters: offset and drift from four-stamp exchanges, latency from a load pattern."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wattmark.analysis.refusal import Refused

Array = NDArray[np.float64]
SLOWEST = 3.0
"""Exchanges slower than this multiple of the fastest are excluded, unless they are fast nevertheless."""
FAST_S = 0.002
"""A delay up to this bounds the offset to a millisecond, so it is used however fast another one was [s]."""
STEP_S = 0.05
"""A residual of the straight line beyond this, and beyond what the delays allow, means that a clock was set [s]."""
FASTEST_SLEW = 500e-6
"""How fast a kernel lets a clock be slewed [s/s] (adjtimex(2)); a faster change means that the clock was set."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """Four stamps [ns since 1970]: sent and received here (t0, t3), received and answered there (t1, t2)."""

    t0_ns: int
    t1_ns: int
    t2_ns: int
    t3_ns: int

    @property
    def offset_s(self) -> float:
        """Compute the other machine's clock minus ours [s]: ((t1 - t0) + (t2 - t3)) / 2 (method 5.2)."""
        return ((self.t1_ns - self.t0_ns) + (self.t2_ns - self.t3_ns)) / 2e9

    @property
    def delay_s(self) -> float:
        """Compute the time both messages took on the network [s]; the offset errs by at most half of it."""
        return ((self.t3_ns - self.t0_ns) - (self.t2_ns - self.t1_ns)) / 1e9


@dataclass(frozen=True, slots=True)
class ClockFit:
    """Their clock minus ours: ``offset_s`` at ``at_ns`` (our clock), growing by ``drift`` [s/s].

    ``u_s`` is the standard uncertainty of the offset inside the span of the exchanges. ``stepped``: one of the
    clocks was set between two exchanges, so that no straight line fits.
    """

    at_ns: int
    offset_s: float
    drift: float
    u_s: float
    used: int
    rejected: int
    stepped: bool

    def offset_at(self, t_ns: int) -> float:
        """Compute the other machine's clock minus ours at an instant of ours [s]."""
        return self.offset_s + self.drift * (t_ns - self.at_ns) / 1e9

    def to_theirs(self, t_ns: int) -> int:
        """Convert an instant of our clock to the other machine's clock [ns]."""
        return t_ns + round(self.offset_at(t_ns) * 1e9)

    def to_ours(self, t_ns: int) -> int:
        """Convert an instant of the other machine's clock to ours [ns]."""
        return t_ns - round(self.offset_at(t_ns) * 1e9)


def fit_clock(exchanges: Sequence[Exchange]) -> ClockFit:
    """Fit offset and drift to the fastest exchanges (method 5.2).

    Delays below 0 are impossible (a coarse clock) and are rejected, as are delays beyond three times the smallest that
    are above 2 ms. Each offset weighs by its delay. Below 10 s of span no drift is fitted. Raises `Refused` when none
    is left.
    """
    possible = [item for item in exchanges if item.delay_s >= 0]
    fastest = min((item.delay_s for item in possible), default=0.0)
    good = [item for item in possible if item.delay_s <= max(SLOWEST * fastest, FAST_S)]
    if not good:
        raise Refused(
            "no-clock", "The offset between the two clocks cannot be measured: the other machine's clock is too coarse."
        )
    t_s = np.array([(item.t0_ns - good[0].t0_ns) / 1e9 for item in good])
    offset = np.array([item.offset_s for item in good])
    bound = np.array([item.delay_s / 2 for item in good])
    mean_s, level, drift = _line(t_s, offset, bound)
    residual = offset - (level + drift * (t_s - mean_s))
    stepped = bool(np.any(np.abs(residual) > np.maximum(STEP_S, 2 * bound))) or _jumped(t_s, offset, bound)
    u_s = math.hypot(float(bound.min()) / math.sqrt(3.0), float(np.sqrt(np.mean(residual**2))))
    at_ns = good[0].t0_ns + round(mean_s * 1e9)
    return ClockFit(at_ns, level, drift, u_s, len(good), len(exchanges) - len(good), stepped)


@dataclass(frozen=True, slots=True)
class ServerClock:
    """Offset and drift of a server's clock, and the standard uncertainty of the marks of its load [s].

    A mark is stamped here when its line arrives, less than a round trip after the load printed it:
    ``u_marks_s`` joins that rectangle (the median round trip over sqrt(3)) with the uncertainty of the clock.
    """

    fit: ClockFit
    u_marks_s: float


def fit_server_clock(exchanges: Sequence[Exchange]) -> ServerClock | None:
    """Fit a server's clock; None where no exchange is usable."""
    try:
        fit = fit_clock(exchanges)
    except Refused:
        return None
    delay_s = float(np.median([exchange.delay_s for exchange in exchanges if exchange.delay_s >= 0]))
    return ServerClock(fit, math.hypot(fit.u_s, delay_s / math.sqrt(3.0)))


def _jumped(t_s: Array, offset: Array, bound: Array) -> bool:
    """Return whether the offset changed between two exchanges by more than delays and the fastest slewing allow.

    A straight line alone would take a step in the middle of few exchanges for drift.
    """
    order = np.argsort(t_s, kind="stable")
    allowed = bound[order][1:] + bound[order][:-1] + FASTEST_SLEW * np.diff(t_s[order])
    return bool(np.any(np.abs(np.diff(offset[order])) > STEP_S + allowed))


def _line(t_s: Array, offset: Array, bound: Array) -> tuple[float, float, float]:
    """Fit a weighted straight line: (mean instant, offset there, slope)."""
    weight = 1 / np.maximum(bound, 1e-6) ** 2
    mean_s = float(np.average(t_s, weights=weight))
    level = float(np.average(offset, weights=weight))
    spread = float(np.sum(weight * (t_s - mean_s) ** 2))
    if float(np.ptp(t_s)) < 10.0 or spread == 0:
        return mean_s, level, 0.0
    return mean_s, level, float(np.sum(weight * (t_s - mean_s) * (offset - level)) / spread)


@dataclass(frozen=True, slots=True)
class Latency:
    """A meter's latency [s]: how much later than the load its trace shows a step; ``u_s`` its standard uncertainty."""

    latency_s: float
    u_s: float
    correlation: float


GRID_S = 0.02
LEAST_CORRELATION = 0.7


def meter_latency(
    t_s: Array, watts: Array, pulses: Sequence[tuple[float, float]], *, averaging_s: float, longest_s: float = 5.0
) -> Latency:
    """Find a meter's latency from load pulses [(begin, end) s on the meter's time axis] by cross-correlation.

    The predicted trace is the boxcar average of the pulses over ``averaging_s``, taken at each stamp minus the shift;
    the shift on a 20 ms grid with the highest correlation counts (method 5.2), or the middle of those that noise makes
    indistinguishable; their width is the uncertainty. Pulses should be unequal and not multiples of the meter's period.
    Raises `Refused` for a trace in which the pulses cannot be seen.
    """
    if len(t_s) < 8 or len(pulses) < 2:
        raise Refused("no-pattern", "The latency needs at least two load pulses and eight samples of the meter.")
    shifts = np.arange(-0.5, longest_s + GRID_S, GRID_S)
    scores = np.array([_correlation(watts, _boxcar(t_s - shift, pulses, averaging_s)) for shift in shifts])
    best = int(np.argmax(scores))
    if not scores[best] >= LEAST_CORRELATION:
        raise Refused("no-pattern", f"The trace does not show the load pulses (correlation {scores[best]:.2f}).")
    if best in (0, len(shifts) - 1):
        raise Refused(
            "no-pattern",
            f"The best match for the latency is at the edge of the search range ({shifts[best]:.1f} s), so the latency "
            "is not determined; check the meter's clock and update interval.",
        )
    inside = _plateau(shifts, scores, best, len(t_s))
    half_s = float(np.ptp(inside)) / 2
    # a rectangle as wide as the plateau, and one step of the grid
    u_s = math.hypot(half_s / math.sqrt(3.0), GRID_S / math.sqrt(12.0))
    return Latency(float(inside.mean()), u_s, float(scores[best]))


def _boxcar(t_s: Array, pulses: Sequence[tuple[float, float]], averaging_s: float) -> Array:
    """Compute the share of (t - averaging, t] that the load ran; the load itself where nothing is averaged."""
    width = max(averaging_s, 1e-3)
    shares = [np.clip(np.minimum(t_s, end) - np.maximum(t_s - width, begin), 0, None) for begin, end in pulses]
    return np.asarray(np.sum(shares, axis=0) / width)


def _correlation(x: Array, y: Array) -> float:
    if float(np.std(x)) == 0 or float(np.std(y)) == 0:
        return -1.0
    return float(np.corrcoef(x, y)[0, 1])


def _plateau(shifts: Array, scores: Array, best: int, n: int) -> Array:
    """Find the shifts around the best one that noise makes indistinguishable.

    There the residual sum of squares lies within one part in n - 2 of the least. A meter that averages over less than
    its period does not locate an edge between two samples: the plateau is as wide as that.
    """
    residual = 1 - scores**2
    near = residual <= residual[best] * (1 + 1 / max(n - 2, 1)) + 1e-9
    first, last = best, best
    while first > 0 and near[first - 1]:
        first -= 1
    while last < len(near) - 1 and near[last + 1]:
        last += 1
    return shifts[first : last + 1]
