"""Keep a sink sending in the background."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from wattmark_drivers.clock import Clock

from wattmark.core.errors import WattmarkError
from wattmark.core.unwaited import run_unwaited
from wattmark.fleet.sending.step import Sink, Step

_AFTER_OWN_FAULT_S = 10.0
_log = logging.getLogger(__name__)


class Pump:
    """Run a sink's steps one after the other until cancelled. A fault of the own disk is waited out.

    ``make_sink`` is called in that thread too, since it loads the client library. ``name`` is that of the server.
    """

    def __init__(self, name: str, make_sink: Callable[[], Sink], clock: Clock) -> None:
        self._name = name
        self._make_sink = make_sink
        self._sink: Sink | None = None
        self._clock = clock
        self._told: str | None = None

    async def run(self) -> None:
        """Send until cancelled; a request that is under way then is not waited for."""
        while True:
            step = await asyncio.wrap_future(run_unwaited(self._step, "wattmark-sink"))
            await self._clock.sleep(step.wait_s)

    def _step(self) -> Step:
        try:
            self._sink = self._sink or self._make_sink()
            step = self._sink.step()
        except WattmarkError as error:
            self._tell(str(error))
            return Step(0, _AFTER_OWN_FAULT_S)
        self._tell(None if step.problem is None else f"{step.problem.cause} {step.problem.remedy}")
        return step

    def _tell(self, problem: str | None) -> None:
        """Log a change, not every attempt."""
        if problem == self._told:
            return
        if problem is None:
            _log.info("Sending to %s goes on.", self._name)
        else:
            _log.warning("Sending to %s waits: %s", self._name, problem)
        self._told = problem
