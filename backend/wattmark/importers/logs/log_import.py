"""A log of meters and sensors becomes a run: read twice, and never as a whole in the memory."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from wattmark_drivers.reading import Quality

from wattmark.core.errors import InputError
from wattmark.importers.column_shape import ColumnShape
from wattmark.importers.cut_stamps import CutStamps
from wattmark.importers.importer import Block, Choices, ImportedRun, Importer, Pending
from wattmark.importers.impossible_loads import ImpossibleLoads, volts_amps_verdict
from wattmark.importers.logs.log_format import LogFormat
from wattmark.importers.logs.log_loads import loads_of
from wattmark.importers.logs.log_meters import ChannelCount, meters_of
from wattmark.importers.logs.log_reader import POWER, LogReader, quoted
from wattmark.importers.logs.log_rows import ChannelPart, LogRows
from wattmark.importers.stated_once import STATED_ONCE
from wattmark.importers.text_lines import NO_BREAK
from wattmark.importers.unread import Unread
from wattmark.runs.disclosure import Disclosure, ImportedClock, ImportedFacts, PowerLogNote, SourceFileNote
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.record import Phase, RunRecord, RunStatus
from wattmark.store.sample_store import Samples, SeriesKey
from wattmark.workloads.loadgen.source_file import broken

NO_SERVER = "unknown server"
_MOST_NAMED = 3
_MOST_FILES = 1000
"""Files whose digests the disclosure lists."""
_NOTE = "A log names neither server nor work: the run has what was measured but no throughput."


def log_importer(form: LogFormat) -> Importer:
    """Return the importer of a log format."""
    return Importer(
        kind=form.kind,
        title=form.title,
        takes=form.takes,
        time_zone=form.time_zone,
        recognises=form.recognises,
        find=partial(find_log, form),
        is_log=True,
    )


def find_log(form: LogFormat, path: Path, choices: Choices) -> list[Pending]:
    """Return the one run of a log. Raises `InputError` where the source holds no file of it."""
    files = list(form.files(path))
    if not files:
        raise InputError(f"{path.name} holds no file of this kind: {form.title}.", f"Give {form.takes}.")
    name = _name(path, files)
    return [Pending(name, name, partial(read_log, form, name, files, choices))]


def _name(path: Path, files: list[tuple[Path, str]]) -> str:
    """Return the name of a log: of a folder, which may be that of an unpacked zip file, what stands in it."""
    if path.is_file():
        return path.name
    within = list(dict.fromkeys(name.partition("/")[0] for _, name in files))
    return ", ".join(within[:_MOST_NAMED]) + (" ..." if len(within) > _MOST_NAMED else "")


def read_log(form: LogFormat, name: str, files: list[tuple[Path, str]], choices: Choices) -> ImportedRun:
    """Read a log to its end and return its run. Raises `InputError`."""
    unread, reader = Unread(), form.reader(choices)
    rows = LogRows(reader, files, unread, choices.zone)
    counts: dict[int, ChannelCount] = {}
    loads: dict[str, ImpossibleLoads] = {}
    shapes: dict[str, ColumnShape] = {}
    for block in rows.blocks():
        for part in block:
            counts.setdefault(part.channel, ChannelCount()).add(part.t_ns)
        for source, (_, load) in loads_of(reader.channels, block).items():
            loads.setdefault(source, ImpossibleLoads(source)).add(load)
            shapes.setdefault(source, ColumnShape()).add(load.watts)
    begin = min((count.first_ns for count in counts.values()), default=0)
    end = max((count.last_ns for count in counts.values()), default=0)
    if not reader.channels and reader.offered and not reader.remedy:
        raise _nothing_known(name, reader)
    rows.order.require()
    _require_no_counter(name, shapes)
    if end <= begin:
        found = f": line {unread.first[0].line} {unread.first[0].why}" if unread.first else ""
        raise broken(
            name, None, f"it holds no two samples of power or a sensor{found}", reader.remedy or f"Give {form.takes}."
        )
    meters = meters_of(reader, counts)
    cut = [stamps.note for stamps in list(rows.cut_stamps.values())[:1]]
    notes = (_NOTE, *rows.clock_notes, *cut, *([] if rows.ended else [NO_BREAK]), *reader.notes, *meters.notes)
    unread.extend(rows.order.not_later)
    digest = _digest(rows.files)
    record = RunRecord(
        run_id=f"{form.kind}-{digest[:16]}",
        server=reader.server or NO_SERVER,
        configuration=(Path(name).stem if files[0][1] == name else name)[:200],
        workload="power log",
        level="whole log",
        status=RunStatus.COMPLETE,
        created_ns=begin,
        source=f"imported: {form.title} {name}"[:300],
        unit="work",
        phases=(Phase(name=PhaseName.MEASURE, begin_ns=begin, end_ns=end),),
        window_begin_ns=begin,
        window_end_ns=end,
        meters=meters.meters,
        full_load_limit_pct=None,
        evidence=(STATED_ONCE, rows.order.verdict(), *volts_amps_verdict(loads.values())),
        disclosure=Disclosure(
            notes=notes,
            imported=ImportedFacts(
                power_log=PowerLogNote(samples=sum(c.count for c in counts.values()), channels=len(counts)),
                clock=_clock(reader, choices),
                files=tuple(rows.files[:_MOST_FILES]),
            ),
        ),
    )
    return ImportedRun(
        record, _Again(form, files, choices, record, digest, rows.cut_stamps, loads).blocks, notes, unread
    )


def _require_no_counter(name: str, shapes: Mapping[str, ColumnShape]) -> None:
    """Refuse a power that rises like a running total. Raises `InputError`."""
    for source, shape in shapes.items():
        if shape.only_rises:
            raise InputError(
                f"{name}: the power of {source[:80]!r} never falls in {shape.readings} lines and rises in "
                f"{shape.rises}: it is a running total, such as energy.",
                "Name the series of its power with --power.",
            )


def _nothing_known(name: str, reader: LogReader) -> InputError:
    """Build the refusal of a log whose series a person must name."""
    offered = quoted(reader.offered)
    if reader.choices.power is not None:
        return InputError(f"{name} has no series {reader.choices.power!r:.80}.", f"It has: {offered}.")
    return InputError(
        f"{name} does not say what any of its series measured.",
        f"Say with --power which one is the power of the server: {offered}.",
    )


@dataclass(frozen=True, slots=True)
class _Again:
    """Reads the log a second time, for its samples."""

    form: LogFormat
    files: list[tuple[Path, str]]
    choices: Choices
    record: RunRecord
    digest: str
    cut: Mapping[int, CutStamps]
    loads: Mapping[str, ImpossibleLoads]

    def blocks(self) -> Iterator[Block]:
        """Yield the samples. Raises `InputError` where the log has changed since it was read first."""
        reader = self.form.reader(self.choices)
        rows = LogRows(reader, self.files, Unread(), self.choices.zone, self.cut)
        keys: dict[int, SeriesKey] = {}
        for block in rows.blocks():
            marks = {
                power.channel: self.loads[source].marks(load)
                for source, (power, load) in loads_of(reader.channels, block).items()
            }
            yield [
                (
                    self._key(keys, reader, part.channel),
                    _samples(part, reader.channels[part.channel].id, reader.stamp_s, marks.get(part.channel)),
                )
                for part in block
            ]
        if _digest(rows.files) != self.digest:
            raise InputError(f"{self.files[0][1]} changed while it was read.", "Import it when its logger has stopped.")

    def _key(self, keys: dict[int, SeriesKey], reader: LogReader, number: int) -> SeriesKey:
        if number not in keys:
            channel = reader.channels[number]
            keys[number] = SeriesKey(
                self.record.run_id,
                self.record.server,
                channel.source,
                channel.id,
                channel.quantity,
                channel.unit,
                channel.kind.value,
                label=channel.label[:200],
            )
        return keys[number]


def _samples(part: ChannelPart, channel: str, stamp_s: float, marks: NDArray[np.uint16] | None) -> Samples:
    good = np.isfinite(part.value) & part.in_order & ~((part.value < 0) & (channel == POWER))
    order = np.argsort(part.t_ns, kind="stable")
    quality = np.where(good, np.uint16(0), np.uint16(Quality.INVALID))
    if marks is not None:
        quality |= marks
    return Samples(
        part.t_ns[order],
        part.value[order],
        quality[order],
        np.full(len(order), stamp_s, dtype=np.float32),
    )


def _clock(reader: LogReader, choices: Choices) -> ImportedClock:
    said = f"the person who imported it: {choices.zone}" if reader.local else "the log: its stamps are UTC"
    return ImportedClock(decided_by=said, window_shift_s=0.0, utc_offset_s=0.0)


def _digest(files: Sequence[SourceFileNote]) -> str:
    """Return the digest of a single file, or one over those of all."""
    if len(files) == 1:
        return files[0].sha256
    return hashlib.sha256("".join(f"{note.file} {note.sha256}\n" for note in files).encode()).hexdigest()
