"""Compare and Run by the keyboard alone, with reduced motion."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import assert_well, browse, serving
from .sweep import store_sweep

pytestmark = pytest.mark.e2e


def test_compare_and_run_by_keys(tmp_path: Path) -> None:
    store_sweep(tmp_path)
    with serving(tmp_path) as url:
        seen = browse("keys.mjs", url)
    assert_well(seen)
    for walked in (seen["compare"], seen["run"]["walked"]):
        assert walked["names"][0] == "Skip to content"
        assert (walked["unmarked"], walked["unordered"]) == ([], [])
        assert "Export" in walked["names"]
    assert seen["skipped"] == "page", "the first stop leads past the list of pages"
    assert seen["help"] == {"within": [True] * 4, "still": 0, "returned": True}
    assert seen["menu"] == {"item": "menuitem", "returned": True}
    assert seen["run"]["opened"] == "Perf/W budget"
