"""Calls that block do not keep anybody waiting for longer than asked."""

from __future__ import annotations

import threading

import pytest
from wattmark_drivers.errors import ConnectionFailed
from wattmark_drivers.worker import Worker


async def test_a_call_gives_its_result_and_its_error():
    worker = Worker("test")
    assert await worker.run(lambda: threading.current_thread().name.startswith("test"), 20, "It")
    with pytest.raises(ZeroDivisionError):
        await worker.run(lambda: 1 // 0, 20, "It")
    worker.close()


async def test_a_call_that_hangs_is_given_up_and_named():
    release = threading.Event()
    worker = Worker("test")
    with pytest.raises(ConnectionFailed, match=r"The sensor did not answer for 0\.05 s"):
        await worker.run(release.wait, 0.05, "The sensor")
    worker.close()
    release.set()
