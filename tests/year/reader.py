"""The process that reads stored runs, as tasks of the same schedule: its connections speak HTTP, and it dies."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from wattmark.core.errors import WattmarkError
from wattmark.service.reader.app import create_reader_app
from wattmark.service.reader.start import StartOrder
from wattmark.service.reader.stored_runs import StoredRuns

from tests.year.network import End, Socket

if TYPE_CHECKING:
    from tests.year.loop import SimulatedLoop

STARTS_S = 0.8
KILLED = -9
SIZE_BYTES = 100 * 2**20


class SimulatedReader:
    """Stands for `ReaderProcess`."""

    living: dict[SimulatedReader, None] = {}
    """Those that run now, of the simulation that runs now."""

    def __init__(self, loop: SimulatedLoop, stored: StoredRuns) -> None:
        self._loop = loop
        self._stored = stored
        config = uvicorn.Config(
            create_reader_app(stored), http="h11", ws="none", lifespan="off", log_config=None, access_log=False
        )
        config.load()
        server = uvicorn.Server(config)
        self._protocol = functools.partial(H11Protocol, config, server.server_state, {})
        self._ended: asyncio.Future[int] = loop.create_future()
        self._ends: dict[End, None] = {}
        self._retired = False
        self._in_flight = 0
        self.began_s = loop.time()
        self.living[self] = None

    @classmethod
    async def start(cls, order: StartOrder, _: object = None) -> SimulatedReader:
        """Start it. Raises `WattmarkError` where the data folder cannot be read."""
        await asyncio.sleep(STARTS_S)
        loop: Any = asyncio.get_running_loop()
        try:
            stored = StoredRuns(order.data_dir, order.planted)
        except WattmarkError as error:
            raise WattmarkError(str(error), "See the log for details.") from error
        return cls(loop, stored)

    async def ended(self) -> int:
        return await asyncio.shield(self._ended)

    def resident_bytes(self) -> int:
        return SIZE_BYTES

    @property
    def gone(self) -> bool:
        return self._ended.done()

    @contextlib.contextmanager
    def answering(self) -> Iterator[Socket]:
        """Open a connection for one answer. Raises OSError where it is gone."""
        if self.gone:
            raise BrokenPipeError
        near, far = self._loop.network.pair()
        self._ends[far] = None
        Socket(far).attach(self._protocol)
        self._in_flight += 1
        try:
            yield Socket(near)
        finally:
            self._ends.pop(far, None)
            self._in_flight -= 1
            if self._retired and not self._in_flight:
                self.die(0)

    def retire(self) -> None:
        self._retired = True
        if not self._in_flight:
            self.die(0)

    async def end(self) -> None:
        self.die(0)

    def die(self, status: int = KILLED) -> None:
        """End at once, with all connections."""
        if self.gone:
            return
        for end in list(self._ends):
            end.break_off(ConnectionResetError())
        self.living.pop(self, None)
        self._stored.results._storage.close()
        self._ended.set_result(status)
