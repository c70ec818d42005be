"""Peers that mean harm to the ports of speakers: what they send, one kind after the other.

usage: python -m tests.attack.hostile_peers SECONDS PROTOCOL=PORT...

All kinds at all ports, again and again for so long; prints how often each kind came, as one JSON document.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import socket
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from functools import partial

HOST = "127.0.0.1"
PATIENCE_S = 3.0
CROWD = 1000
MEGABYTES: Mapping[str, bytes] = {
    "no newline": b"A" * (1 << 20),
    "zeros": b"\0" * (1 << 20),
    "endless headers": b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 200_000,
    "a line of a megabyte": b"*IDN?;" * 200_000 + b"\n",
}
QUESTIONS: Mapping[str, tuple[bytes, ...]] = {
    "modbus": (bytes.fromhex("000100000006010400000022"),),
    "redfish": (b"GET /redfish/v1/ HTTP/1.1\r\n\r\n",),
    "scpi": (b"*IDN?\n" * 20, b":WHAT:IS:THIS?;" * 63 + b"*CLS\n"),
    "ptdaemon": (b"Identify\r\n" * 20,),
}
"""What each engine on TCP answers, asked by one that reads no answer."""
LOGINS = (b"[" * 60_000, b'{"UserName": "\\ud800", "Password": 1}', b"1" * 60_000, b"\xff")
"""Bodies that are no login."""
UDP = ("ipmi", "snmp")
RMCP = bytes.fromhex("0600ff07")
SESSION_REQUEST = bytes.fromhex("0600ff07000000000000000000092018c8810038 0e0435")
SOURCES = 400
Kind = Callable[[], Awaitable[object]]


async def send_until_closed(port: int, data: bytes) -> None:
    """Send as long as the peer takes it, and read nothing."""
    with contextlib.suppress(OSError, TimeoutError):
        _, writer = await asyncio.open_connection(HOST, port)
        try:
            async with asyncio.timeout(PATIENCE_S):
                for start in range(0, len(data), 65536):
                    writer.write(data[start : start + 65536])
                    await writer.drain()
                    await asyncio.sleep(0)
        finally:
            writer.transport.abort()


async def ask_without_end(port: int, question: bytes) -> None:
    """Ask eight megabytes of questions, and read no answer."""
    await send_until_closed(port, question * ((8 << 20) // len(question)))


@contextlib.asynccontextmanager
async def crowd(port: int, size: int = CROWD) -> AsyncIterator[None]:
    """Connect so many times and say nothing, while the block lasts."""
    connections: list[socket.socket] = []
    try:
        for _ in range(size):
            connection = socket.socket()
            connection.setblocking(False)
            connection.connect_ex((HOST, port))
            connections.append(connection)
            if len(connections) % 50 == 0:
                await asyncio.sleep(0.05)
        yield
    finally:
        for connection in connections:
            connection.close()


async def stay(port: int) -> None:
    """Be a thousand that connect and say nothing for a second."""
    async with crowd(port):
        await asyncio.sleep(1)


async def drip(port: int) -> None:
    """Send a byte now and then."""
    with contextlib.suppress(OSError):
        _, writer = await asyncio.open_connection(HOST, port)
        for _ in range(round(PATIENCE_S / 0.1)):
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.1)
        writer.transport.abort()


async def log_in(port: int, body: bytes) -> bytes:
    """Post what is no login; return the first line of the answer."""
    reader, writer = await asyncio.open_connection(HOST, port)
    head = f"POST /redfish/v1/SessionService/Sessions HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
    try:
        async with asyncio.timeout(PATIENCE_S):
            return await reader.readline()
    finally:
        writer.transport.abort()


def bombs(community: bytes) -> list[bytes]:
    """Make BER that is nested without end, too long, cut, or says that it is longer than it is."""
    nested = b"\x05\x00"
    while len(nested) < 1900:
        size = len(nested)
        nested = b"\x30" + (bytes([size]) if size < 128 else b"\x82" + size.to_bytes(2, "big")) + nested
    version_3 = (
        bytes.fromhex("020103") + b"\x30\x0d" + bytes.fromhex("02010102020800040104020103") + b"\x04\x82\x07\x00"
    )
    inside = version_3 + (b"\x24\x80" * 900)[:1792]
    return [
        nested,
        b"\x30\x80" * 500,
        b"\x30\x82" + len(inside).to_bytes(2, "big") + inside,
        b"\x24\x80" * 900,
        b"\x30\x84\xff\xff\xff\xff\x02\x01\x01",
        bytes.fromhex("302c02010104") + bytes([len(community)]) + community,
        b"\x30\x00",
        b"",
        b"\x1f" * 2000,
        b"\x30" * 60_000,
    ]


def odd_datagrams(community: bytes = b"correct-horse-9") -> list[bytes]:
    """Make datagrams that are no requests, of RMCP and of SNMP."""
    rng = random.Random(36)
    return [
        *bombs(community),
        *(RMCP + rng.randbytes(rng.randrange(600)) for _ in range(300)),
        *(RMCP + b"\x06\x10" + rng.randbytes(40), RMCP * 200, RMCP + b"\x06\xc0" + b"\xff" * 500),
        *(b"\x30\x82\x00\x30\x02\x01\x03" + rng.randbytes(45) for _ in range(300)),
    ]


async def send_datagrams(port: int, datagrams: Sequence[bytes]) -> None:
    """Send them all, five times."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        stranger.connect((HOST, port))
        for _ in range(5):
            for datagram in datagrams:
                with contextlib.suppress(OSError):
                    stranger.send(datagram)
            await asyncio.sleep(0.2)


