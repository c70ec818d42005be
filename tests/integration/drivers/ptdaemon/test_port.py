"""The daemon's port: line ends, many and hostile clients, a port that is used again."""

from __future__ import annotations

import asyncio
import contextlib
import resource
import time

import pytest
from wattmark_drivers.speakers.ptdaemon.samples import Sample


async def test_both_line_ends_are_read_and_crlf_is_sent(fed, connect):
    async with fed() as daemon, connect(daemon.port) as line:
        assert await line.ask("Hello", end="\n") == "Hello, PTDaemon here!"
        assert await line.ask("Hello", end="\r\n") == "Hello, PTDaemon here!"


async def test_commands_that_come_together_are_answered_in_order(fed, connect):
    async with fed() as daemon, connect(daemon.port) as line:
        line.writer.write(b"Hello\r\nRR\nSt")
        line.writer.write(b"op\r\n")
        assert await line.line() == "Hello, PTDaemon here!"
        assert (await line.line()).startswith("Ranges,")
        assert await line.line() == "Error: no measurement to stop"


async def test_a_sample_is_waited_for(fed, connect):
    async with fed() as daemon, daemon.feeding(), connect(daemon.port) as line:
        await line.ask("Go,300,0")
        begun = time.monotonic()
        assert await line.ask("RL") == "Last 1 samples"
        assert time.monotonic() - begun == pytest.approx(0.3, abs=0.25)


async def test_a_port_is_used_again_at_once(fed, connect):
    async with fed() as daemon, connect(daemon.port) as line:
        port = daemon.port
        await line.ask("Hello")
    for _ in range(5):
        async with fed(port=port), connect(port) as line:
            assert await line.ask("Hello") == "Hello, PTDaemon here!"


@pytest.mark.parametrize("hostile", [b"x" * 1_000_000, b"x" * 5000 + b"\r\n", b"\x00" * 5000])
async def test_a_line_that_is_too_long_ends_its_client_alone(fed, connect, hostile):
    async with fed() as daemon, connect(daemon.port) as good:
        reader, writer = await asyncio.open_connection("127.0.0.1", daemon.port)
        with contextlib.suppress(ConnectionError):
            writer.write(hostile)
            await writer.drain()
            async with asyncio.timeout(5):
                while await reader.read(4096):
                    pass
        writer.close()
        assert await good.ask("Hello") == "Hello, PTDaemon here!"


async def test_empty_lines_are_held_to_the_rate_of_requests(fed, connect):
    """Of 200 at once 50 are free, and the others come at 100 a second."""
    async with fed() as daemon, connect(daemon.port) as line:
        begun = time.monotonic()
        line.writer.write(b"\n" * 200)
        assert await line.ask("Hello") == "Hello, PTDaemon here!"
        assert time.monotonic() - begun > 1


async def test_a_line_that_drips_is_ended(fed, connect, monkeypatch):
    monkeypatch.setattr("wattmark_drivers.speakers.ptdaemon.port.LINE_S", 0.3)
    async with fed() as daemon, connect(daemon.port) as line:
        begun = time.monotonic()
        async with asyncio.timeout(5):
            with contextlib.suppress(ConnectionError):
                while not line.reader.at_eof():
                    line.writer.write(b"H")
                    await asyncio.sleep(0.1)
                    if line.writer.is_closing():
                        break
                    with contextlib.suppress(TimeoutError):
                        async with asyncio.timeout(0.01):
                            await line.reader.read(1)
        assert time.monotonic() - begun < 3


async def test_a_client_that_says_nothing_makes_room(fed, monkeypatch):
    monkeypatch.setattr("wattmark_drivers.speakers.ptdaemon.port.FIRST_LINE_S", 0.2)
    async with fed() as daemon:
        reader, writer = await asyncio.open_connection("127.0.0.1", daemon.port)
        async with asyncio.timeout(3):
            assert await reader.read() == b""
        writer.close()


