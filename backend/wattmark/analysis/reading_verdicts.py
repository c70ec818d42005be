"""What speaks against the readings of one meter over the window."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wattmark.analysis.limits import Limits
from wattmark.analysis.meter_power import MeterPower
from wattmark.analysis.sampling import aliasing
from wattmark.analysis.verdict import Verdict, at_most


def reading_verdicts(m: MeterPower, duration_s: float, limits: Limits) -> list[Verdict]:
    """Judge losses, bad, over-range, stale and unchanging readings of one meter, and loads that could hide in between.

    Energy registers count what nobody reads, so that nothing of this concerns them.
    """
    if m.trace.instrument.kind == "counter":
        return []
    name, lost = m.trace.instrument.name, m.energy.losses
    all_samples = m.samples + m.excluded
    over, stale = (_inside(t_s, duration_s) for t_s in (m.trace.over_range_t_s, m.trace.stale_t_s))
    verdicts = [
        at_most(
            "gaps",
            100 * lost.lost_s / duration_s,
            100 * limits.most_lost_s(duration_s, m.trace.period_s) / duration_s,
            "%",
            f"{name} gave no good reading for {lost.lost_s:.3g} s of the window, in {lost.gaps} stretches.",
        ),
        at_most(
            "bad-samples",
            100 * m.excluded / all_samples,
            limits.bad_samples_pct,
            "%",
            f"{m.excluded} of {all_samples} samples of {name} were bad and left out.",
        ),
        at_most(
            "over-range",
            100 * over / all_samples,
            limits.gap_share_pct,
            "%",
            f"{over} of {all_samples} samples of {name} were beyond its range.",
        ),
        at_most(
            "stale",
            100 * stale / all_samples,
            limits.gap_share_pct,
            "%",
            f"{stale} of {all_samples} samples of {name} only repeated an old reading.",
        ),
        _frozen(m, duration_s, limits),
    ]
    hidden = aliasing(m.trace, duration_s)
    return verdicts if hidden is None else [*verdicts, hidden]


def _inside(t_s: NDArray[np.float64], duration_s: float) -> int:
    return int(np.count_nonzero((t_s > 0) & (t_s < duration_s)))


def _frozen(m: MeterPower, duration_s: float, limits: Limits) -> Verdict:
    """Judge the longest stretch of equal readings: power under load never stands still; 0 W of an unused feed does."""
    value = m.trace.value[m.trace.inside(duration_s)]
    longest = _longest_run(value) if np.any(value != 0) else 1
    text = f"The longest stretch of equal readings of {m.trace.instrument.name} has {longest} samples."
    if longest > limits.frozen_samples:
        text += " The meter may have stopped measuring: check it, or use a range with a finer last digit."
    return at_most("frozen", float(longest), float(limits.frozen_samples), "1", text)


def _longest_run(value: NDArray[np.float64]) -> int:
    """Count the samples of the longest stretch without a change."""
    changes = np.flatnonzero(np.diff(value) != 0)
    return int(np.diff(np.concatenate(([-1], changes, [len(value) - 1]))).max(initial=1))
