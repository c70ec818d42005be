"""An output that sends: what it counts, what it says of a failure, and what a change of the bench does."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence

import pytest
from wattmark.bench.bench import Bench
from wattmark.bench.outputs import MqttOutput
from wattmark.core.errors import Conflict, NotFound, WattmarkError
from wattmark.live_out.live_meters import MeterNow
from wattmark.live_out.output import IDLE_S, Output
from wattmark_drivers import cancellation
from wattmark_drivers.clock import SystemClock

from .conftest import Lab

MQTT = "{mqtt: {url: 'mqtt://192.0.2.1:1883', period_s: 5}}"


class Away(WattmarkError):
    """The other machine does not answer."""


class FakeSender:
    def __init__(self, world: World) -> None:
        self.world = world

    async def send(self, meters: Sequence[MeterNow]) -> int:
        for meter in meters:
            await self.send_one(meter)
        return len(meters)

    async def send_one(self, meter: MeterNow) -> str:
        if self.world.error is not None:
            raise self.world.error
        self.world.received.append(meter.name)
        return f"It has {meter.name}."

    async def close(self) -> None:
        self.world.closed += 1


class World:
    def __init__(self, outputs: str = MQTT) -> None:
        self.lab = Lab(outputs)
        self.error: Exception | None = None
        self.received: list[str] = []
        self.closed = 0
        self.made: list[tuple[MqttOutput, str]] = []
        self.output = Output(
            "mqtt",
            lambda: self.lab.bench,
            lambda bench: bench.outputs.mqtt,
            self._make,
            self.lab.live_out._meters.now,
            self.lab.clock,
        )

    def _make(self, settings: MqttOutput, bench: Bench) -> FakeSender:
        self.made.append((settings, bench.lab))
        return FakeSender(self)


@pytest.fixture
def world() -> World:
    world = World()
    world.lab.add()
    world.lab.add("bmc", role="bmc")
    world.lab.seconds(230.0)
    world.lab.seconds(210.0, name="bmc")
    return world


async def test_every_meter_is_sent_each_period(world: World) -> None:
    assert await world.output.step() == 5.0
    assert await world.output.step() == 5.0
    assert world.received == ["wall", "bmc"] * 2
    assert (world.output.tally.sent, world.output.tally.not_sent, world.output.tally.problem) == (4, 0, None)
    assert len(world.made) == 1, "one session serves them all"


async def test_a_period_without_any_meter_is_no_success() -> None:
    world = World()
    await world.output.step()
    assert (world.output.tally.sent, world.output.tally.sent_ns) == (0, None)


async def test_what_is_not_sent_is_counted_named_and_not_kept(world: World) -> None:
    world.error = Away("The broker is away.", "Start it.")
    assert await world.output.step() == 5.0
    since_ns = world.output.tally.since_ns
    world.lab.clock.pass_s(5.0)
    await world.output.step()
    tally = world.output.tally
    assert (tally.sent, tally.not_sent) == (0, 4)
    assert (tally.problem, tally.remedy, tally.since_ns) == ("The broker is away.", "Start it.", since_ns)
    world.error = None
    await world.output.step()
    assert (tally.sent, tally.not_sent, tally.problem, tally.since_ns) == (2, 4, None, None)
    assert world.received == ["wall", "bmc"], "readings of the outage are old, and not sent later"


async def test_a_defect_does_not_end_it(world: World, caplog: pytest.LogCaptureFixture) -> None:
    world.error = ValueError("odd")
    await world.output.step()
    assert "please report it" in world.output.tally.remedy
    world.error = None
    await world.output.step()
    assert world.received == ["wall", "bmc"]


async def test_another_bench_ends_the_session_and_begins_another(world: World) -> None:
    await world.output.step()
    world.lab.bench = world.lab.with_outputs("{mqtt: {url: 'mqtt://192.0.2.2:1883'}}")
    await world.output.step()
    assert [settings.url for settings, _ in world.made] == ["mqtt://192.0.2.1:1883", "mqtt://192.0.2.2:1883"]
    assert world.closed == 1
    world.lab.bench = world.lab.with_outputs("{}")
    assert await world.output.step() == IDLE_S
    assert world.closed == 2


async def test_a_test_sends_one_reading_and_says_what_answered(world: World) -> None:
    assert await world.output.test() == "It has wall."
    assert world.received == ["wall"]


async def test_a_test_that_fails_says_why(world: World) -> None:
    world.error = Away("The broker is away.", "Start it.")
    with pytest.raises(Away, match=r"The broker is away\. Start it\."):
        await world.output.test()
    assert world.output.tally.not_sent == 1


async def test_a_test_without_a_reading_or_without_settings_says_so(world: World) -> None:
    world.lab.clock.pass_s(60.0)
    with pytest.raises(Conflict, match="No meter has a reading now"):
        await world.output.test()
    world.lab.bench = world.lab.with_outputs("{}")
    with pytest.raises(NotFound, match="is off"):
        await world.output.test()


@pytest.mark.parametrize(
    ("outputs", "module", "package", "extra"),
    [
        ("{mqtt: {url: 'mqtt://192.0.2.1'}}", "wattmark.live_out.publisher", "aiomqtt", "mqtt"),
        ("{otel: {endpoint: 'http://192.0.2.1:4318'}}", "wattmark.live_out.collector", "opentelemetry", "otel"),
    ],
)
async def test_an_output_whose_extra_is_missing_names_it(
    monkeypatch: pytest.MonkeyPatch, outputs: str, module: str, package: str, extra: str
) -> None:
    lab = Lab(outputs)
    lab.add()
    lab.seconds(230.0)
    for name in [name for name in sys.modules if name == module or name.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    output = next(output for output in lab.live_out._outputs if output.on)
    await output.step()
    assert output.tally.problem is not None
    assert "which is not installed" in output.tally.problem
    assert output.tally.remedy == f"Install it with: pip install 'wattmark[{extra}]'."
    assert output.tally.not_sent == 1


async def test_the_state_of_every_output_is_shown_and_of_prometheus_who_read_it() -> None:
    lab = Lab("{prometheus: true, otel: {endpoint: 'http://192.0.2.1:4318'}}")
    lab.clock.ahead_ns = 1_763_640_000 * 10**9
    lab.add()
    lab.seconds(231.5)
    states = {output.name: output for output in lab.live_out.states()}
    assert {name: output.state for name, output in states.items()} == {"prometheus": "on", "mqtt": "off", "otel": "on"}
    assert (states["prometheus"].last, states["otel"].target) == (None, "http://192.0.2.1:4318")
    unread = await lab.live_out.test("prometheus")
    assert unread == "/metrics has the reading of wall: 231.5 W. Nobody has read it yet."
    lab.live_out.for_prometheus()
    assert (await lab.live_out.test("prometheus")).endswith("It was read last at 2025-11-20T12:00:01+00:00.")
    lab.bench = lab.with_outputs("{}")
    with pytest.raises(NotFound, match="The output prometheus is off"):
        await lab.live_out.test("prometheus")


async def test_what_became_of_readings_at_one_broker_is_not_said_of_another(world: World) -> None:
    world.error = Away("The broker is away.", "Start it.")
    await world.output.step()
    world.lab.bench = world.lab.with_outputs("{mqtt: {url: 'mqtt://192.0.2.2:1883'}}")
    assert (world.output.tally.problem, world.output.tally.not_sent) == (None, 0)


async def test_a_long_period_does_not_delay_what_the_bench_asks_for() -> None:
    world = World("{mqtt: {url: 'mqtt://192.0.2.1:1883', period_s: 3600}}")
    world.lab.add()
    world.lab.seconds(230.0)
    running = asyncio.create_task(world.output.run())
    while not world.received:
        await asyncio.sleep(0)
    changed_ns, world.lab.bench = world.lab.clock.now_ns, world.lab.with_outputs("{}")
    while not world.closed:
        await asyncio.sleep(0)
    assert world.lab.clock.now_ns - changed_ns <= 2 * IDLE_S * 1e9
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_a_cancellation_that_a_library_swallows_does_not_keep_the_service(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cancellation, "PATIENCE_S", 0.01)
    lab = Lab("{}")
    swallowed = list[str]()

    async def swallow_once() -> float:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            if swallowed:
                raise
            swallowed.append("once")
        return 3600.0

    for output in lab.live_out._outputs:
        monkeypatch.setattr(output, "step", swallow_once)
        monkeypatch.setattr(output, "_clock", SystemClock())
    lab.live_out.start()
    await asyncio.sleep(0)
    async with asyncio.timeout(1.0):
        await lab.live_out.stop()
    assert swallowed
