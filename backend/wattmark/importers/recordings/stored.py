"""The raw series of a run, from a data folder or from an archive."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

from wattmark_drivers.reading import Channel, Kind

from wattmark.archives.container import Refusal
from wattmark.archives.layout import KeyRecord
from wattmark.archives.read import Archive
from wattmark.archives.signer import signer_of
from wattmark.core.errors import InputError
from wattmark.importers.recordings.recording import RecordedColumn, Recording, SamplesOnDisk
from wattmark.store.sample_store import Samples, SampleStore, SeriesKey


def from_run(store: SampleStore, run_id: str, meter: str | None) -> Recording:
    """Read the raw series of one meter of a run. Raises `InputError` naming the meters that the run has."""
    series = store.list_series(run_id)
    if not series:
        raise InputError(
            f"There is no run {run_id[:80]!r} with series, and no such file.", "List the runs with `wattmark results`."
        )
    return _recording(run_id, meter, [(item.key, partial(_read, store, item.id)) for item in series])


def _read(store: SampleStore, series_id: int) -> list[Samples]:
    return [store.read(series_id)]


def from_archive(path: Path, run_id: str | None, meter: str | None) -> Recording:
    """Read the raw series of one meter of a run in an archive. Raises `InputError` naming the runs, or the meters."""
    with path.open("rb") as file:
        archive = Archive(file, path.name, refusal=Refusal("was not converted"))
        signer_of(archive, None, {})
        if run_id is None and len(archive.run_ids) == 1:
            run_id = archive.run_ids[0]
        if run_id not in archive.run_ids:
            runs = ", ".join(archive.run_ids[:20])
            raise InputError(f"{path.name} has the runs {runs}.", "Choose one by --run.")
        series = archive.run(run_id).series
        return _recording(run_id, meter, [(item.key, partial(archive.samples, item.file, item.n)) for item in series])


def _recording(
    run_id: str, meter: str | None, series: Sequence[tuple[SeriesKey | KeyRecord, Callable[[], Iterable[Samples]]]]
) -> Recording:
    names = sorted({key.source for key, _ in series})
    if meter is None and len(names) == 1:
        meter = names[0]
    if meter not in names:
        wanted = "The run has several meters" if meter is None else f"The run has no meter {meter}"
        raise InputError(f"{wanted}: {', '.join(names)}.", "Choose one by --meter NAME.")
    columns: dict[str, RecordedColumn] = {}
    remarks = []
    for key, read in series:
        if key.source != meter:
            continue
        if key.channel in columns:
            remarks.append(f"{key.channel} in the range {key.range or 'without a name'} is excluded: one range only.")
            continue
        channel = Channel(key.channel, key.quantity, key.unit, Kind(key.kind), key.label)
        columns[key.channel] = RecordedColumn(channel, SamplesOnDisk.of(read()))
    return Recording(f"run {run_id}, meter {meter}", tuple(columns.values()), tuple(remarks))
