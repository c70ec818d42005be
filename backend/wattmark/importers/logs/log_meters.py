"""Which meters a log holds, and whether one of them measured the power of the whole server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wattmark.core.errors import InputError
from wattmark.importers.local_time import mean_period_s
from wattmark.importers.logs.log_reader import POWER, LogChannel, LogReader, quoted
from wattmark.results.series import is_host
from wattmark.runs.channels import total_channel
from wattmark.runs.record import MeterRecord

_MOST_NAMED = 8


@dataclass(slots=True)
class ChannelCount:
    """How many values a channel has, and from when to when [ns UTC]."""

    count: int = 0
    first_ns: int = 2**63 - 1
    last_ns: int = 0

    def add(self, t_ns: NDArray[np.int64]) -> None:
        """Count values."""
        if not len(t_ns):
            return
        self.count += len(t_ns)
        self.first_ns = min(self.first_ns, int(t_ns.min()))
        self.last_ns = max(self.last_ns, int(t_ns.max()))

    @property
    def period_s(self) -> float:
        """Return the mean distance of two values [s]."""
        return mean_period_s(self.first_ns, self.last_ns, self.count)


@dataclass(frozen=True, slots=True)
class LogMeters:
    """The meters of a log, and what was decided about them."""

    meters: tuple[MeterRecord, ...]
    notes: tuple[str, ...]


def meters_of(reader: LogReader, counts: Mapping[int, ChannelCount]) -> LogMeters:
    """Describe the meters of a log. Raises `InputError` where the series that a person chose is not there.

    One source that measured a whole server decides the result. Several might belong to several servers: none does then.
    """
    channels = [(channel, counts[number]) for number, channel in enumerate(reader.channels) if number in counts]
    whole = [channel for channel, _ in channels if channel.id == POWER and channel.stands != "part"]
    if reader.choices.power is not None and len(whole) != 1:
        raise _not_one(reader, whole)
    meters = []
    for source in dict.fromkeys(channel.source for channel, _ in channels if not is_host(channel.source)):
        of_source = [(channel, count) for channel, count in channels if channel.source == source]
        meters.append(_meter(source, of_source, decides=len(whole) == 1 and whole[0].source == source))
    return LogMeters(tuple(meters), _notes(reader, whole, [channel for channel, _ in channels]))


def _meter(source: str, of_source: list[tuple[LogChannel, ChannelCount]], *, decides: bool) -> MeterRecord:
    power = [item for item in of_source if item[0].quantity == "power"]
    total = total_channel(item[0].id for item in power)
    channel, count = next((item for item in power if item[0].id == total), (power or of_source)[0])
    return MeterRecord(
        name=source,
        model="unknown",
        title=f"{source}, from a log",
        role="bmc" if decides and channel.stands == "bmc" else "wall" if decides else "secondary",
        partial=not decides,
        kind=channel.kind.value,
        period_s=count.period_s,
        not_traceable="The log does not name the meter.",
    )


def _not_one(reader: LogReader, whole: list[LogChannel]) -> InputError:
    asked = f"{reader.choices.power!r:.80}"
    if whole:
        names = ", ".join(channel.source for channel in whole[:_MOST_NAMED])
        return InputError(f"{asked} names {len(whole)} series of the log: {names}.", "Name more of its tags.")
    offered = quoted(reader.offered) or "none whose name says power"
    return InputError(f"The log has no series {asked}.", f"It has: {offered}.")


def _notes(reader: LogReader, whole: list[LogChannel], channels: list[LogChannel]) -> tuple[str, ...]:
    if len(whole) == 1:
        by = "as the person who imported it said" if reader.choices.power is not None else "as the log says"
        return (f"{whole[0].label or whole[0].source} is taken as the power of the server, {by}.",)
    if whole:
        names = ", ".join(channel.source for channel in whole[:_MOST_NAMED])
        return (f"The log has the power of {len(whole)} machines ({names} ...): none decides a result.",)
    if any(channel.quantity == "power" for channel in channels):
        offered = quoted(reader.offered[:_MOST_NAMED])
        said = f" Where one is, say so with --power: {offered}{' ...' * (len(reader.offered) > _MOST_NAMED)}."
        return (f"No series of the log is known to be the power of a whole server.{said if offered else ''}",)
    return ("The log holds no power.",)
