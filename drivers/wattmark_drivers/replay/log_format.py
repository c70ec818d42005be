"""The log that a replay plays: CSV lines after a head that names the channels.

::

    # wattmark log 1
    # source,free text
    # channel,ID,QUANTITY,UNIT,KIND,RESOLUTION,LABEL      (one per channel; RESOLUTION may be empty)
    t_ns,channel,quantity,unit,value,quality
    1615885514265000000,power,power,W,431.0,0             (t_ns: UTC; quality: the number of `Quality`)
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from wattmark_drivers.reading import Channel, Kind, Quality

MAGIC = "# wattmark log 1"
SOURCE = "# source"
CHANNEL = "# channel"
COLUMNS = ("t_ns", "channel", "quantity", "unit", "value", "quality")
LONGEST_LINE = 4096
MOST_CHANNELS = 1000
_LATEST_NS = 2**63 - 1
_KNOWN = sum(Quality)
_ID = re.compile(r"[A-Za-z0-9_.:-]{1,100}")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_NO_NUMBER = ("", "nan", "inf", "-inf")


@dataclass(frozen=True, slots=True)
class Head:
    """Content of a log's header."""

    source: str
    channels: tuple[Channel, ...]


@dataclass(frozen=True, slots=True)
class ReplayRow:
    """One value; NaN where none was recorded."""

    t_ns: int
    channel: str
    value: float
    quality: Quality


def parse_head(lines: Iterable[str]) -> tuple[Head, int]:
    """Read the head up to the column names; return it with its number of lines.

    Raises ValueError with words that continue the sentence "Line N of the log ...".
    """
    source, channels = "", dict[str, Channel]()
    for number, line in enumerate(lines, 1):
        text = line.rstrip("\r\n")
        if number == 1 and text != MAGIC:
            raise ValueError(f'Line 1 of the log is not "{MAGIC}"')
        if text == ",".join(COLUMNS):
            if not channels:
                raise ValueError(f"Line {number} of the log starts the values, but no channel is declared before it")
            return Head(source, tuple(channels.values())), number
        fields = _split(text)
        if fields and fields[0] == SOURCE:
            source = ",".join(fields[1:])
        elif fields and fields[0] == CHANNEL:
            channel = _channel(fields[1:], number)
            if channel.id in channels or len(channels) == MOST_CHANNELS:
                raise ValueError(
                    f"Line {number} of the log repeats the channel {channel.id} or exceeds the number of channels"
                )
            channels[channel.id] = channel
        elif number > 1:
            raise ValueError(f"Line {number} of the log is neither a channel nor the names of the columns")
    raise ValueError("The log ends before its first value")


def parse_row(line: str, channels: Mapping[str, Channel]) -> ReplayRow:
    """Read one line of values. Raises ValueError for a line that is not whole."""
    fields = _split(line.rstrip("\r\n"))
    if len(fields) != len(COLUMNS):
        raise ValueError(f"has {len(fields)} fields instead of {len(COLUMNS)}")
    stamp, name, quantity, unit, value, quality = fields
    channel = channels.get(name)
    if channel is None or (channel.quantity, channel.unit) != (quantity, unit):
        raise ValueError("names a channel that the header does not declare")
    flags = _whole(quality, 0xFFFF)
    if flags & ~_KNOWN:
        raise ValueError("has an unknown quality")
    number = _value(value)
    return ReplayRow(
        _whole(stamp, _LATEST_NS), name, number, Quality(flags) | (Quality.INVALID if math.isnan(number) else 0)
    )


def format_head(source: str, channels: Sequence[Channel]) -> str:
    """Write the head of a log."""
    lines = [MAGIC, _join((SOURCE, _one_line(source)))]
    for item in channels:
        resolution = "" if item.resolution is None else repr(item.resolution)
        label = _one_line(item.label)
        lines.append(_join((CHANNEL, item.id, item.quantity, item.unit, item.kind.value, resolution, label)))
    return "\n".join([*lines, ",".join(COLUMNS), ""])


def format_rows(channel: Channel, t_ns: Sequence[int], value: Sequence[float], quality: Sequence[int]) -> list[str]:
    """Format the values of a channel, a line each; a value reads back to the very same number."""
    between = f",{_join((channel.id, channel.quantity, channel.unit))},"
    return [f"{t}{between}{v!r},{q}\n" for t, v, q in zip(t_ns, value, quality, strict=True)]


def _channel(fields: Sequence[str], number: int) -> Channel:
    try:
        name, quantity, unit, kind, resolution, label = fields
        step = float(resolution) if resolution else None
        if not _ID.fullmatch(name) or not quantity or (step is not None and not (math.isfinite(step) and step > 0)):
            raise ValueError("not a channel")
        return Channel(name, quantity, unit, Kind(kind), label, step)
    except ValueError:
        kinds = ", ".join(Kind)
        raise ValueError(
            f"Line {number} of the log is not a channel (id, quantity, unit, kind ({kinds}), resolution, label)"
        ) from None


def _split(line: str) -> list[str]:
    """Split a line of CSV. Raises ValueError for one that csv cannot read."""
    try:
        rows = list(csv.reader([line], strict=True))
    except csv.Error:
        raise ValueError("is not a line of CSV") from None
    return rows[0] if rows else []


def _join(fields: Iterable[str]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow(fields)
    return out.getvalue()


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _whole(text: str, largest: int) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 19) or int(text) > largest:
        raise ValueError("has a value that is not a whole number where one is required")
    return int(text)


def _value(text: str) -> float:
    """Read a value; anything but a finite number is NaN. Raises ValueError for a torn one."""
    if text.strip().lower() in _NO_NUMBER:
        return math.nan
    if not _NUMBER.fullmatch(text):
        raise ValueError("has a value that is not a number")
    number = float(text)
    return number if math.isfinite(number) else math.nan
