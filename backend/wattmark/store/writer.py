"""The one way to the one read-write connection: one thread at a time, and what waits together is committed together."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

import apsw

from wattmark.core.errors import StoreError
from wattmark.store.faults import REPORTED, explain

T = TypeVar("T")

_GROUP = 256
_PATIENCE_S = 1.4


@dataclass(slots=True)
class _Job:
    work: Callable[[apsw.Connection], Any]
    value: Any = None
    error: Exception | None = None

    def result(self) -> Any:
        if self.error is not None:
            raise self.error
        return self.value


@dataclass(slots=True)
class _Queued(_Job):
    future: Future[Any] = field(default_factory=Future)

    def settle(self) -> None:
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.value)


class Writer:
    """Run jobs in turn, each group of them in one transaction.

    Queued jobs run in the writer's thread, and jobs that wait together are committed together. A caller that would wait
    anyway, with no job before it, commits its job itself: that saves waking the thread and being woken by it
    (decision 0029).
    """

    def __init__(self, connection: apsw.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path
        self._jobs: SimpleQueue[_Queued | None] = SimpleQueue()
        self._waiting = 0
        """Queued jobs that are not settled yet."""
        self._closed = False
        self._gate = threading.Lock()
        self._turn = threading.Lock()
        """Held while the connection is in use."""
        self._thread = threading.Thread(target=self._run, name="wattmark-writer", daemon=True)
        self._start()

    def run(self, work: Callable[[apsw.Connection], T]) -> T:
        """Run a job; its result is on disk when this returns. A failed job is undone alone."""
        if not self._take_turn():
            return self.submit(work).result()
        job = _Job(work)
        try:
            self._commit([job])
        finally:
            self._turn.release()
        value: T = job.result()
        return value

    def submit(self, work: Callable[[apsw.Connection], T]) -> Future[T]:
        """Schedule a job. A failed job is undone alone; a failed commit fails all jobs of the group."""
        job = _Queued(work)
        with self._gate:
            if self._closed:
                raise StoreError(f"{self._path} is closed.", "Start the service again.")
            self._waiting += 1
            self._jobs.put(job)
        return job.future

    def close(self) -> bool:
        """Commit the queue and close the connection; gives up after two seconds and then returns False."""
        with self._gate:
            if not self._closed:
                self._closed = True
                self._jobs.put(None)
        self._thread.join(_PATIENCE_S)
        if self._thread.is_alive():
            self._connection.interrupt()
            self._thread.join(2.0 - _PATIENCE_S)
        return not self._thread.is_alive()

    def _start(self) -> None:
        self._thread.start()

    def _take_turn(self) -> bool:
        """Return whether the connection is free and no job waits, so that queued jobs keep their place."""
        with self._gate:
            return not self._closed and not self._waiting and self._turn.acquire(blocking=False)

    def _run(self) -> None:
        while self._do_next_group():
            pass
        with self._turn:
            self._connection.close()

    def _do_next_group(self) -> bool:
        """Wait for jobs and commit those that wait together; return whether more may come."""
        group, more = self._next_group()
        running = [job for job in group if job.future.set_running_or_notify_cancel()]
        if running:
            with self._turn:
                self._commit(running)
        with self._gate:
            self._waiting -= len(group)
        for job in running:
            job.settle()
        return more

    def _next_group(self) -> tuple[list[_Queued], bool]:
        job = self._jobs.get()
        group: list[_Queued] = []
        while job is not None:
            group.append(job)
            if len(group) == _GROUP:
                return group, True
            try:
                job = self._jobs.get_nowait()
            except Empty:
                return group, True
        return group, False

    def _commit(self, group: Sequence[_Job]) -> None:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            if len(group) == 1:
                group[0].value = group[0].work(self._connection)
            else:
                for job in group:
                    self._attempt(job)
            self._connection.execute("COMMIT")
        except Exception as error:
            failure = self._explained(error)
            for job in group:
                job.error = failure
        finally:
            self._roll_back()

    def _roll_back(self) -> None:
        """Cancel the open transaction, whatever prevented its commit."""
        if self._connection.in_transaction:
            with suppress(apsw.Error):
                self._connection.execute("ROLLBACK")

    def _attempt(self, job: _Job) -> None:
        """Run a job so that a failure undoes it alone."""
        self._connection.execute("SAVEPOINT job")
        try:
            job.value = job.work(self._connection)
        except Exception as error:
            if not self._connection.in_transaction:
                raise
            job.error = self._explained(error)
            self._connection.execute("ROLLBACK TO job")
        self._connection.execute("RELEASE job")

    def _explained(self, error: Exception) -> Exception:
        if isinstance(error, REPORTED):
            return explain(error, self._path, self._connection.system_errno)
        return error
