"""The daemon's own words: replies, sample lines and stamps, as real daemons write them. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from wattmark_drivers.speakers.ptdaemon.ranges import ChannelRanges, InputRange
from wattmark_drivers.speakers.ptdaemon.samples import (
    COLUMNS,
    MISSED,
    MOST_SAMPLES,
    READ_ERROR,
    Aggregate,
    Group,
    Measurement,
    Sample,
    UncertaintyAggregate,
)

HELLO = "Hello, PTDaemon here!"
STOPPING = "Stopping untimed measurement"
NOT_MEASURING = "Error: no measurement to stop"
NO_DATA = "No data"
NO_UNREAD = "Error: No unread samples"
FEW_UNREAD = "Error: Insufficient unread samples"
BAD_PARAMETERS = "Invalid number of parameters"
UNKNOWN = "Unknown command"
NOT_A_RESULT = "Not a SPEC or MLPerf result: both accept SPEC's own PTDaemon only."
NO_CALIBRATION = "no_cal_date"
NO_MARK = "notset"


@dataclass(frozen=True, slots=True)
class DaemonIdentity:
    """What `Identify` says. ``maker``, ``model``, ``serial`` and ``firmware`` are those of the device behind it."""

    driver: str
    version: str
    """VERSION-CRC-DATE, as "1.11.1-462c978e-20240907"."""
    system: str
    maker: str
    model: str
    serial: str
    firmware: str
    averaging_ms: int = 1000
    quantities: tuple[bool, bool, bool, bool] = (True, True, True, True)
    """Whether it measures each of its columns."""
    accepted: bool = False
    """Whether SPEC accepted the device; only a compatibility profile says so."""
    tells_uncertainty: bool = False
    sets_ranges: bool = False
    channels: int = 1
    calibrated: str = NO_CALIBRATION


def identify_reply(of: DaemonIdentity) -> str:
    """Write the reply to `Identify`."""
    measured = [str(int(quantity)) for quantity in (*of.quantities, False, False, of.accepted)]
    device = ";".join(_field(part) for part in (of.maker, of.model, of.serial or "0", of.firmware or "0"))
    return ",".join(
        (
            *(_field(of.driver), str(of.averaging_ms), *measured),
            *(f"version={of.version}", f"OS={_field(of.system)}", "mode=power"),
            *(str(int(of.tells_uncertainty)), str(int(of.sets_ranges)), str(of.channels), "0", "0"),
            *(_field(of.calibrated), device),
        )
    )


def ranges_reply(channels: Sequence[ChannelRanges]) -> str:
    """Write the reply to `RR`: automatic (-1 unknown, 0, 1) and range (-1 unknown) of amperes, then volts."""
    fields = [field for channel in channels for part in (channel.amps, channel.volts) for field in _range(part)]
    return f"Ranges,{','.join(fields)}"


def _range(of: InputRange) -> tuple[str, str]:
    automatic = "-1" if of.auto is None else str(int(of.auto))
    return automatic, _figure(READ_ERROR if of.nominal is None else of.nominal)


def range_changed(letter: str) -> str:
    """Write the reply to `SR`, with the letter that was sent."""
    return f"Range {letter} changed"


def error_reply(reason: str) -> str:
    """Write a refusal; clients look for the word Error."""
    return f"Error: {reason}"


def starting(interval_ms: int, ramp: int) -> str:
    """Write the reply to `Go`."""
    return f"Starting untimed measurement, maximum {MOST_SAMPLES} samples at {interval_ms}ms with {ramp} rampup samples"


def last_header(count: int, channels: Sequence[int] = (), channel: int | None = None) -> str:
    """Write the first line of the reply to `RL`; ``channels`` are those that its lines hold beside their sum."""
    words = f"Last {count} samples"
    if channel is not None:
        return f"{words} from channel {channel}"
    return f"{words} from sum channel and channels {channels[0]} - {channels[-1]}" if channels else words


def sample_line(t_ns: int, groups: Iterable[Group]) -> str:
    """Write a sample as `RL` does: all groups one after the other, without a mark."""
    return ",".join(("Time", stamp(t_ns), *map(group_text, groups)))


def log_line(sample: Sample, mark: str, channels: Sequence[int] = ()) -> str:
    """Write a sample as the log file has it: the mark behind the first group, then each channel under its number.

    The order is that of the published logs of a WT330 (MLPerf Inference v1.0); power-dev finds no line in another one,
    and of a channel none under another number.
    """
    first, *others = sample.groups
    named = (f"Ch{number},{group_text(group)}" for number, group in zip(channels, others, strict=True))
    return ",".join(("Time", stamp(sample.t_ns), group_text(first), "Mark", mark, *named))


def standing_reply(measurement: Measurement | None) -> str:
    """Write the reply to `Wattmark`, which no other daemon knows: whose measurement it has, and how that stands.

    Its key, `none`, `running` or `stopped`, how many samples it has, how many of them no client has read, interval [ms]
    and mark.
    """
    if measurement is None:
        return "Wattmark,,none,0,0,0,"
    state = "running" if measurement.running else "stopped"
    count = len(measurement)
    unread = count - measurement.read
    return f"Wattmark,{measurement.key},{state},{count},{unread},{measurement.interval_ms},{measurement.mark}"


def aggregate_reply(name: str, aggregates: Sequence[Aggregate]) -> str:
    """Write the reply to `Watts`, `Temperature` or `Humidity`."""
    parts = (f"{','.join(map(_figure, of.figures))},{of.samples},{of.errors},{of.valid}" for of in aggregates)
    return f"{name},{','.join(parts)}"


def uncertainty_reply(aggregates: Sequence[UncertaintyAggregate]) -> str:
    """Write the reply to `Uncertainty`: fractions, and how many samples were above 1 %, valid and unknown."""
    return f"Uncertainty,{','.join(map(_uncertainty, aggregates))}"


def _uncertainty(of: UncertaintyAggregate) -> str:
    mean = f"{of.total / of.valid:.6f}" if of.valid else "-1.0"
    return f"{mean},{of.low:.6f},{of.high:.6f},{of.samples},{of.above},{of.valid},{of.unknown}"


def completed(of: Aggregate) -> str:
    """Write the console's summary of a measurement that ended."""
    mean, low, high = map(_figure, of.figures)
    return (
        f"Avg watts {mean}, min watts {low}, max watts {high}, "
        f"samples {of.samples}, errors {of.errors}, valid {of.valid}"
    )


def stamp(t_ns: int) -> str:
    """Write an instant [UTC ns] as daemons do, to the millisecond."""
    whole_ms = (t_ns + 500_000) // 1_000_000
    return f"{datetime.fromtimestamp(whole_ms // 1000, tz=UTC):%m-%d-%Y %H:%M:%S}.{whole_ms % 1000:03d}"


def clean(text: str) -> str:
    """Make one printable field of a text that a client sent."""
    return "".join(char if char.isprintable() and char.isascii() else "?" for char in text).replace(",", ";").strip()


def group_text(group: Group) -> str:
    """Write the values of one channel, as the reply to `R*` is."""
    return ",".join(f"{name},{_figure(value)}" for name, value in zip(COLUMNS, group, strict=True))


def _figure(value: float) -> str:
    """Write a value; -1 stands for one that could not be read, -2 for a sample that did not come."""
    return f"{-2.0 if value == MISSED else -1.0 if math.isnan(value) else value:.6f}"


def _field(text: str) -> str:
    return clean(" ".join(text.replace(";", " ").replace(",", " ").split())) or "0"
