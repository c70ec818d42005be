"""What is printed of readings: values with the digits that count, quality in words, ages."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table
from wattmark_drivers.meter import Meter, MeterIdentity
from wattmark_drivers.reading import Channel, Quality, Reading

from wattmark.core.instants import iso
from wattmark.core.numbers import format_number

HEADINGS = ("Channel", "Value", "Unit", "Quality", "Kind", "Range", "Stamp (UTC)", "Unchanged for")


def quality_words(quality: Quality) -> str:
    """Write a quality as words: "good", or everything that must be known."""
    return ", ".join(str(flag.name).lower().replace("_", " ") for flag in quality) or "good"


def marked(meter: Meter, readings: Sequence[Reading]) -> list[Reading]:
    """Say in every reading of a simulator that it is simulated."""
    mark = Quality.SIMULATED if meter.identity.simulated else Quality.GOOD
    return [reading._replace(quality=reading.quality | mark) for reading in readings]


def value_text(reading: Reading, step: float | None) -> str:
    """Write a value down to its last digit that counts; a dash where there is none."""
    if not math.isfinite(reading.value):
        return "-"
    if step is None or step <= 0:
        return format_number(reading.value)
    return f"{reading.value:.{max(0, -math.floor(math.log10(step) + 1e-9))}f}"


def stamp(t_ns: int) -> str:
    """Write an instant as ISO 8601 in UTC with milliseconds."""
    return iso(t_ns, "milliseconds")


def reading_out(reading: Reading, channel: Channel | None, stood_s: float) -> dict[str, Any]:
    """Describe a reading for JSON; a value that is not a number is null."""
    return {
        "channel": reading.channel,
        "label": channel.label if channel else "",
        "quantity": channel.quantity if channel else reading.channel,
        "value": reading.value if math.isfinite(reading.value) else None,
        "unit": reading.unit,
        "quality": [str(flag.name).lower().replace("_", "-") for flag in reading.quality],
        "usable": reading.quality.usable,
        "kind": reading.kind.value,
        "range": reading.range,
        "time": stamp(reading.t_ns),
        "u_time_s": reading.u_t_ns / 1e9,
        "device_time": None if reading.device_time_ns is None else stamp(reading.device_time_ns),
        "unchanged_s": stood_s,
    }


def identity_out(identity: MeterIdentity) -> dict[str, Any]:
    """Describe a device for JSON."""
    return {
        "name": identity.name,
        "model": identity.model,
        "title": identity.title,
        "serial": identity.serial,
        "firmware": identity.firmware,
        "simulated": identity.simulated,
        "indicative": identity.indicative,
        "unconfirmed": list(identity.unconfirmed),
    }


def readings_table(
    identity: MeterIdentity,
    channels: Mapping[str, Channel],
    readings: Sequence[Reading],
    stood_s: Mapping[str, float],
) -> Table:
    """Lay out the newest reading of each channel for a terminal."""
    marks = [word for word, holds in (("simulated", identity.simulated), ("indicative", identity.indicative)) if holds]
    title = f"{identity.name}: {identity.title}" + (f" ({', '.join(marks)})" if marks else "")
    table = Table(*HEADINGS, title=title, header_style="bold")
    table.columns[1].justify = "right"
    for reading in readings:
        channel = channels.get(reading.channel)
        table.add_row(
            channel.label or channel.id if channel else reading.channel,
            value_text(reading, channel.resolution if channel else None),
            reading.unit,
            quality_words(reading.quality),
            reading.kind.value,
            reading.range or "",
            stamp(reading.t_ns)[11:-6],
            f"{stood_s[reading.channel]:.1f} s" if reading.channel in stood_s else "",
        )
    return table
