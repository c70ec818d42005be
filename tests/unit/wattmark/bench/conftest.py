from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import wattmark.bench

EXAMPLE = Path(wattmark.bench.__file__).parent / "examples" / "s5000-fbdimm.yaml"


@pytest.fixture(scope="session")
def example() -> str:
    return EXAMPLE.read_text("utf-8")


@pytest.fixture
def edited(example: str, tmp_path: Path) -> Callable[[str, str], Path]:
    """The example with one replacement, as a file named bench.yaml."""

    def edit(old: str, new: str) -> Path:
        assert old in example
        path = tmp_path / "bench.yaml"
        path.write_text(example.replace(old, new, 1), "utf-8")
        return path

    return edit
