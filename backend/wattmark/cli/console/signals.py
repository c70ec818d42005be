"""Ctrl-C, SIGTERM and a closed terminal: the first one ends the work in order, the second one at once."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable


def on_termination(end: Callable[[], None]) -> None:
    """Call ``end`` once, at the first signal that ends the running loop; each later one cancels the current task.

    SIGHUP, of a terminal that is closed, is one of them unless the program was started to outlive it (nohup).
    """
    loop = asyncio.get_running_loop()
    main = asyncio.current_task()
    asked = False

    def handle() -> None:
        nonlocal asked
        if not asked:
            asked = True
            end()
        elif main is not None:
            main.cancel()

    outlives_terminal = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    for number in (signal.SIGINT, signal.SIGTERM, *(() if outlives_terminal else (signal.SIGHUP,))):
        loop.add_signal_handler(number, handle)
