"""Close a meter for good."""

from __future__ import annotations

from wattmark_drivers.meter import Meter


async def leave(meter: Meter) -> None:
    """Close a meter that nobody opens again; never raises.

    After a call that failed, the first `close` leaves to the next `open` what was begun at the device, and only the
    second one ends it.
    """
    await meter.close()
    await meter.close()
