"""The outputs of live readings that the bench in force asks for."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from wattmark_drivers.clock import Clock
from wattmark_drivers.reading import Reading

from wattmark.bench.bench import Bench
from wattmark.bench.outputs import MqttOutput, OtelOutput
from wattmark.core.extras import require
from wattmark.core.passwords import password_from_environment, password_from_file
from wattmark.live_out.live_meters import LiveMeters, MeterNow
from wattmark.live_out.output import Output, Tally
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
        mqtt = Output("mqtt", bench, lambda now: now.outputs.mqtt, partial(_publisher, clock), self._meters.now, clock)
        otel = Output("otel", bench, lambda now: now.outputs.otel, partial(_collector, clock), self._meters.now, clock)
        self._outputs: tuple[Output[MqttOutput] | Output[OtelOutput], ...] = mqtt, otel
        self._tasks: list[asyncio.Task[None]] = []

    def take(self, source: str, readings: Sequence[Reading]) -> None:
        """Add readings of one source; costs nothing while no output is on."""
        if self._bench().outputs.wanted:
            self._meters.take(source, readings)

    def for_prometheus(self) -> list[MeterNow]:
        """List what /metrics shows of the meters; nothing unless the bench asks for it. From any thread."""
        return self._meters.now() if self._bench().outputs.prometheus else []

    def sending(self) -> list[tuple[str, Tally]]:
        """List the outputs that are on and send to another machine, with what became of the readings."""
        return [(output.name, output.tally) for output in self._outputs if output.on]

    def start(self) -> None:
        """Begin to send what the bench asks for, now or later."""
        self._tasks = [asyncio.create_task(output.run(), name=f"output {output.name}") for output in self._outputs]

    async def stop(self) -> None:
        """Leave the other machines."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


def _publisher(clock: Clock, settings: MqttOutput, bench: Bench) -> Publisher:
    module = require("mqtt", "wattmark.live_out.publisher", "Publishing to an MQTT broker needs")
    password = _secret(settings.password_env, settings.password_file, bench.folder, "the MQTT broker")
    publisher: Publisher = module.Publisher(settings, bench.lab, password, clock)
    return publisher


def _collector(clock: Clock, settings: OtelOutput, bench: Bench) -> Collector:
    module = require("otel", "wattmark.live_out.collector", "Sending to an OpenTelemetry collector needs")
    token = _secret(settings.token_env, settings.token_file, bench.folder, "the OpenTelemetry collector")
    collector: Collector = module.Collector(settings, bench, token, clock)
    return collector


def _secret(variable: str | None, file: str | None, folder: Path, owner: str) -> Callable[[], str] | None:
    """Return what reads a password when it is needed; None where the bench names none."""
    if variable is not None:
        return partial(password_from_environment, variable, owner, os.environ)
    if file is not None:
        return partial(password_from_file, folder / Path(file).expanduser(), owner)
    return None
