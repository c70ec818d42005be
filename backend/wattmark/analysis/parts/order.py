"""The order in time of runs with several counts of a part: whether the effects of count and time can be separated."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wattmark.analysis.comparison.course import Turns

MOST_EXPLAINED = 0.5
"""Share of the variance of the counts that the order of the runs may explain. Beyond it a change with time goes for the
greater part into the slope, and for the smaller into the scatter that the interval is made of."""


def counts_in_turns(counts: Sequence[float], times_s: Sequence[float | None]) -> Turns:
    """Return how the counts follow one another in time: in turns where they neither rise nor fall with it."""
    known = [time_s for time_s in times_s if time_s is not None]
    if len(known) < len(times_s) or len(set(known)) < 2:
        return "not recorded"
    places = np.unique(known, return_inverse=True)[1].astype(np.float64)
    explained = float(np.corrcoef(places, np.array(counts, dtype=np.float64))[0, 1]) ** 2
    return "one after the other" if explained > MOST_EXPLAINED else "in turns"
