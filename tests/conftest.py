"""What holds for all tests."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from hypothesis import settings

ALONE = (
    "integration/campaigns",
    "integration/docs",
    "integration/recording",
    "integration/remote",
    "integration/service",
    "integration/simulators",
    "integration/workloads",
    "e2e",
)
"""Folders whose tests bring this machine to full load or judge it; the others may run beside one another."""

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def pytest_configure() -> None:
    """Let signals reach the programs that tests start, also where these tests were begun to outlive a terminal."""
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.relative_to(here).as_posix().startswith(ALONE):
            item.add_marker("alone")
