"""Type A uncertainty of the mean of samples: how they scatter, correlated or periodic, and what lies between them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from wattmark.analysis.refusal import Refused

Array = NDArray[np.float64]
FEW = 100.0
"""Below this many independent samples Geyer's sequence stops too early: intervals covered 92 % (first-order noise of
phi = 0.8 in 240 samples) until the correlation was also taken from the first lag, as the larger of both."""
SHORT = 20
"""Fewer values are treated as first-order noise with a correlation time of at most half their number and at least half
their degrees of freedom: by Geyer's sequence, intervals of 8 to 19 independent or weakly correlated values covered as
much with up to ten times the width."""
DRIFT = 2.5
"""A straight drift of at least this many standard uncertainties is not scatter of the window's mean: the drift is part
of the mean, and intervals that counted it as scatter covered up to 100 %."""
FEWEST_FOR_LINE = 20
FEWEST_FOR_CORRELATION = 8
"""Fewer values are taken as independent: a correlation estimated from three values is chance, and made k 12.7 instead
of 4.3 in a third of white series."""
FEWEST_INDEPENDENT = 10.0
"""Fewer independent samples than this are unsteady (method 2.1); then no drift is removed from their scatter."""
MOST_CORRELATED = 0.999
MOST_LOST = 0.9
FEWEST_PERIODS = 4
"""A rhythm needs at least this many periods in the window."""
MOST_OF_VARIANCE = 0.5
"""A rhythm has at least this share of the variance in its spectral line and the two neighbours."""
FEWEST_BLOCKS = 8
FEWEST_MOVES = 10
FEWEST_DIGITS = 3
"""Readings that change by fewer digits may be equal only through rounding."""
LONGEST = 2**18
"""More samples (three days of one a second) are averaged in groups first: u is the same within its own scatter, and
neither memory nor time grows with the log."""
CELLS = 2**17
FEW_REPEATS = 0.02
"""A smaller share of equal neighbours beyond chance is ignored."""
SLOPE_SHARE = 1 / 6
"""Share of a variogram proportional to the lag that remains after interpolation between samples: a Brownian bridge of
variance rate 2 c has the variance c T/6 in the mean of its cell."""


@dataclass(frozen=True, slots=True)
class TypeA:
    """Standard uncertainty of a mean [unit of the samples].

    ``u`` is the larger of the figure from the correlation and the one from batch means; ``n_eff`` counts independent
    samples, None for samples that never change. Both refer to the residuals of a straight line where the samples drift,
    and to means of whole periods where a rhythm dominates. For more than `LONGEST` samples ``n_eff`` and ``dof`` count
    means of neighbours, so they are lower bounds.
    ``sd`` is the standard deviation of single samples.
    """

    mean: float
    sd: float
    n: int
    n_eff: float | None
    u: float
    dof: float


def autocorrelation(x: Array) -> Array:
    """Compute the autocorrelation at lags 0..n-1 by FFT (biased estimator, as initial sequences need it)."""
    n = len(x)
    centred = x - x.mean()
    size = 1 << (2 * n - 1).bit_length()  # zero padding to 2 n: the FFT correlates in a circle
    spectrum = np.fft.rfft(centred, size)
    acf = np.fft.irfft(spectrum * np.conj(spectrum), size)[:n]
    return np.asarray(acf / acf[0], dtype=np.float64)


def autocorrelation_time(x: Array) -> float:
    """Compute tau = 1 + 2 sum rho by Geyer's initial monotone positive sequence (Geyer 1992) [samples].

    Kept above 1/log10(n), so that alternating samples cannot claim any precision (Vehtari et al. 2021).
    """
    rho = autocorrelation(x)
    half = len(rho) // 2
    pairs = rho[0 : 2 * half : 2] + rho[1 : 2 * half : 2]
    # sums of neighbouring lags are positive and decrease (Geyer 1992): the first that is not is estimation noise
    negative = np.nonzero(pairs <= 0)[0]
    pairs = np.minimum.accumulate(pairs[: negative[0]] if len(negative) else pairs)
    # the sum includes lag 0, which tau counts once
    return max(float(2 * pairs.sum() - 1), 1 / max(math.log10(len(x)), 1.0))


def first_order_time(x: Array) -> float:
    """Compute tau = (1 + phi)/(1 - phi) of first-order noise from the first lag, its bias removed [samples].

    Kendall (1954): E[r] = phi - (1 + 3 phi)/n. Geyer's sequence, truncated by the noise of the estimate, is too
    small for few independent samples; this estimate is not.
    """
    r = float(autocorrelation(x)[1])
    phi = min(r + (1 + 3 * r) / len(x), MOST_CORRELATED)
    return max((1 + phi) / (1 - phi), 0.0)


def batch_means_uncertainty(x: Array) -> float:
    """Compute the standard uncertainty of the mean from batches of floor(sqrt(n)) samples; 0 below 4 batches."""
    size = math.isqrt(len(x))
    count = len(x) // size
    if count < 4:
        return 0.0
    batches = x[: count * size].reshape(count, size).mean(axis=1)
    return float(batches.std(ddof=1) / math.sqrt(count))


def type_a(x: Array) -> TypeA:
    """Evaluate the mean of samples in order of time. Raises `Refused` for NaN or fewer than three samples."""
    n = len(x)
    if not np.all(np.isfinite(x)):
        raise Refused("not-finite", "A sample is not a finite number; exclude it before averaging.")
    if n < 3:
        raise Refused(
            "few-samples", f"The window has {n} samples; at least three are needed to estimate their scatter."
        )
    mean, sd = float(x.mean()), float(x.std(ddof=1))
    if sd <= 1e-12 * abs(mean):
        return TypeA(mean, 0.0, n, None, 0.0, math.inf)
    if n > LONGEST:
        return replace(type_a(cell_means(x, CELLS)), mean=mean, sd=sd, n=n)
    u, dof = _of_mean(x)
    n_eff = n / _correlation_time(x)
    if n >= FEWEST_FOR_LINE:
        line = straight_line(x)
        rest = x - line
        u_about, dof_about = _of_mean(rest)
        n_about = n if u_about == 0 else n / _correlation_time(rest)
        drift = float(line[-1] - line[0])
        # the change of a fitted line over the window has sqrt(12) times the standard uncertainty of the mean
        if n_about >= FEWEST_INDEPENDENT and _drifts(x, drift, DRIFT * math.sqrt(12.0) * u_about):
            u, dof, n_eff = min(u, u_about), dof_about, n_about
    rhythm = rhythm_uncertainty(x)
    if rhythm is not None and rhythm[0] < u:
        u, dof = rhythm
        n_eff = max(n_eff, dof + 1)
    return TypeA(mean, sd, n, n_eff, u, dof)


def cell_means(x: Array, most: int) -> Array:
    """Average neighbours of a long series to ``most`` values, at most twice as many; the last few are excluded."""
    size = max(len(x) // most, 1)
    return np.asarray(x[: len(x) // size * size].reshape(-1, size).mean(axis=1))


def _correlation_time(x: Array) -> float:
    """Compute tau [samples]; 1 for fewer than `FEWEST_FOR_CORRELATION` values."""
    return autocorrelation_time(x) if len(x) >= FEWEST_FOR_CORRELATION else 1.0


def _drifts(x: Array, drift: float, least: float) -> bool:
    """Return whether a line's drift is significant and not due to a few samples: medians must show half of it too."""
    third = len(x) // 3
    # the centres of the outer thirds are two thirds of the window apart
    by_medians = 1.5 * float(np.median(x[-third:]) - np.median(x[:third]))
    return abs(drift) > least and by_medians * math.copysign(1.0, drift) >= abs(drift) / 2


