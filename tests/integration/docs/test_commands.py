"""Every command of the documentation is typed, in order, and does what the page shows."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path

import pytest

from .conftest import FIRST_HOUR
from .pages import ROOT, all_pages, is_typed
from .recipes import RECIPES

TYPED = [page for page in all_pages() if is_typed(page) and page not in RECIPES]
"""Recipes are typed by `tests/integration/gateway/test_recipes.py`."""


@pytest.mark.timeout(600)
@pytest.mark.parametrize("page", TYPED, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_commands_of_a_page_do_what_it_shows(
    page: Path, after_first_hour: Path, typed: dict[Path, Future[None]]
) -> None:
    if page == FIRST_HOUR:
        assert (after_first_hour / ".local/share/wattmark/wattmark.db").is_file()
    else:
        typed[page].result()
