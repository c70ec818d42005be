"""Blocking work in a thread that the end of the process does not wait for, as it does for those of an executor."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

Result = TypeVar("Result")


def run_unwaited(work: Callable[[], Result], name: str) -> Future[Result]:
    """Start a function in a daemon thread of that name; whoever waits for the future may be cancelled."""
    future: Future[Result] = Future()
    future.set_running_or_notify_cancel()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, name=name, daemon=True).start()
    return future
