"""The sink of this appliance: built from the settings, kept going in the background, its state for whoever asks."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import threading
from collections.abc import Callable
from concurrent.futures import Future

from wattmark_drivers.clock import Clock

from wattmark.core.errors import WattmarkError
from wattmark.exchange.fleet.dossiers import Dossiers
from wattmark.exchange.influx.connection import Connection
from wattmark.exchange.influx.settings import InfluxSettings
from wattmark.exchange.influx.sink import Sink, Step
from wattmark.exchange.influx.views import OFF, SinkOut, sink_out
from wattmark.results.data_folder import Storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.store.outbox.outbox import Outbox
from wattmark.store.outbox.outbox_types import OutboxState

SHOWN_REFUSED = 20
_AFTER_OWN_FAULT_S = 10.0
_log = logging.getLogger(__name__)


class Pump:
    """Run a sink's steps one after the other until cancelled. A fault of the own disk is waited out.

    ``make_sink`` is called in that thread too, since it loads the client library.
    """

    def __init__(self, make_sink: Callable[[], Sink], clock: Clock) -> None:
        self._make_sink = make_sink
        self._sink: Sink | None = None
        self._clock = clock
        self._told: str | None = None

    async def run(self) -> None:
        """Send until cancelled; a request that is under way then is not waited for."""
        while True:
            step = await asyncio.wrap_future(_in_thread(self._step))
            await self._clock.sleep(step.wait_s)

    def _step(self) -> Step:
        try:
            self._sink = self._sink or self._make_sink()
            step = self._sink.step()
        except WattmarkError as error:
            self._tell(str(error))
            return Step(0, _AFTER_OWN_FAULT_S)
        self._tell(None if step.answer is None else f"{step.answer.cause} {step.answer.remedy}")
        return step

    def _tell(self, problem: str | None) -> None:
        """Log a change, not every attempt."""
        if problem == self._told:
            return
        if problem is None:
            _log.info("The sink sends again.")
        else:
            _log.warning("The sink waits: %s", problem)
        self._told = problem


def _in_thread(work: Callable[[], Step]) -> Future[Step]:
    """Run in a thread that does not keep the process: an executor's threads are waited for at its end."""
    future: Future[Step] = Future()
    future.set_running_or_notify_cancel()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, name="wattmark-sink", daemon=True).start()
    return future


class SinkService:
    """Send what is recorded, where the settings name a server and give it that role; else do nothing."""

    def __init__(
        self,
        settings: InfluxSettings | None,
        storage: Storage,
        results: Evaluations,
        clock: Clock,
        lab: Callable[[], str],
    ) -> None:
        self._clock = clock
        self._sending: asyncio.Task[None] | None = None
        self._settings = settings if settings is not None and settings.role == "sink" else None
        self._outbox = None if self._settings is None else Outbox(storage.database, self._settings.target)
        self._records = Dossiers(storage, results, lab)
        if self._settings is not None:
            self._settings.check()

    def start(self) -> None:
        if self._outbox is not None:
            self._sending = asyncio.create_task(Pump(self._sink, self._clock).run(), name="sink")

    async def stop(self) -> None:
        """Stop sending; what was not acknowledged is sent after the next start."""
        if self._sending is not None:
            self._sending.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._sending

    def out(self) -> SinkOut:
        """Show how the sending stands."""
        return OFF if self._outbox is None else sink_out(self._outbox.state(), self._outbox.refused(SHOWN_REFUSED))

    def state(self) -> OutboxState | None:
        """Return how the sending stands in numbers; None where nothing is sent."""
        return None if self._outbox is None else self._outbox.state()

    def _sink(self) -> Sink:
        assert self._settings is not None  # noqa: S101 - started with settings only
        assert self._outbox is not None  # noqa: S101
        return make_sink(self._settings, self._outbox, self._records, self._clock)


def make_sink(settings: InfluxSettings, outbox: Outbox, records: Dossiers, clock: Clock) -> Sink:
    """Put a sink together; its connection is opened by the first request."""
    return Sink(
        outbox,
        Connection(settings),
        records,
        utc_ns=clock.utc_ns,
        random=random.random,
        batch=settings.batch,
    )
