"""A bench that is spoken, on a clock that the test moves: live meters, and what would go to the speakers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from wattmark.bench.bench import Bench
from wattmark.bench.load import parse_bench
from wattmark.bench.yaml_source import YamlSource
from wattmark.gateway.gateway import Gateway
from wattmark.gateway.messages import Said
from wattmark.recording.live import LiveHub
from wattmark.recording.monitor import MonitoredMeter
from wattmark.traceability.certificates.register import CertificateRegister
from wattmark_drivers.meter import Meter, MeterIdentity
from wattmark_drivers.reading import Channel, Kind, Quality, Reading

from tests.set_clock import SetClock

POWER = Channel("power", "power", "W", Kind.AVERAGED)
VOLTAGE = Channel("voltage", "voltage", "V", Kind.AVERAGED)
CURRENT = Channel("current", "current", "A", Kind.AVERAGED)
FACTOR = Channel("power_factor", "power_factor", "1", Kind.AVERAGED)
REGISTER = Channel("energy", "energy", "Wh", Kind.COUNTER)
BENCH = """\
schema: wattmark-bench/1
lab: Lab 1
servers:
  - {id: r1, access: {local: true}, configurations: [
      {id: c, cpu: {model: Xeon}, os: {name: Debian, kernel: "6.1"}, psus: [{id: psu1}, {id: psu2}]}]}
meters:
  - {id: wall, model: eastron.sdm120, url: "modbus-tcp://192.0.2.1/1", feeds: [{server: r1, psus: [psu1]}]}
  - {id: second, model: eastron.sdm120, url: "modbus-tcp://192.0.2.1/2", feeds: [{server: r1, psus: [psu2]}]}
speak: SPEAK
"""
SPOKEN = "[{as: modbus-tcp, what: wall, port: 5020}]"


@dataclass
class ShownMeter:
    """What the live view asks of a meter."""

    identity: MeterIdentity
    channels: Sequence[Channel] = (POWER,)
    pushes: bool = False


@dataclass
class FakeLink:
    """Stands for the process that speaks: keeps what it is told, and answers as the test says."""

    hear: Callable[[Said], None]
    gone: Callable[[str], None]
    alive: bool = False
    starts: int = 0
    sent: list[dict[str, Any]] = field(default_factory=list)

    async def start(self) -> None:
        self.alive, self.starts = True, self.starts + 1

    def send(self, line: bytes) -> None:
        self.sent.append(json.loads(line))

    async def end(self) -> None:
        self.alive = False

    def orders(self, kind: str) -> list[dict[str, Any]]:
        return [document for document in self.sent if document["do"] == kind]

    def stand(self) -> None:
        """Say of every speaker that was ordered that it is open."""
        for document in self.orders("open"):
            order = document["order"]
            self.hear(Said("open", order["name"], order["number"], address=f"at {order['port']}"))

    def fail(self, cause: str) -> None:
        """Say of the speaker that was ordered last that it failed."""
        order = self.orders("open")[-1]["order"]
        self.hear(Said("failed", order["name"], order["number"], cause=cause, remedy="Do something."))

    def shown(self, name: str = "modbus-tcp 127.0.0.1:5020") -> tuple[float | None, str | None]:
        """Return the watts that a speaker shows by what it was told last, and why it shows none."""
        document = [document for document in self.orders("show") if document["name"] == name][-1]
        return (document["shown"]["total"]["power"] if document["shown"] else None), document["absent"]


@dataclass
class Lab:
    """The bench, its meters and the gateway."""

    spoken: str = SPOKEN
    clock: SetClock = field(default_factory=lambda: SetClock(now_ns=10**12, ahead_ns=1_790_000_000 * 10**9))
    register: CertificateRegister = field(default_factory=CertificateRegister)

    def __post_init__(self) -> None:
        self.bench: Bench = bench_of(self.spoken)
        self.hub = LiveHub(self.clock)
        self.meters: dict[str, ShownMeter] = {}
        self.links: list[FakeLink] = []
        self.gateway = Gateway(
            lambda: self.bench,
            self.hub,
            self.monitored,
            lambda: self.register,
            self.clock,
            make_link=self._link,
            environment={"SPOKEN": "word"},
        )

    def _link(self, hear: Callable[[Said], None], gone: Callable[[str], None]) -> FakeLink:
        self.links.append(FakeLink(hear, gone))
        return self.links[-1]

    @property
    def link(self) -> FakeLink:
        return self.links[0]

    def monitored(self) -> list[MonitoredMeter]:
        return [MonitoredMeter(self._meter(name), "wall", "r1", 1.0) for name in self.meters]

    def add(self, name: str = "wall", *channels: Channel, serial: str | None = "1", simulated: bool = False) -> None:
        """Put a meter on the bench."""
        identity = MeterIdentity(name, "eastron.sdm120", "Eastron", "Eastron SDM120", serial, simulated=simulated)
        self.meters[name] = ShownMeter(identity, channels or (POWER,))
        self.hub.register(self._meter(name), "wall", "r1", 1.0)

    def exchange(self, serial: str | None, name: str = "wall", *, simulated: bool = False) -> None:
        """Another device answers: the sampler reports the loss and opens it again at once."""
        identity = self.meters[name].identity
        self.hub.lose(name, f"Meter {name} answered as serial {serial}, was {identity.serial}.")
        self.meters[name].identity = replace(identity, serial=serial, simulated=simulated)
        self.hub.mark_answering(self._meter(name))

    def read(
        self,
        values: Mapping[Channel, float] | float,
        name: str = "wall",
        quality: Quality = Quality.GOOD,
        range_name: str | None = None,
    ) -> None:
        """Take readings of one poll now."""
        t_ns = self.clock.utc_ns()
        measured = values if isinstance(values, Mapping) else {POWER: values}
        readings = [
            Reading(channel.id, value, channel.unit, t_ns, 0, channel.kind, range_name, quality)
            for channel, value in measured.items()
        ]
        self.hub.push(self._meter(name), readings)
        self.gateway.take(name, readings)

    async def opened(self, *names: str) -> None:
        """Follow the bench, read each meter once, and open what is spoken."""
        await self.gateway.step()
        for name in names or ("wall",):
            self.read(100.0, name)
        await self.gateway.step()
        self.link.stand()

    async def second(
        self, value: Mapping[Channel, float] | float | None = None, name: str = "wall", quality: Quality = Quality.GOOD
    ) -> None:
        """Let a second pass with a reading, or with none, and look."""
        self.clock.pass_s(1.0)
        if value is not None:
            self.read(value, name, quality)
        await self.gateway.step()

    def _meter(self, name: str) -> Meter:
        return self.meters[name]  # type: ignore[return-value]


def bench_of(spoken: str) -> Bench:
    text = BENCH.replace("SPEAK", spoken)
    return parse_bench(YamlSource("bench.yaml", text), Path("bench.yaml"))


@pytest.fixture
def lab() -> Lab:
    return Lab()
