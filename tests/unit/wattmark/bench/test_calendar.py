"""Calendar events: when a plan is due, in which zone, and where the clocks change."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from wattmark.bench.calendar import calendar_problem, local_zone, next_event
from wattmark.core.errors import InputError

BERLIN = ZoneInfo("Europe/Berlin")


def ns(text: str) -> int:
    return round(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * 10**9


@pytest.mark.parametrize(
    ("calendar", "after", "due"),
    [
        ("Mon..Fri 02:00", "2026-11-27 01:00:00", "2026-11-30 01:00:00"),  # Friday, the second itself; then Monday
        ("Mon..Fri 02:00", "2026-11-27 00:59:59", "2026-11-27 01:00:00"),
        ("Sun 03:30 America/New_York", "2026-11-27 00:00:00", "2026-11-29 08:30:00"),
        ("daily", "2026-06-01 12:00:00", "2026-06-01 22:00:00"),  # summer time
    ],
)
def test_the_next_time_is_in_the_zone_of_the_machine_unless_it_names_its_own(
    calendar: str, after: str, due: str
) -> None:
    assert next_event(calendar, ns(after), BERLIN) == ns(due)


def test_a_time_that_summer_time_skips_is_omitted_that_day() -> None:
    assert next_event("02:30", ns("2026-03-28 02:00:00"), BERLIN) == ns("2026-03-30 00:30:00")


def test_of_an_hour_that_comes_twice_only_the_first_counts() -> None:
    first = next_event("02:30", ns("2026-10-24 12:00:00"), BERLIN)
    assert first == ns("2026-10-25 00:30:00")
    assert next_event("02:30", first, BERLIN) == ns("2026-10-26 01:30:00")
    # Asked within the second of both hours, nothing that has passed is named.
    assert next_event("02:30", ns("2026-10-25 01:10:00"), BERLIN) == ns("2026-10-26 01:30:00")


def test_a_single_day_comes_once() -> None:
    assert next_event("2026-12-24 18:00", ns("2026-12-24 17:00:00"), BERLIN) is None


@pytest.mark.parametrize("calendar", ["tomorrow", "25:00", "Mon..Fri 2:00 2:00", "02:00,", "02:00 Europe"])
def test_what_is_no_calendar_event_is_refused(calendar: str) -> None:
    assert calendar_problem(calendar)


def test_a_time_zone_that_does_not_exist_is_what_is_wrong() -> None:
    for zone in ("Mars/Olympus", "CEST", "UTC+2", "../../etc/localtime"):
        assert calendar_problem(f"*-*-* 02:00 {zone}") == f"there is no time zone {zone}"
    assert calendar_problem("25:00 Europe/Berlin") == "bad hour"


def test_a_day_that_no_year_has_is_refused() -> None:
    assert calendar_problem("*-02-30 01:00") == "it names no time"


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "oncalendar", None)
    with pytest.raises(InputError, match=r"wattmark\[schedule\]"):
        calendar_problem("daily")


@pytest.mark.parametrize("name", [":Europe/Berlin", "Europe/Berlin", "/usr/share/zoneinfo/Europe/Berlin"])
def test_the_zone_of_the_machine_follows_its_environment(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """As tzset(3) has it: a name or a file, with or without a colon."""
    monkeypatch.setenv("TZ", name)
    assert datetime(2026, 7, 1, tzinfo=local_zone()).utcoffset() == timedelta(hours=2)


def test_a_zone_that_is_not_known_is_reported(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("TZ", "No/Such")
    assert local_zone() is UTC
    assert "TZ=No/Such is no time zone; calendars are in UTC." in caplog.text
