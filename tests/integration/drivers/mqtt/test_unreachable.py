"""A broker that does not answer at all holds nobody up: neither who waits for it, nor the end of the process."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from wattmark_drivers.clock import SystemClock
from wattmark_drivers.errors import ConnectionFailed
from wattmark_drivers.mqtt.address import parse_broker
from wattmark_drivers.mqtt.session import MqttSession


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A port whose queue of connections is full: like a host that is switched off, it answers nothing."""
    with ExitStack() as stack:
        server = stack.enter_context(socket.socket())
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        for _ in range(3):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(server.getsockname())
        yield server.getsockname()[1]


def test_giving_up_leaves_no_thread_behind(silent_port: int) -> None:
    async def connect() -> None:
        session = MqttSession(parse_broker(f"mqtt://127.0.0.1:{silent_port}", "t"), None, "", 0.3, SystemClock())
        with pytest.raises(ConnectionFailed, match=r"127\.0\.0\.1:\d+: no answer within 0\.3 s\."):
            await session.open()
        await session.close()

    threads = threading.active_count()
    begin_s = time.monotonic()
    asyncio.run(connect())
    assert time.monotonic() - begin_s < 3
    assert threading.active_count() == threads


async def test_nobody_there_is_named() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    session = MqttSession(parse_broker(f"mqtt://127.0.0.1:{port}", "t"), None, "", 2.0, SystemClock())
    with pytest.raises(ConnectionFailed, match="Connection refused"):
        await session.open()
    await session.close()


async def test_a_name_that_nobody_knows_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask_no_server(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(asyncio, "open_connection", ask_no_server)
    session = MqttSession(parse_broker("mqtt://broker.invalid", "t"), None, "", 2.0, SystemClock())
    with pytest.raises(ConnectionFailed, match="Name or service not known"):
        await session.open()
    await session.close()
