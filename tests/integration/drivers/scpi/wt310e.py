"""The driver of a WT310E, connected to the analyser of a test that shows known values."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from wattmark_drivers.factory import create_meter
from wattmark_drivers.reading import Reading
from wattmark_drivers.settings import MeterSettings

SHOWN = {
    "P,1": "612.51E+00", "U,1": "230.12E+00", "I,1": "2.7201E+00", "S,1": "625.95E+00", "Q,1": "128.9E+00",
    "LAMBDA,1": "978.5E-03", "FU,1": "49.980E+00", "UPPEAK,1": "325.4E+00", "IPPEAK,1": "4.012E+00",
}  # fmt: skip
VALUES = "612.51E+00,230.12E+00,2.7201E+00,625.95E+00,128.9E+00,978.5E-03,49.980E+00,325.4E+00,4.012E+00"
ASK = ":NUM:NORM:VAL?"


def meter(url: str, **options: Any) -> Any:
    choice = options.pop("range", "300V-5A")
    period_s = options.pop("period_s", 1.0)
    return create_meter(
        MeterSettings(
            "wt", "yokogawa.wt310e", url, period_s=period_s, range=choice, timeout_s=options.pop("timeout_s", 1.0),
            options=options,
        )
    )  # fmt: skip


async def read_once(analyser_meter: Any) -> dict[str, Reading]:
    async with opened(analyser_meter):
        return {reading.channel: reading for reading in await analyser_meter.read()}


@asynccontextmanager
async def opened(analyser_meter: Any) -> AsyncIterator[Any]:
    await analyser_meter.open()
    try:
        yield analyser_meter
    finally:
        await analyser_meter.close()


@pytest.fixture(autouse=True)
def shown(analyser: Any) -> None:
    analyser.values = dict(SHOWN)
