"""Read everything that one MLPerf Power result leaves behind, and what its files do not agree on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from wattmark.core.errors import InputError
from wattmark.importers.mlperf.mlperf_tree import (
    DETAIL,
    POWER,
    POWER_LOG,
    RANGING,
    SESSION_FILES,
    SUMMARY,
    ResultFolder,
)
from wattmark.importers.mlperf.power_session import PowerSession, read_session
from wattmark.importers.mlperf.systems import parse_system
from wattmark.importers.ptdaemon.ptdaemon import PowerLog, parse_power_log
from wattmark.importers.ptdaemon.ptdaemon_console import Measurement, parse_console
from wattmark.workloads.loadgen.loadgen import LoadgenResult, parse_loadgen
from wattmark.workloads.loadgen.source_file import SourceFile
from wattmark.workloads.loadgen.stamps import ClockReading, find_window_shift, read_clock

TESTING = "_testing"
"""Suffix of the mark of a measured pass, after the session's name."""
_DEFAULT_PERIOD_S = 1.0
"""Power sessions ask for one sample a second."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The files of a result, read. ``console`` is None where the daemon's console does not mention this pass."""

    folder: ResultFolder
    loadgen: LoadgenResult
    log: PowerLog
    session: PowerSession
    console: Measurement | None
    clock: ClockReading
    configuration: dict[str, Any]
    detail: SourceFile
    files: tuple[SourceFile, ...]
    mark: str
    """Mark of the measured pass."""
    console_sessions: tuple[str, ...]
    """Names of the sessions whose passes the daemon's console mentions."""
    ranging_console: Measurement | None
    ranging_w: float | None
    """Mean power of the ranging pass as MLPerf takes it [W]; None: ``ranging_problem`` says why."""
    ranging_problem: str | None
    by_path: dict[str, SourceFile]
    """The files whose digests a session records, by their path in it ("run_1/spl.txt")."""

    @property
    def period_s(self) -> float:
        """Return the declared time between two samples [s]."""
        identity = self.session.identity
        return (identity.averaging_s if identity else 0.0) or _DEFAULT_PERIOD_S

    @property
    def testing_w(self) -> float | None:
        """Compute the mean of the positive samples strictly inside the window [W]; None where there is none."""
        return _mean_w(self.log, *self.window_in_log)

    @property
    def window_in_log(self) -> tuple[int, int]:
        """Return LoadGen's window on the power log's clock [ns]."""
        shift = self.clock.window_shift_ns
        return self.loadgen.begin_ns + shift, self.loadgen.end_ns + shift

    def remarks(self) -> list[str]:
        """List what the readers had to decide or exclude, one sentence each."""
        return [
            *self.loadgen.remarks,
            *self.log.remarks,
            *self.session.remarks,
            f"Clock: {self.clock.decided_by}.",
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
    passes = parse_console(console.text) if console else {}
    ranging_detail, ranging_log = (folder.optional("..", RANGING, name) for name in (DETAIL, POWER_LOG))
    ranging_w, ranging_problem = _ranging(ranging_detail, ranging_log)
    run = folder.path.name
    named = {
        f"{run}/{DETAIL}": detail,
        f"{run}/{SUMMARY}": summary,
        f"{run}/{POWER_LOG}": power,
        f"{POWER}/ptd_logs.txt": console,
        f"{POWER}/client.json": client,
        f"{RANGING}/{DETAIL}": ranging_detail,
        f"{RANGING}/{POWER_LOG}": ranging_log,
    }
    # nothing is read from the others, but each of them was recorded with its digest
    named |= {name: folder.optional("..", *name.split("/")) for name in SESSION_FILES if name not in named}
    return Evidence(
        folder,
        loadgen,
        log,
        session,
        passes.get(mark),
        _clock(folder, loadgen, log, session, mark),
        parse_system(system) if system else {},
        detail,
        tuple(file for file in (detail, summary, power, server, client, console, system) if file),
        mark,
        tuple(dict.fromkeys(name.removesuffix(TESTING) for name in passes if name.endswith(TESTING))),
        passes.get(f"{mark.removesuffix(TESTING)}_{RANGING}"),
        ranging_w,
        ranging_problem,
        {path: file for path, file in named.items() if file},
    )


def _ranging(detail: SourceFile | None, power: SourceFile | None) -> tuple[float | None, str | None]:
    """Find the mean power of the ranging pass, or why there is none; a broken one does not break the result."""
    if detail is None or power is None:
        return None, "There is no ranging pass beside the measured one"
    try:
        loadgen, log = parse_loadgen(detail, None), parse_power_log(power)
        shift = find_window_shift(int(log.t_ns[0]), int(log.t_ns[-1]), loadgen.begin_ns, loadgen.end_ns)
    except InputError as error:
        return None, f"The ranging pass cannot be read ({error.cause.removesuffix('.')})"
    return _mean_w(
        log, loadgen.begin_ns + shift, loadgen.end_ns + shift
    ), "The ranging pass holds no power in its window"


def _mean_w(log: PowerLog, begin_ns: int, end_ns: int) -> float | None:
    watts = log.columns["Watts"]
    inside = (log.t_ns > begin_ns) & (log.t_ns < end_ns) & (watts.quality == 0) & (watts.value > 0)
    return float(np.mean(watts.value[inside])) if inside.any() else None


def _testing_mark(log: PowerLog, session: PowerSession) -> str:
    """Choose the mark of the measured pass: the session's own, one that says so, or the first."""
    wanted = f"{session.session}{TESTING}"
    if wanted in log.marks:
        return wanted
    return next((mark for mark in log.marks if mark.endswith(TESTING)), log.marks[0])


def _clock(
    folder: ResultFolder, loadgen: LoadgenResult, log: PowerLog, session: PowerSession, mark: str
) -> ClockReading:
    first, last = log.mark_starts[mark], int(log.t_ns[-1])
    try:
        return read_clock(first, last, loadgen.begin_ns, loadgen.end_ns, session.go_epoch_s)
    except InputError as error:
        raise InputError(f"{folder.where}/{POWER_LOG}: {error.cause}", error.remedy) from error


def _folder_name(folder: ResultFolder, loadgen: LoadgenResult) -> list[str]:
    if folder.scenario.lower() in ("unknown", loadgen.scenario.lower()):
        return []
    return [f"The folder is named {folder.scenario}, but LoadGen ran {loadgen.scenario}, which is taken."]