def straight_line(x: Array) -> Array:
    """Fit a least-squares line to equidistant samples and return its values [unit of x]; the mean is unchanged."""
    t = np.arange(len(x)) - (len(x) - 1) / 2
    return np.asarray(x.mean() + t * (t @ x) / (t @ t), dtype=np.float64)


def _of_mean(x: Array) -> tuple[float, float]:
    """Compute the standard uncertainty of the mean and its degrees of freedom; (0, infinite) without scatter."""
    n, sd = len(x), float(x.std(ddof=1))
    if sd <= 1e-12 * max(abs(float(x.mean())), float(np.abs(x).max())):
        return 0.0, math.inf
    if n < FEWEST_FOR_CORRELATION:
        return sd / math.sqrt(n), n - 1.0
    if n < SHORT:
        tau = min(max(first_order_time(x), 1.0), n / 2)
        return sd * math.sqrt(tau / n * _lost_scatter(tau, n)), max(n / tau - 1, (n - 1) / 2)
    tau = autocorrelation_time(x)
    few = n / tau < FEW
    if few:
        tau = max(tau, first_order_time(x))
    share = tau / n * (_lost_scatter(tau, n) if few else 1.0)
    return max(sd * math.sqrt(share), batch_means_uncertainty(x)), max(min(n / tau, n) - 1, 1.0)


