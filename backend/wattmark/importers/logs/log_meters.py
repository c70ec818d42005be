"""Which meters a log holds, and whether one of them measured the power of the whole server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from wattmark.core.errors import InputError
from wattmark.importers.logs.log_channel import POWER, LogChannel, quoted
from wattmark.importers.usual_period import UsualPeriod, as_period_s
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
    steps: UsualPeriod = field(default_factory=UsualPeriod)
    known_s: float | None = None
    """Time between two values where their stamps do not tell it: they were cut, or the log declares a shorter one."""

    def add(self, t_ns: NDArray[np.int64], *, steps: bool) -> None:
        """Count values; ``steps``: and the time between them."""
        if not len(t_ns):
            return
        if steps:
            self.steps.add(t_ns)
        self.count += len(t_ns)
        self.first_ns = min(self.first_ns, int(t_ns.min()))
        self.last_ns = max(self.last_ns, int(t_ns.max()))

    @property
    def period_s(self) -> float:
        """Return the time between two values [s], as the record of a meter may hold it."""
        if self.known_s is not None:
            return as_period_s(self.known_s)
        return self.steps.period_s or as_period_s((self.last_ns - self.first_ns) / 1e9 / max(self.count - 1, 1))


@dataclass(frozen=True, slots=True)
class LogMeters:
    """The meters of a log, and what was decided about them."""

    meters: tuple[MeterRecord, ...]
    notes: tuple[str, ...]


def meters_of(
    log_channels: Sequence[LogChannel], counts: Mapping[int, ChannelCount], chosen: str | None, offered: tuple[str, ...]
) -> LogMeters:
    """Describe the meters of a log, of which a person may have ``chosen`` one of the ``offered`` series.

    Raises `InputError` where that is not there.

    One source that measured a whole server decides the result. Several might belong to several servers: none does then.
    """
    channels = [(channel, counts[number]) for number, channel in enumerate(log_channels) if number in counts]
    whole = [channel for channel, _ in channels if channel.id == POWER and channel.stands != "part"]
    if chosen is not None and len(whole) != 1:
        raise _not_one(chosen, offered, whole)
    meters = []
    for source in dict.fromkeys(channel.source for channel, _ in channels if not is_host(channel.source)):
        of_source = [(channel, count) for channel, count in channels if channel.source == source]
        meters.append(_meter(source, of_source, decides=len(whole) == 1 and whole[0].source == source))
    return LogMeters(tuple(meters), _notes(chosen, offered, whole, [channel for channel, _ in channels]))


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


def _not_one(chosen: str, offered: tuple[str, ...], whole: list[LogChannel]) -> InputError:
    asked = f"{chosen!r:.80}"
    if whole:
        names = ", ".join(channel.source for channel in whole[:_MOST_NAMED])
        return InputError(f"{asked} names {len(whole)} series of the log: {names}.", "Name more of its tags.")
    names = quoted(offered) or "none whose name says power"
    return InputError(f"The log has no series {asked}.", f"It has: {names}.")


def _notes(
    chosen: str | None, offered: tuple[str, ...], whole: list[LogChannel], channels: list[LogChannel]
) -> tuple[str, ...]:
    if len(whole) == 1:
        by = "as the person who imported it said" if chosen is not None else "as the log says"
        return (f"{whole[0].label or whole[0].source} is taken as the power of the server, {by}.",)
    if whole:
        names = ", ".join(channel.source for channel in whole[:_MOST_NAMED])
        return (f"The log has the power of {len(whole)} machines ({names} ...): none decides a result.",)
    if any(channel.quantity == "power" for channel in channels):
        more = " ..." * (len(offered) > _MOST_NAMED)
        said = f" Where one is, say so with --power: {quoted(offered[:_MOST_NAMED])}{more}."
        return (f"No series of the log is known to be the power of a whole server.{said if offered else ''}",)
    return ("The log holds no power.",)
