"""Serve the reader's application on the sockets that the service passes."""

from __future__ import annotations

import asyncio
import functools
import logging
import os
import socket
import threading

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from wattmark.core.errors import WattmarkError
from wattmark.core.event_loop import run_loop
from wattmark.service.process.collector import settle
from wattmark.service.reader.app import create_reader_app
from wattmark.service.reader.start import READY, StartOrder
from wattmark.service.reader.stored_runs import StoredRuns

LARGEST_HEAD = 16 * 2**20
"""Bytes: the records of a thousand meters go along with some requests."""
_TAKEN_AT_ONCE = 16


def serve(order: StartOrder, control: socket.socket) -> None:
    """Open the data folder for reading and serve until the service ends. Raises `StoreError`."""
    stored = StoredRuns(order.data_dir, order.planted)
    run_loop(_serve(create_reader_app(stored), stored, control))


def _read_ahead(stored: StoredRuns) -> None:
    try:
        stored.read_ahead()
    except WattmarkError as error:
        logging.getLogger(__name__).warning("The first comparison will take longer: %s", error)


async def _serve(app: FastAPI, stored: StoredRuns, control: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    config = uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        h11_max_incomplete_event_size=LARGEST_HEAD,
    )
    server = uvicorn.Server(config)
    config.load()
    server.lifespan = config.lifespan_class(config)
    protocol = functools.partial(H11Protocol, config, server.server_state, {})
    control.setblocking(False)
    opening: set[asyncio.Task[object]] = set()

    def take() -> None:
        for connection in _passed(control):
            task = loop.create_task(loop.connect_accepted_socket(protocol, connection))
            opening.add(task)
            task.add_done_callback(opening.discard)

    loop.add_reader(control.fileno(), take)
    settle()
    control.send(READY)
    threading.Thread(target=_read_ahead, args=(stored,), daemon=True).start()
    await server.startup(sockets=[])
    await server.main_loop()


def _passed(control: socket.socket) -> list[socket.socket]:
    """Receive the sockets that have come; ends the process where the service has ended or retires it."""
    try:
        message, descriptors, _, _ = socket.recv_fds(control, _TAKEN_AT_ONCE, _TAKEN_AT_ONCE)
    except BlockingIOError:
        return []
    except OSError:
        message, descriptors = b"", []
    if not message:
        os._exit(0)
    return [socket.socket(fileno=descriptor) for descriptor in descriptors]
