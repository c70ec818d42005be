"""Peers for the Modbus driver: libmodbus in a process of its own, a raw gateway, and a cable that can be bad."""

from __future__ import annotations

import asyncio
import contextlib
import os
import selectors
import subprocess
import threading
import time
import tty
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

Words = dict[tuple[str, int], int]
"""Register contents: ("i" or "h", address) to word."""


@pytest.fixture(scope="session")
def meter_program(tmp_path_factory) -> Path:
    """Compile the libmodbus meter."""
    program = tmp_path_factory.mktemp("libmodbus") / "meter"
    source = Path(__file__).with_name("libmodbus_meter.c")
    subprocess.run(
        ["cc", "-O1", "-Wall", "-Werror", "-I/usr/include/modbus", "-o", program, source, "-lmodbus"], check=True
    )
    return program


class LibmodbusMeters:
    """Starts and ends libmodbus meters."""

    def __init__(self, program: Path) -> None:
        self._program = program
        self.running: list[subprocess.Popen[str]] = []

    def tcp(self, words: Words, port: int = 0, ramp: int | None = None) -> int:
        """Serve registers over TCP and return the port."""
        return int(self._start(["tcp", str(port)], words, ramp).split()[1])

    def rtu(self, device: str, words: Words, unit: int = 1, ramp: int | None = None) -> None:
        """Serve registers on a serial device."""
        self._start(["rtu", device, str(unit)], words, ramp)

    def stop(self) -> None:
        """End all of them."""
        for process in self.running:
            process.kill()
            process.communicate()
        self.running.clear()

    def _start(self, arguments: list[str], words: Words, ramp: int | None) -> str:
        process = subprocess.Popen(
            [self._program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.running.append(process)
        assert process.stdin
        assert process.stdout
        lines = [f"{space} {address} {word}" for (space, address), word in words.items()]
        lines += [] if ramp is None else [f"ramp {ramp}"]
        process.stdin.write("\n".join([*lines, "go", ""]))
        process.stdin.flush()
        return process.stdout.readline()


@pytest.fixture
def libmodbus(meter_program: Path) -> Iterator[LibmodbusMeters]:
    """Make libmodbus meters that end with the test."""
    meters = LibmodbusMeters(meter_program)
    yield meters
    meters.stop()


@dataclass
class RawGateway:
    """A TCP server that answers requests byte by byte as the test says."""

    port: int
    connections: int = 0
    requests: list[bytes] = field(default_factory=list)
    busy: int = 0
    most_busy: int = 0


Answer = Callable[[RawGateway, bytes], Awaitable[bytes | None]]


@pytest.fixture
async def raw_gateway() -> AsyncIterator[Callable[[Answer], Awaitable[RawGateway]]]:
    """Start raw gateways; an answer of None closes the connection."""
    servers: list[asyncio.Server] = []
    writers: list[asyncio.StreamWriter] = []

    async def start(answer: Answer) -> RawGateway:
        gateway = RawGateway(0)

        async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            gateway.connections += 1
            writers.append(writer)
            with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
                while request := await reader.readexactly(12):
                    gateway.requests.append(request)
                    gateway.busy += 1
                    gateway.most_busy = max(gateway.busy, gateway.most_busy)
                    reply = await answer(gateway, request)
                    gateway.busy -= 1
                    if reply is None:
                        break
                    writer.write(reply)
            writer.close()

        server = await asyncio.start_server(converse, "127.0.0.1", 0)
        servers.append(server)
        gateway.port = server.sockets[0].getsockname()[1]
        return gateway

    yield start
    for server in servers:
        server.close()
    for writer in writers:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


class Cable:
    """Joins two pseudo-terminals; what the meter says can be late, spoilt or lost on the way."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.delays_s: list[float] = []
        self.spoil: list[Callable[[bytes], bytes]] = []
        self.heard: list[bytes] = []
        self._far, self._far_end = os.openpty()
        tty.setraw(self._far_end)
        self.device = os.ttyname(self._far_end)
        self._near = self._near_end = -1
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._carry, daemon=True)
        self.plug()
        self._thread.start()

    def plug(self) -> None:
        """Give the computer its end, under the same path."""
        self._near, self._near_end = os.openpty()
        tty.setraw(self._near_end)
        self.path.symlink_to(os.ttyname(self._near_end))

    def unplug(self) -> None:
        """Take the computer's end away."""
        self.path.unlink()
        near, self._near = self._near, -1
        time.sleep(0.05)
        os.close(near)
        os.close(self._near_end)

    def noise(self, data: bytes) -> None:
        """Let the computer hear what nobody said."""
        os.write(self._near, data)

    def close(self) -> None:
        """End the cable."""
        self._stop.set()
        self._thread.join()
        for fd in (self._far, self._far_end, self._near, self._near_end):
            with contextlib.suppress(OSError):
                os.close(fd)

    def _carry(self) -> None:
        while not self._stop.is_set():
            near = self._near
            with selectors.DefaultSelector() as selector, contextlib.suppress(OSError):
                selector.register(self._far, selectors.EVENT_READ, "answer")
                if near >= 0:
                    selector.register(near, selectors.EVENT_READ, "request")
                for key, _ in selector.select(0.02):
                    self._pass_on(key.data, near)

    def _pass_on(self, kind: str, near: int) -> None:
        if kind == "request":
            data = os.read(near, 4096)
            self.heard.append(data)
            os.write(self._far, data)
            return
        data = os.read(self._far, 4096)
        while self._more():
            data += os.read(self._far, 4096)
        if self.delays_s:
            threading.Timer(self.delays_s.pop(0), self._deliver, (data,)).start()
        else:
            self._deliver(data)

    def _more(self) -> bool:
        with selectors.DefaultSelector() as selector:
            selector.register(self._far, selectors.EVENT_READ)
            return bool(selector.select(0.01))

    def _deliver(self, data: bytes) -> None:
        if self.spoil:
            data = self.spoil.pop(0)(data)
        if self._near >= 0 and data:
            os.write(self._near, data)


@pytest.fixture
def cable(tmp_path: Path) -> Iterator[Cable]:
    """Lay a cable between the driver's port and the meter's device."""
    line = Cable(tmp_path / "ttyUSB0")
    yield line
    line.close()
