"""What goes wrong on the way to a meter behind TCP, and what the driver makes of it."""

from __future__ import annotations

import asyncio
import struct
import time

import pytest
from wattmark_drivers.errors import BadReply, ConnectionFailed
from wattmark_drivers.factory import create_meter
from wattmark_drivers.reading import Quality
from wattmark_drivers.sampler import Sampler
from wattmark_drivers.settings import MeterSettings

from ...ports import free_port
from .frames import POWER, exception_to, meter, opening, power, power_words, reply

SDM120_BLOCK = bytes.fromhex("04 0000 004c")
SDM120_RETRY = bytes.fromhex("04 0000 004e")
SERIAL_NUMBER = bytes.fromhex("03 fc00 0002")


def answer_to(request: bytes, power_w: float, count: int | None = None) -> bytes:
    """Build the answer that an SDM120 at this power gives; the other registers are zero."""
    values = bytearray(2 * int.from_bytes(request[10:12], "big"))
    if request[7] == 4:
        struct.pack_into(">f", values, 2 * POWER, power_w)
    return reply(request, bytes(values[: None if count is None else 2 * count]))


async def test_requests_on_the_wire(raw_gateway):
    async def answer(_gateway, request):
        return answer_to(request, 612.5)

    async with opening(raw_gateway, answer, device=7) as (gateway, opened):
        assert await power(opened) == (612.5, Quality.GOOD)
    assert [request[6:] for request in gateway.requests] == [
        b"\x07" + SDM120_BLOCK,
        b"\x07" + SERIAL_NUMBER,
        b"\x07" + SDM120_BLOCK,
    ]
    assert gateway.connections == 1


async def test_the_stamp_is_the_midpoint_and_its_doubt_half_the_round_trip(raw_gateway):
    async def answer(_gateway, request):
        await asyncio.sleep(0.1)
        return answer_to(request, 1.0)

    async with opening(raw_gateway, answer, timeout_s=30) as (_, opened):
        begin_ns = time.monotonic_ns()
        reading = (await opened.read())[0]
        taken_ns = time.monotonic_ns() - begin_ns
    assert 50_000_000 <= reading.u_t_ns <= taken_ns / 2 + 1


async def test_nobody_listens():
    opened = meter(free_port())
    with pytest.raises(ConnectionFailed, match="No connection to"):
        await opened.open()
    with pytest.raises(ConnectionFailed, match="not open"):
        await opened.read()


async def test_no_such_host():
    opened = create_meter(MeterSettings("wall", "eastron.sdm120", "modbus-tcp://no-such-host.invalid:502/1"))
    with pytest.raises(ConnectionFailed, match=r"no-such-host\.invalid"):
        await opened.open()


async def test_a_meter_that_appears_later_is_found(libmodbus):
    """A refused first connection is tried again: the library itself would never."""
    port, got = free_port(), asyncio.Event()
    states: list[str] = []
    sampler = Sampler(
        meter(port), period_s=0.05, on_readings=lambda *_: got.set(), on_state=lambda s: states.append(s.state)
    )
    task = asyncio.create_task(sampler.run())
    async with asyncio.timeout(60):
        while states[-1:] != ["lost"]:
            await asyncio.sleep(0.01)
        libmodbus.tcp(power_words(5), port)
        await got.wait()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert states == ["connecting", "lost", "ok"]


async def test_a_restarted_meter_comes_back(libmodbus):
    port = libmodbus.tcp(power_words(100))
    values: asyncio.Queue[float] = asyncio.Queue()
    states: list[str] = []

    def keep(_meter, readings):
        values.put_nowait(next(item.value for item in readings if item.channel == "power"))

    sampler = Sampler(meter(port), period_s=0.05, on_readings=keep, on_state=lambda state: states.append(state.state))
    task = asyncio.create_task(sampler.run())
    assert await asyncio.wait_for(values.get(), 30) == 100
    libmodbus.stop()
    while states[-1] != "lost":
        await asyncio.sleep(0.02)
    libmodbus.tcp(power_words(200), port)
    while (value := await asyncio.wait_for(values.get(), 30)) != 200:
        assert value == 100
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert states == ["connecting", "ok", "lost", "ok"]


