"""A meter that is open as long as a test needs it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from wattmark_drivers.meter import Meter


@asynccontextmanager
async def open_meter(meter: Meter) -> AsyncIterator[Meter]:
    """Open a meter, and close it whatever happens."""
    await meter.open()
    try:
        yield meter
    finally:
        await meter.close()
