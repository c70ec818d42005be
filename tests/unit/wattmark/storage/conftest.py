from collections.abc import Iterator
from pathlib import Path

import pytest
from wattmark.storage.open import Storage, open_storage


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[Storage]:
    opened = open_storage(tmp_path / "data")
    yield opened
    opened.close()
