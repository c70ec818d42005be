"""A log of meters or sensors, as the importers read it, as a recording."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from wattmark_drivers.reading import Channel, Kind

from wattmark.core.errors import InputError
from wattmark.importers.importer import Choices
from wattmark.importers.logs.log_format import LogFormat
from wattmark.importers.logs.log_formats import LOG_FORMATS
from wattmark.importers.logs.log_import import log_run
from wattmark.importers.recordings.recording import RecordedColumn, Recording, SamplesOnDisk
from wattmark.store.sample_store import SeriesKey

_MOST_NAMED = 20


def log_format_of(path: Path) -> LogFormat | None:
    """Return the log format that a file or folder begins with; None where it is no such log."""
    if not path.exists():
        return None
    return next((form for form in LOG_FORMATS if form.recognises(path)), None)


def from_log(form: LogFormat, path: Path, choices: Choices, meter: str | None) -> Recording:
    """Read the raw series of one meter of a log.

    Without a name it is the meter that measured the server, or the only one. Raises `InputError` for a log that cannot
    be read, and naming the meters that it has.
    """
    item = log_run(form, path.name, list(form.files(path)), choices)
    series: defaultdict[SeriesKey, SamplesOnDisk] = defaultdict(SamplesOnDisk)
    for block in item.blocks():
        for key, samples in block:
            series[key].add(samples)
    sources = list(dict.fromkeys(key.source for key in series))
    deciding = [record.name for record in item.record.meters if not record.partial]
    chosen = meter or next(iter(deciding or (sources if len(sources) == 1 else ())), None)
    if chosen not in sources:
        wanted = "The log has several meters" if chosen is None else f"The log has no meter {chosen}"
        raise InputError(f"{wanted}: {', '.join(sources[:_MOST_NAMED])}.", "Choose one by --meter NAME.")
    columns = [
        RecordedColumn(Channel(key.channel, key.quantity, key.unit, Kind(key.kind), key.label), samples)
        for key, samples in series.items()
        if key.source == chosen
    ]
    unread = f"{item.unread.count} lines were not understood." if item.unread.count else None
    remarks = (*item.notes[1:], *([unread] if unread else []))
    return Recording(f"{form.title} {path.name}", tuple(columns), remarks)
