"""A clock that the test moves."""

from __future__ import annotations

import pytest

from tests.hand_clock import HandClock


@pytest.fixture
def clock() -> HandClock:
    return HandClock()
