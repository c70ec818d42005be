"""What a reader process does, however it was started: wait for the order, then serve until the service ends."""

from __future__ import annotations

import ctypes
import logging
import os
import signal
import socket
import sys
from pathlib import Path

from wattmark.core.errors import WattmarkError
from wattmark.core.hardening import protect_memory
from wattmark.core.open_files import allow_open_files
from wattmark.service.process.logs import log_as_json
from wattmark.service.reader.start import LARGEST, StartOrder

NICENESS = 10
FIRST_TO_GO = 800
"""Of 1000: where memory runs out, the kernel ends this process before the one that measures."""
ARENA_MAX, ARENAS = -8, 2
"""malloc.h; the heap of few arenas can be released."""


def work(control: socket.socket) -> None:
    """Serve what the first message orders until the service ends, which closes the other end."""
    _go_first()
    ctypes.CDLL(None).mallopt(ARENA_MAX, ARENAS)
    message = control.recv(LARGEST)
    if not message:
        return
    order = StartOrder.from_message(message)
    if order.log_as_json:
        log_as_json(sys.stderr)
    try:
        from wattmark.service.reader.serving import serve

        _step_back()
        serve(order, control)
    except WattmarkError as error:
        control.send(str(error).encode())
        sys.exit(1)


def _step_back() -> None:
    """Leave the cores to the service. Only after the start, which would take minutes on a busy machine."""
    try:
        os.nice(NICENESS)
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    except OSError as error:
        logging.getLogger(__name__).warning("Answers about stored runs may delay polls: %s", error)


def _go_first() -> None:
    """Mark this process to be ended before the service when memory runs out, and otherwise with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        Path("/proc/self/oom_score_adj").write_text(str(FIRST_TO_GO))
    except OSError as error:
        logging.getLogger(__name__).warning("If memory runs out, the kernel may kill the service first: %s", error)
    protect_memory()
    allow_open_files()
