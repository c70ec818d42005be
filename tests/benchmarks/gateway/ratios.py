"""CPU time of the process that speaks while fifty connected clients ask once a second, beside 3 % of a core."""

from __future__ import annotations

import asyncio
import base64
import socket
import sys
from collections.abc import Awaitable, Callable, Iterator
from functools import partial

import psutil
from wattmark.bench.speak import ENGINES, MODELS, Spoken
from wattmark.gateway.link import SpeakingProcess
from wattmark.gateway.messages import Order, Said, open_line, show_line
from wattmark_drivers.clock import SystemClock
from wattmark_drivers.speakers.face import Face
from wattmark_drivers.speakers.indication import Indication

from tests.benchmarks.ratio import Pair

CLIENTS, SECONDS = 50, 5
MOST_OF_A_CORE = 0.03
FACE = Face("wattmark", "gateway to a benchmark", "1", "0", simulated=False)
GET_POWER = (
    bytes.fromhex("302f02010104067075626c6963a022020201"),
    bytes.fromhex("0201000201003016301406102b06010401eb2e0605040301040101050500"),
)
"""What stands before and behind the number of a GET of version 2c: 1.3.6.1.4.1.13742.6.5.4.3.1.4.1.1.5, the active
power of the first outlet of `MODELS["snmp"]`."""
REDFISH = (
    b"GET /redfish/v1/Chassis/1/Power HTTP/1.1\r\nHost: x\r\n"
    b"Authorization: Basic " + base64.b64encode(b"reader:a-long-password") + b"\r\n\r\n"
)
ECHO = """
import asyncio
from wattmark.core.event_loop import run_loop

async def answer(reader, writer):
    while line := await reader.readline():
        writer.write(line)
        await writer.drain()
    writer.close()

async def serve():
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()

run_loop(serve())
"""
"""A server that answers each line with itself."""
Client = Callable[[int, float], Awaitable[int]]
"""Asks at a port from a time of the event loop on [s], once in each of `1 + SECONDS`; returns how many answers came."""


def asking() -> Iterator[Pair]:
    """Compare the CPU time of a second in which fifty clients of a protocol ask once with 3 % of a second."""
    clients: dict[Spoken, Client] = {
        "modbus-tcp": partial(_stream, bytes.fromhex("000100000006010400340002"), _modbus),
        "scpi": partial(_stream, b":MEASure:ALL?\n", _line),
        "redfish": partial(_stream, REDFISH, _http),
        "snmp": _snmp,
    }
    for protocol, client in clients.items():
        yield Pair(
            f"gateway: 50 clients of {protocol}",
            "s",
            f"{MOST_OF_A_CORE:.0%} of a core",
            partial(_measured, protocol, client),
            lambda: MOST_OF_A_CORE,
        )
    yield Pair(
        "gateway: 50 clients of an echo",
        "s",
        f"{MOST_OF_A_CORE:.0%} of a core",
        lambda: asyncio.run(_echo_cpu_s()),
        lambda: MOST_OF_A_CORE,
    )


def _measured(protocol: Spoken, client: Client) -> float:
    return asyncio.run(_cpu_s(protocol, client))


async def _cpu_s(protocol: Spoken, client: Client) -> float:
    """Measure the CPU time of the process in a second of clients that ask [s]."""
    stands: asyncio.Future[Said] = asyncio.get_running_loop().create_future()

    def hear(said: Said) -> None:
        if said.kind != "asked" and not stands.done():
            stands.set_result(said)

    link, clock = SpeakingProcess(hear, lambda _: None), SystemClock()
    await link.start()
    port = _free_port()
    login = ("reader", "a-long-password") if protocol == "redfish" else (None, None)
    order = Order(protocol, 1, ENGINES[protocol], MODELS[protocol], port, "127.0.0.1", CLIENTS + 14, FACE, *login)
    link.send(open_line(order))
    said = await stands
    assert said.kind == "open", said
    feeding = asyncio.create_task(_feed(link, protocol, clock))
    process = psutil.Process(link.pid)
    spent_s = await _spent_a_second(process, client, port)
    feeding.cancel()
    await asyncio.gather(feeding, return_exceptions=True)
    await link.end()
    return spent_s


async def _spent_a_second(process: psutil.Process, client: Client, port: int) -> float:
    """Let all clients connect and ask once; return the CPU time of a second of what they ask then [s]."""
    now_s = asyncio.get_running_loop().time
    begin_s = now_s()
    asking = asyncio.gather(*(client(port, begin_s + number / CLIENTS) for number in range(CLIENTS)))
    await asyncio.sleep(1.0)
    before_s = _spent_s(process)
    await asyncio.sleep(begin_s + 1.0 + SECONDS - now_s())
    spent_s = _spent_s(process) - before_s
    assert sum(await asking) == CLIENTS * (1 + SECONDS), "each client was answered each second"
    return spent_s / SECONDS


async def _echo_cpu_s() -> float:
    """Measure the same for a server that does nothing but answer, on the same event loop: what nobody can go below."""
    server = await asyncio.create_subprocess_exec(sys.executable, "-c", ECHO, stdout=asyncio.subprocess.PIPE)
    assert server.stdout is not None
    port = int(await server.stdout.readline())
    process = psutil.Process(server.pid)
    spent_s = await _spent_a_second(process, partial(_stream, b":MEASure:ALL?\n", _line), port)
    server.kill()
    await server.wait()
    return spent_s


def _spent_s(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


async def _feed(link: SpeakingProcess, protocol: str, clock: SystemClock) -> None:
    """Show other watts each second."""
    second = 0
    while True:
        total = {"power": 230.0 + second % 7, "voltage": 230.0, "current": 1.0, "frequency": 50.0}
        indication = Indication((total,), total, energy_wh=1000.0, t_ns=clock.utc_ns())
        link.send(show_line(protocol, indication, None, clock.monotonic_ns() + 3 * 10**9))
        second += 1
        await asyncio.sleep(1.0)


async def _stream(
    request: bytes, answered: Callable[[asyncio.StreamReader], Awaitable[bool]], port: int, from_s: float
) -> int:
    """Ask on one connection once a second; return how many answers came."""
    await _until(from_s)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    answers = 0
    for second in range(1 + SECONDS):
        await _until(from_s + second)
        writer.write(request)
        answers += await answered(reader)
    writer.close()
    return answers


async def _modbus(reader: asyncio.StreamReader) -> bool:
    head = await reader.readexactly(6)
    return bool(await reader.readexactly(int.from_bytes(head[4:6], "big")))


async def _line(reader: asyncio.StreamReader) -> bool:
    return bool(await reader.readline())


async def _http(reader: asyncio.StreamReader) -> bool:
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = int(head.partition(b"content-length:")[2].split()[0])
    return len(await reader.readexactly(length)) == length


async def _until(instant_s: float) -> None:
    await asyncio.sleep(instant_s - asyncio.get_running_loop().time())


async def _snmp(port: int, from_s: float) -> int:
    loop = asyncio.get_running_loop()
    answers = 0
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.setblocking(False)
        client.connect(("127.0.0.1", port))
        for number in range(1 + SECONDS):
            await _until(from_s + number)
            await loop.sock_sendall(client, _get_request(number))
            answers += bool(await loop.sock_recv(client, 1500))
    return answers


def _get_request(number: int) -> bytes:
    before, behind = GET_POWER
    return before + bytes([number]) + behind


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
