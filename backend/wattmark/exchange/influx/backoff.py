"""How long to wait before the next attempt."""

from __future__ import annotations

from collections.abc import Callable

FIRST_S = 1.0
LONGEST_S = 60.0


def wait_s(failures: int, random: Callable[[], float], asked_s: float | None = None) -> float:
    """Compute the wait after some failures in a row [s]: doubled each time up to a minute, then spread by half.

    ``random`` gives numbers in [0, 1), so that many appliances do not come back together. ``asked_s`` is what the
    server asked for; it is kept to, up to ten minutes.
    """
    doubled = min(LONGEST_S, FIRST_S * 2.0 ** min(failures - 1, 16))
    spread = doubled * (0.5 + 0.5 * random())
    return spread if asked_s is None else max(spread, min(asked_s, 10 * LONGEST_S))
