"""Break-even: the number of parts, such as memory modules, at which the advantage of one server over another ends."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wattmark.analysis.comparison.comparison import student_factor
from wattmark.analysis.comparison.course import course
from wattmark.analysis.comparison.measured import require_positive
from wattmark.analysis.parts.fit import CountFit
from wattmark.analysis.refusal import Refused
from wattmark.core.interval import Interval
from wattmark.core.numbers import format_number
from wattmark.core.part_words import PartWords

MOST_PARTS = 1e4
"""An interval that reaches this many parts is given as open; a break-even beyond is refused."""


@dataclass(frozen=True, slots=True)
class BreakEven:
    """Count at which two servers draw the same power; an end is None where the data do not bound it.

    ``first_whole`` is the first whole number at or past it. ``extrapolated``: not all of the interval lies among the
    counts that were measured on both servers, so it is extrapolated, not measured.
    """

    count: Interval
    first_whole: int
    extrapolated: bool
    part: PartWords

    @property
    def text(self) -> str:
        """Describe the result in one sentence."""
        low, high = self.count.ends
        parts = self.part.pieces
        if low is None and high is None:
            reach = f"about {self.count.value:.1f} {parts}, with no bound either way"
        elif high is None:
            reach = f"{low:.1f} {parts} or more"
        elif low is None:
            reach = f"{high:.1f} {parts} or fewer"
        else:
            reach = f"{low:.1f} to {high:.1f} {parts}"
        note = " (extrapolated, not measured)" if self.extrapolated else ""
        return f"The advantage ends at {reach}{note}."


def break_even_range(advantage_w: tuple[float, float], per_part_w: tuple[float, float], part: PartWords) -> BreakEven:
    """Compute the break-even from limits: an advantage of low..high [W] against low..high watts per part.

    48 to 54 W at 5 W per buffer: 9.6 to 10.8 modules. The point value takes the middle of both.
    """
    low, high = require_positive(advantage_w, "The advantage")
    least, most = require_positive(per_part_w, f"Watts per {part.piece}")
    if low > high or least > most:
        raise Refused("limits-swapped", "The lower limit must not be above the upper limit.")
    count = float((low + high) / (least + most))
    reach = Interval(value=count, low=float(low / most), high=float(high / least))
    return BreakEven(reach, _whole(count, part), extrapolated=True, part=part)


def break_even(frugal_base: CountFit, frugal_parts: CountFit) -> BreakEven:
    """Compute where two lines of watts against the number of parts cross, with a 95 % interval by inversion (Fieller).

    The first server draws less without parts, the second adds less per part. The interval holds all counts at
    which the difference of the two lines is within its uncertainty: the bands of both in quadrature, errors of the
    meter that both share cancelling as far as they are equal, and a straight trend with time between the two servers.
    Both ends are None where a line through two installations does not show the effect of re-seating. Raises
    `Refused` where the lines do not cross so.
    """
    part = frugal_base.part
    lead_w = frugal_parts.intercept - frugal_base.intercept
    cost_w = frugal_base.slope - frugal_parts.slope
    if lead_w <= 0 or cost_w <= 0:
        text = (
            f"Lead without {part.pieces} {format_number(lead_w, 3)} W, cost per {part.piece} "
            f"{format_number(cost_w, 3)} W:"
        )
        raise Refused("no-crossing", f"{text} the lines do not cross at a positive {part.one} count.")

    bounded = frugal_base.bounded and frugal_parts.bounded
    in_time_w = _time_half_width(frugal_base, frugal_parts) if bounded else 0.0

    def clear_w(n: float) -> float:
        halves = [student_factor(dof) * u for u, dof in (fit.line_scatter(n) for fit in (frugal_base, frugal_parts))]
        shared = student_factor(math.inf) * _shared_w(frugal_base, frugal_parts, n)
        return abs(lead_w - n * cost_w) - math.hypot(*halves, shared, in_time_w)

    crossing = lead_w / cost_w
    whole = _whole(crossing, part)
    low, high = _reach(clear_w, crossing) if bounded else (None, None)
    first, last = _common_counts(frugal_base, frugal_parts)
    inside = first <= (crossing if low is None else low) and (crossing if high is None else high) <= last
    closed = low is not None and high is not None
    return BreakEven(
        Interval(value=crossing, low=low, high=high),
        whole,
        extrapolated=not inside or (bounded and not closed),
        part=part,
    )


def _whole(count: float, part: PartWords) -> int:
    """Return the first whole number at or past the break-even; no server holds ten thousand parts."""
    if count > MOST_PARTS:
        raise Refused("no-crossing", f"The break-even lies beyond 10000 {part.pieces}, which no server holds.")
    return math.ceil(count - 1e-9)  # a whole number that rounding put just above stays itself


def _reach(clear_w: Callable[[float], float], middle: float) -> tuple[float | None, float | None]:
    """Find where the difference becomes clear on either side of the crossing; None where it never does.

    scipy.optimize is imported here: it takes longer to load than a command that only needs limits takes to run.
    """
    from scipy import optimize

    if clear_w(middle) > 0:  # without any scatter, rounding alone decides the sign at the crossing
        return middle, middle
    low = None if clear_w(0.0) <= 0 else float(optimize.brentq(clear_w, 0.0, middle))
    above = 2 * middle
    while clear_w(above) <= 0 and above < MOST_PARTS:
        above *= 2
    high = None if clear_w(above) <= 0 else float(optimize.brentq(clear_w, middle, above))
    return low, high


def _shared_w(a: CountFit, b: CountFit, n: float) -> float:
    """Combine errors shared by runs, as they act on the difference of the two lines at n parts [W]."""
    line_a, line_b = a.shared_line(n), b.shared_line(n)
    return math.hypot(*(line_a.get(name, 0.0) - line_b.get(name, 0.0) for name in line_a.keys() | line_b.keys()))


def _time_half_width(a: CountFit, b: CountFit) -> float:
    """Compute the half width at 95 % of the effect of a trend over time on the distance of two lines [W].

    As `time_term` for means: a straight trend common to both is estimated beside the lines, from how far watts and
    times lie from a line over the count, and not extrapolated beyond the runs. 0 without times.
    """
    a_runs, b_runs = (course([run.made_s for run in fit.runs], [run.value for run in fit.runs]) for fit in (a, b))
    if a_runs is None or b_runs is None:
        return 0.0
    distance_s = min(abs(a_runs.mean_s - b_runs.mean_s), (a_runs.reach_s + b_runs.reach_s) / 2)
    if distance_s == 0:
        return 0.0
    beside = [_beside_line(a, a_runs.times_s), _beside_line(b, b_runs.times_s)]
    apart = [_beside_line(a, a_runs.values), _beside_line(b, b_runs.values)]
    times_s, watts = np.concatenate(beside), np.concatenate(apart)
    sxx, dof = float(times_s @ times_s), len(watts) - 5  # two lines of two parameters, and the trend
    rate = float(times_s @ watts) / sxx
    about = watts - rate * times_s
    return student_factor(dof) * math.sqrt(rate**2 + float(about @ about) / dof / sxx) * distance_s


def _beside_line(fit: CountFit, values: Sequence[float]) -> NDArray[np.float64]:
    """Compute the distance of a value of each run from its least-squares line over the count [unit of the values]."""
    count = np.array([run.count for run in fit.runs], dtype=np.float64)
    count -= count.mean()
    apart = np.array(values) - np.mean(values)
    return np.asarray(apart - count * float(count @ apart) / float(count @ count), dtype=np.float64)


def _common_counts(a: CountFit, b: CountFit) -> tuple[int, int]:
    """Return the span of counts that was measured on both servers."""
    return max(min(r.count for r in f.runs) for f in (a, b)), min(max(r.count for r in f.runs) for f in (a, b))
