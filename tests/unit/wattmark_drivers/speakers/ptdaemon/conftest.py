"""A daemon whose time and readings are the test's own, with an analyser that has the ranges of a Yokogawa WT333E."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from wattmark_drivers.speakers.ptdaemon.conversation import Conversation
from wattmark_drivers.speakers.ptdaemon.daemon import PowerDaemon
from wattmark_drivers.speakers.ptdaemon.journal import Console
from wattmark_drivers.speakers.ptdaemon.ranges import ChannelRanges, InputRange, SelectableRanges
from wattmark_drivers.speakers.ptdaemon.sample_grid import Observation
from wattmark_drivers.speakers.ptdaemon.samples import NOT_SAID, Exceeded
from wattmark_drivers.speakers.ptdaemon.words import DaemonIdentity

from tests.set_clock import SetClock

SECOND = 1_000_000_000
UTC_NS = 1_615_884_837_862 * 1_000_000
"""03-16-2021 08:53:57.862, when the ranging run of a published MLPerf result began."""
VOLTS, AMPS = (15, 30, 60, 150, 300, 600), (0.5, 1, 2, 5, 10, 20)
BEFORE = ChannelRanges(InputRange(auto=True, nominal=5.0), InputRange(auto=True, nominal=300.0))
IDENTITY = DaemonIdentity(
    driver="YokogawaWT330E",
    version="1.9.2-3976349f-20201208",
    system="Windows 8 / Server 2012",
    maker="YOKOGAWA",
    model="WT333E",
    serial="C2WC23035V",
    firmware="F1.04",
    accepted=True,
    tells_uncertainty=True,
    sets_ranges=True,
)


class Idle(SetClock):
    """Nothing sleeps: the test passes the time."""

    async def sleep(self, seconds: float) -> None:
        await asyncio.Event().wait()


class Rig:
    """A daemon, its console and log, one client, and the passing of time."""

    def __init__(self, numbers: tuple[int, ...] = (), **options: Any) -> None:
        self.clock = Idle(1000 * SECOND, UTC_NS - 1000 * SECOND)
        self.console: list[str] = []
        self.log: list[str] = []
        self.daemon = PowerDaemon(
            IDENTITY,
            SelectableRanges(VOLTS, AMPS, len(numbers) or 1, BEFORE),
            self.clock,
            Console(self.console.append, self.clock.utc_ns),
            log=self,
            numbers=numbers,
            **options,
        )
        self.client = Conversation(self.daemon)

    def write(self, line: str) -> None:
        self.log.append(line)

    def close(self) -> None:
        pass

    async def ask(self, command: str) -> str:
        reply = await self.client.answer(command)
        lines = [reply.first, *reply.more]
        if reply.sent is not None:
            reply.sent()
        if reply.then is not None:
            reply.then()
        return "\r\n".join(lines)

    def pass_s(self, seconds: float) -> None:
        self.clock.now_ns += round(seconds * SECOND)

    def read(self, *groups: tuple[float, ...], trouble: Any = None, exceeded: Exceeded = NOT_SAID) -> None:
        self.daemon.take(Observation(self.clock.utc_ns(), groups, trouble, exceeded))


@pytest.fixture
def rig() -> Any:
    return Rig
