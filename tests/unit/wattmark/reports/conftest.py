from __future__ import annotations

from collections.abc import Iterator

import pytest
from wattmark.reports.sources import Sources
from wattmark.results.data_folder import Storage, open_storage

from tests.marked_lab import store_marked_lab


@pytest.fixture(scope="package")
def storage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Storage]:
    """Open the laboratory in which everything that needs a mark or a reason occurs."""
    folder = tmp_path_factory.mktemp("marked")
    store_marked_lab(folder)
    opened = open_storage(folder)
    yield opened
    opened.close()


@pytest.fixture(scope="package")
def sources(storage: Storage) -> Sources:
    return Sources.of(storage)
