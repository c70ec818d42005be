"""A clock that stands, a store on the disk, a bulb of 100 W."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from wattmark.check_loads.room import CheckLoads
from wattmark.check_loads.views import NewCheckLoad
from wattmark.storage.open import Storage, open_storage

DAY_NS = 86_400 * 10**9
NOON_NS = 1_763_640_000 * 10**9
"""2025-11-20 12:00:00 UTC."""


@dataclass
class StandingClock:
    now_ns: int = NOON_NS

    def utc_ns(self) -> int:
        return self.now_ns

    def monotonic_ns(self) -> int:
        return self.now_ns

    async def sleep(self, seconds: float) -> None:
        self.now_ns += int(seconds * 1e9)


@pytest.fixture
def clock() -> StandingClock:
    return StandingClock()


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[Storage]:
    opened = open_storage(tmp_path / "data")
    yield opened
    opened.close()


@pytest.fixture
def room(storage: Storage, clock: StandingClock) -> CheckLoads:
    made = CheckLoads(storage.check_loads, clock, lambda: ("wall",))
    made.add(NewCheckLoad(name="bulb", meter="wall", nominal_w=100, target_w=100.02, description="halogen"))
    return made
