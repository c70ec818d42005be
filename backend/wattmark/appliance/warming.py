"""What is done behind a service that has begun, a little at a time, so that the first who asks need not wait for it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from importlib import import_module

from wattmark.appliance.queries import Queries
from wattmark.errors import StoreError
from wattmark.uncollected import uncollected

_MODULES = ("scipy.special",)
"""Loaded by the first interval, fit or comparison; 16 MB that a folder without runs does not need."""
RESULTS = 1000
"""As many stated results are read ahead: 50 MB."""
_PAUSE_S = 0.01
_STOP_S = 2.0
_log = logging.getLogger(__name__)


class Warming:
    """A thread that takes step after step, and pauses after each, so that nobody is kept waiting.

    ``steps`` may wait for ``wanted``, which is set at the end too.
    """

    def __init__(self, steps: Callable[[], Iterator[None]], wanted: threading.Event) -> None:
        self._steps = steps
        self._wanted = wanted
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="warming", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End after the step that is being done; returns within two seconds."""
        self._stopping.set()
        self._wanted.set()
        if self._thread.is_alive():
            self._thread.join(_STOP_S)

    def _run(self) -> None:
        try:
            for _ in self._steps():
                if self._stopping.wait(_PAUSE_S):
                    return
        except StoreError as error:
            _log.warning("Results are read when they are asked for. %s", error)


def warmed(queries: Queries, wanted: threading.Event) -> Iterator[None]:
    """Make rows of the list of runs, load what comparisons need, read stated results; make rows again when wanted."""
    yield from queries.make_rows()
    for _ in queries.recall(RESULTS):
        for name in _MODULES:
            import_module(name)
        yield
    with uncollected(lasting=True):
        pass
    while True:
        wanted.wait()
        wanted.clear()
        yield from queries.make_rows()
        yield
