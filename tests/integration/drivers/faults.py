"""What a fault of a simulated meter may do to its readings."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pydantic import TypeAdapter
from wattmark_drivers.reading import Quality
from wattmark_drivers.speakers.faults import FaultMessage

FAULT: TypeAdapter[FaultMessage] = TypeAdapter(FaultMessage)


async def leaves(
    meter: Any, wire: Any, fault: dict[str, Any], outcome: Quality | type[Exception], *, passes_s: float = 0.0
) -> None:
    """Check that a fault is a flag or a gap, never a wrong value that looks good, and that it passes in time [s]."""
    await meter.open()
    true_w = (await meter.read())[0].value
    wire.inject(FAULT.validate_python(fault))
    if isinstance(outcome, Quality):
        (power, *_) = await meter.read()
        assert power.quality is outcome
        assert power.value == true_w or not outcome.usable
    else:
        with pytest.raises(outcome):
            await meter.read()
    await asyncio.sleep(passes_s)
    (power, *_) = await meter.read()
    assert (power.value, power.quality) == (true_w, Quality.GOOD)
    await meter.close()
