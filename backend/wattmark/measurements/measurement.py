"""One run of a command, recorded from before to after, as a run in the store."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from wattmark.analysis.energy.instrument_terms import EDGE_PERIODS, FIRST_SPAN_S
from wattmark.bench.server import HOST
from wattmark.campaigns.lab_identity import appliance_id
from wattmark.campaigns.record import RunLog
from wattmark.campaigns.server_facts import host_facts
from wattmark.campaigns.stored import Journal, new_identifier
from wattmark.campaigns.watch.guards import require_same_meters
from wattmark.campaigns.watch.processes import LocalProcesses, Snapshot, other_processes, other_programs
from wattmark.core.errors import WattmarkError
from wattmark.instruments.ready import wait_until_ready
from wattmark.measurements.command import Ended, run_command
from wattmark.measurements.lab import MeasuringLab
from wattmark.measurements.work_count import PrintedWork
from wattmark.runs.disclosure import Disclosure, MarkFacts, RecordedBy, Task, WindowFacts
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.record import RunRecord, RunStatus, ThroughputInterval
from wattmark.workloads.marks import Mark, mark_now

GUARD_PERIODS = 2.0
"""Periods of the slowest meter that are recorded on either side of the command, so that readings enclose its edges."""
LEAST_GUARD_S, MOST_GUARD_S = 0.5, 30.0
MAX_CLOCK_STEP_S = 0.1
EDGE_S = 1e-3
"""How far the marks may lie from the command's own begin and end [s]: the time to start a program."""
CONFIGURATION = "as is"
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9 ._+-]+")


@dataclass(frozen=True, slots=True)
class Order:
    """What to measure."""

    argv: tuple[str, ...]
    name: str
    """Of the workload in results."""
    environment: Mapping[str, str]
    unit: str = "operations"
    operations: float | None = None
    """Work that one run of the command does."""
    printed: Callable[[], PrintedWork] | None = None
    """Finds the work in what the command prints."""
    configuration: str = CONFIGURATION
    idle_s: float = 0.0
    """How long the idle machine is recorded before the command."""
    to_stderr: bool = False
    """Whether the standard output of the command goes to standard error."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A command that was run, and its record."""

    record: RunRecord
    ended: Ended
    problem: str | None = None
    """Why its work was not counted."""


