"""Fake sysfs trees, laid out as the kernel's documentation shows them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from wattmark_drivers.factory import create_meter
from wattmark_drivers.meter import Meter
from wattmark_drivers.settings import MeterSettings

from tests.set_clock import SetClock

NS = 1_000_000_000
EIO_FILE = Path("/proc/self/mem")
"""Reading it from its begin gives EIO, as a sensor does whose bus hangs."""
FORBIDDEN_FILE = Path("/proc/sys/vm/compact_memory")
"""Write-only even for root."""


class Tree:
    """A folder of attribute files."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self, folder: str, **attributes: str | int) -> Path:
        (self.root / folder).mkdir(parents=True, exist_ok=True)
        for name, value in attributes.items():
            (self.root / folder / name).write_text(f"{value}\n")
        return self.root / folder

    def remove(self, folder: str) -> None:
        for file in (self.root / folder).iterdir():
            file.unlink()
        (self.root / folder).rmdir()

    def link(self, file: str, target: Path) -> None:
        (self.root / file).unlink(missing_ok=True)
        (self.root / file).symlink_to(target)


@pytest.fixture
def clock() -> SetClock:
    return SetClock(10 * NS, 1_795_000_000 * NS)


@pytest.fixture
def tree(tmp_path) -> Iterator[Tree]:
    return Tree(tmp_path)


@pytest.fixture
def make(clock):
    """Make a meter on a URL."""

    def make(model: str, url: str) -> Meter:
        return create_meter(MeterSettings("here", model, url), clock)

    return make
