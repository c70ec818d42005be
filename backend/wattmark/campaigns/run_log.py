"""The record of a run under way: every change is written as it comes, so that a crash leaves what was known."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError
from wattmark_drivers.clock import Clock

from wattmark.campaigns.journal import Journal
from wattmark.campaigns.rooms import OnPhase
from wattmark.errors import WattmarkError
from wattmark.runs.record import Phase, PhaseName, Pulse, RunRecord, first_mistake
from wattmark.workloads.marks import Mark, mark_now


class RunLog:
    """Keeps one record up to date and in the store; tells of phases."""

    def __init__(self, record: RunRecord, journal: Journal, clock: Clock, on_phase: OnPhase) -> None:
        self.record = record
        self._journal = journal
        self._clock = clock
        self._on_phase = on_phase

    def keep(self, **changes: Any) -> None:
        """Change the record. Raises `WattmarkError` for what no record can hold; the one before then stands."""
        try:
            self.record = self.record.changed(**changes)
        except ValidationError as error:
            cause = f"The run brought what its record cannot hold: {first_mistake(error)}."
            raise WattmarkError(cause, "Look at what the workload and the server state of themselves.") from None
        self._journal.put(self.record)

    def disclose(self, **facts: Any) -> None:
        """Add facts to what a reader needs to repeat the run."""
        self.keep(disclosure={**self.record.disclosure, **facts})

    def open(self, name: PhaseName, expected_s: float, begin: Mark | None = None) -> None:
        """Begin a phase, now or at its mark; the one before ends there."""
        now = begin or mark_now(self._clock)
        phase = Phase(name=name, begin_ns=now.utc_ns, begin_monotonic_ns=now.monotonic_ns)
        self.keep(phases=(*self.closed(now), phase))
        self._on_phase(name, now.utc_ns / 1e9, now.utc_ns / 1e9 + expected_s)

    def closed(self, end: Mark) -> tuple[Phase, ...]:
        """Give the phases with the open one ended; the record stays as it is."""
        marks = {"end_ns": end.utc_ns, "end_monotonic_ns": end.monotonic_ns}
        return tuple(
            phase if phase.end_ns is not None else phase.model_copy(update=marks) for phase in self.record.phases
        )

    def add_pulse(self, pulse: Pulse) -> None:
        """Add a pulse of load to the phase under way."""
        *before, last = self.record.phases
        self.keep(phases=(*before, last.model_copy(update={"pulses": (*last.pulses, pulse)})))

    async def flush(self) -> None:
        """Wait until the record is on disk. Raises `StoreError` when it is not."""
        await self._journal.flush()

    def stopped_where(self) -> str:
        """Say in which phase the run was stopped."""
        phase = next((phase.name.value for phase in self.record.phases if phase.end_ns is None), None)
        return f"Stopped {f'in phase {phase}' if phase else 'between phases'}; the load was ended."
