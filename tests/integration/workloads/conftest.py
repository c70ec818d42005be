from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from wattmark.workloads.local.local import LocalTrigger
from wattmark_drivers.clock import SystemClock

from tests.integration.processes import lives


@pytest.fixture
def clock() -> SystemClock:
    return SystemClock()


@pytest.fixture
def trigger(clock: SystemClock, tmp_path: Path) -> LocalTrigger:
    return LocalTrigger(clock, tmp_path, grace_s=0.2)


@pytest.fixture
def alive() -> Callable[[Path], list[int]]:
    """The processes, of those whose numbers a load wrote into a file, that still live."""

    def living(file: Path) -> list[int]:
        return [int(pid) for pid in file.read_text().split() if lives(int(pid))]

    return living
