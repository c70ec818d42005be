"""The event loop that long-running commands work on: uvloop where the extra ``speed`` is installed, else asyncio's."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeVar

Result = TypeVar("Result")
TURN_S = 0.0005
"""Python's own is 5 ms, and a poll waits for its turn several times: beside four threads that compute, one in a hundred
polls of 208 meters began 550 ms late, and 56 ms with this."""


def run_loop(work: Coroutine[Any, Any, Result]) -> Result:
    """Run to the end, as `asyncio.run` does. Raises `KeyboardInterrupt` when a second signal interrupts it."""
    with asyncio.Runner(loop_factory=_factory()) as runner:
        try:
            return runner.run(work)
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None


def give_way_soon() -> None:
    """Limit how long a thread holds the interpreter, so that computing does not delay measuring."""
    sys.setswitchinterval(TURN_S)


def _factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    if find_spec("uvloop") is None:
        return None
    factory: Callable[[], asyncio.AbstractEventLoop] = import_module("uvloop").new_event_loop
    return factory
