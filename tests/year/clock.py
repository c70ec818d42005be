"""The clocks of the appliance: one that never steps, and UTC, which is set, drifts, and repeats a second."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.year.loop import SimulatedLoop

BEGIN_NS = 1_798_761_600 * 10**9
"""2027-01-01 00:00:00 UTC."""
PREEMPTED = 3e-5
"""How often another program gets the CPU between two instructions that matter."""
PREEMPTED_S = (0.001, 1.5)


class SimulatedClock:
    """Both clocks of a machine whose time is that of a simulated loop."""

    def __init__(self, loop: SimulatedLoop, chance: random.Random) -> None:
        self._loop = loop
        self._chance = chance
        self._ahead_ns = BEGIN_NS
        """UTC less the time of the loop."""
        self._drift = 0.0
        self._drift_since_ns = 0
        self.steps = 0
        """How often UTC was set."""

    def utc_ns(self) -> int:
        self._read()
        now_ns = self._loop.now_ns
        return self._ahead_ns + now_ns + round((now_ns - self._drift_since_ns) * self._drift)

    def monotonic_ns(self) -> int:
        self._read()
        return self._loop.now_ns

    def _read(self) -> None:
        """Let the time pass that reading a clock takes; now and then another program gets the CPU meanwhile."""
        if self._chance.random() < PREEMPTED:
            self._loop.pass_s(self._chance.uniform(*PREEMPTED_S))

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(max(0.0, seconds))

    def step_s(self, seconds: float) -> None:
        """Set UTC forward or back [s]; a leap second is a step by -1."""
        self._ahead_ns += round(seconds * 1e9)
        self.steps += 1

    def drift_ppm(self, ppm: float) -> None:
        """Let UTC run fast from now on [ppm]; what it has gained it keeps."""
        self._ahead_ns = self.utc_ns() - self._loop.now_ns
        self._drift, self._drift_since_ns = ppm * 1e-6, self._loop.now_ns
