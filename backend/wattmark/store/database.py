"""The one SQLite file: who may open it, who writes, who reads."""

from __future__ import annotations

import errno
import logging
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TypeVar

import apsw

from wattmark.core.errors import StoreError
from wattmark.store import free_list
from wattmark.store.faults import explain_os, explained, unwritable
from wattmark.store.guards.guarded import teach
from wattmark.store.layout import Layout
from wattmark.store.lock import FolderLock
from wattmark.store.log_check import lost_commits
from wattmark.store.rebuild import rebuild
from wattmark.store.schema import LOG, PAGE, DamagedSchemaError, has_log
from wattmark.store.writer import Writer

_log = logging.getLogger(__name__)
T = TypeVar("T")

FILE_NAME = "wattmark.db"
_WAL_LIMIT_BYTES = 16 * 2**20
_CHECKPOINT_PAGES = 250
"""The log is written back after 1 MB: a commit that overwrites it takes half as long as one that makes it grow."""
_WRITER_BUSY_MS = 1000
_READER_BUSY_MS = 5000


class Database:
    """Open ``wattmark.db`` in a folder: one writer, any number of readers.

    Only one process may open a folder for writing (flock on ``wattmark.lock``). With ``read_only`` any number may
    read meanwhile; the file must then exist. Every SQLite error leaves as `StoreError`. The folder must be on a
    local file system: SQLite's write-ahead log does not work over NFS.
    """

    def __init__(self, data_dir: Path, layout: Layout, *, read_only: bool = False) -> None:
        self.path = data_dir.absolute() / FILE_NAME
        self.layout = layout
        self.read_only = read_only
        self._closed = False
        self._idle: SimpleQueue[apsw.Connection] = SimpleQueue()
        self._lock: FolderLock | None = None
        self._writer: Writer | None = None
        try:
            self._check_readable() if read_only else self._open_for_writing()
        except BaseException:
            self.close()
            raise

    def transaction(self, work: Callable[[Database], T]) -> T:
        """Run ``work`` in its turn inside one transaction, on a database that reads and writes in it.

        All of it is on disk when this returns; none of it if ``work`` raises.
        """
        return self.write(lambda connection: work(_Transaction(self.path, self.layout, connection)))

    def submit(self, job: Callable[[apsw.Connection], T]) -> Future[T]:
        """Queue ``job`` for the writer; the future is done when its result is on disk."""
        return self._for_writing().submit(job)

    def write(self, job: Callable[[apsw.Connection], T]) -> T:
        """Run ``job`` in its turn and wait until its result is on disk. Raises `StoreError`."""
        return self._for_writing().run(job)

    @contextmanager
    def snapshot(self) -> Iterator[apsw.Connection]:
        """Open a read-only connection to one state of the file. Leave it soon: a long one grows the log."""
        if self._closed:
            raise StoreError(f"{self.path} is closed.", "Start the service again.")
        connection = self._reader()
        try:
            with explained(self.path, connection):
                connection.execute("BEGIN")
                yield connection
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            self._give_back(connection)

    def close(self) -> None:
        """Commit the queue, write the log back and release the file; returns within two seconds."""
        self._closed = True
        self._close_idle()
        if (self._writer is None or self._writer.close()) and self._lock is not None:
            self._lock.release()

    def announce(self, address: str) -> None:
        """Record this service's address for those who find the folder in use. Raises `StoreError`."""
        if self._lock is not None:
            self._lock.announce(address)

    def _for_writing(self) -> Writer:
        if self._writer is None:
            raise StoreError(f"{self.path} is open read-only.", "Make changes through the running service.")
        return self._writer

    def _open_for_writing(self) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise explain_os(error, self.path.parent) from error
        self._lock = FolderLock(self.path.parent)
        if self.path.exists() and self.path.stat().st_size < PAGE:
            _log.warning("%s is empty: a new database begins. If it held runs, stop and restore a backup.", self.path)
        match lost_commits(self.path):
            case 0:
                pass
            case 1:
                _log.warning(
                    "The last commit in the log of %s is not whole: it was being written when the process or the power "
                    "ended, or the disk has damaged it.",
                    self.path,
                )
            case lost:
                _log.error(
                    "The log of %s is damaged: the last %d commits in it cannot be read; what they stored may be "
                    "missing. Check the disk; `wattmark doctor --deep` reads what is there.",
                    self.path,
                    lost,
                )
        try:
            connection = self._prepared()
        except DamagedSchemaError as damage:
            rebuild(self.path, self.layout, damage)
            connection = self._prepared()
        self._writer = Writer(connection, self.path)

    def _prepared(self) -> apsw.Connection:
        with explained(self.path):
            connection = apsw.Connection(str(self.path))
        try:
            with explained(self.path, connection):
                if self.layout.number_of(connection, self.path):
                    self._check_pages(connection)
                if connection.readonly("main"):
                    raise unwritable(self.path, os.strerror(errno.EACCES))
                self._configure(connection)
                self.layout.prepare(connection, self.path)
        except BaseException:
            connection.close()
            raise
        return connection

    def _check_pages(self, connection: apsw.Connection) -> None:
        """Raise `DamagedSchemaError` where writing would overwrite pages that are in use."""
        if self.path.stat().st_size > connection.pragma("page_count") * PAGE:
            raise DamagedSchemaError(self.path, "the header counts fewer pages than there are")
        if not has_log(self.path) and not free_list.is_sound(self.path):
            raise DamagedSchemaError(self.path, "the list of free pages is not as written")

    def _configure(self, connection: apsw.Connection) -> None:
        connection.set_busy_timeout(_WRITER_BUSY_MS)
        if connection.pragma("journal_mode", "wal") != "wal":
            raise unwritable(self.path, "this file system does not support a write-ahead log (a network drive?)")
        connection.pragma("synchronous", "FULL")
        connection.pragma("foreign_keys", True)
        connection.pragma("journal_size_limit", _WAL_LIMIT_BYTES)
        connection.pragma("wal_autocheckpoint", _CHECKPOINT_PAGES)
        teach(connection)

    def _check_readable(self) -> None:
        number = 0
        if self.path.exists():
            with self.snapshot() as connection:
                number = self.layout.number_of(connection, self.path)
        if number == 0:
            raise StoreError(f"There is no data in {self.path.parent}.", "Choose another folder with --data DIR.")
        if number < self.layout.number:
            raise StoreError(
                f"{self.path} was written by an older wattmark (layout {number}).",
                "Start `wattmark serve` with this folder once to update it.",
            )

    def _reader(self) -> apsw.Connection:
        try:
            return self._idle.get_nowait()
        except Empty:
            pass
        with explained(self.path):
            connection = apsw.Connection(self._reader_uri(), flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
        connection.set_busy_timeout(_READER_BUSY_MS)
        return connection

    def _reader_uri(self) -> str:
        log = self.path.with_name(self.path.name + LOG)
        frozen = not os.access(self.path.parent, os.W_OK) and not log.exists()
        return f"{self.path.as_uri()}?{'immutable=1' if frozen else 'mode=ro'}"

    def _give_back(self, connection: apsw.Connection) -> None:
        if self._closed:
            connection.close()
        else:
            self._idle.put(connection)
            if self._closed:
                self._close_idle()

    def _close_idle(self) -> None:
        while True:
            try:
                self._idle.get_nowait().close()
            except Empty:
                return


class _Transaction(Database):
    """A database inside a transaction of the writer: every store works on it, and sees what was written before."""

    def __init__(self, path: Path, layout: Layout, connection: apsw.Connection) -> None:
        self.path = path
        self.layout = layout
        self.read_only = False
        self._connection = connection

    def submit(self, job: Callable[[apsw.Connection], T]) -> Future[T]:
        """Run ``job`` at once; its result is on disk when the transaction is."""
        done: Future[T] = Future()
        done.set_result(self.write(job))
        return done

    def write(self, job: Callable[[apsw.Connection], T]) -> T:
        """Run ``job`` at once; its result is on disk when the transaction is."""
        return job(self._connection)

    @contextmanager
    def snapshot(self) -> Iterator[apsw.Connection]:
        with explained(self.path, self._connection):
            yield self._connection

    def close(self) -> None:
        """Keep the file open: it belongs to the transaction's owner."""
