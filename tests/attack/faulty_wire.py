"""Wires between a driver and a device that delay, cut, spoil or lose what the device answers. They know no protocol."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from dataclasses import dataclass
from typing import Protocol

LOOPBACK = "127.0.0.1"
NOISE = b"\x00\xff\x13#~8."
Address = tuple[str, int]


@dataclass(frozen=True)
class Harm:
    """What happens to one piece of an answer: it comes later, only its first share, behind noise, or not at all."""

    late_s: float = 0.0
    share: float = 1.0
    noise: bool = False


class FaultyWire(Protocol):
    """A place that a driver reaches, with a device behind it that may be exchanged."""

    port: int

    async def start(self) -> None:
        """Listen."""
        ...

    def connect(self, device: Address | None) -> None:
        """Put another device, or none, behind it; conversations with the one before end."""
        ...

    def harm(self, harm: Harm) -> None:
        """Let it happen to the next answer."""
        ...

    def stop(self) -> None:
        """Listen no more."""
        ...


class TcpWire:
    """A TCP port that passes bytes on."""

    def __init__(self) -> None:
        self.port = 0
        self._device: Address | None = None
        self._server: asyncio.Server | None = None
        self._harms: deque[Harm] = deque()
        self._writers: set[asyncio.StreamWriter] = set()

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, LOOPBACK, 0)
        self.port = self._server.sockets[0].getsockname()[1]

    def connect(self, device: Address | None) -> None:
        self._device = device
        self._harms.clear()
        for writer in list(self._writers):
            writer.close()

    def harm(self, harm: Harm) -> None:
        self._harms.append(harm)

    def stop(self) -> None:
        if self._server is not None:
            self._server.close()
        self.connect(None)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._device is None:
            writer.close()
            return
        ends = {writer}
        try:
            with contextlib.suppress(OSError):
                answers, device = await asyncio.open_connection(*self._device)
                ends.add(device)
                self._writers |= ends
                asking = asyncio.create_task(self._ask(reader, device))
                try:
                    await self._answer(answers, writer)
                finally:
                    asking.cancel()
        finally:
            self._writers -= ends
            for end in ends:
                end.close()

    async def _ask(self, reader: asyncio.StreamReader, device: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                device.write(data)
        device.close()

    async def _answer(self, answers: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await answers.read(65536):
            harm = self._harms.popleft() if self._harms else Harm()
            if harm.late_s:
                await asyncio.sleep(harm.late_s)
            writer.write(NOISE * harm.noise + data[: round(harm.share * len(data))])


class UdpWire:
    """A UDP port that passes datagrams on."""

    def __init__(self) -> None:
        self.port = 0
        self._device: Address | None = None
        self._harms: deque[Harm] = deque()
        self._front: asyncio.DatagramTransport | None = None
        self._backs: dict[Address, asyncio.DatagramTransport] = {}

    async def start(self) -> None:
        wire = self

        class Front(asyncio.DatagramProtocol):
            def datagram_received(self, data: bytes, client: Address) -> None:
                task = asyncio.ensure_future(wire._pass(data, client))
                task.add_done_callback(lambda done: done.cancelled() or done.exception())

        loop = asyncio.get_running_loop()
        transport, _ = await loop.create_datagram_endpoint(Front, (LOOPBACK, 0))
        self._front = transport
        self.port = transport.get_extra_info("sockname")[1]

    def connect(self, device: Address | None) -> None:
        self._device = device
        self._harms.clear()
        for back in self._backs.values():
            back.close()
        self._backs.clear()

    def harm(self, harm: Harm) -> None:
        self._harms.append(harm)

    def stop(self) -> None:
        self.connect(None)
        if self._front is not None:
            self._front.close()

    async def _pass(self, data: bytes, client: Address) -> None:
        if self._device is None:
            return
        if client not in self._backs:
            wire = self

            class Back(asyncio.DatagramProtocol):
                def datagram_received(self, data: bytes, _device: Address) -> None:
                    wire._answer(data, client)

            loop = asyncio.get_running_loop()
            transport, _ = await loop.create_datagram_endpoint(Back, remote_addr=self._device)
            self._backs[client] = transport
        self._backs[client].sendto(data)

    def _answer(self, data: bytes, client: Address) -> None:
        harm = self._harms.popleft() if self._harms else Harm()
        answer = NOISE * harm.noise + data[: round(harm.share * len(data))]
        if harm.late_s:
            asyncio.get_running_loop().call_later(harm.late_s, self._send, answer, client)
        else:
            self._send(answer, client)

    def _send(self, answer: bytes, client: Address) -> None:
        if answer and self._front is not None and not self._front.is_closing():
            self._front.sendto(answer, client)
