"""The order in time of runs with several DIMM counts: whether the count and time can be told apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wattmark.analysis.comparison.course import Turns
from wattmark.analysis.memory.memory import MemoryRun

MOST_EXPLAINED = 0.5
"""Share of the variance of the counts that the order of the runs may explain. Beyond it a change with time goes for the
greater part into the slope, and for the smaller into the scatter that the interval is made of."""


def counts_in_turns(runs: Sequence[MemoryRun]) -> Turns:
    """Return how the DIMM counts follow one another in time: in turns where they neither rise nor fall with it."""
    times = [run.made_s for run in runs if run.made_s is not None]
    places = np.unique(times, return_inverse=True)[1].astype(np.float64)
    if len(times) < len(runs) or len(set(times)) < 2:
        return "not recorded"
    counts = np.array([run.dimms for run in runs], dtype=np.float64)
    explained = float(np.corrcoef(places, counts)[0, 1]) ** 2
    return "one after the other" if explained > MOST_EXPLAINED else "in turns"
