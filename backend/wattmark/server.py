"""Serve the application: the port is taken before anything starts, live streams end before the server does."""

from __future__ import annotations

import contextlib
import errno
import socket
from collections.abc import Iterator

import uvicorn
from fastapi import FastAPI

from wattmark.errors import WattmarkError

GRACE_S = 2


def listen(host: str, port: int) -> socket.socket:
    """Bind a listening socket. Raises `WattmarkError` with the remedy when the port cannot be had."""
    try:
        info = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        sock = socket.socket(info[0], info[1])
    except OSError as error:
        raise _cannot_listen(host, port, error) from error
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(info[4])
        sock.listen(128)
    except OSError as error:
        sock.close()
        raise _cannot_listen(host, port, error) from error
    return sock


def _cannot_listen(host: str, port: int, error: OSError) -> WattmarkError:
    if error.errno == errno.EADDRINUSE:
        return WattmarkError(f"Port {port} on {host} is in use.", f"Take another: --port {port + 1}.")
    if error.errno == errno.EACCES:
        return WattmarkError(f"Port {port} needs special rights.", "Take one above 1023, such as --port 8400.")
    return WattmarkError(f"Cannot listen on {host}: {error.strerror or error}.", "Give an address of this machine.")


def address(sock: socket.socket) -> str:
    """Give the address a browser on this machine opens for a listening socket."""
    host, port = sock.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - "all addresses" is none to open
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}"


class Server(uvicorn.Server):
    """A uvicorn server that leaves signals to the command that runs it, so that load and store are closed in order."""

    def __init__(self, app: FastAPI) -> None:
        super().__init__(
            uvicorn.Config(
                app, log_config=None, access_log=False, lifespan="off", timeout_graceful_shutdown=GRACE_S, ws="none"
            )
        )

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take no signals."""
        yield
