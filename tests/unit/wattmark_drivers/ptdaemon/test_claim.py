"""Whose measurement a daemon has: what is ours, what is somebody else's, and what may be begun."""

from __future__ import annotations

import pytest
from wattmark_drivers.errors import ConnectionFailed
from wattmark_drivers.ptdaemon.claim import Claim, may_begin
from wattmark_drivers.ptdaemon.replies import Standing

SECOND = 1_000_000_000


def silent(samples: int, mean: str = "5.0") -> Standing:
    """A licensed daemon: it tells how many samples it has, and not whose they are."""
    return Standing(samples, f"Watts,{mean},5.0,5.0,{samples},0,{samples}")


def telling(key: str, state: str = "running", samples: int = 5, unread: int = 0) -> Standing:
    return Standing(samples, f"{key} {state} {samples}", key, state, unread, 1.0, "m")


def test_a_key_proves_it():
    claim = Claim(telling("a"), 0)
    assert claim.holds(telling("a", samples=9), SECOND)
    assert claim.survived(telling("a", "stopped"), 3600 * SECOND)
    assert not claim.holds(telling("b", samples=99), 2 * SECOND)
    assert not claim.survived(telling("b", samples=99_999), 3600 * SECOND)
    assert not claim.survived(telling("", "none", 0), 3600 * SECOND)


def test_a_count_that_went_back_was_cleared_by_somebody():
    claim = Claim(silent(0), 0)
    assert claim.holds(silent(1), SECOND)
    assert claim.holds(silent(7), 7 * SECOND)
    assert not claim.holds(silent(6), 8 * SECOND)


def test_more_samples_than_another_could_have_are_ours():
    """500 samples, then 20 s out of sight: one that began since, every 50 ms and 5 % quicker, has 422 at most."""
    claim = Claim(silent(0), 0)
    claim.holds(silent(500), 500 * SECOND)
    assert claim.survived(silent(520), 520 * SECOND)
    assert not claim.survived(silent(20), 520 * SECOND)


def test_another_may_have_a_shorter_interval_than_ours():
    """Ours every 10 s has 20 samples, then 60 s out of sight: one of 55 s that samples every second has 55."""
    claim = Claim(silent(0), 0)
    claim.holds(silent(20), 200 * SECOND)
    assert not claim.survived(silent(55), 260 * SECOND)
    assert not claim.survived(silent(1262), 260 * SECOND)  # 60 s / 50 ms * 1.05 + 2
    assert claim.survived(silent(1263), 260 * SECOND)


def test_what_cannot_be_proved_is_somebody_elses():
    """3 samples, then an hour out of sight: 3600 may be ours, and may be of one who began a second later."""
    claim = Claim(silent(0), 0)
    claim.holds(silent(3), 3 * SECOND)
    assert not claim.survived(silent(3603), 3603 * SECOND)


def test_a_measurement_to_which_nothing_was_added_is_ours_still():
    claim = Claim(silent(0), 0)
    claim.holds(silent(30), 30 * SECOND)
    assert claim.survived(silent(30), 9000 * SECOND)
    assert not claim.survived(silent(30, mean="6.0"), 9000 * SECOND)


def test_no_sample_proves_nothing():
    assert not Claim(silent(0), 0).survived(silent(0), SECOND)


@pytest.mark.parametrize(
    ("wanted", "standing", "begin"),
    [
        ("share", telling("", "none", 0), True),
        ("share", telling("a", "stopped", 5, unread=0), True),
        ("share", telling("a", "running", 0), False),
        ("share", silent(1), False),
        ("watch", silent(0), False),
        ("watch", telling("a"), False),
        ("take", telling("a"), True),
        ("take", silent(0), True),
    ],
)
def test_what_may_be_begun(wanted, standing, begin):
    assert may_begin(wanted, standing, "the daemon") is begin


@pytest.mark.parametrize(
    ("wanted", "standing", "words"),
    [
        ("share", silent(0), "measurement: take"),
        ("share", telling("a", "stopped", 5, unread=2), "2 of its samples.*RL"),
        ("watch", telling("", "none", 0), "No measurement runs"),
        ("watch", telling("a", "stopped"), "No measurement runs"),
    ],
)
def test_what_is_refused_says_what_to_do(wanted, standing, words):
    with pytest.raises(ConnectionFailed, match=words):
        may_begin(wanted, standing, "the daemon")
