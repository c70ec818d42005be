"""Meters of the live view on a clock that the test moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from wattmark.bench.bench import Bench
from wattmark.bench.load import parse_bench
from wattmark.bench.yaml_source import YamlSource
from wattmark.live_out.live_out import LiveOut
from wattmark.recording.live import LiveHub
from wattmark.recording.live_channel import Role
from wattmark_drivers.meter import Meter, MeterIdentity
from wattmark_drivers.reading import Channel, Kind, Quality, Reading

from tests.set_clock import SetClock

POWER = Channel("power", "power", "W", Kind.AVERAGED)
PHASE = Channel("power_l1", "power", "W", Kind.AVERAGED)
REGISTER = Channel("energy", "energy", "Wh", Kind.COUNTER)


@dataclass
class ShownMeter:
    """What the live view asks of a meter."""

    identity: MeterIdentity
    channels: Sequence[Channel] = (POWER,)
    pushes: bool = False


@dataclass
class Lab:
    """A bench with outputs, and the live view that feeds them."""

    outputs: str = "{prometheus: true}"
    clock: SetClock = field(default_factory=SetClock)

    def __post_init__(self) -> None:
        self.bench: Bench = self.with_outputs(self.outputs)
        self.hub = LiveHub(self.clock)
        self.live_out = LiveOut(lambda: self.bench, self.hub, self.clock)
        self.meters: dict[str, ShownMeter] = {}

    def with_outputs(self, outputs: str) -> Bench:
        text = f"schema: wattmark-bench/1\nlab: Lab 1\noutputs: {outputs}\n"
        return parse_bench(YamlSource("bench.yaml", text), Path("bench.yaml"))

    def add(
        self,
        name: str = "wall",
        *channels: Channel,
        role: Role = "wall",
        server: str | None = "r1",
        shared: tuple[str, ...] = (),
        simulated: bool = False,
        serial: str | None = None,
        period_s: float = 1.0,
    ) -> None:
        """Put a meter on the bench."""
        identity = MeterIdentity(name, "fake", "nobody", "Fake", serial, simulated=simulated)
        self.meters[name] = ShownMeter(identity, channels or (POWER,))
        self.hub.register(self._meter(name), role, server, period_s, shared)

    def exchange(self, name: str, serial: str) -> None:
        """Another device answers."""
        identity = self.meters[name].identity
        self.meters[name].identity = MeterIdentity(name, "fake", "nobody", "Fake", serial, simulated=identity.simulated)
        self.hub.mark_answering(self._meter(name))

    def read(self, value: float, name: str = "wall", channel: Channel = POWER, quality: Quality = Quality.GOOD) -> None:
        """Take a reading now."""
        self.read_all({channel: value}, name, quality)

    def read_all(self, values: Mapping[Channel, float], name: str = "wall", quality: Quality = Quality.GOOD) -> None:
        """Take readings of one poll."""
        t_ns = self.clock.utc_ns()
        readings = [
            Reading(channel.id, value, channel.unit, t_ns, 0, channel.kind, quality=quality)
            for channel, value in values.items()
        ]
        self.hub.push(self._meter(name), readings)
        self.live_out.take(name, readings)

    def seconds(self, *values: float, name: str = "wall", channel: Channel = POWER) -> None:
        """Take one reading a second."""
        for value in values:
            self.clock.pass_s(1.0)
            self.read(value, name, channel)

    def _meter(self, name: str) -> Meter:
        return self.meters[name]  # type: ignore[return-value]


@pytest.fixture
def lab() -> Lab:
    return Lab()
