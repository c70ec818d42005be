"""Ctrl-C, SIGTERM and a closed terminal: the first one ends the work in order, the second one at once."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def on_termination(end: Callable[[], None]) -> None:
    """Call ``end`` at the first signal that ends the running loop; the second cancels the current task.

    SIGHUP, of a terminal that is closed, is one of them unless the program was started to outlive it (nohup).
    """
    loop = asyncio.get_running_loop()
    main = asyncio.current_task()
    asked = False

    def handle() -> None:
        nonlocal asked
        if asked and main is not None:
            main.cancel()
        asked = True
        end()

    for number in _ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, handle)
