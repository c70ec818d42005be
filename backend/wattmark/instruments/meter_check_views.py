"""What a check of a meter says to the pages."""

from __future__ import annotations

from wattmark_drivers.plausibility.verdict import PlausibilityVerdict

from wattmark.core.schema import Schema


class MeterCheckOut(Schema):
    """Tests of one meter over a time."""

    meter: str
    model: str
    seconds: float
    verdicts: list[PlausibilityVerdict]
    remark: str | None
    """That the meter is polled slower than it averages, or how often it publishes; and what to do."""
