"""The calendar of plans beside systemd's own: the same times, over changes of summer time, and the same refusals."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime

import pytest
from wattmark.bench.calendar import calendar_problem, next_event

EVENTS = (
    "Mon..Fri 02:00",
    "*-*-* 02:30 Europe/Berlin",
    "*:0/30 Europe/Berlin",
    "hourly America/New_York",
    "Sat,Sun 20:15 America/New_York",
    "*-*-* 1..3:20 Europe/Berlin",
    "*-02~01 03:00",
    "*-*~03/1 1:00",
    "Fri *-*~07/1 08:00",
    "Mon *-*-1..7 05:00 Europe/Berlin",
    "*-*-* 00/6:15",
    "quarterly",
    "*-2..4-* 5:00",
    "Thu,Fri 2026-*-1,5 11:12:13",
    "*-*-* 01:45 Australia/Lord_Howe",
)
BEGINS = (
    "2026-03-28 00:00:00",
    "2026-10-24 12:00:00",
    "2026-04-04 14:00:00",
    "2026-10-31 20:00:00",
    "2024-02-27 00:00:00",
)
WRONG = (
    "tomorrow night",
    "25:00",
    "02:60",
    "*-13-01",
    "Mon..Fri 02:00 02:00",
    "02:00,",
    "Mun 02:00",
    "02:00 Mars/Olympus",
)


def systemd(event: str, begin: str = BEGINS[0]) -> list[int] | None:
    """The next eight times by `systemd-analyze calendar` [UTC ns]; None where it refuses."""
    command = ["systemd-analyze", "calendar", "--iterations=8", f"--base-time={begin} UTC", event]
    done = subprocess.run(
        command, capture_output=True, text=True, env={"TZ": "UTC", "PATH": "/usr/bin:/bin"}, check=False
    )
    if done.returncode:
        return None
    lines = (line.strip().partition(": ") for line in done.stdout.splitlines())
    times = [value for name, _, value in lines if name.startswith(("Next elapse", "Iter. #")) and value != "never"]
    instants = [datetime.strptime(text, "%a %Y-%m-%d %H:%M:%S UTC").replace(tzinfo=UTC) for text in times]
    return [round(instant.timestamp()) * 10**9 for instant in instants]


@pytest.mark.parametrize("event", EVENTS)
def test_a_calendar_event_elapses_when_systemd_says(event: str) -> None:
    for begin in BEGINS:
        ours, after = [], round(datetime.fromisoformat(f"{begin}+00:00").timestamp()) * 10**9
        while len(ours) < 8 and (after := next_event(event, after, UTC)) is not None:
            ours.append(after)
        assert ours == systemd(event, begin), begin


@pytest.mark.parametrize("event", WRONG)
def test_what_systemd_refuses_is_refused(event: str) -> None:
    assert systemd(event) is None
    assert calendar_problem(event) is not None
