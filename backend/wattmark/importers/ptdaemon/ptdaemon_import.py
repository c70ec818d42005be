"""A bare PTDaemon log (its -l file) becomes a run: read block by block, so it may be larger than the memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import tzinfo
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from wattmark_drivers.reading import Quality

from wattmark.core.texts import first_of
from wattmark.importers.column_shape import ColumnShape
from wattmark.importers.held_maximum import held_maximum
from wattmark.importers.importer import Block, Choices, ImportedRun, Importer, Pending
from wattmark.importers.local_time import LocalClock
from wattmark.importers.log_lines import require_understood
from wattmark.importers.log_stamps import StampOrder
from wattmark.importers.ptdaemon.parts_of_power import PartsOfPower, with_lost
from wattmark.importers.ptdaemon.power_lines import NO_MARK, read_power_lines
from wattmark.importers.ptdaemon.ptdaemon_line import LineShape, LogLine, is_remark, parse_line, usual_line
from wattmark.importers.ptdaemon.volts_amps import FACTORS, VoltsAmps
from wattmark.importers.rows_on_disk import READING, RowsOnDisk, readings
from wattmark.importers.series_in_turn import SeriesInTurn
from wattmark.importers.text_lines import NO_BREAK, TextLines, ends_with_a_break
from wattmark.importers.unread import Unread
from wattmark.importers.usual_period import LONGEST_PERIOD_S, UsualPeriod
from wattmark.importers.zones import require_zone
from wattmark.runs.disclosure import Disclosure, ImportedClock, ImportedFacts, PowerLogNote
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.record import ImportedVerdict, MeterRecord, Phase, RunRecord, RunStatus
from wattmark.store.sample_store import Samples, SeriesKey
from wattmark.workloads.loadgen.source_file import broken

METER = "PTDaemon analyzer"
_SAMPLES = 50_000
"""Samples of a block, which the store takes in one commit."""
_LONGEST, _HEAD = 8192, 2**17
_MOST_MARKS = 100
_MOST_NAMED = 5
_FEWEST_RISES = 10
"""A steady load may rise a digit now and then, and not fall."""
_ABSURD_W = 9e37
_STAMP_S = 0.0005
_GIVE = "Give the log that PTDaemon wrote with -l."
_NOTE = "A bare power log names neither server nor work: the run has power but no throughput."


def find_log(path: Path, choices: Choices) -> list[Pending]:
    """Return the one run of a log. Raises `InputError` where no time zone was said."""
    zone = require_zone(choices.zone, path.name)
    return [Pending(path.name, path.stem, partial(_read, path, zone, choices.power))]


def recognises(path: Path) -> bool:
    """Return whether the first line of a file is a sample of PTDaemon."""
    if not path.is_file():
        return False
    try:
        return "Watts" in _first_line(path).total
    except (OSError, ValueError):
        return False


def _first_line(path: Path) -> LogLine:
    with path.open("rb") as file:
        lines = file.read(_HEAD).decode("utf-8", "replace").split("\n")
    first = next((line for line in lines if not is_remark(line)), "")
    return parse_line(first[:_LONGEST].rstrip("\r"))


def _read(path: Path, zone: tzinfo, power: str | None) -> ImportedRun:
    unread, file = Unread(), TextLines(path, path.name, _LONGEST)
    usual = usual_line(path)
    parts = PartsOfPower(path.name, usual.names if usual else (), power, unread)
    rows, clock, volts_amps, order = RowsOnDisk(READING), LocalClock(zone), VoltsAmps(), StampOrder(path.name)
    steps, in_turn, shape = UsualPeriod(), SeriesInTurn(), ColumnShape()
    count, read, begin, end, offset_ns, marks = 0, 0, 2**63, 0, 0, dict[str, None]()
    for lines in read_power_lines(file, unread, (*FACTORS, *parts.columns), LineShape(usual)):
        read += len(lines)
        if not parts.names:
            volts_amps.add(lines)
        for mark in lines.marks:
            if len(marks) < _MOST_MARKS:
                marks[mark] = None
        local, watts, numbers = with_lost(lines, parts.watts(lines), path.name, unread)
        if len(local) == 0:
            continue
        utc = clock.to_utc(local)
        if count == 0:
            offset_ns = int(local[0] - utc[0])
        placed, wrong = order.place(0, utc, numbers)
        good = ~(wrong | _bad(watts))
        in_turn.require_one(path.name, placed[good], watts[good])
        shape.add(watts[good])
        begin, end = min(begin, int(placed.min())), max(end, int(placed.max()))
        count += len(placed)
        steps.add(placed)
        rows.add(readings(placed, watts, wrong))
    order.require()
    parts.require_sums()
    require_understood(unread, read + unread.count, _GIVE)
    shape.require_power(
        f"{path.name}: the power", "Give the log of an analyzer that shows power, without its MAX hold."
    )
    if count < 2 or end <= begin:
        why = f": line {unread.first[0].line} {unread.first[0].why}" if unread.first else ""
        raise broken(path.name, None, f"it holds no two samples of power{why}", _GIVE)
    unread.extend(order.not_later)
    unread.lines = count
    notes = (
        _NOTE,
        *clock.notes,
        *([] if ends_with_a_break(path) else [NO_BREAK]),
        *parts.notes,
        *_of_marks(tuple(marks)),
    )
    meter = MeterRecord(
        name=METER,
        model="unknown",
        title=f"Power analyzer behind PTDaemon{parts.title}, model unknown",
        period_s=steps.period_s or LONGEST_PERIOD_S,
        not_traceable="The log does not name the analyzer.",
    )
    record = RunRecord(
        run_id=f"ptdaemon-{parts.digest(file.note.sha256)[:16]}",
        server="unknown server",
        configuration=path.stem[:200],
        workload="power log",
        level="whole log",
        status=RunStatus.COMPLETE,
        created_ns=begin,
        source=f"imported: PTDaemon log {path.name}",
        unit="work",
        phases=(Phase(name=PhaseName.MEASURE, begin_ns=begin, end_ns=end),),
        window_begin_ns=begin,
        window_end_ns=end,
        meters=(meter,),
        full_load_limit_pct=None,
        evidence=(volts_amps.verdict(), order.verdict(), _held_maximum(shape)),
        disclosure=Disclosure(
            notes=notes,
            imported=ImportedFacts(
                power_log=PowerLogNote(samples=count, channels=1, marks=tuple(marks)),
                clock=ImportedClock(
                    decided_by=f"the person who imported it: {zone}",
                    window_shift_s=0.0,
                    utc_offset_s=offset_ns / 1e9,
                ),
                files=(file.note,),
            ),
        ),
    )
    return ImportedRun(record, partial(_blocks, rows, record.run_id), notes, unread)


def _blocks(log: RowsOnDisk, run_id: str) -> Iterator[Block]:
    key = SeriesKey(run_id, "unknown server", METER, "power", "power", "W", "averaged")
    for rows in log.read(_SAMPLES):
        utc, watts, late = (np.ascontiguousarray(rows[name]) for name in ("t_ns", "value", "late"))
        yield [(key, _samples(utc, watts, late))]


def _samples(utc: NDArray[np.int64], watts: NDArray[np.float64], wrong: NDArray[np.bool_]) -> Samples:
    quality = np.where(wrong | _bad(watts), np.uint16(Quality.INVALID), np.uint16(0))
    return Samples(utc, watts, quality, np.full(len(utc), _STAMP_S, dtype=np.float32))


def _bad(watts: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which watts stand for a sample that failed."""
    return np.isnan(watts) | (watts < 0) | (np.abs(watts) >= _ABSURD_W)


def _held_maximum(shape: ColumnShape) -> ImportedVerdict:
    """Judge the steps that change, as coarse digits of a steady load change seldom."""
    rises, falls = shape.rises, shape.falls
    return held_maximum(shape.readings, rises, falls, fewest_rises=_FEWEST_RISES, steps=rises + falls)


def _of_marks(marks: Sequence[str]) -> tuple[str, ...]:
    """Return which marks a log has, where it is of several passes."""
    if len(marks) < 2:
        return ()
    named = first_of(["none set" if mark == NO_MARK else mark[:80] for mark in marks], _MOST_NAMED)
    held = f"The log has lines of {len(marks)} marks ({named}), and all of them count."
    return (f"{held} The part of one is chosen with --from and --to.",)


PTDAEMON_LOG = Importer(
    kind="ptdaemon",
    title="Power log of PTDaemon",
    takes="the file that PTDaemon wrote with -l, such as spl.txt",
    time_zone="asked for",
    recognises=recognises,
    find=find_log,
    is_log=True,
)
