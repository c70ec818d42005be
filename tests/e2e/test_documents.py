"""A reader opens the documents from the app, searches them, and goes from page to page."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import assert_well, browse, serving

pytestmark = pytest.mark.e2e


def test_the_documents_are_searched_and_read_on(tmp_path: Path) -> None:
    with serving(tmp_path / "data") as url:
        seen = browse("documents.mjs", url, str(tmp_path))
    assert_well(seen)
    assert seen["address"] == f"{url}/docs/"
    assert {"Read a result", "Commands"} <= {title.strip() for title in seen["results"]}
    assert seen["heading"].startswith(seen["next"])
