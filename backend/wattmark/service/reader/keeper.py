"""The reader of a service: one process that is there, started again when it dies or has grown large."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import logging
import os
import time
from collections.abc import AsyncIterator, Iterator, Mapping

import h11

from wattmark.core.errors import StoreError, WattmarkError
from wattmark.service.reader.child import ForkedReader
from wattmark.service.reader.lane import Kind, Lane, lanes
from wattmark.service.reader.process import ReaderProcess
from wattmark.service.reader.start import StartOrder
from wattmark.service.reader.unavailable import ReaderGone, ReaderUnavailable

PATIENCE_S = 60.0
"""As long a request waits for a reader that is starting."""
ANSWER_S = 600.0
"""Longest time that an evaluation may take."""
LEAST_LARGE, MOST_LARGE = 400 * 2**20, 1500 * 2**20
YOUNG_S = 60.0
"""A reader is not replaced before: the next one would read the same again."""
_LOOK_S = 0.05
STABLE_S = 10.0
LONGEST_PAUSE_S = 30.0
_log = logging.getLogger(__name__)


def large_bytes() -> int:
    """Return the size above which a reader is replaced [bytes]: a quarter of the machine's memory, within bounds."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return min(max(memory // 4, LEAST_LARGE), MOST_LARGE)


class Reader:
    """Hand out connections to the reader process, the first of which may have been forked already.

    `ask` is for threads, `connection` for the event loop.
    """

    def __init__(
        self,
        order: StartOrder,
        *,
        first: ForkedReader | None = None,
        places: Mapping[Kind, Lane] | None = None,
        large: int | None = None,
        young_s: float = YOUNG_S,
    ) -> None:
        self._order = order
        self._first = first
        self._large = large_bytes() if large is None else large
        self._young_s = young_s
        self._current: ReaderProcess | None = None
        self._stopped = False
        self._replace: asyncio.Event | None = None
        self._keeping: asyncio.Task[None] | None = None
        self._retired: set[ReaderProcess] = set()
        self._problem: str | None = None
        self.starts = 0
        self.lanes = lanes() if places is None else places
        """Who is answered now and who waits, for each kind of answer."""

    @property
    def problem(self) -> str | None:
        """Explain why stored runs cannot be read; None while they can, and during the first start."""
        return self._problem

    @property
    def ready(self) -> bool:
        """Return whether a reader is running."""
        return self._there() is not None

    def resident_bytes(self) -> int:
        """Read how much memory the reader holds [bytes]; 0 where there is none."""
        current = self._current
        return 0 if current is None else current.resident_bytes()

    def start(self) -> None:
        """Start the task that keeps a reader running; returns at once."""
        self._replace = asyncio.Event()
        self._keeping = asyncio.create_task(self._keep(), name="reader")

    async def stop(self) -> None:
        """Stop the reader; waiting requests fail."""
        self._stopped = True
        if self._keeping is not None:
            self._keeping.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._keeping
        for process in [*self._retired]:
            await process.end()

    async def started(self) -> None:
        """Wait for a reader without taking a place. Raises `ReaderUnavailable` where none comes in time."""
        await self._process()

    @contextlib.asynccontextmanager
    async def connection(self) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        """Open a connection for one request. Raises `ReaderUnavailable` where no reader comes in time."""
        process = await self._process()
        try:
            with _gone(), process.answering() as lent:
                reader, writer = await asyncio.open_unix_connection(sock=lent)
                try:
                    yield reader, writer
                finally:
                    writer.close()
        finally:
            self._replace_if_large(process)

    def ask(self, path: str, body: bytes = b"") -> bytes:
        """Send a POST to the reader and wait for its answer; for threads, never for the event loop's.

        Raises `ReaderUnavailable`, and `StoreError` in the reader's words where it refuses.
        """
        try:
            return self._asked(path, body)
        except ReaderGone:
            return self._asked(path, body)

    def _asked(self, path: str, body: bytes) -> bytes:
        until_s = time.monotonic() + PATIENCE_S
        while (process := self._there()) is None and time.monotonic() < until_s and not self._stopped:
            time.sleep(_LOOK_S)
        if process is None:
            raise ReaderUnavailable(self._problem)
        with _gone(), process.answering() as lent, contextlib.closing(http.client.HTTPConnection("reader")) as asking:
            asking.sock = lent
            lent.settimeout(ANSWER_S)
            asking.request("POST", path, body, {"Content-Type": "application/json"})
            answer = asking.getresponse()
            content = answer.read()
        if answer.status != http.client.OK:
            raise _refusal(content)
        return content

    async def _process(self) -> ReaderProcess:
        """Wait for a reader, checking from time to time while one starts."""
        until_s = time.monotonic() + PATIENCE_S
        while (process := self._there()) is None and time.monotonic() < until_s and not self._stopped:  # noqa: ASYNC110 - as threads do
            await asyncio.sleep(_LOOK_S)
        if process is None:
            raise ReaderUnavailable(self._problem)
        return process

    def _there(self) -> ReaderProcess | None:
        current = self._current
        return None if current is None or current.gone else current

    async def _keep(self) -> None:
        failures = 0
        while True:
            pause_s = min(LONGEST_PAUSE_S, 0.5 * 2**failures) if failures else 0.0
            await asyncio.sleep(pause_s)
            try:
                first, self._first = self._first, None
                process = await ReaderProcess.start(self._order, first)
            except WattmarkError as error:
                failures += 1
                self._problem = str(error)
                _log.error("%s", error)
                continue
            failures = 0 if await self._while_there(process) else failures + 1

    async def _while_there(self, process: ReaderProcess) -> bool:
        """Keep a reader until it dies or is to be replaced; return whether it lasted."""
        assert self._replace is not None  # noqa: S101 - started with the service
        loop = asyncio.get_running_loop()
        self.starts += 1
        self._problem = None
        self._current = process
        ended, replaced = asyncio.create_task(process.ended()), asyncio.create_task(self._replace.wait())
        try:
            await asyncio.wait({ended, replaced}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            await process.end()
            raise
        finally:
            replaced.cancel()
            self._replace.clear()
            self._current = None
        if ended.done():
            await process.end()
            _log.warning("The reader of stored runs ended with status %s and is started again.", ended.result())
        else:
            self._retired.add(process)
            ended.add_done_callback(lambda _: self._retired.discard(process))
            process.retire()
        return loop.time() - process.began_s > STABLE_S or not ended.done()

    def _replace_if_large(self, process: ReaderProcess) -> None:
        assert self._replace is not None  # noqa: S101 - started with the service
        old = asyncio.get_running_loop().time() - process.began_s > self._young_s
        if process is self._current and old and process.resident_bytes() > self._large:
            self._replace.set()


@contextlib.contextmanager
def _gone() -> Iterator[None]:
    """Raise `ReaderGone` where the reader ended before it had answered."""
    try:
        yield
    except (OSError, http.client.HTTPException, h11.RemoteProtocolError) as error:
        raise ReaderGone from error


def _refusal(content: bytes) -> WattmarkError:
    """Read cause and remedy from the reader's answer."""
    try:
        refusal = json.loads(content)
        return StoreError(str(refusal["cause"]), str(refusal["remedy"]))
    except (ValueError, KeyError, TypeError):
        return ReaderGone()
