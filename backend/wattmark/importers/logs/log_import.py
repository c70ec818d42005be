"""A log of meters and sensors becomes a run: read once, and never as a whole in the memory."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from wattmark.core.errors import InputError
from wattmark.importers.importer import Choices, ImportedRun, Importer, Pending
from wattmark.importers.impossible_loads import volts_amps_verdict
from wattmark.importers.logs.log_format import LogFormat
from wattmark.importers.logs.log_meters import meters_of
from wattmark.importers.logs.log_reader import LogReader, quoted
from wattmark.importers.logs.read_log import ReadLog
from wattmark.importers.stated_once import STATED_ONCE
from wattmark.importers.text_lines import NO_BREAK
from wattmark.runs.disclosure import Disclosure, ImportedClock, ImportedFacts, PowerLogNote
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.record import Phase, RunRecord, RunStatus
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
    return [Pending(name, name, partial(log_run, form, name, files, choices))]


def _name(path: Path, files: list[tuple[Path, str]]) -> str:
    """Return the name of a log: of a folder, which may be that of an unpacked zip file, what stands in it."""
    if path.is_file():
        return path.name
    within = list(dict.fromkeys(name.partition("/")[0] for _, name in files))
    return ", ".join(within[:_MOST_NAMED]) + (" ..." if len(within) > _MOST_NAMED else "")


def log_run(form: LogFormat, name: str, files: list[tuple[Path, str]], choices: Choices) -> ImportedRun:
    """Read a log to its end and return its run. Raises `InputError`."""
    log = ReadLog(form.reader(choices), files, choices)
    reader, rows, unread = log.reader, log.rows, log.unread
    if not reader.channels and reader.offered and not reader.remedy:
        raise _nothing_known(name, reader)
    log.require_sound(name)
    begin, end = log.begin_ns, log.end_ns
    if end <= begin:
        found = f": line {unread.first[0].line} {unread.first[0].why}" if unread.first else ""
        raise broken(
            name, None, f"it holds no two samples of power or a sensor{found}", reader.remedy or f"Give {form.takes}."
        )
    meters = meters_of(reader, log.counts)
    cut = [stamps.note for stamps in list(rows.cut.values())[:1]]
    notes = (_NOTE, *rows.clock_notes, *cut, *([] if rows.ended else [NO_BREAK]), *reader.notes, *meters.notes)
    unread.extend(rows.order.not_later)
    server = reader.server or NO_SERVER
    record = RunRecord(
        run_id=f"{form.kind}-{log.digest[:16]}",
        server=server,
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
        evidence=(STATED_ONCE, rows.order.verdict(), *volts_amps_verdict(log.loads.values())),
        disclosure=Disclosure(
            notes=notes,
            imported=ImportedFacts(
                power_log=PowerLogNote(samples=sum(c.count for c in log.counts.values()), channels=len(log.counts)),
                clock=_clock(reader, choices),
                files=tuple(log.files[:_MOST_FILES]),
            ),
        ),
    )
    return ImportedRun(record, partial(log.samples, record.run_id, server), notes, unread)


def _nothing_known(name: str, reader: LogReader) -> InputError:
    """Build the refusal of a log whose series a person must name."""
    offered = quoted(reader.offered)
    if reader.choices.power is not None:
        return InputError(f"{name} has no series {reader.choices.power!r:.80}.", f"It has: {offered}.")
    return InputError(
        f"{name} does not say what any of its series measured.",
        f"Say with --power which one is the power of the server: {offered}.",
    )


def _clock(reader: LogReader, choices: Choices) -> ImportedClock:
    said = f"the person who imported it: {choices.zone}" if reader.local else "the log: its stamps are UTC"
    return ImportedClock(decided_by=said, window_shift_s=0.0, utc_offset_s=0.0)
