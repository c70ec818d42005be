"""Schedules and references in the bench file: what they say, and what cannot work."""

from __future__ import annotations

import pytest
from wattmark.bench.mistakes import BenchError


def test_a_plan_may_have_a_schedule_and_be_a_reference(make_bench) -> None:
    plan = make_bench(
        configurations=["a/two"],
        levels=["all"],
        schedule={"calendar": "Mon..Fri 02:00", "missed": "skip"},
        reference={"since": "2026-11-01"},
    ).plans[0]
    assert (plan.schedule.calendar, plan.schedule.missed) == ("Mon..Fri 02:00", "skip")
    assert plan.reference.since.isoformat() == "2026-11-01"


@pytest.mark.parametrize(
    ("plan", "text"),
    [
        ({"schedule": {"calendar": "at night"}}, "found 'at night': bad day-of-week; allowed: a calendar event"),
        ({"schedule": {"calendar": "daily"}}, "an operator would have to change a between its configurations"),
        ({"schedule": {"calendar": "daily"}, "between_repeats": "reboot"}, "runs without an operator"),
        ({"reference": {}}, "needs levels: .all. alone"),
    ],
)
def test_a_schedule_that_cannot_work_is_a_mistake_of_the_file(make_bench, plan, text: str) -> None:
    with pytest.raises(BenchError, match=text):
        make_bench(**plan)
