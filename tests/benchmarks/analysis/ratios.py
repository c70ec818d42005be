"""CPU time of integrating a power series, beside one sum over its columns."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from wattmark.analysis.energy import piecewise

from tests.benchmarks.analysis.bench_join import series
from tests.benchmarks.ratio import Pair, side_by_side


def join() -> Iterator[Pair]:
    """Compare the energies of intervals of a thousand samples with a sum over stamps and watts."""
    t_s, watts = series()
    edges = np.linspace(t_s[0] + 3.3, t_s[-1] - 2.2, len(watts) // 1000 + 1)
    yield side_by_side(
        "energy of intervals",
        "a sum of the columns",
        lambda: piecewise.integrate(t_s, watts, watts, edges[:-1], edges[1:]),
        lambda: (t_s.sum(), watts.sum()),
        5,
    )
