"""The daemon's own words: replies, sample lines and stamps, as real daemons write them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from wattmark_drivers.speakers.ptdaemon.ranges import ChannelRanges, InputRange
from wattmark_drivers.speakers.ptdaemon.samples import (
    MOST_SAMPLES,
    READ_ERROR,
    Aggregate,
    Group,
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
    """Whether it measures each of its columns: watts, volts, amperes, power factor; temperature, humidity."""
    accepted: bool = False
    """Whether SPEC accepted the device; only a compatibility profile says so."""
    climate: bool = False
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
            *(f"version={of.version}", f"OS={_field(of.system)}", f"mode={'temperature' if of.climate else 'power'}"),
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
    return automatic, f"{READ_ERROR if of.nominal is None else of.nominal:.6f}"


def range_changed(letter: str) -> str:
    """Write the reply to `SR`, with the letter that was sent."""
    return f"Range {letter} changed"


def error_reply(reason: str) -> str:
    """Write a refusal; clients look for the word Error."""
    return f"Error: {reason}"


def starting(interval_ms: int, ramp: int) -> str:
    """Write the reply to `Go`."""
    return f"Starting untimed measurement, maximum {MOST_SAMPLES} samples at {interval_ms}ms with {ramp} rampup samples"


def last_header(count: int, channels: int | None, channel: int | None = None) -> str:
    """Write the first line of the reply to `RL`; ``channels`` is how many lines hold beside their sum."""
    words = f"Last {count} samples"
    if channel is not None:
        return f"{words} from channel {channel}"
    return words if channels is None else f"{words} from sum channel and channels 1 - {channels}"


def sample_line(t_ns: int, columns: Sequence[str], groups: Iterable[Group]) -> str:
    """Write a sample as `RL` does: all groups one after the other, without a mark."""
    return ",".join(("Time", stamp(t_ns), *(_group(columns, group) for group in groups)))


def log_line(sample: Sample, columns: Sequence[str], mark: str) -> str:
    """Write a sample as the log file has it: the mark behind the first group, then each channel named.

    The order is that of the published logs of a WT330 (MLPerf Inference v1.0); power-dev finds no line in another one.
    """
    first, *channels = sample.groups
    named = (f"Ch{number},{_group(columns, group)}" for number, group in enumerate(channels, 1))
    return ",".join(("Time", stamp(sample.t_ns), _group(columns, first), "Mark", mark, *named))


def latest_reply(columns: Sequence[str], group: Group) -> str:
    """Write the reply to `R*`."""
    return _group(columns, group)


def aggregate_reply(name: str, aggregates: Sequence[Aggregate]) -> str:
    """Write the reply to `Watts`, `Temperature` or `Humidity`."""
    parts = (
        f"{','.join(f'{figure:.6f}' for figure in of.figures)},{of.samples},{of.errors},{of.valid}" for of in aggregates
    )
    return f"{name},{','.join(parts)}"


def uncertainty_reply(aggregates: Sequence[UncertaintyAggregate]) -> str:
    """Write the reply to `Uncertainty`: fractions, and how many samples were above 1 %, valid and unknown."""
    return f"Uncertainty,{','.join(map(_uncertainty, aggregates))}"


def _uncertainty(of: UncertaintyAggregate) -> str:
    mean = f"{of.total / of.valid:.6f}" if of.valid else "-1.0"
    return f"{mean},{of.low:.6f},{of.high:.6f},{of.samples},{of.above},{of.valid},{of.unknown}"


def completed(of: Aggregate) -> str:
    """Write the console's summary of a measurement that ended."""
    mean, low, high = of.figures
    return (
        f"Avg watts {mean:.6f}, min watts {low:.6f}, max watts {high:.6f}, "
        f"samples {of.samples}, errors {of.errors}, valid {of.valid}"
    )


def stamp(t_ns: int) -> str:
    """Write an instant [UTC ns] as daemons do, to the millisecond."""
    whole_ms = (t_ns + 500_000) // 1_000_000
    return f"{datetime.fromtimestamp(whole_ms // 1000, tz=UTC):%m-%d-%Y %H:%M:%S}.{whole_ms % 1000:03d}"


def clean(text: str) -> str:
    """Make one printable field of a text that a client sent."""
    return "".join(char if char.isprintable() and char.isascii() else "?" for char in text).replace(",", ";").strip()


def _group(columns: Sequence[str], group: Group) -> str:
    return ",".join(f"{name},{value:.6f}" for name, value in zip(columns, group, strict=True))


def _field(text: str) -> str:
    return clean(" ".join(text.replace(";", " ").replace(",", " ").split())) or "0"
