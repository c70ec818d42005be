"""The lists in `tests/conftest.py` of what runs alone, first or not in the inner loop name tests that exist."""

from pathlib import Path

import pytest

from ..conftest import ALONE, FIRST, SLOW

TESTS = Path(__file__).parents[1]


@pytest.mark.parametrize("place", [*ALONE, *FIRST, *SLOW])
def test_every_place_that_is_named_holds_tests(place: str) -> None:
    path, _, test = place.partition("::")
    files = [file for file in TESTS.glob(f"{path}*") if file.is_dir() or file.suffix == ".py"]
    assert files or (TESTS / path).is_file()
    assert not test or f"def {test}" in (TESTS / path).read_text("utf-8")
