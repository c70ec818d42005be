"""Input of the tests: the readings of one device over a time, and its declaration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from wattmark_drivers.catalogue import Declaration
from wattmark_drivers.reading import Channel, Quality, Reading

PHASES = ("", "_l1", "_l2", "_l3")
"""Endings of channel names: the whole device (or its only phase), then its phases."""
BEYOND = 1e30
"""No quantity of any device comes near; only misread registers do."""
Poll = dict[str, Reading]


@dataclass(frozen=True)
class MeterRecording:
    """Readings of one device in order of arrival.

    ``period_s`` is the time between polls (None: the device pushes); ``lost`` counts polls without an answer;
    ``options`` are the settings of the model in use.
    """

    declaration: Declaration
    channels: Sequence[Channel]
    readings: Sequence[Reading]
    period_s: float | None
    options: dict[str, str | int | float]
    lost: int = 0

    @cached_property
    def polls(self) -> list[Poll]:
        """Group the readings: a channel that comes again begins the next poll."""
        polls: list[Poll] = []
        for reading in self.readings:
            if not polls or reading.channel in polls[-1]:
                polls.append({})
            polls[-1][reading.channel] = reading
        return polls

    @cached_property
    def by_id(self) -> dict[str, Channel]:
        """Return the channels by name."""
        return {channel.id: channel for channel in self.channels}

    def has(self, *channels: str) -> bool:
        """Return whether the device has all these channels."""
        return all(channel in self.by_id for channel in channels)

    def series(self, channel: str) -> list[Reading]:
        """List a channel's numbers, implausible ones included, for they are what is examined."""
        return [reading for reading in self.readings if reading.channel == channel and examinable(reading)]

    def typical(self, channel: str) -> float | None:
        """Compute the median of a channel [its unit]; None without a finite reading."""
        values = [reading.value for reading in self.series(channel)]
        return median(values) if values else None

    def step(self, channel: str) -> float:
        """Return the step of a channel's last digit [its unit]; 0 where the maker does not state it."""
        channel_facts = self.by_id.get(channel)
        return (channel_facts.resolution or 0.0) if channel_facts else 0.0

    @property
    def duration_s(self) -> float:
        """Compute the time from the first to the last reading [s]."""
        if not self.readings:
            return 0.0
        stamps = [reading.t_ns for reading in self.readings]
        return (max(stamps) - min(stamps)) / 1e9


def examinable(reading: Reading) -> bool:
    """Return whether a reading holds a number that can be used in computations, good or not."""
    return abs(reading.value) < BEYOND and not reading.quality & Quality.INVALID


def is_plug(declaration: Declaration) -> bool:
    """Return whether a device is a plug or the like, in which nothing of the measurement can be set."""
    return declaration.protocol.engine in ("http", "mqtt", "kasa")


def label(ending: str) -> str:
    """Return the name of a phase in words, with a leading space; nothing for the whole device."""
    return f" {ending[1:].upper()}" if ending else ""
