"""Read one device for a while, faster than it updates, so that its rhythm shows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from wattmark_drivers.catalogue import find_model
from wattmark_drivers.clock import Clock, SystemClock
from wattmark_drivers.errors import BadReply, ConnectionFailed, DriverError
from wattmark_drivers.factory import create_meter
from wattmark_drivers.leave import leave
from wattmark_drivers.meter import Meter
from wattmark_drivers.physics import Physics
from wattmark_drivers.plausibility.recording import MeterRecording
from wattmark_drivers.reading import Reading
from wattmark_drivers.settings import MeterSettings

POLLS_PER_UPDATE = 5
SHORTEST_PERIOD_S = 0.1
LOSSES_IN_A_ROW = 3


async def collect(
    settings: MeterSettings,
    seconds: float,
    *,
    clock: Clock | None = None,
    on_poll: Callable[[float], None] = lambda _: None,
    on_open: Callable[[Meter], None] = lambda _: None,
) -> MeterRecording:
    """Open a device, read it for ``seconds`` [s], close it; ``on_poll`` hears how much time has passed [s], ``on_open``
    the device once it has said who it is.

    Raises a `DriverError` where the device cannot be opened, or is lost three times in a row.
    """
    clock = clock or SystemClock()
    meter = create_meter(settings, clock)
    period_s = max(meter.identity.update_period_s / POLLS_PER_UPDATE, SHORTEST_PERIOD_S)
    await meter.open()
    try:
        on_open(meter)
        readings, lost = await _read_for(meter, seconds, period_s, clock, on_poll)
        channels = tuple(meter.channels)
    finally:
        await leave(meter)
    return MeterRecording(
        declaration=find_model(settings.model),
        channels=channels,
        readings=readings,
        period_s=None if meter.pushes else period_s,
        options=dict(settings.options),
        lost=lost,
    )


async def _read_for(
    meter: Meter, seconds: float, period_s: float, clock: Clock, on_poll: Callable[[float], None]
) -> tuple[list[Reading], int]:
    readings: list[Reading] = []
    physics = Physics(meter.identity, meter.channels)
    begin_ns, lost, in_a_row, poll = clock.monotonic_ns(), 0, 0, 0
    while (passed_s := (clock.monotonic_ns() - begin_ns) / 1e9) < seconds:
        try:
            readings += physics.mark(await _next(meter, seconds - passed_s))
            in_a_row = 0
        except (BadReply, ConnectionFailed) as error:
            lost, in_a_row = lost + 1, in_a_row + 1
            await _recover(meter, error, in_a_row)
        on_poll(passed_s)
        if not meter.pushes:
            poll = max(poll + 1, int((clock.monotonic_ns() - begin_ns) / 1e9 / period_s) + 1)
            await clock.sleep(poll * period_s - (clock.monotonic_ns() - begin_ns) / 1e9)
    return readings, lost or int(not readings)


async def _next(meter: Meter, seconds: float) -> list[Reading]:
    """Read once; a device that is waited for and stays silent until the end gives nothing."""
    if not meter.pushes:
        return await meter.read()
    try:
        async with asyncio.timeout(seconds):
            return await meter.read()
    except TimeoutError:
        return []


async def _recover(meter: Meter, error: DriverError, in_a_row: int) -> None:
    if in_a_row >= LOSSES_IN_A_ROW:
        raise error
    if isinstance(error, ConnectionFailed):
        await meter.open()
