"""The folder that the first hour leaves behind, made once; every other page begins with a copy of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from .pages import DOCS
from .playground import playground

FIRST_HOUR = DOCS / "guide/first-hour.md"


@pytest.fixture(scope="session")
def after_first_hour(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Type the first hour."""
    folder = tmp_path_factory.mktemp("first-hour")
    with playground(folder) as ground:
        ground.play(FIRST_HOUR)
    return folder
