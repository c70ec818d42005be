"""What the record of a thinned run says about it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from wattmark.runs.record import MeterRecord, RunRecord, RunStatus

THINNED = "thinned"
"""Key of a run's disclosure: when its samples were thinned, with what software, and which."""


def is_thinned(run: RunRecord) -> bool:
    """Tell whether raw samples of a run were thinned; its stated results are then kept as they were stated."""
    return THINNED in run.disclosure


def may_thin(run: RunRecord, before_ns: int) -> bool:
    """Tell whether a run is finished, old enough and not thinned yet."""
    return run.status is not RunStatus.RUNNING and run.created_ns < before_ns and not is_thinned(run)


def marked(
    run: RunRecord, day: str, software: str, series: list[dict[str, Any]], sources: Collection[str]
) -> RunRecord:
    """Mark a record; meters whose samples were thinned now have a period of at least one second."""
    text = (
        f"The raw samples were thinned to means of 1 s on {day}. Results stated before stand as they were stated; "
        "figures computed since rest on the means."
    )
    meters = tuple(_of_means(meter) if meter.name in sources else meter for meter in run.meters)
    periods = {meter.name: meter.period_s for meter in run.meters if meter.name in sources}
    told = {"on": day, "software": software, "to_s": 1.0, "series": series, "period_s": periods}
    notes = [*run.disclosure.get("notes", ()), text]
    return run.model_copy(update={"meters": meters, "disclosure": {**run.disclosure, "notes": notes, THINNED: told}})


def _of_means(meter: MeterRecord) -> MeterRecord:
    """Describe a meter by its means of 1 s; they cover the same share of the time as the readings that they sum up."""
    period_s = max(meter.period_s, 1.0)
    averaging_s = None if meter.averaging_s is None else meter.averaging_s * period_s / meter.period_s
    return meter.model_copy(update={"period_s": period_s, "averaging_s": averaging_s})
