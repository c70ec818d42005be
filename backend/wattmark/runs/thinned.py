"""Disclosure of thinning in the record of a run."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from wattmark.runs.disclosure import ThinnedSamples, ThinnedSeries
from wattmark.runs.record import MeterRecord, RunRecord, RunStatus


def is_thinned(run: RunRecord) -> bool:
    """Return whether raw samples of a run were thinned; its issued results are then kept as they were issued."""
    return run.disclosure.thinned is not None


def may_thin(run: RunRecord, before_ns: int) -> bool:
    """Return whether a run is finished, old enough and not thinned yet."""
    return run.status is not RunStatus.RUNNING and run.created_ns < before_ns and not is_thinned(run)


def marked(run: RunRecord, day: date, software: str, series: Sequence[ThinnedSeries]) -> RunRecord:
    """Mark a record; meters whose samples were thinned now have a period of at least one second."""
    text = (
        f"The raw samples were thinned to means of 1 s on {day}. Results issued before are unchanged; values computed "
        "since are based on the means."
    )
    sources = {thinned.source for thinned in series}
    meters = tuple(_of_means(meter) if meter.name in sources else meter for meter in run.meters)
    periods = {meter.name: meter.period_s for meter in run.meters if meter.name in sources}
    thinned = ThinnedSamples(on=day, software=software, series=tuple(series), period_s=periods)
    notes = (*run.disclosure.notes, text)
    return run.changed(meters=meters, disclosure=run.disclosure.changed(notes=notes, thinned=thinned))


def _of_means(meter: MeterRecord) -> MeterRecord:
    """Describe a meter by its means of 1 s; they cover the same share of the time as the readings that they sum up."""
    period_s = max(meter.period_s, 1.0)
    averaging_s = None if meter.averaging_s is None else meter.averaging_s * period_s / meter.period_s
    return meter.changed(period_s=period_s, averaging_s=averaging_s)
