"""The folder that the first hour leaves behind, made once; every other page is typed in a copy of it, two at a time."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from .pages import DOCS
from .playground import playground

FIRST_HOUR = DOCS / "guide/first-hour.md"
AT_A_TIME = 2


@pytest.fixture(scope="session")
def after_first_hour(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Type the first hour."""
    folder = tmp_path_factory.mktemp("first-hour")
    with playground(folder) as ground:
        ground.play(FIRST_HOUR)
    return folder


@pytest.fixture(scope="session")
def typed(
    request: pytest.FixtureRequest, after_first_hour: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[Path, Future[None]]]:
    """Begin to type the pages that are asked for; each future ends as its page does."""

    def play(page: Path, folder: Path) -> None:
        shutil.copytree(after_first_hour, folder, dirs_exist_ok=True)
        with playground(folder) as ground:
            ground.play(page)

    chosen = [item.callspec.params["page"] for item in request.session.items if "typed" in item.fixturenames]
    pages = [page for page in chosen if page != FIRST_HOUR]
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        yield {page: pool.submit(play, page, tmp_path_factory.mktemp(page.stem)) for page in pages}
        pool.shutdown(cancel_futures=True)
