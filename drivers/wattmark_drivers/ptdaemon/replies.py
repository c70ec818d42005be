"""What a power daemon's replies say. Pure; ValueError names what cannot be read."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from wattmark_drivers.meter import RangeInForce

HELLO = "Hello, PTDaemon here!"
STARTED = re.compile(r"Starting untimed measurement, maximum \d+ samples at (\d{1,9})ms with \d+ rampup samples")
LAST = re.compile(r"Last (\d{1,7}) samples?(?: from (?:sum channel and channels (\d{1,3}) - \d{1,3}|.*))?")
"""How many lines follow, and the number of the first channel behind the sum."""
NONE_UNREAD = ("no unread", "insufficient unread")
"""A reply that contains one of these has no sample yet."""
NO_DATA = "No data"
SENTINELS = (-1.0, -2.0)
"""A value that could not be read, and a sample that was missed."""
_ABSURD = 9e37
"""SCPI writes 9.91e37 for "not a number" (SCPI 1999, volume 1, 7.2.1.5)."""
_STAMP = re.compile(r"(\d\d)-(\d\d)-(\d{4}) (\d\d):(\d\d):(\d\d)\.(\d{3})")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?", re.IGNORECASE)
_NOT_A_NUMBER = re.compile(r"[+-]?(?:nan|inf(?:inity)?|1\.#[a-z0-9]+)(?:\(ind\))?", re.IGNORECASE)
_STANDING = re.compile(r"Wattmark,([0-9a-f-]{0,40}),(none|running|stopped),(\d{1,7}),(\d{1,7}),(\d{1,7}),([^,]*)")
_CHANNEL = re.compile(r"Ch\d+")
_FIELDS = 18
_FROM_END = {"channels": -5, "calibrated": -2, "device": -1}
"""Places of the fields after the operating system, whose name may hold commas."""


@dataclass(frozen=True, slots=True)
class DaemonReport:
    """Who answers to `Identify`."""

    driver: str
    version: str
    channels: int
    maker: str
    model: str
    serial: str | None
    firmware: str | None


NOT_KNOWN = RangeInForce()


@dataclass(frozen=True, slots=True)
class RangeReport:
    """The ranges in force, of one channel or alike of several."""

    volts: RangeInForce = NOT_KNOWN
    amps: RangeInForce = NOT_KNOWN
    channels: int = 1
    """How many channels have them, whose powers add up."""

    @property
    def fixed(self) -> tuple[float | None, float | None]:
        """Return the ranges that are known and not chosen by the device [V, A]; None for another one."""
        volts, amps = (item.nominal if item.auto is False else None for item in (self.volts, self.amps))
        return volts, amps

    @property
    def name(self) -> str | None:
        """Return the name of both; None where one is not fixed or not known."""
        volts, amps = self.fixed
        return None if volts is None or amps is None else f"{volts:g}V-{amps:g}A"

    @property
    def power_w(self) -> float | None:
        """Return the product of both, of all channels together; None where one is not fixed or not known."""
        volts, amps = self.fixed
        return None if volts is None or amps is None else volts * amps * self.channels


@dataclass(frozen=True, slots=True)
class Standing:
    """How the measurement of a daemon stands."""

    samples: int
    summary: str
    """The reply: it stays the same as long as no sample is added, and nobody begins another measurement."""
    key: str | None = None
    """Distinguishes the measurement from any other; None: the daemon reports neither it nor what follows."""
    state: Literal["none", "running", "stopped"] | None = None
    unread: int = 0
    """Samples that no client has read."""
    interval_s: float | None = None
    mark: str = ""


@dataclass(frozen=True, slots=True)
class UncertaintyReport:
    """Largest limit of error of the samples since `Go` [fraction], and of how many samples it is known."""

    largest: float
    valid: int
    unknown: int


@dataclass(frozen=True, slots=True)
class DaemonSample:
    """A sample as the daemon wrote it: its own stamp [ns, as if UTC] and the columns of one group; NaN: no value."""

    t_ns: int
    values: Mapping[str, float]
    missed: bool


def parse_report(reply: str) -> DaemonReport:
    """Read the reply to `Identify`."""
    fields = [part.strip() for part in reply.split(",")]
    version = next((part.removeprefix("version=") for part in fields if part.startswith("version=")), None)
    if len(fields) < _FIELDS or version is None:
        raise ValueError(f"{reply[:60]!r} to Identify")
    channels = fields[_FROM_END["channels"]]
    device = [part.strip() for part in fields[_FROM_END["device"]].split(";")] + [""] * 4
    return DaemonReport(
        fields[0],
        version,
        int(channels) if channels.isascii() and channels.isdecimal() and len(channels) < 4 else 1,
        device[0],
        device[1],
        None if device[2] in ("", "0") else device[2],
        device[3] or None,
    )


def parse_ranges(reply: str) -> RangeReport:
    """Read the reply to `RR` for one channel: amperes first, each with a flag of the auto-range."""
    name, *fields = reply.split(",")
    if name != "Ranges" or len(fields) < 4:
        raise ValueError(f"{reply[:60]!r} to RR")
    amps_auto, amps, volts_auto, volts = (_number(field) for field in fields[:4])
    return RangeReport(_in_force(volts_auto, volts), _in_force(amps_auto, amps))


def parse_all_ranges(reply: str, channels: int) -> RangeReport:
    """Read the reply to `RR,*`: what its channels have in common. Newer daemons write the sum before them."""
    name, *fields = reply.split(",")
    if name != "Ranges" or len(fields) < 4 * channels:
        raise ValueError(f"{reply[:60]!r} to RR,*")
    places = range(len(fields) - 4 * channels, len(fields), 4)
    reports = [parse_ranges(",".join((name, *fields[place : place + 4]))) for place in places]
    volts, amps = {report.volts for report in reports}, {report.amps for report in reports}
    return RangeReport(
        volts.pop() if len(volts) == 1 else NOT_KNOWN, amps.pop() if len(amps) == 1 else NOT_KNOWN, channels
    )


def _in_force(auto: float, nominal: float) -> RangeInForce:
    return RangeInForce({0.0: False, 1.0: True}.get(auto), nominal if nominal > 0 else None)


def parse_watts(reply: str) -> Standing:
    """Read how many samples a measurement has, from the reply to `Watts`."""
    name, *fields = reply.split(",")
    if name.lower() != "watts" or len(fields) < 6:
        raise ValueError(f"{reply[:60]!r} to Watts")
    return Standing(int(_number(fields[3])), reply)


def parse_standing(reply: str) -> Standing | None:
    """Read the reply to `Wattmark`, which only daemons of wattmark know; None for another answer."""
    match = _STANDING.fullmatch(reply)
    if match is None:
        return None
    key, state, samples, unread, interval_ms, mark = match.groups()
    known: Literal["none", "running", "stopped"] = "none"
    if state != "none":
        known = "running" if state == "running" else "stopped"
    return Standing(int(samples), reply, key, known, int(unread), int(interval_ms) / 1000, mark)


def parse_uncertainty(reply: str, group: int) -> UncertaintyReport:
    """Read the reply to `Uncertainty` for a group; group 0 is the only channel or the sum."""
    name, *fields = reply.split(",")
    fields = fields[7 * group : 7 * group + 7]
    if name != "Uncertainty" or len(fields) < 7:
        raise ValueError(f"{reply[:60]!r} to Uncertainty")
    numbers = [_number(field) for field in fields]
    return UncertaintyReport(numbers[2], int(numbers[5]), int(numbers[6]))


def parse_sample(line: str, group: int) -> DaemonSample:
    """Read a line of the reply to `RL`; its groups repeat the same columns."""
    fields = line.split(",")
    if fields[0] != "Time" or len(fields) < 4:
        raise ValueError(f"{line[:60]!r} for a sample")
    values = parse_groups(fields[2:], group)
    first = next(iter(values.values()))
    return DaemonSample(parse_stamp(fields[1]), _readable(values), missed=first == SENTINELS[1])


def parse_latest(reply: str) -> Mapping[str, float]:
    """Read the reply to `R*`."""
    return _readable(parse_groups(reply.split(","), 0))


def _readable(values: Mapping[str, float]) -> dict[str, float]:
    """Return the values, NaN for what is none. -1 is a power factor where power flows out, and an error elsewhere."""
    readable = {name: _value(value) for name, value in values.items()}
    if values.get("PF") == -1 and readable.get("Watts", math.nan) < 0:
        readable["PF"] = -1.0
    return readable


def parse_groups(fields: list[str], group: int) -> dict[str, float]:
    """Read the columns of one of the groups of a line."""
    groups: list[dict[str, float]] = [{}]
    rest = iter(field for field in fields if not _CHANNEL.fullmatch(field))
    for name in rest:
        text = next(rest, None)
        if text is None or not name.isalpha():
            raise ValueError(f"{','.join(fields)[:60]!r} for values")
        if name in groups[-1]:
            groups.append({})
        groups[-1][name] = _number(text)
    if group >= len(groups) or not groups[group]:
        raise ValueError(f"{len(groups)} groups of values where channel {group} was asked for")
    return groups[group]


def parse_stamp(text: str) -> int:
    """Read "MM-DD-YYYY HH:MM:SS.mmm" as if it were UTC [ns]."""
    match = _STAMP.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"the stamp {text[:40]!r}")
    month, day, year, hour, minute, second, milli = map(int, match.groups())
    whole = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    return int(whole.timestamp()) * 1_000_000_000 + milli * 1_000_000


def _number(text: str) -> float:
    text = text.strip()
    if _NOT_A_NUMBER.fullmatch(text):
        return math.nan
    if len(text) > 40 or not _NUMBER.fullmatch(text):
        raise ValueError(f"{text[:40]!r} for a number")
    return float(text)


def _value(number: float) -> float:
    """Return a value, NaN where the daemon has none."""
    return math.nan if number in SENTINELS or not abs(number) < _ABSURD else number
