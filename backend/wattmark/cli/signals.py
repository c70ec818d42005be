"""Ctrl-C and SIGTERM: the first one ends the work in order, the second one at once."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable


def on_termination(end: Callable[[], None]) -> None:
    """Call ``end`` at the first SIGINT or SIGTERM of the running loop; the second cancels the current task."""
    loop = asyncio.get_running_loop()
    main = asyncio.current_task()
    asked = False

    def handle() -> None:
        nonlocal asked
        if asked and main is not None:
            main.cancel()
        asked = True
        end()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, handle)
