"""Keep a sink going beside the service, in a thread of its own, so that it never delays a meter."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor

from wattmark_drivers.clock import Clock

from wattmark.errors import StoreError
from wattmark.influx.sink import Sink, Step

_AFTER_OWN_FAULT_S = 10.0
_log = logging.getLogger(__name__)


class Pump:
    """Run a sink's steps one after the other until cancelled. A fault of the own disk is waited out."""

    def __init__(self, sink: Sink, clock: Clock) -> None:
        self._sink = sink
        self._clock = clock
        self._told: str | None = None

    async def run(self) -> None:
        """Send until cancelled; a request that is under way then is not waited for."""
        worker = ThreadPoolExecutor(1, "wattmark-sink")
        loop = asyncio.get_running_loop()
        try:
            while True:
                step = await loop.run_in_executor(worker, self._step)
                await self._clock.sleep(step.wait_s)
        finally:
            worker.shutdown(wait=False, cancel_futures=True)

    def _step(self) -> Step:
        try:
            step = self._sink.step()
        except StoreError as error:
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
