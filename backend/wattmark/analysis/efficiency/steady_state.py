"""Steady state of power over the window: every test with its value and limit, and the part that was steady."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wattmark.analysis.energy.type_a import CELLS, LONGEST, TypeA, cell_means, type_a
from wattmark.analysis.refusal import Refused
from wattmark.analysis.verdict import Limits, Verdict, at_most, each_rule, not_checked
from wattmark.core.numbers import format_number, signed_number

Array = NDArray[np.float64]
MSER_BATCH = 5
LATE_SAMPLES = 5
MOST_POINTS = 400
"""Theil-Sen looks at all pairs; longer series are averaged to at most this many points first."""
MIN_SIZE = 5
MOST_STEPS = 100
PARTS = 12
STEPS_TRIED = 6
_POINTS = 2**12
"""Means of neighbours in which a steady part of a long window is looked for: each of some 190 parts is tested."""
_LOG_STEPS_PER_S = 10
"""Steps in which a part of a log is named, within the steady part."""
STEADY_RULES = ("warm-up", "drift", "half-split", "block-scatter", "effective-samples", "change-point")
"""All must pass for a steady window."""


@dataclass(frozen=True, slots=True)
class Steadiness:
    """``steady`` is None where the window is too short to tell."""

    steady: bool | None
    verdicts: tuple[Verdict, ...]


def mser5(x: Array) -> int:
    """Find the number of warm-up samples to cut by MSER-5 (Franklin and White 2008).

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
        text = (
            f"{len(x)} samples in {format_number(duration_s, 3)} s are too few to judge steadiness; measure for at "
            "least "
            f"{limits.short_window_s:g} s with at least {limits.short_window_samples} samples."
        )
        return Steadiness(None, each_rule(STEADY_RULES, (), text))
    verdicts = (
        _warm_up(x, limits),
        _drift(t_s, x, duration_s, limits),
        _half_split(x, limits),
        _block_scatter(t_s, x, duration_s, limits),
        _effective_samples(scatter, limits),
        _steps(x, limits),
    )
    return Steadiness(all(v.outcome != "fail" for v in verdicts), verdicts)


def _warm_up(x: Array, limits: Limits) -> Verdict:
    """Evaluate the warm-up: one that ends in the second half fails, unless excluding it would not move the mean."""
    cut = mser5(x)
    moved = 100 * (float(x[cut:].mean()) / float(x.mean()) - 1)
    late = cut > len(x) / 2
    text = (
        f"MSER-5 ends the warm-up after {cut} of {len(x)} samples; without it the mean moves by "
        f"{signed_number(moved, 2)} %."
    )
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
    text = f"Power drifts by {signed_number(drift, 2)} % over the window (Theil-Sen)."
    return at_most("drift", drift, limits.drift_pct, "%", text)


def _half_split(x: Array, limits: Limits) -> Verdict:
    half = len(x) // 2
    difference = 100 * (float(x[half:].mean()) - float(x[:half].mean())) / float(x.mean())
    text = f"The mean of the second half differs from that of the first by {signed_number(difference, 2)} %."
    return at_most("half-split", difference, limits.half_split_pct, "%", text)


