"""The servers that this appliance sends to: kept running in the background, with their state on request."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wattmark_drivers.clock import Clock

from wattmark.fleet.dossiers.dossiers import Dossiers
from wattmark.fleet.sending.compared import ComparedSeries
from wattmark.fleet.sending.pump import Pump
from wattmark.fleet.sending.step import Sink
from wattmark.fleet.sending.views import SinksOut, sink_out
from wattmark.store.database import Database
from wattmark.store.outbox.outbox import Outbox
from wattmark.store.outbox.outbox_types import OutboxState
from wattmark.store.sample_store import SampleStore

SHOWN_REFUSED = 20


@dataclass(frozen=True, slots=True)
class Target:
    """A server of the settings. ``address`` names it in the outbox; ``sends``: the settings make it a sink."""

    name: str
    address: str
    sends: bool
    make_sink: Callable[[Outbox, Dossiers, Clock], Sink]
    """Put its sink together; the first step connects."""
    verify: Callable[[str, SampleStore], list[ComparedSeries]]
    """Compare a run there with what is recorded here. Raises `StoreError`."""


class Sinks:
    """Send what is recorded to every target that is a sink."""

    def __init__(self, targets: Sequence[Target], database: Database, dossiers: Dossiers, clock: Clock) -> None:
        self._clock = clock
        self._dossiers = dossiers
        self._sending: list[asyncio.Task[None]] = []
        self._outboxes = [(target, Outbox(database, target.address)) for target in targets if target.sends]

    def start(self) -> None:
        for target, outbox in self._outboxes:
            self._sending.append(asyncio.create_task(self._pump(target, outbox).run(), name=f"sink {target.name}"))

    async def stop(self) -> None:
        """Stop sending; what was not acknowledged is sent after the next start."""
        for task in self._sending:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    def out(self) -> SinksOut:
        """Show the state of the sending."""
        return SinksOut(sinks=[sink_out(outbox.state(), outbox.refused(SHOWN_REFUSED)) for _, outbox in self._outboxes])

    def states(self) -> list[OutboxState]:
        """Return the state of the sending to each server in numbers."""
        return [outbox.state() for _, outbox in self._outboxes]

    def _pump(self, target: Target, outbox: Outbox) -> Pump:
        return Pump(target.name, lambda: target.make_sink(outbox, self._dossiers, self._clock), self._clock)
