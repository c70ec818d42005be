"""Mean power of the reference and of a source over the same stretch of a run, and the ± of their difference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from wattmark_calibration import Contribution, UncertainValue
from wattmark_calibration.specification import resolution_uncertainty

from wattmark.analysis.efficiency.window import COMPLETE, Window
from wattmark.analysis.energy.meter_power import meter_power
from wattmark.analysis.energy.trace import Trace
from wattmark.analysis.refusal import Refused
from wattmark.analysis.verdict import Limits

Array = NDArray[np.float64]
MOST_BLOCKS = 8
BLOCK_PERIODS = 5
NS = 1e9
MARGIN_PERIODS = 12
MARGIN_AVERAGES = 2


@dataclass(frozen=True, slots=True)
class Level:
    """Both powers over one stretch of the run [W]; ``difference`` is source minus reference.

    Its uncertainty is that of the comparison alone: scatter, alignment in time, last digits. The errors of the two
    instruments are not included: they are the subject of the comparison.
    """

    stretch: str
    reference_w: float
    source_w: float
    difference: UncertainValue
    reference: UncertainValue | None = None
    """Power of the reference with its own budget, where it is known [W]."""


def level(
    stretch: str, window: Window, reference: Sequence[Trace], source: Sequence[Trace], correction_w: float = 0.0
) -> Level:
    """Compare both over one stretch; ``correction_w`` is what a certificate adds to the reference's indication [W].

    The stretch is cut into blocks. The scatter of the blocks' differences gives the Type A part: the variation of
    the load is in both, and cancels. Raises `Refused` where a trace has no usable sample there.
    """
    limits = Limits()
    near = [_near(trace, window) for trace in reference]
    beside = [_near(trace, window) for trace in source]
    reference_w = mean_power_w(near, window, limits) + correction_w
    source_w = mean_power_w(beside, window, limits)
    terms = [*_scatter(near, beside, window, limits), *_alignment(near, beside, window, limits), *_digits(near, beside)]
    # without blocks the scatter is not known, and a ± without it would be too small
    complete = bool(terms) and terms[0].evaluation == "A"
    return Level(stretch, reference_w, source_w, UncertainValue(source_w - reference_w, "W", tuple(terms), complete))


def mean_power_w(traces: Sequence[Trace], window: Window, limits: Limits) -> float:
    """Average the sum of several traces over a window [W]. Raises `Refused`."""
    return math.fsum(meter_power(trace, window, limits).power_w for trace in traces)


def _near(trace: Trace, window: Window) -> Trace:
    """Cut a trace to a stretch with a margin, so that short blocks of long runs cost little."""
    meter = trace.instrument
    margin_s = MARGIN_PERIODS * meter.period_s + abs(meter.latency_s) + MARGIN_AVERAGES * (meter.averaging_s or 0.0) + 1
    margin_ns = round(margin_s * NS)
    low, high = np.searchsorted(trace.t_ns, [window.begin_ns - margin_ns, window.end_ns + margin_ns])
    cut = slice(int(low), int(high))
    return replace(
        trace,
        t_ns=trace.t_ns[cut],
        value=trace.value[cut],
        usable=trace.usable[cut],
        u_t_s=trace.u_t_s[cut],
        over_range=None if trace.over_range is None else trace.over_range[cut],
        stale=None if trace.stale is None else trace.stale[cut],
        doubts=tuple((words, samples[cut]) for words, samples in trace.doubts),
        register=None,
    )


def _scatter(reference: Sequence[Trace], source: Sequence[Trace], window: Window, limits: Limits) -> list[Contribution]:
    """Estimate the standard deviation of the mean difference from blocks [W]; empty for fewer than two blocks."""
    meters = [trace.instrument for trace in (*reference, *source)]
    slowest_s = max(max(meter.period_s, (meter.averaging_s or 0.0) / 2) for meter in meters)
    count = min(MOST_BLOCKS, int(window.duration_s / (BLOCK_PERIODS * slowest_s)))
    if count < 2:
        return []
    edges = np.linspace(window.begin_ns, window.end_ns, count + 1).astype(np.int64)
    differences = []
    for begin_ns, end_ns in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        block = Window(begin_ns, end_ns, COMPLETE)
        try:
            seen_w = mean_power_w(source, block, limits), mean_power_w(reference, block, limits)
        except Refused:
            continue
        differences.append(seen_w[0] - seen_w[1])
    if len(differences) < 2:
        return []
    u_w = float(np.std(differences, ddof=1)) / math.sqrt(len(differences))
    return [Contribution("Scatter of the difference", u_w, "A", len(differences) - 1, unit="W", kind="scatter")]


def _alignment(
    reference: Sequence[Trace], source: Sequence[Trace], window: Window, limits: Limits
) -> list[Contribution]:
    """Estimate the effect of the uncertainty of both latencies on the difference [W], by moving the stretch."""
    u_s = math.hypot(*(max(t.instrument.latency_uncertainty_s for t in traces) for traces in (reference, source)))
    shift_ns = round(u_s * NS)
    if shift_ns == 0:
        return []
    moved = []
    for sign in (-1, 1):
        try:
            shifted = Window(window.begin_ns + sign * shift_ns, window.end_ns + sign * shift_ns, COMPLETE)
            moved.append(mean_power_w(reference, shifted, limits))
        except Refused:
            return []
    return [
        Contribution(
            "Alignment in time", abs(moved[1] - moved[0]) / 2, "B", unit="W", value=u_s, kind="window and clock"
        )
    ]


def _digits(reference: Sequence[Trace], source: Sequence[Trace]) -> list[Contribution]:
    """Return the last digit of both, in full: a quiet reading repeats its rounding."""
    steps = [trace.instrument.resolution or 0.0 for trace in (*reference, *source) if trace.instrument.unit == "W"]
    u_w = math.hypot(*(resolution_uncertainty(step) for step in steps)) if steps else 0.0
    if u_w == 0:
        return []
    return [Contribution("Last digit of both", u_w, "B", unit="W", distribution="rectangular", kind="resolution")]
