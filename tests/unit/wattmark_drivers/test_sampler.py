"""The sampler keeps time, tells gaps from readings, and brings meters back. Time is the test's own."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
from collections.abc import Sequence
from dataclasses import replace

import pytest
from wattmark_drivers import sampler
from wattmark_drivers.errors import BadReply, ConfigurationError, ConnectionFailed
from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.reading import Channel, Kind, Quality, Reading
from wattmark_drivers.sampler import Sampler, SamplerState

from tests.set_clock import SetClock

SECOND = 1_000_000_000
UTC_NS = 1_700_000_000 * SECOND


class Clock(SetClock):
    """Sleeping is the only thing that takes time; at ``until_s`` it never returns."""

    def __init__(self, until_s: float) -> None:
        super().__init__(100 * SECOND + 123_456_789, UTC_NS)
        self.end_ns = self.now_ns + int(until_s * SECOND)
        self.ended = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        if self.now_ns + int(seconds * SECOND) > self.end_ns:
            self.ended.set()
            await asyncio.Event().wait()
        await super().sleep(seconds)


class FakeMeter:
    """Plays a script of results; each read takes ``read_s`` [s]."""

    def __init__(self, clock: Clock, reads: Sequence[object] = (), opens: Sequence[object] = (), pushes=False) -> None:
        self.identity = MeterIdentity("wall", "test.meter", "Test", "Test")
        self.channels = [Channel("power", "power", "W", Kind.AVERAGED)]
        self.pushes = pushes
        self.read_s = 0.01
        self.events: list[tuple[str, int]] = []
        self._clock = clock
        self._reads = itertools.chain(reads, itertools.count(1000))
        self._opens = itertools.chain(opens, itertools.repeat(None))

    async def open(self) -> None:
        self.events.append(("open", self._clock.now_ns))
        result = next(self._opens)
        if isinstance(result, Exception):
            raise result

    async def read(self) -> list[Reading]:
        self.events.append(("read", self._clock.now_ns))
        await self._clock.sleep(self.read_s)
        result = next(self._reads)
        if isinstance(result, Exception):
            raise result
        return [Reading("power", float(result), "W", self._clock.utc_ns(), 0, Kind.AVERAGED)]

    async def close(self) -> None:
        self.events.append(("close", self._clock.now_ns))

    def times(self, event: str) -> list[int]:
        return [t for name, t in self.events if name == event]


class Run:
    """Runs a sampler until its clock ends and keeps what came out."""

    def __init__(self, meter: FakeMeter, clock: Clock, period_s=1.0, phase_s=0.0) -> None:
        self.meter, self.clock = meter, clock
        self.readings: list[Reading] = []
        self.states: list[SamplerState] = []
        self._sampler = Sampler(
            meter,
            period_s=period_s,
            phase_s=phase_s,
            on_readings=lambda _, readings: self.readings.extend(readings),
            on_state=self.states.append,
            clock=clock,
        )

    async def finish(self) -> Run:
        task = asyncio.create_task(self._sampler.run())
        await self.clock.ended.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return self

    @property
    def reported(self) -> list[tuple[str, str | None]]:
        return [(state.state, state.problem) for state in self.states]


async def test_ticks_are_multiples_of_the_period_plus_phase_without_drift():
    clock = Clock(until_s=1000)
    run = await Run(FakeMeter(clock), clock, period_s=0.5, phase_s=0.2).finish()
    ticks = run.meter.times("read")
    assert len(ticks) == 2000
    assert {(t - 200_000_000) % 500_000_000 for t in ticks} == {0}
    assert {b - a for a, b in itertools.pairwise(ticks)} == {500_000_000}
    assert run.reported == [("connecting", None), ("ok", None)]


class DeafMeter(FakeMeter):
    """Loses the first cancellation, as `asyncio.wait_for` of Python 3.11 may (bpo-37658)."""

    def __init__(self, clock: Clock, deaf_in: str) -> None:
        super().__init__(clock)
        self._deaf_in = deaf_in
        self.waits = asyncio.Event()

    async def open(self) -> None:
        await self._wait("open")
        await super().open()

    async def read(self) -> list[Reading]:
        await self._wait("read")
        return await super().read()

    async def _wait(self, where: str) -> None:
        if where == self._deaf_in and not self.waits.is_set():
            self.waits.set()
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.Event().wait()


@pytest.mark.parametrize("deaf_in", ["open", "read"])
async def test_a_sampler_ends_though_a_library_loses_its_cancellation(deaf_in):
    meter = DeafMeter(Clock(until_s=1000), deaf_in)
    sampling = Sampler(meter, period_s=1.0, on_readings=lambda *_: None, on_state=lambda _: None, clock=meter._clock)
    task = asyncio.create_task(sampling.run())
    await meter.waits.wait()
    task.cancel()
    await asyncio.wait_for(task, 10)
    assert meter.events[-1][0] == "close"


async def test_a_slow_meter_misses_ticks_and_never_catches_up_in_a_burst():
    clock = Clock(until_s=20)
    meter = FakeMeter(clock)
    meter.read_s = 1.3
    run = await Run(meter, clock).finish()
    assert {b - a for a, b in itertools.pairwise(meter.times("read"))} == {2 * SECOND}
    assert len(run.readings) == len(meter.times("read")) - 1  # the last read was cancelled


async def test_a_pushing_meter_sets_the_rhythm():
    clock = Clock(until_s=10)
    meter = FakeMeter(clock, pushes=True)
    meter.read_s = 0.25
    await Run(meter, clock).finish()
    assert {b - a for a, b in itertools.pairwise(meter.times("read"))} == {250_000_000}


async def test_single_bad_replies_are_gaps_and_nothing_is_made_up():
    clock = Clock(until_s=6.5)
    reads = [1, BadReply("torn"), 2, BadReply("torn"), BadReply("torn"), 3]
    run = await Run(FakeMeter(clock, reads), clock).finish()
    assert [reading.value for reading in run.readings] == [1, 2, 3]
    assert run.reported == [("connecting", None), ("ok", None)]
    assert len(run.meter.times("open")) == 1


async def test_several_bad_replies_in_a_row_are_a_loss():
    clock = Clock(until_s=6)
    run = await Run(FakeMeter(clock, [1, *[BadReply("noise", "Look.")] * 3]), clock).finish()
    assert run.reported == [("connecting", None), ("ok", None), ("lost", "noise Look."), ("ok", None)]


async def test_a_lost_meter_comes_back_with_growing_pauses_and_two_lines_of_log(caplog):
    clock = Clock(until_s=200)
    lost = ConnectionFailed("gone", "Wait.")
    meter = FakeMeter(clock, [1, lost], [None, *[lost] * 8])
    with caplog.at_level(logging.INFO):
        run = await Run(meter, clock).finish()
    pauses = [(b - a) / SECOND for a, b in itertools.pairwise(meter.times("open"))]
    assert pauses[1:] == [1, 2, 4, 8, 16, 30, 30, 30]
    assert run.reported == [("connecting", None), ("ok", None), ("lost", "gone Wait."), ("ok", None)]
    assert [record.message for record in caplog.records] == ["Meter wall is lost: gone Wait.", "Meter wall is back."]
    assert run.readings[0].value == 1
    assert run.readings[1].value == 1000
    # Every loss closes the meter before it is opened again.
    assert [name for name, _ in meter.events if name != "read"][:4] == ["open", "close", "open", "close"]


async def test_a_meter_that_never_was_there_is_told_with_its_problem():
    clock = Clock(until_s=3)
    meter = FakeMeter(clock, opens=[ConfigurationError("no ipmitool", "Install it.")] * 9)
    run = await Run(meter, clock).finish()
    assert run.reported == [("connecting", None), ("lost", "no ipmitool Install it.")]


async def test_a_new_problem_is_told_but_the_loss_keeps_its_begin():
    clock = Clock(until_s=1)
    meter = FakeMeter(clock, opens=[ConnectionFailed("a"), ConnectionFailed("b"), ConnectionFailed("b")])
    run = await Run(meter, clock).finish()
    assert [state.problem for state in run.states[1:3]] == ["a", "b"]
    assert run.states[1].since_ns == run.states[2].since_ns


class Exchanged(FakeMeter):
    """Opened again it is another one."""

    def __init__(self, clock: Clock, second: MeterIdentity) -> None:
        super().__init__(clock, [1, ConnectionFailed("gone", "Wait.")])
        self._second = second

    async def open(self) -> None:
        await super().open()
        if len(self.times("open")) == 2:
            self.identity = self._second


@pytest.mark.parametrize(
    ("second", "words"),
    [
        ({"serial": "222"}, "Meter wall answered as serial 222, was 111. "),
        ({"serial": None}, "Meter wall answered without a serial, was 111. "),
        ({"firmware": "2.0"}, "Meter wall answered with firmware 2.0, was 1.0. "),
        ({"firmware": None}, None),
    ],
)
async def test_a_meter_that_comes_back_as_another_one_is_told_with_both(second, words):
    """Row 13 of the review: a serial number decides which certificate counts."""
    clock = Clock(until_s=10)
    first = MeterIdentity("wall", "test.meter", "Test", "Test", serial="111", firmware="1.0")
    meter = Exchanged(clock, replace(first, **second))
    meter.identity = first
    run = await Run(meter, clock).finish()
    problems = [state.problem for state in run.states if state.state == "lost"]
    assert problems[0] == "gone Wait."
    assert [problem.startswith(words) for problem in problems[1:]] == ([True] if words else [])
    assert run.states[-1].state == "ok"


async def test_a_repeating_meter_is_marked_stale():
    clock = Clock(until_s=8)
    run = await Run(FakeMeter(clock, [5] * 8), clock).finish()
    assert [bool(item.quality & Quality.STALE) for item in run.readings] == [False] * 4 + [True] * 4


async def test_a_range_that_was_changed_counts_from_its_first_reading_on():
    """1000 W and more: above the limit of the first range, below that of the second, which a client set meanwhile."""
    clock = Clock(until_s=6)
    meter = FakeMeter(clock)
    meter.identity = replace(meter.identity, range_limit_w=500.0)
    run = Run(meter, clock)
    take = meter.read

    async def read() -> list[Reading]:
        if len(run.readings) == 2:
            meter.identity = replace(meter.identity, range_limit_w=5000.0)
        return await take()

    meter.read = read
    await run.finish()
    assert [Quality.OVER_RANGE in item.quality for item in run.readings[:4]] == [True, True, False, False]


async def test_an_indicative_meter_judges_itself():
    clock = Clock(until_s=8)
    meter = FakeMeter(clock, [5] * 8)
    meter.identity = replace(meter.identity, indicative=True)
    run = await Run(meter, clock).finish()
    assert not any(item.quality for item in run.readings)


async def test_cancelling_closes_the_meter():
    clock = Clock(until_s=2)
    run = await Run(FakeMeter(clock), clock).finish()
    assert run.meter.events[-1][0] == "close"


async def test_a_meter_that_does_not_close_is_left(monkeypatch, caplog):
    class Stuck(FakeMeter):
        async def close(self) -> None:
            await asyncio.Event().wait()

    monkeypatch.setattr(sampler, "CLOSE_TIMEOUT_S", 0.02)
    clock = Clock(until_s=2)
    await Run(Stuck(clock), clock).finish()
    assert "could not be closed" in caplog.text


async def test_a_meter_that_needs_longer_to_close_gets_it(monkeypatch, caplog):
    class Slow(FakeMeter):
        closing_s = 5.0

        async def close(self) -> None:
            await asyncio.sleep(0.2)
            await super().close()

    monkeypatch.setattr(sampler, "CLOSE_TIMEOUT_S", 0.02)
    clock = Clock(until_s=2)
    run = await Run(Slow(clock), clock).finish()
    assert run.meter.events[-1][0] == "close"
    assert not caplog.text


async def test_a_fault_of_ours_is_not_hidden():
    clock = Clock(until_s=5)
    meter = FakeMeter(clock, [RuntimeError("bug")])
    with pytest.raises(RuntimeError, match="bug"):
        await Run(meter, clock)._sampler.run()
    assert meter.events[-1][0] == "close"


@pytest.mark.parametrize("simulated", [True, False])
async def test_every_reading_of_a_simulator_says_so(simulated):
    clock = Clock(until_s=5)
    meter = FakeMeter(clock)
    meter.identity = replace(meter.identity, simulated=simulated)
    run = await Run(meter, clock).finish()
    assert run.readings
    assert {bool(reading.quality & Quality.SIMULATED) for reading in run.readings} == {simulated}
    assert all(reading.quality.usable for reading in run.readings)


class EarlyClock(Clock):
    """Wakes sleepers 0.4 ms too early, as event loops that count in milliseconds may."""

    async def sleep(self, seconds: float) -> None:
        await super().sleep(max(0.0, seconds - 0.0004) if seconds > 0.1 else seconds)


async def test_waking_too_early_is_no_reason_to_poll_twice():
    clock = EarlyClock(until_s=20)
    meter = FakeMeter(clock)
    meter.read_s = 0.0001
    await Run(meter, clock).finish()
    assert all(b - a > 0.9 * SECOND for a, b in itertools.pairwise(meter.times("read")))


@pytest.mark.parametrize(
    ("count", "period_s", "grid_s"),
    [(1, 1.0, 0.005), (3, 1.0, 0.005), (10, 0.1, 0.005), (250, 60.0, 0.005), (1000, 1.0, 0.02)],
)
def test_staggered_phases_lie_on_the_grid_and_spread_over_the_period(count, period_s, grid_s):
    phases = [sampler.staggered_phase_s(index, count, period_s) for index in range(count)]
    assert phases[0] == 0
    assert all(phase / grid_s == pytest.approx(round(phase / grid_s)) for phase in phases)
    assert all(abs(phase - period_s * n / count) <= grid_s for n, phase in enumerate(phases))
    assert max(phases) < period_s
