"""The one list of what the simulation replaces of the machine: time, chance, threads, disk, wire, processes."""

from __future__ import annotations

import asyncio
import os
import random
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar
from unittest.mock import patch

import anyio.to_thread
import apsw
import wattmark.campaigns.servers
import wattmark.campaigns.stored
import wattmark.fleet.sending.pump
import wattmark.hosts.probes.meter
import wattmark.live_out.collector
import wattmark.notices.notifier
import wattmark.service.reader.keeper
import wattmark.service.service
import wattmark.store.database
import wattmark_drivers.clock
import wattmark_drivers.modbus.link
import wattmark_drivers.wheel
from wattmark.fleet.sending.sinks import Target
from wattmark.store.writer import Writer

from tests.year.clock import SimulatedClock
from tests.year.loop import SimulatedLoop, outcome_of
from tests.year.machine import Machine, MachineFiles, MachineProcesses, ScriptedTrigger
from tests.year.reader import SimulatedReader

T = TypeVar("T")


@contextmanager
def simulated(
    loop: SimulatedLoop, clock: SimulatedClock, machine: Machine, targets: Sequence[Target], seed: int
) -> Iterator[None]:
    """Let everything that wattmark takes from the machine come from the simulation, while the block lasts."""
    chance = random.Random(seed)
    with ExitStack() as stack:

        def put(owner: object, name: str, value: object) -> None:
            stack.enter_context(patch.object(owner, name, value))

        for name, value in {
            "time": lambda: clock.utc_ns() / 1e9,
            "time_ns": clock.utc_ns,
            "monotonic": loop.time,
            "monotonic_ns": clock.monotonic_ns,
            "perf_counter": loop.time,
        }.items():
            put(time, name, value)
        put(wattmark_drivers.clock, "uninterrupted_ns", clock.monotonic_ns)
        for module in (wattmark_drivers.wheel, wattmark_drivers.modbus.link):
            put(module, "monotonic_ns", clock.monotonic_ns)

        put(os, "urandom", chance.randbytes)
        put(random, "_urandom", chance.randbytes)
        random.seed(seed)

        put(wattmark.campaigns.stored, "ThreadPoolExecutor", _executor(loop))
        put(wattmark.store.database, "Writer", _writer(loop))
        for module in (wattmark.notices.notifier, wattmark.live_out.collector, wattmark.fleet.sending.pump):
            put(module, "run_unwaited", _run_unwaited(loop))
        put(anyio.to_thread, "run_sync", _run_sync(loop))

        put(socket, "create_server", loop.network.listen)
        put(wattmark.campaigns.servers, "LocalTrigger", lambda *_: ScriptedTrigger(machine))
        put(wattmark.campaigns.servers, "LocalProcesses", lambda: MachineProcesses(machine))
        put(wattmark.hosts.probes.meter, "LocalFiles", lambda: MachineFiles(machine))
        put(wattmark.service.reader.keeper, "ReaderProcess", SimulatedReader)
        put(wattmark.service.service, "computed_by", lambda _: None)  # an executor cannot wait for the loop it is on
        SimulatedReader.living.clear()
        put(wattmark.service.service, "configured_targets", lambda: targets)
        yield


def _executor(loop: SimulatedLoop) -> type:
    class Executor:
        """Stands for a `ThreadPoolExecutor` of one thread that work is submitted to."""

        def __init__(self, *_: Any) -> None:
            self._unsettled: list[tuple[Callable[[], Any], Future[Any]]] = []

        def submit(self, work: Callable[..., T], *arguments: Any) -> Future[T]:
            future: Future[T] = Future()
            job = (lambda: work(*arguments), future)
            self._unsettled.append(job)
            loop.in_turn(self, self._next, outcome_of(Future()))
            return future

        def shutdown(self) -> None:
            while self._unsettled:
                self._next()

        def _next(self) -> None:
            if self._unsettled:
                work, future = self._unsettled.pop(0)
                _settle(future, work)

    return Executor


def _writer(loop: SimulatedLoop) -> type[Writer]:
    class TaskWriter(Writer):
        """The writer, whose thread is a task: jobs that wait are committed when its turn comes."""

        def _start(self) -> None:
            """Start nothing: each job that waits brings a turn of its own."""

        def submit(self, work: Callable[[apsw.Connection], T]) -> Future[T]:
            inner = super().submit(work)
            loop.in_turn(self, self.work_off, outcome_of(Future()))
            future: Future[T] = _Worked(self)
            inner.add_done_callback(lambda done: _copy(done, future))
            return future

        def work_off(self) -> None:
            """Commit all that waits, group by group."""
            while self._waiting:
                self._do_next_group()

        def close(self) -> bool:
            if not self._closed:
                self.work_off()
                self._closed = True
                self._connection.close()
            return True

    return TaskWriter


class _Worked(Future[T]):
    """A future of a job: who waits for it in a thread lets the writer work."""

    def __init__(self, writer: Any) -> None:
        super().__init__()
        self._writer = writer

    def result(self, timeout: float | None = None) -> T:
        if not self.done():
            self._writer.work_off()
        return super().result(timeout)


def _run_unwaited(loop: SimulatedLoop) -> Callable[[Callable[[], T], str], Future[T]]:
    def run(work: Callable[[], T], name: str) -> Future[T]:
        future: Future[T] = Future()
        loop.in_turn(None, work, outcome_of(future))
        return future

    return run


def _run_sync(loop: SimulatedLoop) -> Callable[..., Any]:
    async def run(work: Callable[..., T], *arguments: Any, **_: Any) -> T:
        return await asyncio.shield(loop.run_in_executor(None, work, *arguments))

    return run


def _settle(future: Future[Any], work: Callable[[], Any]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(work())
    except Exception as error:
        future.set_exception(error)


def _copy(done: Future[Any], future: Future[Any]) -> None:
    if future.cancelled():
        return
    if done.cancelled():
        future.cancel()
    elif (error := done.exception()) is not None:
        future.set_exception(error)
    else:
        future.set_result(done.result())
