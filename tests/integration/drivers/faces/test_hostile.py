"""Peers that mean harm: what they send costs them their connection, and neither memory nor the time of the others."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import gc
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest
from wattmark_drivers.speakers.face import Askers, Doorway
from wattmark_drivers.speakers.tcp_server import TcpServer

from tests.attack.hostile_peers import (
    LOGINS,
    MEGABYTES,
    QUESTIONS,
    UDP,
    ask_from_many_sources,
    ask_without_end,
    crowd,
    log_in,
    odd_datagrams,
    send_datagrams,
    send_until_closed,
)

from .conftest import SECRET, TOTAL, Speaking, live, run

TCP = ["modbus", "redfish", "scpi"]
MOST_CLIENTS = 16
LONGEST_STALL_S = 0.25
"""Most time of a processor that the event loop spends on one thing; what these tests themselves do counts too."""
MOST_GROWTH = 64 << 20


@asynccontextmanager
async def unharmed() -> AsyncIterator[None]:
    """Require that the loop was never held up, that nothing was kept, and that nothing went wrong unseen."""
    loop = asyncio.get_running_loop()
    stalls: list[float] = []
    problems: list[object] = []
    loop.set_exception_handler(lambda _, context: problems.append(context))

    async def watch() -> None:
        while True:
            begun_s = time.thread_time()
            await asyncio.sleep(0)
            stalls.append(time.thread_time() - begun_s)
            await asyncio.sleep(0.002)

    gc.collect()
    before = psutil.Process().memory_info().rss
    watching = asyncio.create_task(watch())
    await asyncio.sleep(0.01)
    yield
    watching.cancel()
    gc.collect()
    assert problems == []
    assert psutil.Process().memory_info().rss - before < MOST_GROWTH
    assert max(stalls) < LONGEST_STALL_S


async def still_reads(running: Speaking) -> None:
    async with live(running.speaker):
        _, readings = await running.read()
    assert readings["power"].value == pytest.approx(TOTAL["power"], abs=1)


@pytest.mark.parametrize("engine", TCP)
@pytest.mark.parametrize("data", MEGABYTES.values(), ids=MEGABYTES)
async def test_a_megabyte_is_not_kept(speaking, engine, data):
    async with speaking(engine) as running:
        async with unharmed():
            await asyncio.gather(*(send_until_closed(running.port, data) for _ in range(8)))
        await still_reads(running)


@pytest.mark.parametrize(
    ("engine", "question"), [(engine, question) for engine in TCP for question in QUESTIONS[engine]]
)
async def test_one_that_asks_without_end_and_reads_nothing_is_slowed(speaking, engine, question):
    async with speaking(engine) as running:
        async with unharmed():
            await ask_without_end(running.port, question)
        (peer,) = running.speaker.askers.view()
        await still_reads(running)
    assert peer.requests < 2000


@pytest.mark.parametrize("engine", TCP)
async def test_a_thousand_connections_leave_place_for_those_that_were_there(speaking, engine):
    async with speaking(engine, door=Doorway(most_clients=MOST_CLIENTS)) as running:
        reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
        await asyncio.sleep(0.1)
        async with unharmed(), crowd(running.port):
            await asyncio.sleep(1)
            writer.write(b"*IDN?\n" if engine == "scpi" else bytes.fromhex("000100000006010400000002"))
            if engine == "redfish":
                writer.write(b" / HTTP/1.1\r\n\r\n")
            async with asyncio.timeout(5):
                assert await reader.read(4)
        assert running.speaker.askers.refused > 100
        writer.close()
        await asyncio.sleep(8)
        await still_reads(running)


async def test_one_peer_that_takes_all_places_leaves_one_for_others():
    """Of 16 places the last two are for peers that have none: all of 127.0.0.0/8 is loopback, each address a peer."""

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            writer.write(line)

    server = TcpServer(converse, door=Doorway(most_clients=MOST_CLIENTS))
    port = await server.start()
    greedy = [await asyncio.open_connection("127.0.0.1", port) for _ in range(MOST_CLIENTS)]
    await asyncio.sleep(0.2)
    taken = server.clients
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=("127.0.0.2", 0))
    writer.write(b"here\n")
    async with asyncio.timeout(5):
        answer = await reader.readline()
    for _, connection in (*greedy, (reader, writer)):
        connection.close()
    await server.stop()
    assert (taken, answer) == (14, b"here\n")


async def test_who_drips_or_never_reads_is_cut_off_at_last():
    """A byte now and then is no request: only a whole one prolongs the patience."""
    askers = Askers()

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.readline():
            await server.asked(writer)

    server = TcpServer(converse, door=Doorway(), askers=askers, idle_s=0.5)
    port = await server.start()
    loop = asyncio.get_running_loop()

    async def last(data: bytes, every_s: float) -> float:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        begun_s = loop.time()
        with contextlib.suppress(OSError):
            while loop.time() - begun_s < 2 and not reader.at_eof():
                writer.write(data)
                await writer.drain()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(every_s):
                        await reader.read(1)
        writer.close()
        return loop.time() - begun_s

    dripping, asking = await asyncio.gather(last(b"x", 0.1), last(b"x\n", 0.1))
    await server.stop()
    assert 0.4 < dripping < 1
    assert asking >= 2
    assert askers.view()[0].requests > 10


@pytest.mark.parametrize("engine", UDP)
async def test_datagrams_that_are_no_requests_are_dropped(speaking, engine):
    async with speaking(engine) as running:
        async with unharmed():
            await send_datagrams(running.port, odd_datagrams(SECRET.encode()))
        await asyncio.sleep(2.5)
        await still_reads(running)
        assert running.speaker.askers.refused > 100


@pytest.mark.parametrize("engine", UDP)
async def test_many_sources_are_not_remembered_without_end(speaking, engine):
    async with speaking(engine, door=Doorway(address="0.0.0.0", most_clients=MOST_CLIENTS)) as running:
        files = len(list(Path("/proc/self/fd").iterdir()))
        async with unharmed():
            await ask_from_many_sources(running.port)
        assert len(list(Path("/proc/self/fd").iterdir())) <= files + MOST_CLIENTS
        assert len(running.speaker.askers.view()) <= 256


async def test_the_bmc_comes_back_when_its_program_dies(speaking):
    async with speaking("ipmi") as running:
        await still_reads(running)
        running.speaker._process.kill()
        await asyncio.sleep(3)
        await still_reads(running)


@pytest.mark.parametrize("body", LOGINS)
async def test_a_login_that_is_no_login_is_refused(speaking, body):
    async with speaking("redfish") as running, unharmed():
        line = await log_in(running.port, body)
        assert line.split()[1] in (b"400", b"401")


async def status_of(running: Speaking, path: str, login: str, *more: str) -> int:
    """Ask Redfish once with a login; return the status."""
    reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
    lines = [f"GET {path} HTTP/1.1", f"Authorization: Basic {base64.b64encode(login.encode()).decode()}", *more]
    writer.write("\r\n".join([*lines, "", ""]).encode())
    async with asyncio.timeout(30):
        line = await reader.readline()
    writer.close()
    return int(line.split()[1])


async def test_wrong_passwords_of_redfish_are_counted_and_take_longer_and_longer(speaking):
    async with speaking("redfish") as running:
        begun_s = time.monotonic()
        wrong = [await status_of(running, "/redfish/v1/Chassis", f"lab:{n}") for n in range(10)]
        quick_s = time.monotonic() - begun_s
        slow = [await status_of(running, "/redfish/v1/Chassis", f"lab:{n}") for n in (10, 11)]
        slow_s = time.monotonic() - begun_s - quick_s
        begun_s = time.monotonic()
        right = await status_of(running, "/redfish/v1/Chassis", f"lab:{SECRET}")
        right_s = time.monotonic() - begun_s
        (peer,) = running.speaker.askers.view()
    assert (set(wrong + slow), right) == ({401}, 200)
    assert (peer.requests, peer.refused) == (13, 12)
    assert quick_s < 1.5
    assert slow_s > 3.0
    assert right_s < 1.0


async def test_a_program_with_an_old_password_takes_no_places_of_its_neighbours(speaking):
    """It comes from the same address, does not wait for its answers, and has used up all that is quick."""
    async with speaking("redfish", door=Doorway(most_clients=MOST_CLIENTS)) as running:
        old = f"Authorization: Basic {base64.b64encode(b'lab:old').decode()}"
        for _ in range(3 * MOST_CLIENTS):
            _, writer = await asyncio.open_connection("127.0.0.1", running.port)
            writer.write(f"GET /redfish/v1/Chassis HTTP/1.1\r\n{old}\r\n\r\n".encode())
            await writer.drain()
            await asyncio.sleep(0.02)
            writer.close()
        assert await status_of(running, "/redfish/v1/Chassis", f"lab:{SECRET}") == 200
        (peer,) = running.speaker.askers.view()
        assert peer.refused == 3 * MOST_CLIENTS


async def test_sessions_that_nobody_closed_keep_nobody_out(speaking):
    async with speaking("redfish", door=Doorway(most_clients=MOST_CLIENTS)) as running:
        body = f'{{"UserName": "lab", "Password": "{SECRET}"}}'
        head = f"POST /redfish/v1/SessionService/Sessions HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n"
        statuses = []
        for _ in range(MOST_CLIENTS + 4):
            reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
            writer.write((head + body).encode())
            statuses.append((await reader.readline()).split()[1])
            writer.close()
        assert set(statuses) == {b"201"}
        assert running.speaker.sessions == MOST_CLIENTS


async def test_a_peer_with_many_ports_leaves_places_of_a_bmc_to_others(speaking):
    """Of 16 places two are for peers that have none; all of 127.0.0.0/8 is loopback, each address a peer."""
    ping = bytes.fromhex("0600ff07000000000000000000092018c8810038 0e0435")
    async with speaking("ipmi", door=Doorway(most_clients=MOST_CLIENTS)) as running:
        with contextlib.ExitStack() as stack:
            greedy = [stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) for _ in range(40)]
            flooding = asyncio.create_task(flood(greedy, ping, running.port))
            await asyncio.sleep(0.3)
            other = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            other.bind(("127.0.0.2", 0))
            other.setblocking(False)
            other.connect(("127.0.0.1", running.port))
            answers = 0
            for _ in range(10):
                other.send(ping)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(1):
                        answers += bool(await asyncio.get_running_loop().sock_recv(other, 100))
            flooding.cancel()
        assert answers >= 9


async def flood(sockets: list[socket.socket], datagram: bytes, port: int) -> None:
    while True:
        for connection in sockets:
            connection.sendto(datagram, ("127.0.0.1", port))
        await asyncio.sleep(0.02)


async def test_strangers_do_not_take_the_share_of_who_knows_the_password(speaking, tmp_path):
    """Messages that name our user and engine, with a wrong digest, are dropped before they cost a share."""
    async with speaking("snmp") as running:
        engine_id, user = running.speaker.engine_id, b"lab"
        forged = forged_message(engine_id, user)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
            stranger.bind(("127.0.0.3", 0))
            async with unharmed():
                for _ in range(2000):
                    stranger.sendto(forged, ("127.0.0.1", running.port))
                    await asyncio.sleep(0.0005)
        options = ("-v3", "-u", "lab", "-l", "authPriv", "-a", "SHA", "-A", SECRET, "-x", "AES", "-X", SECRET)
        place = f"127.0.0.1:{running.port}"
        state = {"SNMP_PERSISTENT_DIR": str(tmp_path / "state")}
        for _ in range(5):
            power = await run("snmpget", *options, "-Oqv", place, "1.3.6.1.2.1.99.1.1.1.4.2", **state)
            assert power.strip() == "236810"
        refused = {peer.peer: peer.refused for peer in running.speaker.askers.view()}
    assert refused["127.0.0.3"] == 2000


def forged_message(engine_id: bytes, user: bytes) -> bytes:
    """Write a message of version 3 that says that it is authenticated and encrypted (RFC 3412, 6; RFC 3414, 2.4)."""

    def tlv(tag: int, content: bytes) -> bytes:
        return bytes([tag, len(content)]) + content

    header = tlv(0x30, bytes.fromhex("020101 0202ffe3 040107 020103"))
    parameters = tlv(0x04, engine_id) + bytes.fromhex("020101 020101") + tlv(0x04, user)
    parameters += tlv(0x04, b"x" * 12) + tlv(0x04, b"y" * 8)
    return tlv(0x30, bytes.fromhex("020103") + header + tlv(0x04, tlv(0x30, parameters)) + tlv(0x04, b"z" * 40))