async def ask_from_many_sources(port: int) -> None:
    """Ask for a session from hundreds of addresses: all of 127.0.0.0/8 is loopback."""
    for number in range(SOURCES):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
            stranger.bind((f"127.0.{1 + number // 200}.{1 + number % 200}", 0))
            stranger.sendto(SESSION_REQUEST, (HOST, port))
        await asyncio.sleep(0.002)


def kinds_of(engine: str, port: int) -> Iterator[tuple[str, Kind]]:
    """List what is done to the port of an engine, with its name."""
    if engine in UDP:
        yield f"{engine}: no requests", partial(send_datagrams, port, odd_datagrams())
        yield f"{engine}: many sources", partial(ask_from_many_sources, port)
        return
    for name, data in MEGABYTES.items():
        # Eight at once, as one alone is cut off at once.
        yield f"{engine}: {name}", partial(_eight, partial(send_until_closed, port, data))
    for number, question in enumerate(QUESTIONS[engine], 1):
        yield f"{engine}: asks and never reads ({number})", partial(ask_without_end, port, question)
    yield f"{engine}: a thousand connections", partial(stay, port)
    yield f"{engine}: drips", partial(drip, port)
    if engine == "redfish":
        for number, body in enumerate(LOGINS, 1):
            yield f"{engine}: no login ({number})", partial(log_in, port, body)


async def _eight(kind: Kind) -> None:
    await asyncio.gather(*(kind() for _ in range(8)))


async def harm(ports: Mapping[str, int], seconds: float) -> Counter[str]:
    """Do all kinds to all ports, the ports side by side; return how often each was done."""
    until_s, done = time.monotonic() + seconds, Counter[str]()

    async def one_port(engine: str, port: int) -> None:
        while time.monotonic() < until_s:
            for name, kind in kinds_of(engine, port):
                if time.monotonic() >= until_s:
                    return
                with contextlib.suppress(OSError, TimeoutError):
                    await kind()
                done[name] += 1

    await asyncio.gather(*(one_port(engine, port) for engine, port in ports.items()))
    return done


def main() -> None:
    """Do it from the command line."""
    seconds, *pairs = sys.argv[1:]
    named = (pair.partition("=") for pair in pairs)
    ports = {engine: int(port) for engine, _, port in named}
    print(json.dumps(asyncio.run(harm(ports, float(seconds)))))  # noqa: T201 - the answer


if __name__ == "__main__":
    main()
