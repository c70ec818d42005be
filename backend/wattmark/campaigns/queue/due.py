"""Which plans their calendars put into the queue at an instant: a pure step from one queue to the next."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import tzinfo

from wattmark.bench.calendar import next_event
from wattmark.bench.plan import Plan
from wattmark.bench.plan_rules import Schedule
from wattmark.campaigns.queue.entries import Considered, Outcome, ScheduledPlan, StoredQueue, TakenPlan, WaitingPlan

MOST_TAKEN = 200
"""What is kept of plans that no longer wait."""
LATE_NS = 300 * 10**9
"""A time that is seen later than this was missed."""
AHEAD_NS = 3600 * 10**9
"""A calendar that was followed further into the future than this was followed by a clock that was wrong; by less, the
clock was set back a little, and no time comes twice."""
MISSED = (
    "The calendar was not followed then: the service was off, the machine asleep, its disk full or its clock wrong."
)
STILL_THERE = "The plan was still waiting or running from an earlier time."


def with_due(
    queue: StoredQueue, plans: Iterable[Plan], now_ns: int, looked_ns: int, zone: tzinfo, new_entry: Callable[[], str]
) -> StoredQueue:
    """Follow the calendars of all plans up to an instant [UTC ns]; without a time that is due the same queue returns.

    ``looked_ns`` is when this service looked last. A time that was missed counts once at most, however often the
    calendar elapsed meanwhile. A calendar that is new, was changed or was away for a while begins now.
    """
    schedules = {plan.name: plan.schedule for plan in plans if plan.schedule is not None}
    if not queue.considered.keys() <= schedules.keys():
        followed = {name: considered for name, considered in queue.considered.items() if name in schedules}
        queue = queue.changed(considered=followed)
    for name, schedule in schedules.items():
        queue = _follow(queue, name, schedule, now_ns, looked_ns, zone, new_entry)
    return queue


def _follow(
    queue: StoredQueue,
    name: str,
    schedule: Schedule,
    now_ns: int,
    looked_ns: int,
    zone: tzinfo,
    new_entry: Callable[[], str],
) -> StoredQueue:
    considered = queue.considered.get(name)
    if considered is None or considered.calendar != schedule.calendar:
        return _considered(queue, name, schedule, now_ns)
    until_ns = considered.until_ns if considered.until_ns <= now_ns + AHEAD_NS else looked_ns
    due_ns = next_event(schedule.calendar, until_ns, zone)
    if due_ns is None or due_ns > now_ns:
        return queue
    if now_ns - due_ns > LATE_NS and schedule.missed == "skip":
        queue = _considered(queue, name, schedule, now_ns - LATE_NS)
        queue = with_taken(queue, name, due_ns * 1e-9, now_ns, "skipped", MISSED)
        return _follow(queue, name, schedule, now_ns, looked_ns, zone, new_entry)
    queue = _considered(queue, name, schedule, now_ns)
    since_s = _there_since_s(queue, name)
    if since_s is None:
        waiting = WaitingPlan(entry=new_entry(), plan=name, due_s=due_ns * 1e-9, by=None)
        return queue.changed(waiting=(*queue.waiting, waiting))
    if any(taken.plan == name and taken.message == STILL_THERE and taken.at_s >= since_s for taken in queue.taken):
        return queue
    return with_taken(queue, name, due_ns * 1e-9, now_ns, "skipped", STILL_THERE)


def _there_since_s(queue: StoredQueue, name: str) -> float | None:
    """Return since when a plan waits or runs [Unix s]; None where it does neither."""
    waits_s = [waiting.due_s for waiting in queue.waiting if waiting.plan == name]
    runs_s = [taken.at_s for taken in queue.taken if taken.plan == name and taken.outcome == "started"]
    return min(waits_s + runs_s, default=None)


def _considered(queue: StoredQueue, name: str, schedule: Schedule, until_ns: int) -> StoredQueue:
    considered = Considered(calendar=schedule.calendar, until_ns=until_ns)
    return queue.changed(considered={**queue.considered, name: considered})


def with_taken(
    queue: StoredQueue,
    plan: str,
    due_s: float,
    now_ns: int,
    outcome: Outcome,
    message: str | None,
    by: str | None = None,
) -> StoredQueue:
    """Write down what became of a plan at an instant. What is under way stays, whatever else is written down."""
    latest = TakenPlan(plan=plan, due_s=due_s, by=by, at_s=now_ns * 1e-9, outcome=outcome, message=message)
    older = [taken for taken in queue.taken[MOST_TAKEN - 1 :] if taken.outcome == "started"]
    return queue.changed(taken=(latest, *queue.taken[: MOST_TAKEN - 1], *older))


def scheduled(plans: Iterable[Plan], now_ns: int, zone: tzinfo) -> list[ScheduledPlan]:
    """List the plans with a calendar and when each is due next, the next one first."""
    rows = []
    for plan in plans:
        if plan.schedule is not None:
            due_ns = next_event(plan.schedule.calendar, now_ns, zone)
            rows.append(
                ScheduledPlan(
                    plan=plan.name,
                    calendar=plan.schedule.calendar,
                    missed=plan.schedule.missed,
                    next_s=None if due_ns is None else due_ns * 1e-9,
                )
            )
    return sorted(rows, key=lambda row: float("inf") if row.next_s is None else row.next_s)
