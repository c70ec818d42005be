"""The record of a run: at its beginning, and under way.

Every change is written as it comes, so that a crash leaves what was known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wattmark_drivers.clock import Clock

from wattmark.campaigns.context import Campaign
from wattmark.campaigns.disclosure import first_facts, snapshot
from wattmark.campaigns.planning.planned import PlannedRun
from wattmark.campaigns.stored import Journal, new_identifier
from wattmark.runs.disclosure import disclosing
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.record import Phase, Pulse, RunRecord, RunStatus
from wattmark.workloads.marks import Mark, mark_now

OnPhase = Callable[[PhaseName, float, float], None]
"""Hears name, begin and expected end [Unix seconds] of each phase."""


def new_record(campaign: Campaign, run: PlannedRun, level: int | None, program: str | None) -> RunRecord:
    """Write the record of a run at its beginning, with its full disclosure.

    ``level`` is the one that it is run at: for a share of a calibrated maximum the plan alone does not determine it.
    ``program`` is the program's version as it reports it.
    """
    lab, plan = campaign.lab, campaign.plan
    _, configuration = lab.bench.configuration(run.place)
    declaration = lab.bench.workload(run.workload)
    at_full_load = declaration.limited_by == "cpu" and run.task in ("measure", "calibrate")
    return RunRecord(
        run_id=new_identifier(),
        campaign_id=campaign.progress.out.campaign_id,
        plan=plan.name,
        order=run.order,
        server=run.server,
        configuration=run.variant,
        workload=run.workload,
        level=run.level,
        repeat=run.repeat,
        attempt=len(campaign.table.attempts[run.order]) + 1,
        status=RunStatus.RUNNING,
        created_ns=lab.clock.utc_ns(),
        unit=declaration.unit,
        meters=tuple(lab.meters(run.server)),
        full_load_limit_pct=plan.full_load_limit_pct if at_full_load else None,
        configuration_snapshot=snapshot(configuration, run.settings),
        disclosure=first_facts(campaign, run, level, program),
    )


class RunLog:
    """Keeps one record up to date and in the store; reports phases."""

    def __init__(self, record: RunRecord, journal: Journal, clock: Clock, on_phase: OnPhase) -> None:
        self.record = record
        self._journal = journal
        self._clock = clock
        self._on_phase = on_phase

    def keep(self, **changes: Any) -> None:
        """Change the record. Raises `WattmarkError` for what no record can hold, and then keeps the previous one."""
        with disclosing():
            self.record = self.record.changed(**changes)
        self._journal.put(self.record)

    def disclose(self, **facts: Any) -> None:
        """Add facts to what a reader needs to repeat the run, by the names of `Disclosure`. Raises `WattmarkError`."""
        self.keep(disclosure={**dict(self.record.disclosure), **facts})

    def open(self, name: PhaseName, expected_s: float, begin: Mark | None = None) -> None:
        """Start a phase, now or at its mark; the one before ends there."""
        now = begin or mark_now(self._clock)
        phase = Phase(name=name, begin_ns=now.utc_ns, begin_monotonic_ns=now.monotonic_ns)
        self.keep(phases=(*self.closed(now), phase))
        self._on_phase(name, now.utc_ns / 1e9, now.utc_ns / 1e9 + expected_s)

    def closed(self, end: Mark) -> tuple[Phase, ...]:
        """Return the phases with the open one ended; the record stays as it is."""
        marks = {"end_ns": end.utc_ns, "end_monotonic_ns": end.monotonic_ns}
        return tuple(phase if phase.end_ns is not None else phase.changed(**marks) for phase in self.record.phases)

    def add_pulse(self, pulse: Pulse) -> None:
        """Add a pulse of load to the phase under way."""
        *before, last = self.record.phases
        self.keep(phases=(*before, last.changed(pulses=(*last.pulses, pulse))))

    async def flush(self) -> None:
        """Wait until the record is on disk. Raises `StoreError` when it is not."""
        await self._journal.flush()

    def stopped_where(self) -> str:
        """Say in which phase the run was stopped."""
        phase = next((phase.name.value for phase in self.record.phases if phase.end_ns is None), None)
        return f"Stopped {f'in phase {phase}' if phase else 'between phases'}; the load was stopped."
