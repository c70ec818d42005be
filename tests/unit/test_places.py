"""The lists in `tests/conftest.py` of what runs alone, first, long or not, name tests that exist."""

from pathlib import Path

import pytest

from ..conftest import ALONE, FIRST, KEPT, LONG

TESTS = Path(__file__).parents[1]


@pytest.mark.parametrize("place", [*ALONE, *FIRST, *KEPT, *LONG])
def test_every_place_that_is_named_holds_tests(place: str) -> None:
    path, _, test = place.partition("::")
    files = [file for file in TESTS.glob(f"{path}*") if file.is_dir() or file.suffix == ".py"]
    assert files or (TESTS / path).is_file()
    function = test.partition("[")[0]
    assert not test or f"def {function}" in (TESTS / path).read_text("utf-8")
