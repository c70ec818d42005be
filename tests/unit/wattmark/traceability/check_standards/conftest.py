"""A clock that stands, a store on the disk, a bulb of 100 W."""

import pytest
from wattmark.results.data_folder import Storage
from wattmark.traceability.check_standards.record import NewCheckStandard
from wattmark.traceability.check_standards.service import CheckStandards

from tests.set_clock import SetClock

DAY_NS = 86_400 * 10**9
NOON_NS = 1_763_640_000 * 10**9
"""2025-11-20 12:00:00 UTC."""


@pytest.fixture
def clock() -> SetClock:
    return SetClock(NOON_NS)


@pytest.fixture
def room(storage: Storage, clock: SetClock) -> CheckStandards:
    made = CheckStandards(storage.check_standards, clock, lambda: ("wall",))
    made.add(NewCheckStandard(name="bulb", meter="wall", nominal_w=100, target_w=100.02, description="halogen"))
    return made
