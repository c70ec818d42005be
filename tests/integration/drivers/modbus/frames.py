"""An Eastron SDM120 as tests build it: its registers, its answers byte by byte, and the driver that reads it."""

from __future__ import annotations

import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from wattmark_drivers.factory import create_meter
from wattmark_drivers.meter import Meter
from wattmark_drivers.reading import Quality
from wattmark_drivers.settings import MeterSettings

from tests.open_meter import open_meter

ADDRESSES = {"voltage": 0, "current": 6, "power": 12}
POWER = ADDRESSES["power"]


def sdm120_at(url: str, timeout_s: float = 0.5) -> Meter:
    return create_meter(MeterSettings("wall", "eastron.sdm120", url, timeout_s=timeout_s))


def meter(port: int, device: int = 1, timeout_s: float = 0.3) -> Meter:
    return sdm120_at(f"modbus-tcp://127.0.0.1:{port}/{device}", timeout_s)


def float_words(value: float) -> tuple[int, int]:
    high, low = struct.unpack(">2H", struct.pack(">f", value))
    return high, low


def power_words(power_w: float, **others: float) -> dict[tuple[str, int], int]:
    """Lay the power into its input registers, and what else is named: ``voltage`` and ``current``."""
    values = {ADDRESSES[name]: value for name, value in {"power": power_w, **others}.items()}
    return {("i", at + n): word for at, value in values.items() for n, word in enumerate(float_words(value))}


async def power(opened: Any) -> tuple[float, Quality]:
    (reading,) = [item for item in await opened.read() if item.channel == "power"]
    return reading.value, reading.quality


def reply(request: bytes, data: bytes) -> bytes:
    return request[:4] + struct.pack(">HBBB", 3 + len(data), request[6], request[7], len(data)) + data


def exception_to(request: bytes, code: int) -> bytes:
    return request[:4] + struct.pack(">HBBB", 3, request[6], request[7] | 0x80, code)


def zeros(request: bytes) -> bytes:
    """Answer with zero in each register that is asked for."""
    return reply(request, bytes(2 * int.from_bytes(request[10:12], "big")))


@asynccontextmanager
async def opening(raw_gateway: Any, answer: Any, timeout_s: float = 0.3, device: int = 1) -> AsyncIterator[Any]:
    """Start a gateway that answers so, open a meter behind it, and yield both."""
    gateway = await raw_gateway(answer)
    async with open_meter(meter(gateway.port, device, timeout_s)) as opened:
        yield gateway, opened
