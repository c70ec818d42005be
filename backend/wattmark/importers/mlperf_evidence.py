"""Read everything that one MLPerf Power result leaves behind, and what its files do not agree on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wattmark.errors import InputError
from wattmark.importers.loadgen import LoadgenResult, parse_loadgen
from wattmark.importers.mlperf_tree import DETAIL, POWER_LOG, SUMMARY, ResultFolder
from wattmark.importers.power_session import PowerSession, read_session
from wattmark.importers.ptdaemon import PowerLog, parse_power_log
from wattmark.importers.ptdaemon_console import Measurement, parse_console
from wattmark.importers.source_file import SourceFile
from wattmark.importers.stamps import ClockReading, read_clock
from wattmark.importers.systems import parse_system

_MOST_CLOCK_DIFFERENCE_S = 0.4
"""MLPerf Power's own limit for the clocks of the two machines."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The files of a result, read. ``console`` is None where the daemon's console does not tell of this pass."""

    folder: ResultFolder
    loadgen: LoadgenResult
    log: PowerLog
    session: PowerSession
    console: Measurement | None
    clock: ClockReading
    configuration: dict[str, Any]
    detail: SourceFile
    files: tuple[SourceFile, ...]

    @property
    def window_in_log(self) -> tuple[int, int]:
        """Give LoadGen's window on the power log's clock [ns]."""
        shift = self.clock.window_shift_ns
        return self.loadgen.begin_ns + shift, self.loadgen.end_ns + shift

    def remarks(self) -> list[str]:
        """List what the readers had to decide or leave out, one sentence each."""
        return [
            *self.loadgen.remarks,
            *self.log.remarks,
            *self.session.remarks,
            f"Clock: {self.clock.decided_by}.",
            *_clock_difference(self.session),
            *_folder_name(self.folder, self.loadgen),
            *([] if self.configuration else ["No description of the system (systems/*.json) was found."]),
        ]


def read_evidence(folder: ResultFolder) -> Evidence:
    """Read a result. Raises `InputError` when a needed file is missing or broken, or when its files do not fit."""
    detail, power, summary = folder.file(DETAIL), folder.file(POWER_LOG), folder.optional(SUMMARY)
    server, client, console, system = (
        folder.optional("..", "power", "server.json"),
        folder.optional("..", "power", "client.json"),
        folder.optional("..", "power", "ptd_logs.txt"),
        folder.system_file(),
    )
    loadgen, log, session = parse_loadgen(detail, summary), parse_power_log(power), read_session(server, client)
    mark = _testing_mark(log, session)
    return Evidence(
        folder,
        loadgen,
        log,
        session,
        parse_console(console.text).get(mark) if console else None,
        _clock(folder, loadgen, log, session, mark),
        parse_system(system) if system else {},
        detail,
        tuple(file for file in (detail, summary, power, server, client, console, system) if file),
    )


def _testing_mark(log: PowerLog, session: PowerSession) -> str:
    """Choose the mark of the measured pass: the session's own, one that says so, or the first."""
    wanted = f"{session.session}_testing"
    if wanted in log.marks:
        return wanted
    return next((mark for mark in log.marks if mark.endswith("_testing")), log.marks[0])


def _clock(
    folder: ResultFolder, loadgen: LoadgenResult, log: PowerLog, session: PowerSession, mark: str
) -> ClockReading:
    first, last = log.mark_starts[mark], int(log.t_ns[-1])
    try:
        return read_clock(first, last, loadgen.begin_ns, loadgen.end_ns, session.go_epoch_s)
    except InputError as error:
        raise InputError(f"{folder.where}/{POWER_LOG}: {error.cause}", error.remedy) from error


def _clock_difference(session: PowerSession) -> list[str]:
    """Report clocks that were too far apart when they were compared last."""
    usable = [exchange for exchange in session.exchanges if exchange.usable]
    if not usable or abs(usable[-1].offset_s) <= _MOST_CLOCK_DIFFERENCE_S:
        return []
    return [f"The clocks of the two machines differed by {usable[-1].offset_s:.3f} s; the window is off by as much."]


def _folder_name(folder: ResultFolder, loadgen: LoadgenResult) -> list[str]:
    if folder.scenario.lower() in ("unknown", loadgen.scenario.lower()):
        return []
    return [f"The folder is named {folder.scenario}, but LoadGen ran {loadgen.scenario}, which is taken."]
