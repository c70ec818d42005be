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
OFF = "The service was off at that time."
STILL_THERE = "The plan was still waiting or running from an earlier time."


def with_due(
    queue: StoredQueue, plans: Iterable[Plan], now_ns: int, began_ns: int, zone: tzinfo, new_entry: Callable[[], str]
) -> StoredQueue:
    """Follow the calendars of all plans up to an instant [UTC ns]; without a time that is due the same queue returns.

    ``began_ns`` is when this service began: a time before it was missed, and counts once at most, however often the
    calendar elapsed meanwhile. A calendar that is new or was changed begins now.
    """
    for plan in plans:
        if plan.schedule is not None:
            queue = _follow(queue, plan.name, plan.schedule, now_ns, began_ns, zone, new_entry)
    return queue


def _follow(
    queue: StoredQueue,
    name: str,
    schedule: Schedule,
    now_ns: int,
    began_ns: int,
    zone: tzinfo,
    new_entry: Callable[[], str],
) -> StoredQueue:
    considered = queue.considered.get(name)
    if considered is None or considered.calendar != schedule.calendar:
        return _considered(queue, name, schedule, now_ns)
    due_ns = next_event(schedule.calendar, considered.until_ns, zone)
    if due_ns is None or due_ns > now_ns:
        return queue
    if due_ns < began_ns and schedule.missed == "skip":
        queue = with_taken(_considered(queue, name, schedule, began_ns), name, due_ns * 1e-9, now_ns, "skipped", OFF)
        return _follow(queue, name, schedule, now_ns, began_ns, zone, new_entry)
    queue = _considered(queue, name, schedule, now_ns)
    if any(waiting.plan == name for waiting in queue.waiting) or _under_way(queue, name):
        return with_taken(queue, name, due_ns * 1e-9, now_ns, "skipped", STILL_THERE)
    waiting = WaitingPlan(entry=new_entry(), plan=name, due_s=due_ns * 1e-9, by=None)
    return queue.changed(waiting=(*queue.waiting, waiting))


def _under_way(queue: StoredQueue, name: str) -> bool:
    return any(taken.outcome == "started" and taken.plan == name for taken in queue.taken)


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
    """Write down what became of a plan at an instant."""
    taken = TakenPlan(plan=plan, due_s=due_s, by=by, at_s=now_ns * 1e-9, outcome=outcome, message=message)
    return queue.changed(taken=(taken, *queue.taken)[:MOST_TAKEN])


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
