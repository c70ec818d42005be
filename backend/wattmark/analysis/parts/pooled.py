"""One figure of several servers, pooled: its mean over servers, and what to expect of another one.

Each server has a slope of its own, which scatters about a common mean by more than its ± explains. Every server weighs
the same: the slopes are repeats, whose spread holds both the scatter within and between servers. Student's interval of
them is exact where they are alike, and covers more where they are not (N. K. Bakirov and G. J. Szekely, J. Math. Sci.
139 (2006) 6497). Weights by the scatter of each slope, as those of a random-effects meta-analysis, cover too little for
a handful of servers: an estimate of scatter from few degrees of freedom is small by chance every now and then, and such
a slope rules the mean (W. G. Cochran and S. P. Carroll, Biometrics 9 (1953) 447).

Sources: L. V. Hedges and I. Olkin, Statistical Methods for Meta-Analysis (1985), chapter 9 (scatter between servers);
G. J. Hahn and W. Q. Meeker, Statistical Intervals (1991), 4.2 and 4.7 (mean, and one further observation).
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from wattmark.analysis.comparison.comparison import student_factor
from wattmark.analysis.comparison.repeats import floored, joined
from wattmark.analysis.refusal import Refused
from wattmark.core.interval import Interval95

FEWEST = 2
"""Fewest servers for a mean with a ±."""
FEWEST_TO_PREDICT = 3
"""Fewest servers for a prediction interval: of two, whose spread has one degree of freedom, it would say nothing."""


@dataclass(frozen=True, slots=True)
class ServerSlope:
    """A slope of one server with its own scatter and the errors that slopes of other servers may share [its unit]."""

    value: float
    u: float
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

    An error that several servers share (one meter for all) is no scatter between them: it is added to the mean. One
    that a single server has is part of its own uncertainty. Where slopes agree by chance, their own uncertainties keep
    the interval from vanishing. Raises `Refused`.
    """
    k = len(slopes)
    if k < FEWEST:
        raise Refused("one-server", f"Pooling needs the slopes of {FEWEST} servers with a ±; there is {k or 'none'}.")
    servers = Counter(name for slope in slopes for name in slope.shared)
    own_variance = math.fsum(_own_variance(slope, servers) for slope in slopes) / k
    values = [slope.value for slope in slopes]
    mean, variance = statistics.fmean(values), statistics.variance(values)
    u, dof = floored(math.sqrt(variance / k), k - 1.0, math.sqrt(own_variance / k))
    carried = (math.fsum(slope.shared.get(name, 0.0) for slope in slopes) / k for name in servers if servers[name] > 1)
    common = [(abs(error), math.inf) for error in carried]
    u_mean, dof_mean = joined([(u, dof), *common])
    prediction = None
    if k >= FEWEST_TO_PREDICT:
        u_new, dof_new = joined([(u * math.sqrt(k + 1), dof), *common])
        half = student_factor(dof_new) * u_new
        prediction = mean - half, mean + half
    interval = Interval95.student(mean, student_factor(dof_mean) * u_mean, u_mean, dof_mean)
    return Pooled(interval, math.sqrt(max(0.0, variance - own_variance)), prediction)


def _own_variance(slope: ServerSlope, servers: Mapping[str, int]) -> float:
    """Return the variance of a slope's scatter and of the errors that no other server has."""
    return math.fsum([slope.u**2, *(u**2 for name, u in slope.shared.items() if servers[name] == 1)])
