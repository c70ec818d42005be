"""A service that ends under an open page: the page says so, and goes on by itself once the service is back."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import WATTMARK, browse

pytestmark = pytest.mark.e2e


def test_a_page_says_that_it_is_cut_off_and_goes_on_by_itself(tmp_path: Path) -> None:
    seen = browse("lost.mjs", str(WATTMARK), str(tmp_path))
    assert (seen["stayed"], seen["opened"]) == ("/live", "/compare")
    assert seen["foreign"] == []
