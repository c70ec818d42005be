"""One figure of several servers, pooled: its mean over servers, and what to expect of another one.

A random-effects meta-analysis: each server has a slope of its own, which scatters about a common mean by more than its
± explains. Few runs weigh as little as their wide interval implies (u = U95/1.96, as in `analysis/comparison/ring.py`).

Sources: R. DerSimonian and N. Laird, Control. Clin. Trials 7 (1986) 177 (scatter between servers); J. Hartung and
G. Knapp, Stat. Med. 20 (2001) 3875 (± of the mean), with the factor at least 1 of C. Röver, G. Knapp and T. Friede, BMC
Med. Res. Methodol. 15 (2015) 99; J. P. T. Higgins, S. G. Thompson and D. J. Spiegelhalter, J. R. Stat. Soc. A 172
(2009) 137 (prediction interval, k - 2 degrees of freedom).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from wattmark.analysis.comparison.comparison import student_factor
from wattmark.analysis.comparison.repeats import joined
from wattmark.analysis.refusal import Refused
from wattmark.core.interval import Interval95

Array = NDArray[np.float64]
FEWEST = 2
"""Fewest servers for a mean with a ±."""
FEWEST_TO_PREDICT = 3
"""Fewest servers for a prediction interval: it has k - 2 degrees of freedom."""


@dataclass(frozen=True, slots=True)
class ServerSlope:
    """A slope of one server with its own scatter and the errors that slopes of other servers may share [its unit]."""

    value: float
    u: float
    dof: float
    shared: Mapping[str, float] = field(default_factory=dict)
    """By the identity of the error, with its sign."""


@dataclass(frozen=True, slots=True)
class Pooled:
    """Mean over servers with its ±, scatter between servers, and the interval of another server [unit of the slope]."""

    mean: Interval95
    between: float
    """Standard deviation between servers, beyond what their own ± explains."""
    prediction: tuple[float, float] | None
    """Ends of the 95 % interval of the slope of another server; None with fewer than three servers."""


def pooled(slopes: Sequence[ServerSlope]) -> Pooled:
    """Pool the slopes of servers and predict that of another one.

    An error that several servers share (one meter for all) is no scatter between them: it is added to the mean, with
    the weights of the servers. One that a single server has is part of its own uncertainty. Raises `Refused`.
    """
    k = len(slopes)
    if k < FEWEST:
        raise Refused("one-server", f"Pooling needs the slopes of {FEWEST} servers with a ±; there is {k or 'none'}.")
    servers = Counter(name for slope in slopes for name in slope.shared)
    y = np.array([slope.value for slope in slopes])
    v = np.array([_own_variance(slope, servers) for slope in slopes])
    if not np.all(v > 0):
        raise Refused("no-scatter", "A slope has no scatter, so that its weight is not known.")
    between_variance = _between(y, v)
    w = 1 / (v + between_variance)
    weights = w / w.sum()
    mean = float(y[0] + weights @ (y - y[0]))
    widened = max(1.0, float(w @ (y - mean) ** 2) / (k - 1))
    u = math.sqrt(widened / float(w.sum()))
    carried = {
        name: math.fsum(share * slope.shared.get(name, 0.0) for share, slope in zip(weights, slopes, strict=True))
        for name, count in servers.items()
        if count > 1
    }
    common = [(abs(error), math.inf) for error in carried.values()]
    u_mean, dof = joined([(u, k - 1.0), *common])
    prediction = None
    if k >= FEWEST_TO_PREDICT:
        u_new, dof_new = joined([(math.hypot(math.sqrt(between_variance), u), k - 2.0), *common])
        half = student_factor(dof_new) * u_new
        prediction = mean - half, mean + half
    return Pooled(
        Interval95.student(mean, student_factor(dof) * u_mean, u_mean, dof), math.sqrt(between_variance), prediction
    )


def _own_variance(slope: ServerSlope, servers: Mapping[str, int]) -> float:
    """Return the variance of a slope's scatter and of the errors that no other server has."""
    scatter = student_factor(slope.dof) / student_factor(math.inf) * slope.u
    return math.fsum([scatter**2, *(u**2 for name, u in slope.shared.items() if servers[name] == 1)])


def _between(y: Array, v: Array) -> float:
    """Estimate the variance between servers by the moments of Cochran's Q (DerSimonian and Laird 1986)."""
    w = 1 / v
    mean = y[0] + float(w @ (y - y[0])) / float(w.sum())
    q = float(w @ (y - mean) ** 2)
    return max(0.0, (q - (len(y) - 1)) / float(w.sum() - w @ w / w.sum()))
