"""What a check of a meter says to the pages."""

from __future__ import annotations

from typing import Literal

from wattmark.schema import Schema


class MeterVerdictOut(Schema):
    """One plausibility test; ``value`` and ``limit`` are in ``unit``, null where they do not exist."""

    rule: str
    outcome: Literal["pass", "fail", "not-applicable"]
    text: str
    value: float | None
    limit: float | None
    unit: str
    advice: str
    """Which setting is probably wrong; empty unless the test fails."""


class MeterCheckOut(Schema):
    """The tests of one meter over the time that was watched."""

    meter: str
    model: str
    seconds: float
    verdicts: list[MeterVerdictOut]
    remark: str | None
    """That the meter is polled slower than it averages, and what to do."""
