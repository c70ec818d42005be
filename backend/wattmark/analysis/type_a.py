"""Type A uncertainty of the mean of autocorrelated samples."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wattmark.analysis.refusal import Refused

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TypeA:
    """Standard uncertainty of a mean [unit of the samples].

    ``n_eff`` is None for samples that never change. ``u`` is the larger of the figure from n_eff and the one from
    batch means; ``sd`` the standard deviation of single samples.
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
    size = 1 << (2 * n - 1).bit_length()
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
    negative = np.nonzero(pairs <= 0)[0]
    pairs = np.minimum.accumulate(pairs[: negative[0]] if len(negative) else pairs)
    return max(float(2 * pairs.sum() - 1), 1 / max(math.log10(len(x)), 1.0))


def batch_means_uncertainty(x: Array) -> float:
    """Compute the standard uncertainty of the mean from batches of floor(sqrt(n)) samples; 0 below 4 batches."""
    size = math.isqrt(len(x))
    count = len(x) // size
    if count < 4:
        return 0.0
    batches = x[: count * size].reshape(count, size).mean(axis=1)
    return float(batches.std(ddof=1) / math.sqrt(count))


def type_a(x: Array) -> TypeA:
    """Evaluate the mean of samples in the order they came. Raises `Refused` for NaN or fewer than three samples."""
    n = len(x)
    if not np.all(np.isfinite(x)):
        raise Refused("not-finite", "A sample is not a finite number; exclude it before averaging.")
    if n < 3:
        raise Refused("few-samples", f"Samples in the window: {n}; three are needed to tell their scatter.")
    mean, sd = float(x.mean()), float(x.std(ddof=1))
    if sd <= 1e-12 * abs(mean):
        return TypeA(mean, 0.0, n, None, 0.0, math.inf)
    n_eff = n / autocorrelation_time(x)
    u = max(sd / math.sqrt(n_eff), batch_means_uncertainty(x))
    return TypeA(mean, sd, n, n_eff, u, max(min(n_eff, n) - 1, 1.0))
