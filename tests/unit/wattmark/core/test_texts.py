"""Several texts are one phrase: all of them, or the first ones with the number of the rest."""

from __future__ import annotations

import pytest
from wattmark.core.texts import all_of, first_of


@pytest.mark.parametrize(
    ("texts", "named", "phrase"),
    [
        ([], "", ""),
        (["sda"], "sda", "sda"),
        (["sda", "sdb"], "sda, sdb", "sda and sdb"),
        (["sda", "sdb", "sdc"], "sda, sdb, and 1 more", "sda, sdb and sdc"),
        (["sda", "sdb", "sdc", "sdd"], "sda, sdb, and 2 more", "sda, sdb, sdc and sdd"),
    ],
)
def test_texts_are_one_phrase(texts: list[str], named: str, phrase: str) -> None:
    assert first_of(texts, 2) == named
    assert all_of(texts) == phrase


def test_another_separator_stands_before_the_number_too() -> None:
    assert first_of(["fan: 2", "CPU: 1", "PSU: 2"], 2, "; ") == "fan: 2; CPU: 1; and 1 more"
