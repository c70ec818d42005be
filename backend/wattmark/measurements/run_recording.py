"""The recording of one run: its record, and the readings from before to after what is measured."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from wattmark.analysis.energy.instrument_terms import EDGE_PERIODS, FIRST_SPAN_S
from wattmark.bench.server import HOST
from wattmark.campaigns.environment.changes import environment_notes
from wattmark.campaigns.lab_identity import appliance_id
from wattmark.campaigns.record import RunLog
from wattmark.campaigns.server_facts import describe_here
from wattmark.campaigns.stored import Journal, new_identifier
from wattmark.campaigns.watch.guards import require_same_meters
from wattmark.core.amounts import LEAST
from wattmark.core.errors import WattmarkError
from wattmark.core.version import version
from wattmark.measurements.lab import MeasuringLab
from wattmark.runs.disclosure import Disclosure, HostFacts, MarkFacts, RecordedBy, Task, WindowFacts
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.record import RunRecord, RunStatus, ThroughputInterval
from wattmark.workloads.marks import Mark, mark_now

GUARD_PERIODS = 2.0
"""Periods of the slowest meter that are recorded on either side of the window, so that readings enclose its edges."""
LEAST_GUARD_S, MOST_GUARD_S = 0.5, 30.0
MAX_CLOCK_STEP_S = 0.1
EDGE_S = 1e-3
"""How far the marks may lie from the begin and end of the work [s]: the time to start a program."""


async def new_record(
    lab: MeasuringLab,
    *,
    run_id: str,
    name: str,
    configuration: str,
    unit: str,
    repeat: int = 1,
    campaign: str | None = None,
    argv: tuple[str, ...] = (),
) -> RunRecord:
    """Write the record of a run without a plan at its beginning; ``name`` is that of the workload."""
    appliance = await asyncio.to_thread(appliance_id, lab.runs, new_identifier)
    host, environment = (
        await asyncio.to_thread(describe_here) if lab.host == HOST else (HostFacts(wattmark=version()), None)
    )
    return RunRecord(
        run_id=run_id,
        campaign_id=campaign,
        server=lab.server,
        configuration=configuration,
        workload=name,
        level="as is",
        repeat=repeat,
        status=RunStatus.RUNNING,
        created_ns=lab.clock.utc_ns(),
        unit=unit,
        meters=tuple(lab.meters()),
        full_load_limit_pct=None,
        disclosure=Disclosure(
            recorded_by=RecordedBy(lab=lab.lab, appliance=appliance),
            argv=argv,
            host=host,
            environment=environment,
            task=Task(task="measure"),
        ),
    )


@dataclass(slots=True)
class RunRecording:
    """Records one run and keeps its record up to date. Whoever begins it ends it: `complete` or `break_off`."""

    lab: MeasuringLab
    log: RunLog

    @classmethod
    async def begin(cls, lab: MeasuringLab, journal: Journal, record: RunRecord) -> Self:
        """Store the record, and record the meters of the server from now on. Raises `WattmarkError`."""
        log = RunLog(record, journal, lab.clock, lambda *_: None)
        log.keep()
        await log.flush()
        lab.recorder.begin(record.run_id, record.server, {lab.host, *(meter.name for meter in record.meters)})
        return cls(lab, log)

    @property
    def record(self) -> RunRecord:
        """Return the record as it stands."""
        return self.log.record

    async def idle(self, seconds: float) -> None:
        """Record the idle machine, and then until the step of the work is no late edge of the idle phase."""
        self.log.open(PhaseName.IDLE, seconds)
        await self.lab.clock.sleep(seconds)
        self.log.keep(phases=self.log.closed(mark_now(self.lab.clock)))
        await self.lab.clock.sleep(max(FIRST_SPAN_S, EDGE_PERIODS * self._slowest_s))

    async def guard(self) -> None:
        """Record as long as readings must enclose an edge of the window."""
        await self.lab.clock.sleep(min(max(GUARD_PERIODS * self._slowest_s, LEAST_GUARD_S), MOST_GUARD_S))

    async def complete(
        self,
        begin: Mark,
        end: Mark,
        work: Sequence[ThroughputInterval],
        *,
        window: dict[str, Any] | None = None,
        notes: Sequence[str] = (),
        **facts: Any,
    ) -> None:
        """Stop the recording, and keep the window, the work done in it and what else is disclosed.

        ``window`` adds to the facts of the window. Raises `WattmarkError` where samples or record cannot be written;
        the run has then not ended.
        """
        log, step_s = self.log, end.clock_step_s(begin)
        require_same_meters(self.record.meters, self.lab.identities())
        await self.lab.recorder.end(self.record.run_id)
        log.open(PhaseName.MEASURE, 0.0, begin)
        amount = sum(interval.amount for interval in work)
        log.keep(
            phases=log.closed(end),
            window_begin_ns=begin.utc_ns,
            window_end_ns=end.utc_ns,
            throughput=tuple(work),
            # All of the work is counted; how it is spread is known to the edges of the window.
            count_step=max(2 * EDGE_S * amount / max(end.since(begin), EDGE_S), LEAST) if amount else 1.0,
        )
        if abs(step_s) > MAX_CLOCK_STEP_S:
            notes = (*notes, f"The system clock was changed by {step_s:+.3f} s within the window.")
        if (before := self.record.disclosure.environment) is not None:
            notes = (*notes, *environment_notes(before, (await asyncio.to_thread(describe_here))[1]))
        log.disclose(
            window=WindowFacts(begin=_facts(begin), end=_facts(end), clock_step_s=step_s, **(window or {})),
            recording_problems=self.lab.recorder.problems(self.record.run_id),
            notes=tuple(notes),
            **facts,
        )
        log.keep(status=RunStatus.COMPLETE)
        await log.flush()

    async def break_off(self, error: BaseException | None, reason: str) -> None:
        """End the run without a result: failed with the words of the error, or aborted for a reason."""
        is_failure = isinstance(error, (WattmarkError, OSError))
        why = str(error) if is_failure else reason
        if self.lab.recorder.is_recording(self.record.run_id):
            try:
                await self.lab.recorder.end(self.record.run_id)
            except WattmarkError as lost:
                why = f"{why} {lost}"
        self.log.keep(
            status=RunStatus.FAILED if is_failure else RunStatus.ABORTED,
            reason=" ".join(why.split()),
            phases=self.log.closed(mark_now(self.lab.clock)),
        )
        await self.log.flush()

    @property
    def _slowest_s(self) -> float:
        return max(meter.period_s for meter in self.record.meters)


def _facts(mark: Mark) -> MarkFacts:
    return MarkFacts(utc_ns=mark.utc_ns, monotonic_ns=mark.monotonic_ns)