async def test_a_thousand_connections_leave_the_measurement_alone(fed, connect):
    """Samples stay one interval apart, a client that was there is served, and memory is bounded."""
    async with fed() as daemon, daemon.feeding(), connect(daemon.port) as good:
        await good.ask("Go,200,0")
        before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        opened = await asyncio.gather(
            *(asyncio.open_connection("127.0.0.1", daemon.port) for _ in range(1000)), return_exceptions=True
        )
        await asyncio.sleep(1.0)
        assert await good.ask("Hello") == "Hello, PTDaemon here!"
        for connection in opened:
            if not isinstance(connection, BaseException):
                connection[1].close()
        grown_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb
        header = await good.ask("RL")
        stamps = [(await good.line()).split(",")[1] for _ in range(int(header.split()[1]))]
    assert len(stamps) >= 4
    assert len(set(stamps)) == len(stamps)
    assert grown_kb < 100_000


async def test_a_client_that_does_not_read_is_let_go(fed, connect, monkeypatch):
    monkeypatch.setattr("wattmark_drivers.speakers.ptdaemon.port.TAKEN_S", 0.3)
    async with fed() as daemon, connect(daemon.port) as good:
        daemon.speaker.daemon.go(1000, 0, "m")
        measurement = daemon.speaker.daemon.measurement
        measurement._t_ns.extend([0] * 200_000)
        measurement._values.extend([1.0] * 800_000)
        _reader, writer = await asyncio.open_connection("127.0.0.1", daemon.port, limit=1024)
        writer.transport.pause_reading()
        writer.write(b"RL\r\n")
        await writer.drain()
        begun = time.monotonic()
        assert await good.ask("Hello") == "Hello, PTDaemon here!"
        assert time.monotonic() - begun < 2
        async with asyncio.timeout(10):
            while daemon.speaker._port._server.clients > 1:
                await asyncio.sleep(0.1)
        writer.transport.abort()


async def test_a_client_that_leaves_while_it_waits_for_a_sample_is_gone_at_once(fed, connect):
    """`RL` waits for the next sample, here for 30 s."""
    async with fed() as daemon, connect(daemon.port) as good:
        await good.ask("Go,30000,0,m")
        _reader, writer = await asyncio.open_connection("127.0.0.1", daemon.port)
        writer.write(b"RL\r\n")
        await writer.drain()
        await asyncio.sleep(0.2)
        assert daemon.speaker._port._server.clients == 2
        writer.close()
        async with asyncio.timeout(2):
            while daemon.speaker._port._server.clients > 1:
                await asyncio.sleep(0.05)
        assert await good.ask("Hello") == "Hello, PTDaemon here!"


async def test_what_a_client_says_while_it_waits_is_answered_after_it(fed, connect):
    async with fed() as daemon, daemon.feeding(), connect(daemon.port) as line:
        await line.ask("Go,500,0,m")
        line.writer.write(b"RL\r\nHello\r\nStop\r\n")
        assert await line.line() == "Last 1 samples"
        assert (await line.line()).startswith("Time,")
        assert await line.line() == "Hello, PTDaemon here!"
        assert await line.line() == "Stopping untimed measurement"


async def test_samples_of_a_reply_that_was_cut_off_are_unread_still(fed, connect):
    """100 000 lines of some 90 bytes are more than the system takes at once; the client goes after ten of them."""
    async with fed() as daemon, connect(daemon.port) as good:
        await good.ask("Go,1000,0,theirs")
        measurement = daemon.daemon.measurement
        for number in range(100_000):
            measurement.add(Sample(number, ((1.0, 230.0, 0.1, 0.9),)), [None])
        await good.ask("Stop")
        count = len(measurement)
        async with connect(daemon.port) as cut_off:
            assert await cut_off.ask("RL") == f"Last {count} samples"
            for _ in range(10):
                await cut_off.line()
            cut_off.writer.transport.abort()
        await asyncio.sleep(0.5)
        standing = (await good.ask("Wattmark")).split(",")
        assert standing[2:5] == ["stopped", str(count), str(count)]
        assert await good.ask("RL") == f"Last {count} samples"
        for _ in range(count):
            await good.line()
        assert (await good.ask("Wattmark")).split(",")[4] == "0"