async def test_a_late_answer_is_not_taken_for_the_answer_to_the_retry(raw_gateway):
    async def answer(gateway, request):
        number = len(gateway.requests)
        await asyncio.sleep(0.5 if number == 3 else 0)
        return answer_to(request, 100.0 * number)

    async with opening(raw_gateway, answer) as (gateway, opened):
        assert await power(opened) == (400.0, Quality.RETRIED)
        assert await power(opened) == (500.0, Quality.GOOD)
    assert [request[7:] for request in gateway.requests][2:] == [SDM120_BLOCK, SDM120_RETRY, SDM120_RETRY]


async def test_an_answer_of_the_wrong_length_is_refused(raw_gateway):
    async def answer(gateway, request):
        return answer_to(request, 1.0, count=2 if len(gateway.requests) > 2 else None)

    async with opening(raw_gateway, answer) as (_, opened):
        with pytest.raises(BadReply, match="answered with 2 registers for 78"):
            await opened.read()


async def test_a_silent_meter_is_gone_after_one_retry(raw_gateway):
    async def answer(gateway, request):
        if len(gateway.requests) > 2:
            await asyncio.sleep(3600)
        return answer_to(request, 1.0)

    async with opening(raw_gateway, answer, timeout_s=0.1) as (_, opened):
        with pytest.raises(ConnectionFailed, match=r"does not answer within 0\.1 s"):
            await opened.read()


async def test_a_meter_that_hangs_up_is_gone(raw_gateway):
    async def answer(gateway, request):
        return None if len(gateway.requests) > 2 else answer_to(request, 1.0)

    async with opening(raw_gateway, answer) as (_, opened):
        with pytest.raises(ConnectionFailed, match="closed the connection"):
            await opened.read()


@pytest.mark.parametrize(
    ("code", "kind", "words"),
    [
        (2, BadReply, "illegal data address"),
        (4, BadReply, "device failure"),
        (6, BadReply, "device busy"),
        (0x0B, BadReply, "the device behind it does not"),
        (0x63, BadReply, "unknown exception"),
    ],
)
async def test_exceptions_in_words(code, kind, words, raw_gateway):
    async def answer(_gateway, request):
        return exception_to(request, code)

    gateway = await raw_gateway(answer)
    with pytest.raises(kind, match=words) as caught:
        await meter(gateway.port).open()
    assert caught.value.remedy


async def test_a_busy_meter_is_asked_once_more(raw_gateway):
    async def answer(gateway, request):
        return exception_to(request, 6) if len(gateway.requests) == 3 else answer_to(request, 7.0)

    async with opening(raw_gateway, answer) as (_, opened):
        assert await power(opened) == (7.0, Quality.RETRIED)


async def test_a_meter_without_a_serial_number_register_is_read(raw_gateway):
    async def answer(_gateway, request):
        return exception_to(request, 2) if request[7] == 3 else answer_to(request, 7.0)

    async with opening(raw_gateway, answer) as (_, opened):
        assert opened.identity.serial is None


async def test_a_cancelled_read_does_not_spoil_the_next(raw_gateway):
    async def answer(gateway, request):
        number = len(gateway.requests)
        await asyncio.sleep(0.2 if number == 3 else 0)
        return answer_to(request, 100.0 * number)

    async with opening(raw_gateway, answer, timeout_s=30) as (gateway, opened):
        reading = asyncio.create_task(opened.read())
        while len(gateway.requests) < 3:
            await asyncio.sleep(0.01)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        assert await power(opened) == (400.0, Quality.GOOD)


async def test_devices_behind_one_gateway_share_its_connection_and_take_turns(raw_gateway):
    async def answer(_gateway, request):
        await asyncio.sleep(0.01)
        return answer_to(request, 100.0 * request[6])

    gateway = await raw_gateway(answer)
    meters = [meter(gateway.port, device) for device in (1, 2, 3)]
    await asyncio.gather(*(item.open() for item in meters))
    assert [await power(item) for item in meters] == [(100 * n, Quality.GOOD) for n in (1, 2, 3)]
    await meters[0].close()
    assert await power(meters[1]) == (200.0, Quality.GOOD)
    await asyncio.gather(*(item.close() for item in meters))
    assert gateway.connections == 1
    assert gateway.most_busy == 1