@dataclass(slots=True)
class Measurement:
    """Measures runs of a command one after the other, with meters that stay open."""

    lab: MeasuringLab
    say: Callable[[str], None]
    """Tells a person what is being done."""
    _journal: Journal = field(init=False)

    def __post_init__(self) -> None:
        """Open the journal of records."""
        self._journal = Journal(self.lab.runs)

    async def ready(self) -> None:
        """Wait until all meters answer. Raises `WattmarkError` with the reason of the first that does not."""
        await wait_until_ready(self.lab.monitor, [meter.name for meter in self.lab.meters], self.lab.clock)

    async def run(self, order: Order, repeat: int = 1, campaign: str | None = None) -> Measured:
        """Run the command once and store its run, under the id of the campaign or series that it belongs to.

        Raises `WattmarkError` where nothing can be recorded.
        """
        record = self._record(order, repeat, campaign)
        log = RunLog(record, self._journal, self.lab.clock, lambda *_: None)
        log.keep()
        await log.flush()
        recorder, processes = self.lab.recorder, LocalProcesses()
        recorder.begin(record.run_id, record.server, {HOST, *(meter.name for meter in self.lab.meters)})
        try:
            if order.idle_s:
                self.say(f"Recording the idle machine for {order.idle_s:g} s.")
                log.open(PhaseName.IDLE, order.idle_s)
                await self.lab.clock.sleep(order.idle_s)
                log.keep(phases=log.closed(mark_now(self.lab.clock)))
                await self.lab.clock.sleep(self._apart_s)
            await self.lab.clock.sleep(self._guard_s)
            before = await processes.snapshot()
            work = order.printed() if order.printed else None
            ended = await run_command(
                order.argv,
                order.environment,
                self.lab.clock,
                to_stderr=order.to_stderr,
                on_line=work.take if work else None,
            )
            after = await processes.snapshot()
            await self.lab.clock.sleep(self._guard_s)
            require_same_meters(record.meters, [meter.monitored.meter.identity for meter in self.lab.meters])
        except BaseException as error:
            await asyncio.shield(self._break_off(log, error))
            raise
        await recorder.end(record.run_id)
        problem = self._keep(log, order, ended, work)
        self._disclose(log, ended, before, after)
        log.keep(status=RunStatus.COMPLETE)
        await log.flush()
        return Measured(log.record, ended, problem)

    def close(self) -> None:
        """Write what is left of the records."""
        self._journal.close()

    @property
    def _guard_s(self) -> float:
        slowest_s = max(meter.record.period_s for meter in self.lab.meters)
        return min(max(GUARD_PERIODS * slowest_s, LEAST_GUARD_S), MOST_GUARD_S)

    @property
    def _apart_s(self) -> float:
        """Return how long the command stays away from the idle phase, so that its step is no late edge of that [s]."""
        slowest_s = max(meter.record.period_s for meter in self.lab.meters)
        return max(FIRST_SPAN_S, EDGE_PERIODS * slowest_s)

    def _record(self, order: Order, repeat: int, campaign: str | None) -> RunRecord:
        lab = self.lab
        return RunRecord(
            run_id=new_identifier(),
            campaign_id=campaign,
            server=lab.server,
            configuration=order.configuration,
            workload=order.name,
            level="as is",
            repeat=repeat,
            status=RunStatus.RUNNING,
            created_ns=lab.clock.utc_ns(),
            unit=order.unit,
            meters=tuple(meter.record for meter in lab.meters),
            full_load_limit_pct=None,
            disclosure=Disclosure(
                recorded_by=RecordedBy(lab=lab.lab, appliance=appliance_id(lab.runs, new_identifier)),
                argv=order.argv,
                host=host_facts(),
                task=Task(task="measure"),
            ),
        )

    def _keep(self, log: RunLog, order: Order, ended: Ended, work: PrintedWork | None) -> str | None:
        """Keep the window and the work done in it; return why the work was not counted."""
        amount, problem = order.operations, None
        if amount and ended.status:
            amount, problem = (
                None,
                "The command failed, so its work is not counted. Make it end with status 0, or count with --work.",
            )
        if work is not None:
            try:
                amount = work.amount
            except WattmarkError as error:
                problem = str(error)
        begin, end = ended.begin, ended.end
        log.open(PhaseName.MEASURE, 0.0, begin)
        interval = None if not amount else ThroughputInterval(begin_ns=begin.utc_ns, end_ns=end.utc_ns, amount=amount)
        log.keep(
            phases=log.closed(end),
            window_begin_ns=begin.utc_ns,
            window_end_ns=end.utc_ns,
            throughput=() if interval is None else (interval,),
            # All of the work is counted; how it is spread is known to the edges of the window.
            count_step=1.0 if not amount else 2 * EDGE_S * amount / max(end.since(begin), EDGE_S),
        )
        return problem

    def _disclose(self, log: RunLog, ended: Ended, before: Snapshot, after: Snapshot) -> None:
        begin, end = ended.begin, ended.end
        duration_s, step_s = end.since(begin), end.clock_step_s(begin)
        notes = []
        if ended.status:
            how = f"was ended by {ended.signal}" if ended.signal else f"ended with status {ended.status}"
            notes.append(f"The command {how}: its figures are those of the time until then.")
        if abs(step_s) > MAX_CLOCK_STEP_S:
            notes.append(f"The system clock was changed by {step_s:+.3f} s while the command ran.")
        log.disclose(
            window=WindowFacts(
                begin=_facts(begin),
                end=_facts(end),
                load_cpu_s=ended.cpu_s,
                load_cpu_share_pct=100 * ended.cpu_s / (duration_s * len(os.sched_getaffinity(0))),
                clock_step_s=step_s,
            ),
            other_processes=other_processes(before, after, duration_s),
            other_programs=other_programs(before, after),
            recording_problems=self.lab.recorder.problems(log.record.run_id),
            notes=tuple(notes),
        )

    async def _break_off(self, log: RunLog, error: BaseException) -> None:
        await self.lab.recorder.end(log.record.run_id)
        is_failure = isinstance(error, (WattmarkError, OSError))
        reason = str(error) if is_failure else "Stopped before the command had ended."
        log.keep(
            status=RunStatus.FAILED if is_failure else RunStatus.ABORTED,
            reason=" ".join(reason.split()),
            phases=log.closed(mark_now(self.lab.clock)),
        )
        await log.flush()


def _facts(mark: Mark) -> MarkFacts:
    return MarkFacts(utc_ns=mark.utc_ns, monotonic_ns=mark.monotonic_ns)


def name_of(argv: tuple[str, ...]) -> str:
    """Return a name for a command: the program and its arguments, as far as names of runs may hold them."""
    words = " ".join([argv[0].rpartition("/")[2], *argv[1:]])
    return _NOT_IN_NAMES.sub("-", words)[:64].strip(" ._+-") or "command"