def _block_scatter(t_s: Array, x: Array, duration_s: float, limits: Limits) -> Verdict:
    count = int(duration_s // limits.block_s)
    if count < 3:
        text = f"The window holds {count} blocks of {limits.block_s:g} s; three are needed."
        return not_checked("block-scatter", limits.block_cv_pct, "%", text)
    block = np.floor((t_s - t_s[0]) / limits.block_s).astype(np.int64)
    size = np.bincount(block, minlength=count)[:count]
    means = np.bincount(block, weights=x, minlength=count)[:count][size > 0] / size[size > 0]
    scatter = 100 * float(means.std(ddof=1)) / float(x.mean())
    text = f"Means of blocks of {limits.block_s:g} s scatter by {format_number(scatter, 2)} %."
    return at_most("block-scatter", scatter, limits.block_cv_pct, "%", text)


def _effective_samples(scatter: TypeA, limits: Limits) -> Verdict:
    if scatter.n_eff is None:
        return not_checked("effective-samples", limits.n_eff, "1", "All samples are equal.")
    text = f"{scatter.n} samples are worth {format_number(scatter.n_eff, 3)} independent ones."
    enough = scatter.n_eff >= limits.n_eff
    return Verdict("effective-samples", scatter.n_eff, limits.n_eff, "1", "pass" if enough else "fail", text)


def _steps(x: Array, limits: Limits) -> Verdict:
    """Evaluate steps, but not among the first samples: real logs show the load step up to 2.6 s late (method 5.2)."""
    kept = x[LATE_SAMPLES:]
    kept = cell_means(kept, CELLS) if len(kept) > LONGEST else kept
    step = 100 * largest_step(kept, change_points(kept)) / float(x.mean())
    text = f"The largest step of the level inside the window is {format_number(step, 2)} %."
    return at_most("change-point", step, limits.change_point_pct, "%", text)


def change_points(x: Array, penalty: float | None = None) -> list[int]:
    """Find where the mean changes; each index begins a new segment of at least five samples.

    Binary segmentation, cost l2 (Scott and Knott 1974; cost and penalty as in Killick 2012). ``penalty`` None:
    3 sigma^2 ln n with sigma from the differences of neighbours, so that a step does not hide itself.
    """
    if len(x) < 2 * MIN_SIZE:
        return []
    limit = 3 * _noise(x) ** 2 * math.log(len(x)) if penalty is None else penalty
    total = np.concatenate(([0.0], np.cumsum(x - x.mean())))
    splits: list[int] = []
    open_parts = [(0, len(x))]
    while open_parts and len(splits) < MOST_STEPS:
        begin, end = open_parts.pop()
        split, gain = _best_split(total, begin, end)
        if gain > limit:
            splits.append(split)
            open_parts += [(begin, split), (split, end)]
    return sorted(splits)


def largest_step(x: Array, points: list[int]) -> float:
    """Compute the largest difference of mean between neighbouring segments [unit of x]; 0 without change points."""
    means = [float(part.mean()) for part in np.split(x, points)]
    return max((abs(b - a) for a, b in itertools.pairwise(means)), default=0.0)


def _noise(x: Array) -> float:
    """Estimate the standard deviation of the noise from the median of neighbours' differences."""
    step = np.diff(x)
    # 1.4826 x the median absolute deviation estimates sigma of normal noise; a difference has twice its variance
    return float(1.4826 * np.median(np.abs(step - np.median(step))) / math.sqrt(2.0))


def _best_split(total: Array, begin: int, end: int) -> tuple[int, float]:
    """Find the split that reduces the squared error most, and the reduction [unit of x, squared]."""
    split = np.arange(begin + MIN_SIZE, end - MIN_SIZE + 1)
    if len(split) == 0:
        return begin, 0.0
    before, after = split - begin, end - split
    left = (total[split] - total[begin]) / before
    right = (total[end] - total[split]) / after
    # the sum of squares about one mean, less those about two
    gain = before * after / (end - begin) * (left - right) ** 2
    best = int(np.argmax(gain))
    return int(split[best]), float(gain[best])


def theil_sen_slope(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Compute the median slope over all pairs of points with different x [unit of y / unit of x].

    Theil 1950, Sen 1968. Uses n squared pairs: average long series first. NaN where all x are equal. Written out
    because importing scipy.stats for it takes longer than everything else that a command needs to start.
    """
    first, second = np.triu_indices(len(x), k=1)
    run, rise = x[second] - x[first], y[second] - y[first]
    apart = run != 0
    return float(np.median(rise[apart] / run[apart])) if apart.any() else float("nan")


@dataclass(frozen=True, slots=True)
class SteadyPart:
    """A steady part of the window, in seconds from its begin, with mean power over it [W]."""

    begin_s: float
    end_s: float
    mean_w: float
    in_log_s: float | None = None
    """When the window begins in the log that it is a part of; None: another part cannot be chosen."""

    @property
    def text(self) -> str:
        """Explain which steady part the window has and what to do."""
        return (
            f"Power was steady from {format_number(self.begin_s, 4)} s to {format_number(self.end_s, 4)} s of the "
            f"window ({format_number(self.mean_w, 4)} W): {self._remedy}. The result still covers the whole window."
        )

    @property
    def _remedy(self) -> str:
        if self.in_log_s is None:
            return "repeat the run and measure only there"
        begin, end = (
            f"{edge / _LOG_STEPS_PER_S:.1f}".removesuffix(".0")
            for edge in (
                math.ceil((self.in_log_s + self.begin_s) * _LOG_STEPS_PER_S),
                math.floor((self.in_log_s + self.end_s) * _LOG_STEPS_PER_S),
            )
        )
        return f"choose that part of the log with --from {begin} --to {end}, or on the page Archives"


def steady_part(
    t_s: Array, x: Array, duration_s: float, limits: Limits, in_log_s: float | None = None
) -> SteadyPart | None:
    """Find the longest part of a window that passes every test of steadiness; None where none is long enough.

    ``in_log_s`` is when the window begins in an imported log. Parts begin and end at twelfths of the window, at steps
    of the level and where MSER-5 ends the warm-up.
    """
    if len(x) > LONGEST:
        t_s, x = cell_means(t_s, _POINTS), cell_means(x, _POINTS)
    for begin_s, end_s in _spans(_edges(t_s, x, duration_s), limits.short_window_s):
        inside = (t_s >= begin_s) & (t_s < end_s)
        if not limits.too_short(end_s - begin_s, int(inside.sum())) and _steady(t_s[inside], x[inside], limits):
            return SteadyPart(begin_s, end_s, float(x[inside].mean()), in_log_s)
    return None


def _edges(t_s: Array, x: Array, duration_s: float) -> list[float]:
    """List where a part may begin or end [s]."""
    steps = change_points(x)[:STEPS_TRIED]
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
