"""One step of sending, and how long to wait after one that failed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

FIRST_S = 1.0
LONGEST_S = 60.0


@dataclass(frozen=True, slots=True)
class SendingProblem:
    """Why nothing can be sent, and what to do; ``retry_after_s`` is the server's requested delay [s]."""

    cause: str
    remedy: str
    retry_after_s: float | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """What one step did: samples and records acknowledged, and how long to wait before the next [s]."""

    sent: int
    wait_s: float
    problem: SendingProblem | None = None


class Sink(Protocol):
    """What drains an outbox into a server. One thread calls `step`; no call lasts longer than a few timeouts."""

    def step(self, *, everything: bool = False) -> Step:
        """Send the next part; ``everything``: also what would be collected with more. Raises `StoreError`."""
        ...


def wait_s(failures: int, random: Callable[[], float], asked_s: float | None = None) -> float:
    """Compute the wait after some failures in a row [s]: doubled each time up to a minute, then spread by half.

    ``random`` gives numbers in [0, 1), so that many appliances do not come back together. ``asked_s`` is what the
    server asked for; it is kept to, up to ten minutes.
    """
    doubled = min(LONGEST_S, FIRST_S * 2.0 ** min(failures - 1, 16))
    spread = doubled * (0.5 + 0.5 * random())
    return spread if asked_s is None else max(spread, min(asked_s, 10 * LONGEST_S))
