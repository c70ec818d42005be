"""Ends a run in which a meter answers as another one than at its begin, by which the record names its certificate."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wattmark_drivers.clock import Clock
from wattmark_drivers.exchange import REMEDY, exchange_of

from wattmark.runs.record import MeterRecord
from wattmark.workloads.trigger import Disturbed

LOOK_EVERY_S = 0.5
MetersNow = Callable[[], Sequence[MeterRecord]]
"""Describes the meters of the run's server as they answer now."""


async def watch_meters(begun: Sequence[MeterRecord], now: MetersNow, clock: Clock) -> None:
    """Look until a meter answers as another one. Raises `Disturbed`; never returns."""
    while True:
        require_same_meters(begun, now())
        await clock.sleep(LOOK_EVERY_S)


def require_same_meters(begun: Sequence[MeterRecord], now: Sequence[MeterRecord]) -> None:
    """Hold the meters of a run's begin against those that answer now. Raises `Disturbed` naming both of a pair.

    A meter that tells nothing now is left out: it is lost, and the recording says so.
    """
    known = {meter.name: meter for meter in now}
    for meter in begun:
        if (current := known.get(meter.name)) is None:
            continue
        words = exchange_of(
            meter.name,
            serial=(meter.serial, current.serial or meter.serial),
            firmware=(meter.firmware, current.firmware),
        )
        if words is not None:
            raise Disturbed(f"{words} The run measured with both.", REMEDY)
