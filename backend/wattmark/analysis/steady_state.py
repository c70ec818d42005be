"""Whether power held still over the window: every test with its value and its limit."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wattmark.analysis.change_points import change_points, largest_step
from wattmark.analysis.limits import Limits
from wattmark.analysis.theil_sen import theil_sen_slope
from wattmark.analysis.type_a import TypeA
from wattmark.analysis.verdict import Verdict, at_most, not_applicable

Array = NDArray[np.float64]
MSER_BATCH = 5
LATE_SAMPLES = 5
MOST_POINTS = 400
"""Theil-Sen looks at all pairs; longer series are averaged to at most this many points first."""


@dataclass(frozen=True, slots=True)
class Steadiness:
    """``steady`` is None where the window is too short to tell."""

    steady: bool | None
    verdicts: tuple[Verdict, ...]


def mser5(x: Array) -> int:
    """Find how many samples of warm-up to cut by MSER-5 (Franklin and White 2008).

    The last five batches are never a candidate: a handful of batches agrees by chance. 0 for less than 50 samples.
    """
    count = len(x) // MSER_BATCH
    if count < 2 * MSER_BATCH:
        return 0
    batches = x[: count * MSER_BATCH].reshape(count, MSER_BATCH).mean(axis=1)[::-1] - x.mean()
    kept = np.arange(1, count + 1)
    squares = np.cumsum(batches**2) - np.cumsum(batches) ** 2 / kept
    statistic = (squares / kept**2)[::-1][: count - MSER_BATCH]
    return int(np.argmin(statistic)) * MSER_BATCH


def theil_sen_drift(t_s: Array, x: Array, duration_s: float) -> float:
    """Compute the median slope times the window [unit of x]."""
    size = math.ceil(len(x) / MOST_POINTS)
    count = len(x) // size * size
    t, y = (a[:count].reshape(-1, size).mean(axis=1) for a in (t_s, x))
    return theil_sen_slope(t, y) * duration_s


def steadiness(t_s: Array, x: Array, duration_s: float, scatter: TypeA, limits: Limits) -> Steadiness:
    """Apply all tests to the samples of one window; all must pass (method 5.1)."""
    if limits.too_short(duration_s, len(x)):
        return Steadiness(None, (_too_short(duration_s, len(x), limits),))
    verdicts = (
        _warm_up(x, limits),
        _drift(t_s, x, duration_s, limits),
        _half_split(x, limits),
        _block_scatter(t_s, x, duration_s, limits),
        _effective_samples(scatter, limits),
        _steps(x, limits),
    )
    return Steadiness(all(v.outcome != "fail" for v in verdicts), verdicts)


def _too_short(duration_s: float, n: int, limits: Limits) -> Verdict:
    return not_applicable(
        "steady-state",
        limits.short_window_s,
        "s",
        f"{n} samples in {duration_s:.3g} s are too few to judge steadiness; measure at least "
        f"{limits.short_window_s:g} s and {limits.short_window_samples} samples.",
    )


def _warm_up(x: Array, limits: Limits) -> Verdict:
    """A warm-up that ends in the second half fails, unless leaving it out would not move the mean."""
    cut = mser5(x)
    moved = 100 * (float(x[cut:].mean()) / float(x.mean()) - 1)
    late = cut > len(x) / 2
    text = f"MSER-5 ends the warm-up after {cut} of {len(x)} samples; without it the mean moves by {moved:+.2g} %."
    return Verdict(
        "warm-up",
        moved,
        limits.drift_pct,
        "%",
        "fail" if late and abs(moved) > limits.drift_pct else "pass",
        text,
    )


def _drift(t_s: Array, x: Array, duration_s: float, limits: Limits) -> Verdict:
    drift = 100 * theil_sen_drift(t_s, x, duration_s) / float(x.mean())
    text = f"Power drifts by {drift:+.2g} % over the window (Theil-Sen)."
    return at_most("drift", drift, limits.drift_pct, "%", text)


def _half_split(x: Array, limits: Limits) -> Verdict:
    half = len(x) // 2
    difference = 100 * (float(x[half:].mean()) - float(x[:half].mean())) / float(x.mean())
    text = f"The second half lies {difference:+.2g} % from the first."
    return at_most("half-split", difference, limits.half_split_pct, "%", text)


def _block_scatter(t_s: Array, x: Array, duration_s: float, limits: Limits) -> Verdict:
    count = int(duration_s // limits.block_s)
    if count < 3:
        text = f"The window holds {count} blocks of {limits.block_s:g} s; three are needed."
        return not_applicable("block-scatter", limits.block_cv_pct, "%", text)
    block = np.floor((t_s - t_s[0]) / limits.block_s).astype(np.int64)
    size = np.bincount(block, minlength=count)[:count]
    means = np.bincount(block, weights=x, minlength=count)[:count][size > 0] / size[size > 0]
    scatter = 100 * float(means.std(ddof=1)) / float(x.mean())
    text = f"Means of {limits.block_s:g} s blocks scatter by {scatter:.2g} %."
    return at_most("block-scatter", scatter, limits.block_cv_pct, "%", text)


def _effective_samples(scatter: TypeA, limits: Limits) -> Verdict:
    if scatter.n_eff is None:
        return not_applicable("effective-samples", limits.n_eff, "1", "All samples are equal.")
    text = f"{scatter.n} samples are worth {scatter.n_eff:.3g} independent ones."
    enough = scatter.n_eff >= limits.n_eff
    return Verdict("effective-samples", scatter.n_eff, limits.n_eff, "1", "pass" if enough else "fail", text)


def _steps(x: Array, limits: Limits) -> Verdict:
    """Look for steps, but not among the first samples: real logs show the load step up to 2.6 s late (method 5.2)."""
    kept = x[LATE_SAMPLES:]
    step = 100 * largest_step(kept, change_points(kept)) / float(x.mean())
    text = f"The largest step of the level inside the window is {step:.2g} %."
    return at_most("change-point", step, limits.change_point_pct, "%", text)
