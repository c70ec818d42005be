"""A BMC whose encryption is broken, or whose certificate is another than before: named, and no password goes there."""

from __future__ import annotations

import asyncio
import gc
import ssl
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from wattmark_drivers.errors import ConnectionFailed, DriverError
from wattmark_drivers.factory import create_meter
from wattmark_drivers.meter import Meter
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.speakers.redfish.service import RedfishService

from tests.web_peer import self_signed, server_tls

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
"""asyncio of Python 3.11 leaves the connection of a handshake that was given up to the garbage collector."""
PASSWORD = "the-password-of-the-bmc"


def bmc_at(url: str, user: str = "admin", password: str = PASSWORD) -> Meter:
    return create_meter(
        MeterSettings("bmc", "redfish.bmc", url, username=user, password=lambda: password, timeout_s=2.0)
    )


@pytest.fixture(autouse=True)
def collected() -> Iterator[None]:
    """Collect such connections here, where their warning is expected."""
    yield
    gc.collect()


class Listener:
    """Listens on a port, answers each connection with some bytes, and keeps what it was sent."""

    def __init__(self, answer: bytes | None, context: ssl.SSLContext | None = None, port: int = 0) -> None:
        self._answer, self._context = answer, context
        self.port = port
        self.taken = b""
        self._writers: list[asyncio.StreamWriter] = []

    async def __aenter__(self) -> Listener:
        self._server = await asyncio.start_server(self._take, "127.0.0.1", self.port, ssl=self._context)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for writer in self._writers:
            writer.transport.abort()
        await self._server.wait_closed()

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.append(writer)
        try:
            if self._answer is not None:
                writer.write(self._answer)
            while part := await reader.read(65536):
                self.taken += part
        except OSError:
            pass
        finally:
            writer.close()


ANSWERS = {
    "never answers": None,
    "says nothing": b"",
    "speaks HTTP": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
    "endless record": b"\x16\x03\x03\xff\xff" + b"\x02" * 70_000,
    "alert": b"\x15\x03\x01\x00\x02\x02\x28",
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
async def test_what_speaks_no_tls_is_named_in_time_and_gets_no_password(answer: bytes | None) -> None:
    async with Listener(answer) as listener:
        meter = bmc_at(f"redfish://127.0.0.1:{listener.port}/1")
        begin = time.monotonic()
        with pytest.raises(DriverError) as refusal:
            await meter.open()
        assert time.monotonic() - begin < 30
        assert "127.0.0.1" in refusal.value.cause
        assert refusal.value.remedy
        await meter.close()
    assert PASSWORD.encode() not in listener.taken


async def test_another_certificate_than_the_one_trusted_ends_the_session_before_a_password_is_sent(
    simulated: Any, tmp_path: Path
) -> None:
    async with simulated("redfish.bmc") as running:
        trusted = server_tls(*self_signed(tmp_path / "trusted"))
        bmc = RedfishService(lambda: 1e9, tmp_path / "tls", tls=trusted)
        running.device.speaker, plain = bmc, running.device.speaker
        running.device.step(1.0)
        entry = await bmc.start()
        password = Path(entry["password_file"]).read_text("utf-8")
        url = f"{entry['url']}?ca={tmp_path}/trusted/ca.pem"
        meter = bmc_at(url, entry["username"], password)
        await meter.open()
        assert await meter.read()
        port = urlsplit(entry["url"]).port or 0
        await bmc.stop()
        running.device.speaker = plain
    async with Listener(None, server_tls(*self_signed(tmp_path / "other")), port) as impostor:
        for attempt in range(3):
            with pytest.raises(ConnectionFailed, match="not trusted" if attempt else "."):
                await (meter.open() if attempt else meter.read())
        await meter.close()
    assert impostor.taken == b"", "neither a token nor a password reached it"
