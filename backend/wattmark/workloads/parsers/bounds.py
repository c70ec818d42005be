"""How much a load may print, and how finely its work is kept: every bound with its reason."""

from __future__ import annotations

import math

LINES_PER_S = 25_000
"""Lines per second that a load may print for long. A busy log has 20,000; parsing these takes a fifth of one CPU."""
BYTES_PER_S = 8 * 2**20
"""The same number of lines, of 300 characters each [bytes/s]."""
MARKS_PER_S = 2_000
"""Marks per second by pipe and HTTP, where each mark is taken by the loop that also samples the meters."""
BURST_S = 5.0
"""Burst allowed, in seconds of the rate [s]: a program that prints its whole log at its end is not a flood."""
FINEST_S = 0.02
"""Work is kept in no finer steps than this [s]: few meters give more than one reading in that time."""
MOST_ROWS = 20_000
"""Steps of work that a run keeps at most: 1.5 MB of its record. Longer windows are kept in longer steps."""


def step_ns(seconds: float) -> int:
    """Choose the time step at which the work of a window is stored [ns]."""
    return math.ceil(1e9 * max(FINEST_S, seconds / MOST_ROWS))
