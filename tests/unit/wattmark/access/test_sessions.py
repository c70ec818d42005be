"""Sessions of browsers: bounded for each token, so that nobody who signs in often signs others out."""

from __future__ import annotations

import itertools

from wattmark.access.sessions import MOST, MOST_OF_ONE, Sessions

from tests.set_clock import SetClock


def sessions(clock: SetClock) -> Sessions:
    numbers = itertools.count()
    return Sessions(clock, 3600, lambda _: f"session {next(numbers)}")


def test_a_viewer_who_signs_in_260_times_ends_nobody_elses_session() -> None:
    """Row 20 of the review: 256 sessions were common to all, and the administrator's was the oldest."""
    open_sessions = sessions(SetClock())
    administrator, _ = open_sessions.begin("administrator")
    of_viewer = [open_sessions.begin("viewer")[0] for _ in range(260)]
    assert open_sessions.find(administrator) is not None
    assert [identifier for identifier in of_viewer if open_sessions.find(identifier)] == of_viewer[-MOST_OF_ONE:]


def test_all_sessions_together_are_bounded_and_who_has_most_gives_way() -> None:
    open_sessions = sessions(SetClock())
    single, _ = open_sessions.begin("single")
    begun = [open_sessions.begin(f"token {number % (MOST // 4)}")[0] for number in range(2 * MOST)]
    assert sum(open_sessions.find(identifier) is not None for identifier in [single, *begun]) == MOST
    assert open_sessions.find(single) is not None
    assert open_sessions.find(begun[-1]) is not None


def test_sessions_that_have_ended_take_no_room() -> None:
    clock = SetClock()
    open_sessions = sessions(clock)
    early = [open_sessions.begin("viewer")[0] for _ in range(MOST_OF_ONE - 1)]
    clock.now_ns = int(3601e9)
    late = [open_sessions.begin("viewer")[0] for _ in range(MOST_OF_ONE)]
    assert not any(open_sessions.find(identifier) for identifier in early)
    assert all(open_sessions.find(identifier) for identifier in late)
