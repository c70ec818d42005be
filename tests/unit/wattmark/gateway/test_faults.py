"""Thousands of faults of a meter: whatever is spoken was true of the device that is named, and was so just now.

The meter is sampled by the real sampler; its truth moves every second, so that an old, frozen or foreign value shows.
"""

from __future__ import annotations

import asyncio
import json
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import pytest
from wattmark.gateway.gateway import Gateway
from wattmark.gateway.messages import Said
from wattmark.recording.live import LiveHub
from wattmark.recording.monitor import MonitoredMeter
from wattmark.traceability.certificates.register import CertificateRegister
from wattmark_drivers.errors import BadReply, ConnectionFailed
from wattmark_drivers.exchange import Exchanged
from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.reading import Channel, Quality, Reading
from wattmark_drivers.sampler import Sampler, SamplerState

from tests.set_clock import WaitingClock

from .conftest import CURRENT, POWER, VOLTAGE, bench_of

SEEDS = range(10)
FAULTS = 500
"""For each seed: 5,000 together."""
SECONDS = (1, 9)
"""How long a fault lasts, and the meter is well after it."""
OLDEST_S = 5
"""Three updates, the poll that sees it, and the second in which the truth began."""
KINDS = ("unplugged", "torn", "frozen", "over-range", "no number", "implausible", "saturated", "exchanged", "simulated")


def truth_w(device: int, second: int) -> float:
    """Return what a device has in a second: no two devices and no two near seconds have the same."""
    return 100.0 + (second % 997) * 0.25 + device * 1000.0


@dataclass
class TrueMeter:
    """A meter whose truth is known, with a fault at a time."""

    clock: WaitingClock
    device: int = 1
    fault: str | None = None
    frozen_s: int = 0
    identity: MeterIdentity = field(init=False)
    channels: Sequence[Channel] = (POWER, VOLTAGE, CURRENT)
    pushes: bool = False
    here: int = 1
    """The device that is really there."""
    there_simulated: bool = False
    first_read: dict[tuple[int, float], int] = field(default_factory=dict)
    """When a device gave a value first: one that hung before it was read is found out from there on."""

    def __post_init__(self) -> None:
        self.identity = MeterIdentity("wall", "eastron.sdm120", "Eastron", "Eastron SDM120", "1")

    @property
    def second(self) -> int:
        return self.clock.now_ns // 10**9

    async def open(self) -> None:
        if self.fault == "unplugged":
            raise ConnectionFailed("No answer.")
        self.device = self.here
        self.identity = replace(self.identity, serial=str(self.here), simulated=self.there_simulated)

    async def close(self) -> None:
        pass

    async def read(self) -> list[Reading]:
        if self.fault == "unplugged":
            raise ConnectionFailed("No answer.")
        if self.device != self.here:
            raise Exchanged("Another one answers.")
        if self.fault == "torn":
            raise BadReply("Half a line.")
        second = self.frozen_s if self.fault == "frozen" else self.second
        watts, volts = truth_w(self.here, second), 230.0 + (second % 7) * 0.01
        self.first_read.setdefault((self.here, watts), self.second)
        quality = {
            "over-range": Quality.OVER_RANGE,
            "implausible": Quality.IMPLAUSIBLE,
            "saturated": Quality.SATURATED,
        }.get(self.fault or "", Quality.GOOD)
        if self.fault == "no number":
            watts, quality = math.nan, Quality.INVALID
        values = {POWER: watts, VOLTAGE: volts, CURRENT: 1.1 * truth_w(self.here, second) / volts}
        t_ns = self.clock.utc_ns()
        return [
            Reading(channel.id, value, channel.unit, t_ns, 0, channel.kind, quality=quality)
            for channel, value in values.items()
        ]

    def begin(self, kind: str) -> None:
        self.fault, self.frozen_s = kind, self.second
        if kind in ("exchanged", "simulated"):
            self.fault, self.here = None, self.here + 1
            self.there_simulated = kind == "simulated"


