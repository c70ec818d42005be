"""Exchanges over a run, with a server whose clock is known."""

import asyncio
from types import SimpleNamespace

import pytest
from wattmark.analysis.clocks.clocks import Exchange
from wattmark.campaigns.context import KnownLatencies
from wattmark.campaigns.watch.clock_log import BURST, ClockLog
from wattmark.core.errors import Disturbed, WorkloadFailed
from wattmark.runs.disclosure import ClockFacts, MeterLatency, StampedLoad

START_NS = 1_700_000_000_000_000_000


class Clock:
    """Time passes when somebody sleeps."""

    def __init__(self):
        self.now_ns = START_NS
        self.naps = 0

    def utc_ns(self):
        return self.now_ns

    async def sleep(self, seconds):
        self.naps += 1
        if self.naps > 3:
            await asyncio.Event().wait()
        self.now_ns += round(seconds * 1e9)


class Server:
    """A server whose clock is ahead by what ``ahead_s`` tells of the time since the start."""

    def __init__(self, clock, ahead_s, delay_s=0.001):
        self._clock, self._ahead_s, self._delay_ns = clock, ahead_s, round(delay_s * 1e9)
        self.closed, self.silent = 0, False
        self.started = [StampedLoad(asked_ns=1, begun_there_ns=2, ended_there_ns=3, held_by="cgroup")]

    async def ask(self, count):
        if self.silent:
            raise WorkloadFailed("The connection was lost.", "Look.")
        made = []
        for _ in range(count):
            now = self._clock.now_ns
            there = now + self._delay_ns // 2 + round(self._ahead_s((now - START_NS) / 1e9) * 1e9)
            made.append(Exchange(now, there, there, now + self._delay_ns))
            self._clock.now_ns += self._delay_ns
        return made

    async def close(self):
        self.closed += 1

    def loads(self):
        loads, self.started = self.started, []
        return loads


@pytest.fixture
def clock():
    return Clock()


async def over_a_run(server, clock, window_s=240):
    log = ClockLog(server, clock, window_s)
    await log.begin()
    for _ in range(10):
        await asyncio.sleep(0)
    server.started = [StampedLoad(asked_ns=4, begun_there_ns=5, ended_there_ns=6, held_by="subreaper")]
    await log.ask()
    await log.end()
    return log


def test_offset_and_drift_are_disclosed_with_every_exchange(clock):
    server = Server(clock, lambda t_s: 3600 + 2 + 39e-6 * t_s)
    log = asyncio.run(over_a_run(server, clock))
    facts = log.facts()
    assert len(facts.exchanges) == 3 * BURST + 3, "before, between and after, and three times meanwhile"
    assert facts.drift_ppm == pytest.approx(39, abs=0.5)
    assert facts.offset_s == pytest.approx(3602, abs=0.002)
    assert facts.u_marks_s < 0.001
    assert facts.loads == (StampedLoad(asked_ns=4, begun_there_ns=5, ended_there_ns=6, held_by="subreaper"),)
    assert server.closed == 1
    log.require_steady("s1")


@pytest.mark.parametrize("step_s", [0.08, -0.5, 3600.0])
def test_a_clock_that_is_set_meanwhile_spoils_the_run(clock, step_s):
    log = asyncio.run(over_a_run(Server(clock, lambda t_s: 2.0 + step_s * (t_s > 15)), clock))
    assert log.facts().stepped
    with pytest.raises(Disturbed, match="The clock of s1 was changed during the run"):
        log.require_steady("s1")


def test_a_clock_slewed_as_fast_as_a_kernel_may_was_not_set(clock):
    asyncio.run(over_a_run(Server(clock, lambda t_s: 450e-6 * t_s), clock)).require_steady("s1")


def test_a_server_that_does_not_tell_its_time_is_disclosed(clock):
    server = Server(clock, lambda t_s: 0.0)
    server.silent = True
    log = asyncio.run(over_a_run(server, clock))
    assert log.facts() == ClockFacts(
        problem="The connection was lost. Look.",
        loads=(StampedLoad(asked_ns=4, begun_there_ns=5, ended_there_ns=6, held_by="subreaper"),),
    )
    log.require_steady("s1")


def test_a_load_here_has_the_clock_of_the_readings(clock):
    log = asyncio.run(over_a_run_here(clock))
    assert log.facts() == ClockFacts(remark="The same clock stamps the load and the readings.")
    log.require_steady("s1")


async def over_a_run_here(clock):
    log = ClockLog(None, clock, 240)
    await log.begin()
    await log.ask()
    await log.end()
    return log


def test_the_newest_pattern_of_a_server_is_handed_on():
    latencies = KnownLatencies()
    assert latencies.of("s1") == ()
    for number, basis in enumerate(("pattern", "pattern", "assumed")):
        latency = MeterLatency(meter="outlet", latency_s=number, u_latency_s=0.02, basis=basis, run_id=f"r{number}")
        latencies.take(SimpleNamespace(server="s1", latencies=(latency,)))
    (handed,) = latencies.of("s1")
    assert (handed.latency_s, handed.run_id) == (1.0, "r1")
    assert latencies.of("s2") == ()
