"""Turns on a shared line, with silence after errors. Time is the test's own."""

from __future__ import annotations

import asyncio

import pytest
from wattmark_drivers.bus import Bus, SharedLines

from tests.set_clock import SetClock


def turn(bus: Bus):
    return bus.turn(request_gap_s=0.06, quiet_gap_s=0.5)


async def take(bus: Bus, clock: SetClock, log: list[str], name: str) -> None:
    async with turn(bus):
        log.append(f"{name} on")
        await clock.sleep(0.01)
        log.append(f"{name} off")


async def test_one_at_a_time_in_order():
    clock, log = SetClock(1_000_000_000), []
    bus = Bus(clock)
    await asyncio.gather(*(take(bus, clock, log, name) for name in "abc"))
    assert log == ["a on", "a off", "b on", "b off", "c on", "c off"]


async def test_who_leaves_the_queue_holds_up_nobody_and_nobody_jumps_it():
    clock, log = SetClock(1_000_000_000), []
    bus = Bus(clock)
    tasks = [asyncio.create_task(take(bus, clock, log, name)) for name in "abcd"]
    while "a on" not in log:
        await asyncio.sleep(0)
    tasks[1].cancel()
    while "a off" not in log:
        await asyncio.sleep(0)
    tasks[2].cancel()  # its turn was handed over and not begun
    late = asyncio.create_task(take(bus, clock, log, "e"))
    await asyncio.gather(*tasks, late, return_exceptions=True)
    assert [line for line in log if line[0] not in "bc"] == ["a on", "a off", "d on", "d off", "e on", "e off"]
    assert "c off" not in log
    await asyncio.wait_for(take(bus, clock, log, "f"), 5)


async def test_who_is_cancelled_in_the_silence_gives_the_line_back():
    clock = SetClock(1_000_000_000)
    bus = Bus(clock)
    with pytest.raises(ConnectionResetError):
        await fail(bus, clock, ConnectionResetError)
    waiting = asyncio.create_task(take(bus, clock, [], "a"))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    await asyncio.wait_for(take(bus, clock, [], "b"), 5)


async def test_the_gap_before_a_request_is_kept():
    clock = SetClock(1_000_000_000)
    bus = Bus(clock)
    await take(bus, clock, [], "a")
    before_ns = clock.now_ns
    await take(bus, clock, [], "b")
    assert clock.now_ns - before_ns == 60_000_000 + 10_000_000


async def fail(bus: Bus, clock: SetClock, error: type[BaseException]) -> None:
    async with turn(bus):
        bus.heard()
        await clock.sleep(0.4)  # nobody answers
        raise error


@pytest.mark.parametrize("error", [OSError, asyncio.CancelledError])
async def test_after_an_error_the_line_must_be_silent(error):
    clock = SetClock(1_000_000_000)
    bus = Bus(clock)
    with pytest.raises(error):
        await fail(bus, clock, error)
    failed_ns = clock.now_ns
    clock.now_ns += 300_000_000
    bus.heard()  # a late answer
    async with turn(bus):
        assert clock.now_ns - failed_ns == 300_000_000 + 500_000_000
    before_ns = clock.now_ns
    async with turn(bus):
        assert clock.now_ns - before_ns == 60_000_000


async def test_a_line_is_shared_until_its_last_user_leaves():
    lines: SharedLines[object] = SharedLines()
    first, second = lines.acquire("gateway", object), lines.acquire("gateway", object)
    assert first is second
    assert lines.acquire("other", object) is not first
    assert lines.release("gateway") is None
    assert lines.release("gateway") is first
    assert lines.acquire("gateway", object) is not first
