"""A clock that stands, a store on the disk, a bulb of 100 W."""

from dataclasses import dataclass

import pytest
from wattmark.results.data_folder import Storage
from wattmark.traceability.check_standards.service import CheckStandards
from wattmark.traceability.check_standards.views import NewCheckStandard

DAY_NS = 86_400 * 10**9
NOON_NS = 1_763_640_000 * 10**9
"""2025-11-20 12:00:00 UTC."""


@dataclass
class StoppedClock:
    now_ns: int = NOON_NS

    def utc_ns(self) -> int:
        return self.now_ns

    def monotonic_ns(self) -> int:
        return self.now_ns

    async def sleep(self, seconds: float) -> None:
        self.now_ns += int(seconds * 1e9)


@pytest.fixture
def clock() -> StoppedClock:
    return StoppedClock()


@pytest.fixture
def room(storage: Storage, clock: StoppedClock) -> CheckStandards:
    made = CheckStandards(storage.check_standards, clock, lambda: ("wall",))
    made.add(NewCheckStandard(name="bulb", meter="wall", nominal_w=100, target_w=100.02, description="halogen"))
    return made
