"""A store of alarms in a new data folder, and a clock that is moved by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from wattmark.storage.open import Storage, open_storage

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


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[Storage]:
    opened = open_storage(tmp_path / "data")
    yield opened
    opened.close()