def _lost_scatter(tau: float, n: int) -> float:
    """Compute sigma^2/E[sd^2] = (1 - 1/n)/(1 - tau/n): correction of the scatter about the sample mean [1]."""
    return (1 - 1 / n) / (1 - min(tau / n, MOST_LOST))


def dominant_period(x: Array) -> int | None:
    """Find the period of a dominant rhythm [samples]; None where there is none."""
    n = len(x)
    power = np.abs(np.fft.rfft(x - x.mean())) ** 2
    total = float(power[1:].sum())
    if n < 2 * FEWEST_PERIODS or total == 0:
        return None
    line = FEWEST_PERIODS + int(np.argmax(power[FEWEST_PERIODS:]))
    if float(power[line - 1 : line + 2].sum()) < MOST_OF_VARIANCE * total:
        return None
    return max(round(n / line), 1)


def rhythm_uncertainty(x: Array) -> tuple[float, float] | None:
    """Compute the standard uncertainty of the mean of a periodic process and its degrees of freedom; None without one.

    Means of whole periods scatter only by what is not periodic; the incomplete last period adds at most half of the
    range of the cumulative sum over a period, as a rectangular distribution.
    """
    period = dominant_period(x)
    if period is None or period < 2 or len(x) // period < FEWEST_BLOCKS:
        return None
    count = len(x) // period
    blocks = x[: count * period].reshape(count, period)
    rest = float(blocks.mean(axis=1).std(ddof=1)) / math.sqrt(count)
    path = np.cumsum(blocks.mean(axis=0) - x.mean())
    phase = float(np.ptp(path)) / 2 / len(x) / math.sqrt(3.0)
    return math.hypot(rest, phase), count - 1.0


@dataclass(frozen=True, slots=True)
class SamplingError:
    """Standard uncertainty of the mean of samples as the mean of what was sampled [unit of the samples]."""

    u: float
    dof: float


def sampling_error(x: Array, uncovered_share: float, spread: float = 1.0) -> SamplingError:
    """Compute the error of the mean from the variogram of the samples at the first two lags.

    The nugget (noise faster than the samples, by extrapolation to lag 0) averages as independent values do; of the part
    that grows with the lag (jumps and slow swings) a sixth remains, as the samples on both sides of a cell are known.
    Samples that cover part of their cell contribute the uncovered share of it. Steps of unequal length s multiply the
    second part by ``spread``, mean(s^3)/mean(s)^3: a jump falls into a long step more often and errs by its length.
    Degrees of freedom are the number of differences that make the figure, by their fourth powers.
    """
    n = len(x)
    if n < 3 or uncovered_share <= 0:
        return SamplingError(0.0, math.inf)
    fast, slow = variogram_parts(x)
    if fast + slow == 0:
        return SamplingError(0.0, math.inf)
    variance = (fast + SLOPE_SHARE * spread * slow) * uncovered_share / n
    squares = squared(np.diff(x))
    return SamplingError(math.sqrt(variance), max(float(squares.sum() ** 2 / (squares @ squares)) - 1, 1.0))


def repeated_share(x: Array, resolution: float | None) -> float:
    """Compute the share of readings that repeat the previous one, beyond equality through the last digit [1].

    Normal differences of the median size m fall within one digit q of nothing by a chance of 0.27 q/m. Whether
    a meter measured between two equal readings is unknown, so that time counts as uncovered.
    """
    steps = np.diff(x)
    np.abs(steps, out=steps)
    moves = int(np.count_nonzero(steps))
    if moves < FEWEST_MOVES:
        return 0.0
    digit = float(steps.min(where=steps > 0, initial=math.inf)) if resolution is None else resolution
    share = 1 - moves / len(steps)
    middle = len(steps) - moves + np.array([(moves - 1) // 2, moves // 2])  # the least are the zeros
    steps.partition(middle)
    median = float(steps[middle].mean())
    if median < FEWEST_DIGITS * digit or share <= 2 * 0.27 * digit / median + FEW_REPEATS:
        return 0.0
    return share


def variogram_parts(x: Array) -> tuple[float, float]:
    """Split the variogram of neighbours: (nugget, part that grows with the lag) [unit of x, squared].

    The nugget (Matheron) extrapolates the variogram from the first two lags to lag 0.
    """
    gamma_1, gamma_2 = (float(np.mean(squared(x[lag:] - x[:-lag]))) / 2 for lag in (1, 2))
    nugget = min(max(2 * gamma_1 - gamma_2, 0.0), gamma_1)
    return nugget, gamma_1 - nugget


def squared(x: Array) -> Array:
    """Square differences in place: there may be as many as samples in a long log."""
    return np.multiply(x, x, out=x)
