"""The one thread that owns the one read-write connection."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

import apsw

from wattmark.errors import StoreError
from wattmark.storage.faults import REPORTED, explain

T = TypeVar("T")

_GROUP = 256
_PATIENCE_S = 1.4


@dataclass(slots=True)
class _Job:
    work: Callable[[apsw.Connection], Any]
    future: Future[Any] = field(default_factory=Future)
    value: Any = None
    error: Exception | None = None

    def settle(self) -> None:
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.value)


class Writer:
    """Run jobs in turn; what waits together is committed together, and a future is done only after the commit."""

    def __init__(self, connection: apsw.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._closed = False
        self._gate = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="wattmark-writer", daemon=True)
        self._thread.start()

    def submit(self, work: Callable[[apsw.Connection], T]) -> Future[T]:
        """Queue a job. Its own failure undoes the job alone; a failed commit fails all jobs of the group."""
        job = _Job(work)
        with self._gate:
            if self._closed:
                raise StoreError(f"{self._path} is closed.", "Start the service again.")
            self._jobs.put(job)
        return job.future

    def close(self) -> bool:
        """Commit what is queued and close the connection; gives up after two seconds and then returns False."""
        with self._gate:
            if not self._closed:
                self._closed = True
                self._jobs.put(None)
        self._thread.join(_PATIENCE_S)
        if self._thread.is_alive():
            self._connection.interrupt()
            self._thread.join(2.0 - _PATIENCE_S)
        return not self._thread.is_alive()

    def _run(self) -> None:
        more = True
        while more:
            group, more = self._next_group()
            if group:
                self._commit(group)
        self._connection.close()

    def _next_group(self) -> tuple[list[_Job], bool]:
        job = self._jobs.get()
        group: list[_Job] = []
        while job is not None:
            if job.future.set_running_or_notify_cancel():
                group.append(job)
            if len(group) == _GROUP:
                return group, True
            try:
                job = self._jobs.get_nowait()
            except Empty:
                return group, True
        return group, False

    def _commit(self, group: list[_Job]) -> None:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            for job in group:
                self._attempt(job)
            self._connection.execute("COMMIT")
        except Exception as error:
            failure = self._explained(error)
            self._roll_back()
            for job in group:
                job.error = failure
        for job in group:
            job.settle()

    def _roll_back(self) -> None:
        with suppress(apsw.Error):
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def _attempt(self, job: _Job) -> None:
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
