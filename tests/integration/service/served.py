"""A service in a thread of the test, with a real reader process beside it."""

from __future__ import annotations

import asyncio
import http.client
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psutil
from wattmark.access.http.middleware import AccessPolicy
from wattmark.service.app import create_app
from wattmark.service.process.server import Server, listen
from wattmark.service.reader.keeper import Reader
from wattmark.service.service import Service, open_service
from wattmark.service.settings import Settings

from .conftest import PATIENCE_S, wait_until

START_S = 240
"""What the start of a reader may take on a busy machine."""
Answer = tuple[int, http.client.HTTPMessage, bytes]


class Served:
    """A service that answers; its reader can be looked at, stopped and killed."""

    def __init__(self, service: Service, reader: Reader, netloc: str) -> None:
        self.service = service
        self.reader = reader
        self.netloc = netloc

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
        """Make a request."""
        with closing(http.client.HTTPConnection(self.netloc, timeout=START_S)) as connection:
            connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()

    def get(self, path: str, **headers: str) -> Answer:
        """Make a GET request."""
        return self.ask("GET", path, **headers)

    def process(self) -> psutil.Process:
        """Wait for a reader that can be asked, and give its process."""
        wait_until(lambda: self.reader.ready, START_S)
        process = self.reader._current
        assert process is not None
        return psutil.Process(process._process.pid)


@contextmanager
def served(folder: Path, reader: Reader, *, sign_in: bool = False, bench: Path | None = None) -> Iterator[Served]:
    """Serve a data folder while the block lasts."""
    begun: list[tuple[Service, Server, str]] = []
    ready = threading.Event()

    async def serve() -> None:
        sock = listen("127.0.0.1", 0)
        async with open_service(Settings(data_dir=folder, bench=bench), reader=reader) as service:
            server = Server(create_app(service, AccessPolicy.for_address("127.0.0.1", sign_in)))
            begun.append((service, server, "{}:{}".format(*sock.getsockname())))
            ready.set()
            await server.serve(sockets=[sock])

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    assert ready.wait(PATIENCE_S)
    service, server, netloc = begun[0]
    try:
        yield Served(service, reader, netloc)
    finally:
        server.should_exit = True
        thread.join(START_S)
    assert not thread.is_alive()
