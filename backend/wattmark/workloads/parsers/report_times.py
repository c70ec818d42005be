"""Whether reports at even intervals are missing, come twice or out of order; whether a program worked long enough."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

FEWEST = 4
"""Distances that show whether a program reports at even intervals."""
EVEN = 0.1
"""Distances of a program that does lie this close to the typical one [1]."""
EVEN_SHARE = 0.8
"""Share of the distances that do."""
NEAR = 0.6
"""A distance below this share of the typical one follows a report that came late, and is no second report."""
LEAST_WORKED = 0.8
"""Share of its window in which a program that states its own time works."""
STARTING_S = 3.0
"""Time that a program may take to start and to write its report."""


def remarks_on_duration(stated_s: float | None, window_s: float) -> Iterator[str]:
    """Say where a program states that it worked for a part of the window only: power is that of all of it."""
    if stated_s is not None and stated_s < min(LEAST_WORKED * window_s, window_s - STARTING_S):
        yield (
            f"The program says that it worked for {stated_s:.4g} s of the {window_s:.4g} s that were measured: power "
            "is the mean over all of them."
        )


def remarks_on_times(at_s: Sequence[float], came_s: float, step_s: float, *, merged: int = 0) -> Iterator[str]:
    """Say how many reports are missing or came twice; ``merged`` came in one step of ``step_s`` with the one before.

    Steps as long as the distances merge reports that are all there, and nothing is said.

    ``came_s`` is the time from the arrival of the first report to that of the last.
    """
    distances = [after - before for before, after in pairwise(at_s)]
    forward = [distance for distance in distances if distance > 0]
    typical_s = median(forward) if forward else 0.0
    even = sum(abs(distance - typical_s) <= EVEN * typical_s for distance in distances)
    if step_s > typical_s / 2 or len(distances) < FEWEST or even < EVEN_SHARE * len(distances):
        return
    missing, twice = 0, merged
    for place, distance in enumerate(distances):
        late = place + 1 < len(distances) and 0 < distances[place + 1] < NEAR * typical_s
        if distance > 1.5 * typical_s and not late:
            missing += round(distance / typical_s) - 1
        elif distance <= 0:
            twice += 1
    every = f"of the program's reports, which come every {typical_s:.4g} s,"
    if missing:
        yield f"{missing:,} {every} {'is' if missing == 1 else 'are'} missing: work in these times is not known."
    if twice:
        yield f"{twice:,} {every} came twice or out of order, and may count twice."
    made_s = at_s[-1] - at_s[0]
    if abs(came_s - made_s) > 0.75 * typical_s:
        yield f"The program made its reports in {made_s:.4g} s, but they came in {came_s:.4g} s, which counts."
