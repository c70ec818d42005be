"""The outputs of live readings that the bench in force asks for."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from wattmark_drivers.cancellation import end_tasks
from wattmark_drivers.clock import Clock
from wattmark_drivers.reading import Reading

from wattmark.bench.bench import Bench
from wattmark.bench.outputs import MqttOutput, OtelOutput
from wattmark.bench.passwords import secret_reader
from wattmark.core.extras import require
from wattmark.core.instants import iso
from wattmark.live_out.live_meters import LiveMeters, MeterNow
from wattmark.live_out.output import Output, Tally, fresh_meter, output_is_off
from wattmark.live_out.views import OutputName, OutputOut, fetched_out, sending_out
from wattmark.recording.live import LiveHub

if TYPE_CHECKING:
    from wattmark.live_out.collector import Collector
    from wattmark.live_out.publisher import Publisher


class LiveOut:
    """Follow the meters while an output is on, and keep the outputs going that send to other machines.

    ``bench`` gives the bench in force.
    """

    def __init__(self, bench: Callable[[], Bench], hub: LiveHub, clock: Clock) -> None:
        self._bench = bench
        self._meters = LiveMeters(hub, clock)
        self._clock = clock
        self._read_ns: int | None = None
        """When /metrics was read last [UTC ns]."""
        meters = self._meters.now
        self._mqtt = Output("mqtt", bench, lambda now: now.outputs.mqtt, partial(_publisher, clock), meters, clock)
        self._otel = Output(
            "otel", bench, lambda now: now.outputs.otel, partial(_collector, bench, clock), meters, clock
        )
        self._outputs: tuple[Output[MqttOutput] | Output[OtelOutput], ...] = self._mqtt, self._otel
        self._tasks: list[asyncio.Task[None]] = []

    def take(self, source: str, readings: Sequence[Reading]) -> None:
        """Add readings of one source; costs nothing while no output is on."""
        if self._bench().outputs.wanted:
            self._meters.take(source, readings)

    def for_prometheus(self) -> list[MeterNow]:
        """List what /metrics shows of the meters; nothing unless the bench asks for it. From any thread."""
        if not self._bench().outputs.prometheus:
            return []
        self._read_ns = self._clock.utc_ns()
        return self._meters.now()

    def states(self) -> list[OutputOut]:
        """Describe every output, those that are off too."""
        outputs = self._bench().outputs
        broker = None if outputs.mqtt is None else outputs.mqtt.url
        collector = None if outputs.otel is None else outputs.otel.endpoint
        return [
            fetched_out(on=outputs.prometheus, read_ns=self._read_ns),
            sending_out("mqtt", broker, self._mqtt.tally),
            sending_out("otel", collector, self._otel.tally),
        ]

    async def test(self, name: OutputName) -> str:
        """Send one reading, and return the answer in words. Raises `NotFound`, `Conflict`, or why it failed."""
        if name == "mqtt":
            return await self._mqtt.test()
        if name == "otel":
            return await self._otel.test()
        return self._test_prometheus()

    def _test_prometheus(self) -> str:
        """Say what Prometheus would fetch: nothing can be sent to it."""
        if not self._bench().outputs.prometheus:
            raise output_is_off("prometheus")
        meter = fresh_meter(self._meters.now())
        read = "Nobody has read it yet." if self._read_ns is None else f"It was read last at {iso(self._read_ns)}."
        return f"/metrics has the reading of {meter.name}: {meter.power_w:.6g} W. {read}"

    def sending(self) -> list[tuple[str, Tally]]:
        """List the outputs that are on and send to another machine, with what became of the readings."""
        return [(output.name, output.tally) for output in self._outputs if output.on]

    def start(self) -> None:
        """Begin to send what the bench asks for, now or later."""
        self._tasks = [asyncio.create_task(output.run(), name=f"output {output.name}") for output in self._outputs]

    async def stop(self) -> None:
        """Leave the other machines."""
        await end_tasks(*self._tasks)


def _publisher(clock: Clock, settings: MqttOutput, bench: Bench) -> Publisher:
    module = require("mqtt", "wattmark.live_out.publisher", "Publishing to an MQTT broker needs")
    password = secret_reader(settings.password_env, settings.password_file, bench.folder, "the MQTT broker", os.environ)
    publisher: Publisher = module.Publisher(settings, bench.lab, password, clock)
    return publisher


def _collector(in_force: Callable[[], Bench], clock: Clock, settings: OtelOutput, bench: Bench) -> Collector:
    module = require("otel", "wattmark.live_out.collector", "Sending to an OpenTelemetry collector needs")
    token = secret_reader(
        settings.token_env, settings.token_file, bench.folder, "the OpenTelemetry collector", os.environ
    )
    collector: Collector = module.Collector(settings, in_force, token, clock)
    return collector
