"""A store of alarms in a new data folder, and a clock that is moved by hand."""

from __future__ import annotations

S = 10**9


class HandClock:
    """Both clocks of a machine, standing still until they are moved."""

    def __init__(self, now_s: float = 1000.0) -> None:
        self.now_s = now_s

    def utc_ns(self) -> int:
        return round(self.now_s * S)

    def monotonic_ns(self) -> int:
        return self.utc_ns()

    async def sleep(self, seconds: float) -> None:
        self.now_s += seconds