@dataclass
class ShowingLink:
    """A process that speaks: opens at once, and takes values away when they are too old, as `Speaking` does."""

    clock: WaitingClock
    hear: Callable[[Said], None]
    alive: bool = False
    device: str = ""
    simulated: bool = False
    watts: float | None = None
    until_ns: int = 0
    openings: int = 0

    async def start(self) -> None:
        self.alive = True

    async def end(self) -> None:
        self.alive = False

    def send(self, line: bytes) -> None:
        document = json.loads(line)
        if document["do"] == "open":
            order = document["order"]
            self.openings += 1
            self.device, self.simulated, self.watts = order["face"]["serial"], order["face"]["simulated"], None
            self.hear(Said("open", order["name"], order["number"], address="there"))
        elif document["do"] == "show":
            self.until_ns = document["until_ns"]
            self.watts = document["shown"]["total"]["power"] if document["shown"] else None

    @property
    def shown_w(self) -> float | None:
        return self.watts if self.clock.now_ns <= self.until_ns else None


@pytest.mark.parametrize("seed", SEEDS)
def test_no_fault_of_a_meter_makes_a_watt_that_it_did_not_have(seed: int) -> None:
    asyncio.run(_suffer(random.Random(seed)))


async def _suffer(rng: random.Random) -> None:  # noqa: C901 - one lab, and what watches it
    clock = WaitingClock(now_ns=10**12, ahead_ns=1_790_000_000 * 10**9)
    meter, hub, links = TrueMeter(clock), LiveHub(clock), list[ShowingLink]()
    bench = bench_of("[{as: modbus-tcp, what: wall, port: 5020}]")

    def link(hear: Callable[[Said], None], _gone: Callable[[str], None]) -> ShowingLink:
        links.append(ShowingLink(clock, hear))
        return links[-1]

    monitored = [MonitoredMeter(meter, "wall", "r1", 1.0)]  # type: ignore[arg-type]
    gateway = Gateway(lambda: bench, hub, lambda: monitored, CertificateRegister, clock, make_link=link)
    hub.register(meter, "wall", "r1", 1.0)  # type: ignore[arg-type]

    def take(_meter: object, readings: list[Reading]) -> None:
        hub.push(meter, readings)  # type: ignore[arg-type]
        gateway.take("wall", readings)
        gateway.refresh()

    def note(state: SamplerState) -> None:
        if state.state == "ok":
            hub.mark_answering(meter)  # type: ignore[arg-type]
        elif state.problem is not None:
            hub.lose("wall", state.problem)

    sampler = Sampler(meter, period_s=1.0, on_readings=take, on_state=note, clock=clock)  # type: ignore[arg-type]
    invented, right, checks = list[str](), 0, 0

    async def watch() -> None:
        nonlocal right, checks
        while True:
            await clock.sleep(0.5)
            await gateway.step()
            shown = links[0].shown_w
            if shown is None:
                continue
            checks += 1
            device, now_s = int(links[0].device), meter.second
            true = {truth_w(device, second) for second in range(now_s - OLDEST_S, now_s + 1)}
            there = device == meter.here and links[0].simulated == meter.there_simulated
            right += there and shown == truth_w(device, now_s)
            just_read = now_s - meter.first_read[device, shown] <= OLDEST_S
            if not (shown in true or just_read) or not (there or meter.device != meter.here):
                invented.append(f"{shown} W of device {device} at {now_s} s, {meter.fault}, there is {meter.here}")

    async def harm() -> None:
        for _ in range(FAULTS):
            meter.begin(rng.choice(KINDS))
            await clock.sleep(rng.uniform(*SECONDS))
            meter.fault = None
            await clock.sleep(rng.uniform(*SECONDS))
        finished.set()

    finished = asyncio.Event()
    tasks = [asyncio.create_task(work) for work in (sampler.run(), watch(), harm())]
    running = asyncio.create_task(clock.run())
    await finished.wait()
    for task in (*tasks, running):
        task.cancel()
    await asyncio.gather(*tasks, running, return_exceptions=True)
    assert invented == []
    assert right > FAULTS, "the meter was well in between, and was spoken"
    assert checks > 2 * FAULTS
    assert links[0].openings > FAULTS // 20, "exchanged meters were spoken under their own names"
