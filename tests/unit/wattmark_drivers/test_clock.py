"""Stamps of answers on a machine that stops the process at any moment."""

from __future__ import annotations

import random

import pytest
from wattmark_drivers.clock import stamp_between

MS = 10**6
UTC_AHEAD_NS = 1_700_000_000 * 10**9


class StoppedClock:
    """Time passes between any two readings, as it does in a process that others push aside."""

    def __init__(self, stops_ns: list[int]) -> None:
        self._now_ns = 0
        self._stops_ns = stops_ns

    def monotonic_ns(self) -> int:
        return self._step()

    def utc_ns(self) -> int:
        return UTC_AHEAD_NS + self._step()

    async def sleep(self, seconds: float) -> None:
        raise NotImplementedError

    def _step(self) -> int:
        self._now_ns += self._stops_ns.pop(0)
        return self._now_ns


@pytest.mark.parametrize("seed", range(50))
def test_the_stamp_covers_the_exchange_wherever_the_process_was_stopped(seed: int) -> None:
    rng = random.Random(seed)
    clock = StoppedClock([100 * MS, 20 * MS, *(rng.choice((0, 16 * MS)) for _ in range(10))])
    asked_ns, answered_ns = clock.monotonic_ns(), clock.monotonic_ns()
    stamp = stamp_between(clock, asked_ns, answered_ns)
    assert stamp.t_ns - stamp.u_t_ns <= UTC_AHEAD_NS + asked_ns
    assert stamp.t_ns + stamp.u_t_ns >= UTC_AHEAD_NS + answered_ns


def test_a_process_that_was_not_stopped_pays_nothing() -> None:
    clock = StoppedClock([100 * MS, 20 * MS, 0, 0, 0])
    stamp = stamp_between(clock, clock.monotonic_ns(), clock.monotonic_ns())
    assert (stamp.t_ns, stamp.u_t_ns) == (UTC_AHEAD_NS + 110 * MS, 10 * MS)
