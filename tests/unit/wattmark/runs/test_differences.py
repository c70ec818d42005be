"""What two environments do not have in common; how each fact is read of a server is told apart with its parser."""

from __future__ import annotations

from wattmark.runs.differences import differences, known_on_one_side
from wattmark.runs.environment import FACTS, TITLES, Drive, Environment

DRIVES = {"sda": Drive(model="INTEL SSDSC2BB48", size="480.1 GB", firmware="0370")}
USUAL = Environment(governor="performance", kernel="6.1.0-18-amd64", drives=DRIVES, steal_pct=1)


def test_stolen_time_is_no_difference() -> None:
    """It adds up since the boot, and is no setting."""
    assert differences(USUAL, USUAL.changed(steal_pct=51)) == []


def test_differences_stand_in_the_order_of_their_weight() -> None:
    """That of the declaration, whatever the order in which a server states them."""
    drives = {"sda": DRIVES["sda"].model_copy(update={"firmware": "0380"})}
    other = Environment(drives=drives, steal_pct=1, kernel="6.12.4", governor="powersave")
    assert [(item.fact, item.a, item.b) for item in differences(USUAL, other)] == [
        ("governor", "performance", "powersave"),
        ("kernel", "6.1.0-18-amd64", "6.12.4"),
        ("drives/sda/firmware", "0370", "0380"),
    ]


def test_titles_belong_to_facts() -> None:
    assert set(TITLES) <= set(FACTS)


def test_a_fact_that_one_side_does_not_know_is_no_difference() -> None:
    other = USUAL.changed(governor=None)
    assert differences(USUAL, other) == []
    assert known_on_one_side(USUAL, other) == ["CPU governor"]


def test_an_entry_that_one_side_does_not_have_is_a_difference() -> None:
    more = USUAL.changed(drives={**DRIVES, "sdb": Drive(model="WDC", size="1024 GB")})
    assert [(item.fact, item.a, item.b) for item in differences(USUAL, more)] == [("drives/sdb", None, "WDC, 1024 GB")]
