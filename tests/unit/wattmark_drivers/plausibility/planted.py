"""Recordings of a meter on a known load (229.8 V, 0.85 A, power factor 0.871, 50 Hz) in which mistakes are planted."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.factory import create_meter
from wattmark_drivers.plausibility.recording import MeterRecording
from wattmark_drivers.reading import Quality, Reading
from wattmark_drivers.settings import MeterSettings

BEGIN_NS = 1_700_000_000_000_000_000
Change = Callable[[str, float], float]

URLS = {"modbus": "modbus-tcp://h/1", "wattsup": "serial:///dev/x", "ipmi": "ipmi://h"}


def truth(channel: str, quantity: str, t_s: float, phases: int) -> float:
    """What a right meter shows: one phase loaded, or three alike; 10 % more load each tenth second, in turn."""
    current = 0.85 * (1.1 if int(t_s / 10) % 2 else 1.0)
    watts = 229.8 * current * 0.871
    total = not channel.endswith(("_l1", "_l2", "_l3"))
    share = phases if total else 1
    if quantity == "energy":
        return 0.0 if "export" in channel else 623_000.0 + phases * watts * t_s / 3600
    return {
        "voltage": 229.8,
        "current": current * share,
        "power": watts * share,
        "apparent_power": 229.8 * current * share,
        "reactive_power": 229.8 * current * 0.491 * share,
        "power_factor": 0.871,
        "frequency": 50.02,
    }.get(quantity, 0.0)


def record(
    model: str = "eastron.sdm630",
    *,
    change: Change = lambda _, value: value,
    quality: Callable[[str], Quality] = lambda _: Quality.GOOD,
    seconds: float = 12.0,
    period_s: float = 0.2,
    update_s: float = 1.0,
    lost: int = 0,
    **options: Any,
) -> MeterRecording:
    """Record a model for ``seconds``, polled each ``period_s``, new values each ``update_s``; noise of 1 in 10000."""
    declaration = load_catalogue()[model]
    meter = create_meter(MeterSettings("m", model, URLS[declaration.protocol.engine]))
    phases = declaration.protocol.phase_count
    readings = []
    for poll in itertools.count():
        t_s = poll * period_s
        if t_s > seconds:
            break
        fresh = int(t_s / update_s + 1e-9)
        noise = 1 + 1e-4 * ((fresh * 7919) % 11 - 5) / 5
        for channel in meter.channels:
            value = truth(channel.id, channel.quantity, fresh * update_s, phases)
            value *= noise if channel.quantity in {"power", "apparent_power", "reactive_power", "current"} else 1.0
            readings.append(
                Reading(
                    channel=channel.id,
                    value=change(channel.id, value),
                    unit=channel.unit,
                    t_ns=BEGIN_NS + round(t_s * 1e9),
                    u_t_ns=0,
                    kind=channel.kind,
                    quality=quality(channel.id),
                )
            )
    return MeterRecording(
        declaration, tuple(meter.channels), readings, None if meter.pushes else period_s, options, lost
    )