async def test_a_dead_device_does_not_take_its_neighbour_along(raw_gateway):
    async def answer(_gateway, request):
        if request[6] == 2:
            return exception_to(request, 0x0B)
        return answer_to(request, 1.0)

    gateway = await raw_gateway(answer)
    alive, dead = meter(gateway.port, 1), meter(gateway.port, 2)
    await alive.open()
    with pytest.raises(BadReply, match="Device 2"):
        await dead.open()
    assert await power(alive) == (1.0, Quality.GOOD)
    await alive.close()


def exchanged_after(requests: int, then: bytes | None = None):
    """A unit 111 that closes the connection once; behind the same address 222 answers afterwards, with three times
    the power, and ``then`` where it is asked who it is."""

    async def answer(gateway, request):
        if len(gateway.requests) == requests + 1:
            return None
        first = len(gateway.requests) <= requests
        if request[7] == 3:
            serial = struct.pack(">I", 111 if first else 222)
            return reply(request, serial) if first or then is None else request[:4] + then
        return answer_to(request, 100.0 if first else 300.0)

    return answer


async def test_another_unit_behind_the_same_address_is_noticed_within_a_poll(raw_gateway):
    """Row 13 of the review: the line connects anew within a read, and nobody asked who answers then."""
    async with opening(raw_gateway, exchanged_after(requests=3)) as (gateway, opened):
        assert opened.identity.serial == "111"
        assert await power(opened) == (100.0, Quality.GOOD)
        with pytest.raises(ConnectionFailed, match=r"^Meter wall answered as serial 222, was 111\."):
            await opened.read()
        assert gateway.connections == 2
        await opened.open()
        assert opened.identity.serial == "222"
        assert await power(opened) == (300.0, Quality.GOOD)


async def test_the_same_unit_on_a_new_connection_goes_on_and_is_asked_once(raw_gateway):
    async def answer(gateway, request):
        if len(gateway.requests) == 4:
            return None
        return reply(request, struct.pack(">I", 111)) if request[7] == 3 else answer_to(request, 100.0)

    async with opening(raw_gateway, answer) as (gateway, opened):
        for quality in (Quality.GOOD, Quality.RETRIED, Quality.GOOD, Quality.GOOD):
            assert await power(opened) == (100.0, quality)
    assert [request[7:8] for request in gateway.requests].count(b"\x03") == 2, "at the start and after the break"


async def test_a_unit_that_does_not_tell_who_it_is_any_more_gives_no_reading(raw_gateway):
    refused = struct.pack(">HBBB", 3, 1, 0x83, 2)
    async with opening(raw_gateway, exchanged_after(requests=3, then=refused)) as (_, opened):
        await opened.read()
        for _ in range(2):
            with pytest.raises(BadReply, match=r"reports no serial number; it was 111"):
                await opened.read()


async def test_a_busy_unit_is_not_taken_for_one_without_a_serial_number(raw_gateway):
    async def answer(_gateway, request):
        return exception_to(request, 6) if request[7] == 3 else answer_to(request, 7.0)

    gateway = await raw_gateway(answer)
    with pytest.raises(BadReply, match="device busy"):
        await meter(gateway.port).open()


async def test_readings_of_another_unit_never_come_before_it_is_told(raw_gateway):
    """The sampler says that the meter is lost, with both serial numbers, and goes on with the other one as such."""
    gateway = await raw_gateway(exchanged_after(requests=3))
    events: list[object] = []
    enough = asyncio.Event()

    def keep(sampled, readings):
        watts = next(item.value for item in readings if item.channel == "power")
        events.append((sampled.identity.serial, watts))
        if watts == 300.0:
            enough.set()

    sampler = Sampler(
        meter(gateway.port),
        period_s=0.05,
        on_readings=keep,
        on_state=lambda state: events.append(state.problem and state.problem.partition(" Check ")[0]),
    )
    task = asyncio.create_task(sampler.run())
    await asyncio.wait_for(enough.wait(), 60)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert events[:6] == [
        None,
        None,
        ("111", 100.0),
        "Meter wall answered as serial 222, was 111.",
        None,
        ("222", 300.0),
    ]


async def test_a_gateway_that_answers_with_unit_0_is_said_to_answer(raw_gateway):
    async def answer(_gateway, request):
        frame = answer_to(request, 612.5)
        return frame[:6] + b"\0" + frame[7:]

    gateway = await raw_gateway(answer)
    with pytest.raises(ConnectionFailed, match=r"answers, but not to what was asked: 1 answers .*unit id 0 for 1"):
        await meter(gateway.port, timeout_s=0.1).open()
