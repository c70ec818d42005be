"""A log of meters and sensors becomes a run: read once, and never as a whole in the memory."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from wattmark.core.errors import InputError
from wattmark.importers.importer import Choices, ImportedRun, Importer, Pending
from wattmark.importers.impossible_loads import volts_amps_verdict
from wattmark.importers.log_lines import require_understood
from wattmark.importers.log_stamps import CLOCK_NOT_SET
from wattmark.importers.logs.log_channel import THROUGHPUT, quoted
from wattmark.importers.logs.log_format import LogFormat, LogGrammar
from wattmark.importers.logs.log_reader import LogReader
from wattmark.importers.logs.read_log import ReadLog
from wattmark.importers.stated_once import STATED_ONCE
from wattmark.runs.disclosure import Disclosure, ImportedClock, ImportedFacts, PowerLogNote
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.record import Phase, RunRecord, RunStatus
from wattmark.workloads.loadgen.source_file import broken

_CUT_AWAY = "Remove the lines from before the clock was set; if it never was, the log has no times to import."
NO_SERVER = "unknown server"
_MOST_NAMED = 3
_MOST_FILES = 1000
"""Files whose digests the disclosure lists."""


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


def read_log(form: LogGrammar, name: str, files: Sequence[tuple[Path, str]], choices: Choices) -> ReadLog:
    """Read a log to its end. Raises `InputError` with what is wrong and what to do."""
    log = ReadLog(form.reader(choices), files, choices)
    reader, unread = log.reader, log.unread
    if not reader.channels and not reader.remedy and (reader.offered or reader.excluded):
        raise _nothing_known(name, reader)
    remedy = reader.remedy or f"Give {form.takes}."
    first = next(iter(unread.first), None)
    never_set = first is not None and first.why == CLOCK_NOT_SET
    require_understood(unread, unread.lines, _CUT_AWAY if never_set else remedy)
    log.rows.order.require(reader.out_of_order)
    if log.end_ns <= log.begin_ns:
        unread_line = f": line {first.line} {first.why}" if first is not None else ""
        mistake = f"it has {log.rows.count} lines with a reading, and two at different times are needed{unread_line}"
        raise broken(name, None, mistake, remedy)
    reader.require_sound(name)
    if log.rows.cut and reader.between_stamps:
        raise InputError(
            f"{name} cuts its stamps to whole seconds, and its column {reader.between_stamps!r} holds what was "
            "counted between two of them.",
            "Export the stamps with all of their decimals, or map a rate or a running total instead.",
        )
    unread.extend(log.rows.order.not_later)
    return log


def log_run(form: LogGrammar, name: str, files: Sequence[tuple[Path, str]], choices: Choices) -> ImportedRun:
    """Read a log to its end and return its run. Raises `InputError` with what is wrong and what to do."""
    log = read_log(form, name, files, choices)
    reader, rows = log.reader, log.rows
    meters = reader.meters(log.counts)
    notes = (reader.about, *log.notes, *meters.notes)
    server = reader.server or NO_SERVER
    begin_ns, end_ns = log.begin_ns, log.end_ns
    if reader.throughput:
        begin_ns, end_ns = reader.throughput[0].begin_ns, reader.throughput[-1].end_ns
    stored = [count for channel, count in log.counts.items() if reader.channels[channel].quantity != THROUGHPUT]
    record = RunRecord(
        run_id=f"{form.kind}-{log.digest[:16]}",
        server=server,
        configuration=reader.configuration or (Path(name).stem if files[0][1] == name else name)[:200] or "log",
        workload=reader.workload,
        level="whole log",
        status=RunStatus.COMPLETE,
        created_ns=log.begin_ns,
        source=f"imported: {form.title} {name}"[:300],
        unit=reader.work_unit,
        phases=(Phase(name=PhaseName.MEASURE, begin_ns=begin_ns, end_ns=end_ns),),
        throughput=reader.throughput,
        window_begin_ns=begin_ns,
        window_end_ns=end_ns,
        meters=meters.meters,
        full_load_limit_pct=None,
        evidence=(STATED_ONCE, rows.order.verdict(), *volts_amps_verdict(log.loads.values())),
        disclosure=Disclosure(
            notes=notes,
            imported=ImportedFacts(
                power_log=PowerLogNote(samples=sum(count.count for count in stored), channels=len(stored)),
                clock=ImportedClock(decided_by=_decided_by(log, choices), window_shift_s=0.0, utc_offset_s=0.0),
                files=tuple(log.files[:_MOST_FILES]),
            ),
        ),
    )
    samples = partial(log.samples, record.run_id, server)
    return ImportedRun(record, samples, notes, log.unread, declared_s=log.declared_s)


def _nothing_known(name: str, reader: LogReader) -> InputError:
    """Build the refusal of a log whose series a person must name."""
    offered = quoted(reader.offered)
    if not offered:
        return InputError(
            f"{name} holds no series that is known as power or as a sensor, but {', '.join(reader.excluded)}.",
            "Name the power of the server with --power if it is one of them; else give a log with power.",
        )
    if reader.choices.power is not None:
        return InputError(f"{name} has no series {reader.choices.power!r:.80}.", f"It has: {offered}.")
    return InputError(
        f"{name} does not say what any of its series measured.",
        f"Say with --power which one is the power of the server: {offered}.",
    )


def _decided_by(log: ReadLog, choices: Choices) -> str:
    """Return who says how the stamps relate to UTC."""
    if log.rows.clock_notes or log.reader.begun:
        return f"the person who imported it: {choices.zone}"
    return "the log: its stamps are UTC, or name their offset"
