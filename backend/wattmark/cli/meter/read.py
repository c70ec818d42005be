"""`wattmark meter read`: what a device shows now, once or for as long as one looks."""

from __future__ import annotations

import asyncio
import json
import math
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.live import Live
from wattmark_drivers.factory import create_meter
from wattmark_drivers.leave import leave
from wattmark_drivers.meter import Meter
from wattmark_drivers.physics import Physics
from wattmark_drivers.reading import Reading
from wattmark_drivers.sampler import Sampler, SamplerState
from wattmark_drivers.settings import MeterSettings

from wattmark.cli.console.options import AsJson
from wattmark.cli.console.output import emit_json
from wattmark.cli.console.plain_console import PlainConsole
from wattmark.cli.console.signals import on_termination
from wattmark.cli.meter.target import (
    BenchFile,
    PasswordEnv,
    PasswordFile,
    PrivacyPasswordFile,
    TargetName,
    User,
    resolve,
    with_period,
)
from wattmark.cli.meter.words import identity_out, marked, reading_out, readings_table


def read(
    target: TargetName,
    watch: Annotated[
        bool, typer.Option("--watch", help="Continue until Ctrl-C; with --json, one document per line.")
    ] = False,
    period_s: Annotated[float | None, typer.Option("--period", min=0.05, max=3600, help="Seconds per poll.")] = None,
    bench: BenchFile = None,
    user: User = None,
    password_file: PasswordFile = None,
    password_env: PasswordEnv = None,
    privacy_password_file: PrivacyPasswordFile = None,
    as_json: AsJson = False,
) -> None:
    """Read a meter: each channel with unit, quality, range, stamp and age."""
    settings = with_period(resolve(target, bench, user, password_file, password_env, privacy_password_file), period_s)
    if watch:
        asyncio.run(_watch(settings, as_json=as_json))
        return
    meter, readings = asyncio.run(_once(settings))
    unchanged = Unchanged()
    unchanged.take(readings)
    if as_json:
        emit_json(_document(meter, readings, unchanged))
    else:
        _wide_enough().print(_table(meter, readings, unchanged))


async def _once(settings: MeterSettings) -> tuple[Meter, list[Reading]]:
    meter = create_meter(settings)
    try:
        await meter.open()
        readings = Physics(meter.identity, meter.channels).mark(await meter.read())
        return meter, marked(meter, readings)
    finally:
        await leave(meter)


async def _watch(settings: MeterSettings, *, as_json: bool) -> None:
    """Show readings as they come, through losses and returns of the device, until SIGINT or SIGTERM."""
    meter = create_meter(settings)
    unchanged, done = Unchanged(), asyncio.Event()
    on_termination(done.set)
    live = Live(console=_wide_enough(), auto_refresh=False)

    def take(_: Meter, readings: list[Reading]) -> None:
        unchanged.take(readings)
        if as_json:
            sys.stdout.write(json.dumps(_document(meter, readings, unchanged), ensure_ascii=False) + "\n")
            sys.stdout.flush()
        else:
            live.update(_table(meter, unchanged.newest, unchanged), refresh=True)

    sampler = Sampler(meter, period_s=settings.period_s, on_readings=take, on_state=_ignore)
    with nullcontext() if as_json else live:
        sampling = asyncio.create_task(sampler.run())
        await done.wait()
        sampling.cancel()
        await asyncio.gather(sampling, return_exceptions=True)


def _ignore(_: SamplerState) -> None:
    """Leave it to the sampler's log, which reaches the terminal too."""


def _document(meter: Meter, readings: list[Reading], unchanged: Unchanged) -> dict[str, Any]:
    channels = {channel.id: channel for channel in meter.channels}
    rows = [
        reading_out(reading, channels.get(reading.channel), unchanged.stood_s[reading.channel]) for reading in readings
    ]
    return {"meter": identity_out(meter.identity), "readings": rows}


def _table(meter: Meter, readings: list[Reading], unchanged: Unchanged) -> Any:
    return readings_table(
        meter.identity, {channel.id: channel for channel in meter.channels}, readings, unchanged.stood_s
    )


def _wide_enough() -> Console:
    """Create a console for standard output that cuts nothing where no terminal limits the width."""
    plain = PlainConsole()
    if not plain.is_terminal:
        plain.width = 200
    return plain


class Unchanged:
    """Keeps the newest reading of each channel and since when its value stands."""

    def __init__(self) -> None:
        self._newest: dict[str, Reading] = {}
        self._since_ns: dict[str, int] = {}

    def take(self, readings: Sequence[Reading]) -> None:
        for reading in readings:
            before = self._newest.get(reading.channel)
            same = before is not None and (
                before.value == reading.value or (math.isnan(before.value) and math.isnan(reading.value))
            )
            if not same:
                self._since_ns[reading.channel] = reading.t_ns
            self._newest[reading.channel] = reading

    @property
    def newest(self) -> list[Reading]:
        """List the newest reading of each channel."""
        return list(self._newest.values())

    @property
    def stood_s(self) -> dict[str, float]:
        """Return for how long each channel's value has stood [s]."""
        return {name: (reading.t_ns - self._since_ns[name]) / 1e9 for name, reading in self._newest.items()}
