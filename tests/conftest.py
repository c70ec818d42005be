"""What holds for all tests."""

from __future__ import annotations

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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.relative_to(here).as_posix().startswith(ALONE):
            item.add_marker("alone")
