"""Serve the application: the port is taken before anything starts, live streams end before the server does."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
from collections.abc import Iterator

import h11
import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from wattmark.core.errors import WattmarkError

GRACE_S = 2
HEADERS_S = 10.0
"""Longest time that the head of a request may take to arrive."""
LARGEST_HEAD = 16 * 1024
"""Bytes of a request's first line and headers together."""
MOST_CONNECTIONS = 512
"""Open at a time; half of them may come from one address."""
UNREAD_S = 30
"""Longest time that an answer waits for a peer that takes nothing of it; the kernel then ends the connection."""
BACKLOG = 128
"""Connections taken at a time before the first of them is looked at: they use up files until then."""
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - "all addresses" is none to open
"""What listens on all addresses of a machine, and where a browser on it finds that."""


def listen(host: str, port: int) -> socket.socket:
    """Open a listening socket. Raises `WattmarkError` with the remedy when the port is not available."""
    try:
        info = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        sock = socket.socket(info[0], info[1])
    except OSError as error:
        raise _cannot_listen(host, port, error) from error
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD_S * 1000)  # connections inherit it
        sock.bind(info[4])
        sock.listen(BACKLOG)
    except OSError as error:
        sock.close()
        raise _cannot_listen(host, port, error) from error
    return sock


def _cannot_listen(host: str, port: int, error: OSError) -> WattmarkError:
    if error.errno == errno.EADDRINUSE:
        return WattmarkError(f"Port {port} on {host} is in use.", f"Use another port: --port {port + 1}.")
    if error.errno == errno.EACCES:
        return WattmarkError(f"Port {port} needs special permissions.", "Use a port above 1023, such as --port 8400.")
    return WattmarkError(f"Cannot listen on {host}: {error.strerror or error}.", "Use an address of this machine.")


def address(sock: socket.socket) -> str:
    """Return the address a browser on this machine opens for a listening socket."""
    host, port = sock.getsockname()[:2]
    host = EVERYWHERE.get(host, host)
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}"


def addresses(sock: socket.socket) -> str:
    """Return the address for a browser on this machine and, where all addresses are listened on, for others."""
    host, port = sock.getsockname()[:2]
    others = f" and for other machines on http://{socket.gethostname()}:{port}" if host in EVERYWHERE else ""
    return f"{address(sock)}{others}"


class ImpatientProtocol(H11Protocol):
    """HTTP/1.1 that closes a connection whose request does not arrive, so that idle ones cannot use up all places.

    One too many is closed at once: the files that it would use up are those that meters and ipmitool are read through.
    """

    _due: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the wait for the first request."""
        super().connection_made(transport)
        if self._too_many():
            transport.abort()
        else:
            self._wait_or_not()

    def data_received(self, data: bytes) -> None:
        """Receive a part of a request; the wait ends with the last line of its head."""
        super().data_received(data)
        self._wait_or_not()

    def on_response_complete(self) -> None:
        """Limit the wait for the rest of a body that nobody reads to that for a head."""
        super().on_response_complete()
        self._wait_or_not()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the wait."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _too_many(self) -> bool:
        if len(self.connections) > MOST_CONNECTIONS:
            return True
        peers = [
            connection.client[0]
            for connection in self.connections
            if isinstance(connection, H11Protocol) and connection.client
        ]
        return self.client is not None and peers.count(self.client[0]) > MOST_CONNECTIONS // 2

    def _wait_or_not(self) -> None:
        answered = self.cycle is not None and self.cycle.response_complete
        unread = self.conn.their_state is h11.SEND_BODY and answered
        if self.conn.their_state is not h11.IDLE and not unread:
            self._stop_waiting()
        elif self._due is None:
            self._due = self.loop.call_later(HEADERS_S, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None


class Server(uvicorn.Server):
    """A uvicorn server that leaves signals to the command that runs it, so that load and store are closed in order."""

    def __init__(self, app: FastAPI) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=ImpatientProtocol,
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                backlog=BACKLOG,
                h11_max_incomplete_event_size=LARGEST_HEAD,
                timeout_graceful_shutdown=GRACE_S,
            )
        )

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle no signals."""
        yield
