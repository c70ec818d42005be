"""Thin a series to one sample a second with its extremes beside it; pure computation on arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wattmark.store.columns import in_order, make_samples, usable
from wattmark.store.sample_store import Samples

STEP_NS = 10**9
WORTH_IT = 2.0
"""Least factor by which thinning must shrink a series; a meter of one reading a second is left unchanged."""


@dataclass(frozen=True, slots=True)
class Thinned:
    """A thinned series. ``minimum`` and ``maximum`` are None for a counter, whose last readings suffice."""

    samples: Samples
    minimum: Samples | None
    maximum: Samples | None

    def __len__(self) -> int:
        return len(self.samples) * (1 if self.minimum is None else 3)


def thin(samples: Samples, kind: str) -> Thinned | None:
    """Thin a series to the seconds of UTC; None where that would not shrink it by `WORTH_IT`.

    A second takes the samples in (s, s + 1]. Its value is the mean of those that may be used (of a counter: the last
    one), its stamp the last stamp (of instantaneous readings: the mean stamp), its quality all their flags together,
    its uncertainty of the stamp the largest. A second without a usable sample becomes one NaN with its flags.
    """
    if not len(samples):
        return None
    samples = in_order(samples)
    first = np.flatnonzero(np.diff((samples.t_ns - 1) // STEP_NS, prepend=np.iinfo(np.int64).min))
    thinned_length = len(first) * (1 if kind == "counter" else 3)
    if len(samples) < WORTH_IT * thinned_length:
        return None
    good = usable(samples)
    n = np.add.reduceat(good.astype(np.int64), first)
    flags = np.where(good | np.repeat(n == 0, _lengths(first, len(samples))), samples.quality, 0)
    quality = np.bitwise_or.reduceat(flags.astype(np.uint16), first)
    u_t_s = np.maximum.reduceat(samples.u_t_s, first)
    stamps = _stamps(samples, first, kind)

    def column(value: NDArray[np.float64]) -> Samples:
        return make_samples(stamps, np.where(n > 0, value, np.nan), quality, u_t_s)

    if kind == "counter":
        return Thinned(column(_last_good(samples, good, first)), None, None)
    with np.errstate(invalid="ignore", over="ignore"):
        mean = np.add.reduceat(np.where(good, samples.value, 0.0), first) / np.maximum(n, 1)
    low = np.minimum.reduceat(np.where(good, samples.value, np.inf), first)
    high = np.maximum.reduceat(np.where(good, samples.value, -np.inf), first)
    return Thinned(column(mean), column(low), column(high))


def _lengths(first: NDArray[np.intp], n: int) -> NDArray[np.intp]:
    return np.diff(np.append(first, n))


def _stamps(samples: Samples, first: NDArray[np.intp], kind: str) -> NDArray[np.int64]:
    if kind != "instantaneous":
        return np.asarray(samples.t_ns[first + _lengths(first, len(samples)) - 1], np.int64)
    begin = samples.t_ns[first]
    beyond = samples.t_ns - np.repeat(begin, _lengths(first, len(samples)))
    return np.asarray(begin + np.add.reduceat(beyond, first) // _lengths(first, len(samples)), np.int64)


def _last_good(samples: Samples, good: NDArray[np.bool_], first: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the last usable reading of each second; of a second without one, anything."""
    last = np.maximum.reduceat(np.where(good, np.arange(len(samples)), 0), first)
    return samples.value[last]
