"""One run of a command, recorded from before to after, as a run in the store."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from wattmark.campaigns.stored import Journal, new_identifier
from wattmark.campaigns.watch.processes import LocalProcesses, other_processes, other_programs
from wattmark.core.errors import WattmarkError
from wattmark.instruments.ready import wait_until_ready
from wattmark.measurements.command import Ended, run_command
from wattmark.measurements.lab import MeasuringLab
from wattmark.measurements.run_recording import RunRecording, new_record
from wattmark.measurements.work_count import PrintedWork
from wattmark.runs.record import RunRecord, ThroughputInterval
from wattmark.workloads.marks import Mark

CONFIGURATION = "as is"


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
    """What was measured: its record, and the window by both clocks."""

    record: RunRecord
    begin: Mark
    end: Mark
    problem: str | None = None
    """Why its work was not counted."""
    ended: Ended | None = None
    """How the command ended; None: none was run."""

    @property
    def duration_s(self) -> float:
        """Return how long the work took [s]."""
        return self.end.since(self.begin)

    @property
    def status(self) -> int:
        """Return the exit status of the command; 0 where none was run."""
        return self.ended.status if self.ended else 0

    @property
    def signal(self) -> str | None:
        """Return the name of the signal that ended the command, if any."""
        return self.ended.signal if self.ended else None

    @property
    def asked_to_end(self) -> int | None:
        """Return the number of the signal that meanwhile asked wattmark to end, if any."""
        return self.ended.asked_to_end if self.ended else None


@dataclass(slots=True)
class Measurement:
    """Measures runs of a command one after the other, with meters that stay open."""

    lab: MeasuringLab
    say: Callable[[str], None]
    """Tells a person what is being done."""
    has_started: bool = field(default=False, init=False)
    """Whether a command was started."""
    _journal: Journal = field(init=False)

    def __post_init__(self) -> None:
        """Open the journal of records."""
        self._journal = Journal(self.lab.runs)

    async def ready(self) -> None:
        """Wait until all meters answer. Raises `WattmarkError` with the reason of the first that does not.

        Raises it also where a run has left power settings on the machine.
        """
        await self.lab.clear()
        names = [identity.name for identity in self.lab.identities()]
        await wait_until_ready(self.lab.monitor, names, self.lab.clock)

    async def run(self, order: Order, repeat: int = 1, campaign: str | None = None) -> Measured:
        """Run the command once and store its run, under the id of the campaign or series that it belongs to.

        Raises `WattmarkError` where nothing can be recorded.
        """
        record = await new_record(
            self.lab,
            run_id=new_identifier(),
            name=order.name,
            configuration=order.configuration,
            unit=order.unit,
            repeat=repeat,
            campaign=campaign,
            argv=tuple(map(_readable, order.argv)),
        )
        recording = await RunRecording.begin(self.lab, self._journal, record)
        try:
            if order.idle_s:
                self.say(f"Recording the idle machine for {order.idle_s:g} s.")
                await recording.idle(order.idle_s)
            await recording.guard()
            processes = LocalProcesses()
            before = await processes.snapshot()
            work = order.printed() if order.printed else None
            ended = await run_command(
                order.argv,
                order.environment,
                self.lab.clock,
                to_stderr=order.to_stderr,
                on_line=work.take if work else None,
            )
            self.has_started = True
            after = await processes.snapshot()
            await recording.guard()
            amount, problem = _amount(order, ended, work)
            duration_s = ended.end.since(ended.begin)
            await recording.complete(
                ended.begin,
                ended.end,
                _all_of_it(ended, amount) if amount else (),
                window={
                    "load_cpu_s": ended.cpu_s,
                    "load_cpu_share_pct": 100 * ended.cpu_s / (duration_s * len(os.sched_getaffinity(0))),
                },
                notes=_notes(ended),
                other_processes=other_processes(before, after, duration_s),
                other_programs=other_programs(before, after, read_before=True),
            )
        except BaseException as error:
            await asyncio.shield(recording.break_off(error, "Stopped before the command had ended."))
            raise
        return Measured(recording.record, ended.begin, ended.end, problem, ended)

    def close(self) -> None:
        """Write what is left of the records."""
        self._journal.close()


def _amount(order: Order, ended: Ended, work: PrintedWork | None) -> tuple[float | None, str | None]:
    """Return the work done, and why it was not counted."""
    if work is not None:
        try:
            return work.amount, None
        except WattmarkError as error:
            return None, str(error)
    if order.operations and ended.status:
        return None, "The command failed, so its work is not counted. Make it end with status 0, or count with --work."
    return order.operations, None


def _all_of_it(ended: Ended, amount: float) -> tuple[ThroughputInterval, ...]:
    return (ThroughputInterval(begin_ns=ended.begin.utc_ns, end_ns=ended.end.utc_ns, amount=amount),)


def _notes(ended: Ended) -> tuple[str, ...]:
    lost = () if ended.output_problem is None else (ended.output_problem,)
    if not ended.status:
        return lost
    how = f"was ended by {ended.signal}" if ended.signal else f"ended with status {ended.status}"
    return (*lost, f"The command {how}: its figures are those of the time until then.")


def _readable(argument: str) -> str:
    """Write the bytes of an argument that are no UTF-8 as Python does: a record is text."""
    return os.fsencode(argument).decode("utf-8", "backslashreplace")
