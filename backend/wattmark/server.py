"""Serve the application: the port is taken before anything starts, live streams end before the server does."""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable
from types import FrameType

import uvicorn
from fastapi import FastAPI

from wattmark.errors import WattmarkError

GRACE_S = 2


def listen(host: str, port: int) -> socket.socket:
    """Bind a listening socket. Raises `WattmarkError` with the remedy when the port cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((host, port))
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


class Server(uvicorn.Server):
    """A uvicorn server that says when it is about to stop, so that endless streams can end by themselves."""

    def __init__(self, app: FastAPI, before_exit: Callable[[], None]) -> None:
        super().__init__(
            uvicorn.Config(
                app, log_config=None, access_log=False, lifespan="off", timeout_graceful_shutdown=GRACE_S, ws="none"
            )
        )
        self._before_exit = before_exit

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End the streams, then stop as uvicorn does."""
        self._before_exit()
        super().handle_exit(sig, frame)


def address(sock: socket.socket) -> str:
    """Give the address a browser opens for a listening socket."""
    host, port = sock.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}"
