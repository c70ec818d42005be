"""Every command of the documentation is typed, in order, and does what the page shows."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path

import pytest

from .conftest import FIRST_HOUR
from .pages import ROOT, all_pages, blocks


def is_typed(page: Path) -> bool:
    return any(block.language == "console" and "not-run" not in block.attributes for block in blocks(page))


TYPED = [page for page in all_pages() if is_typed(page)]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("page", TYPED, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_commands_of_a_page_do_what_it_shows(
    page: Path, after_first_hour: Path, typed: dict[Path, Future[None]]
) -> None:
    if page == FIRST_HOUR:
        assert (after_first_hour / ".local/share/wattmark/wattmark.db").is_file()
    else:
        typed[page].result()
