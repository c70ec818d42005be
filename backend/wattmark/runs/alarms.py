"""Alarms of a run: which limits of the bench were crossed in its window. Disclosed under `ALARMS`."""

from __future__ import annotations

from typing import Literal

from pydantic import ValidationError

from wattmark.runs.record import Record, RunRecord

ALARMS = "alarms"


class RunAlarm(Record):
    """A channel that was beyond a limit in the window of a run; instants in UTC nanoseconds."""

    number: int
    """As the appliance that recorded the run lists it."""
    source: str
    channel: str
    side: Literal["low", "high"]
    limit: float
    unit: str
    run_must_keep: bool
    begin_ns: int
    seen_ns: int
    """Newest usable reading of it when the run had ended."""
    end_ns: int | None
    """First reading that was back; None: it went on when the run had ended, or its end is not known."""
    worst: float
    """The reading farthest beyond the limit, of the alarm as it stood when the run had ended."""


class RunAlarms(Record):
    """What was watched of a run, and what crossed its limit."""

    limits: int
    """How many limits of channels of its instruments were in force when it ended."""
    unwatched: tuple[str, ...] = ()
    """Limits whose channel gave no usable reading in the window."""
    crossed: tuple[RunAlarm, ...] = ()
    """Alarms that lasted into the window, oldest first."""
    left_out: int = 0
    """Further ones, beyond what a record holds; those of limits that a run must keep come first."""


def alarms_of(run: RunRecord) -> RunAlarms | None:
    """Read what a run discloses of alarms; None where it says nothing that can be read."""
    try:
        return RunAlarms.model_validate(run.disclosure[ALARMS])
    except (KeyError, ValidationError):
        return None
