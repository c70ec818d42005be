"""What a measurement of a power daemon has: samples since `Go`, what they average to, what a client has read."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from wattmark_drivers.speakers.ptdaemon.ranges import Input

MOST_SAMPLES = 500_000
"""Samples of a measurement; a daemon announces them in its answer to `Go` and stops there."""
READ_ERROR, MISSED = math.nan, -math.inf
"""In the place of a value that could not be read, and of a sample that did not come; the protocol says -1 and -2, which
a feed-in can measure too."""
LIMIT = 0.01
"""Uncertainty that counts as too large, as a fraction: 1 %."""
MOST_WATTS = 1e7
"""With what the smallest value begins; no sample is larger."""
Group = tuple[float, ...]
"""Values of one channel in the order of `COLUMNS`; `READ_ERROR` for what is not measured."""
Outcome = Literal["good", "error", "over-range", "missed"]
QUANTITIES = {"Watts": "power", "Volts": "voltage", "Amps": "current", "PF": "power_factor"}
"""The quantity of each column."""
COLUMNS = tuple(QUANTITIES)


@dataclass(frozen=True, slots=True)
class Exceeded:
    """Which range is exceeded, as far as the device says: the channel, counted from 0, and its input."""

    channel: int = 0
    which: Input | None = None


NOT_SAID = Exceeded()


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample: its stamp [UTC ns] and its groups, the sum first where there are several channels."""

    t_ns: int
    groups: tuple[Group, ...]
    outcome: Outcome = "good"
    exceeded: Exceeded = NOT_SAID
    """Which range, where one is exceeded."""


def group_of(values: Mapping[str, float]) -> Group:
    """Arrange the values of a channel, by quantity, as the columns; `READ_ERROR` for what is not measured."""
    measured = (values.get(quantity, READ_ERROR) for quantity in QUANTITIES.values())
    return tuple(value if math.isfinite(value) else READ_ERROR for value in measured)


def add_up(channels: Sequence[Group]) -> Group:
    """Form the sum channel: watts are added, volts, amperes and power factor averaged; a part that failed fails it."""
    watts, *others = zip(*channels, strict=True)
    means = (_unless_failed(values, sum(values) / len(values)) for values in others)
    return (_unless_failed(watts, sum(watts)), *means)


def _unless_failed(values: Sequence[float], result: float) -> float:
    return next((value for value in values if not math.isfinite(value)), result)


@dataclass(slots=True)
class Aggregate:
    """Mean and extremes of the valid watts since `Go`, and how many there were."""

    samples: int = 0
    valid: int = 0
    total: float = 0.0
    low: float = math.inf
    high: float = -math.inf

    def add(self, value: float, *, valid: bool) -> None:
        """Count a value."""
        self.samples += 1
        if valid:
            self.valid += 1
            self.total += value
            self.low, self.high = min(self.low, value), max(self.high, value)

    @property
    def errors(self) -> int:
        """Count what was no value."""
        return self.samples - self.valid

    @property
    def figures(self) -> tuple[float, float, float]:
        """Return mean, lowest and highest [W]; `READ_ERROR` each where nothing was valid."""
        if not self.valid:
            return READ_ERROR, READ_ERROR, READ_ERROR
        return self.total / self.valid, self.low, self.high


@dataclass(slots=True)
class UncertaintyAggregate:
    """Mean and extremes of the uncertainty of the samples [fraction of reading]; those of unknown one are counted."""

    samples: int = 0
    above: int = 0
    valid: int = 0
    total: float = 0.0
    low: float = MOST_WATTS
    high: float = 0.0

    def add(self, fraction: float | None) -> None:
        """Count a sample; None: its uncertainty is not known."""
        self.samples += 1
        if fraction is not None:
            self.valid += 1
            self.above += fraction > LIMIT
            self.total += fraction
            self.low, self.high = min(self.low, fraction), max(self.high, fraction)

    @property
    def unknown(self) -> int:
        """Count the samples of unknown uncertainty."""
        return self.samples - self.valid


@dataclass(slots=True)
class Measurement:
    """A measurement since `Go`; ended samples stay until the next one, so that they can be read after `Stop`."""

    interval_ms: int
    ramp: int
    mark: str
    channels: int
    """Groups of a sample, the sum included."""
    key: str = ""
    """Tells it from every other measurement."""
    running: bool = True
    read: int = 0
    """Samples up to which some client has read all."""
    watts: list[Aggregate] = field(init=False)
    """Of each group, ramp-up excluded."""
    uncertainty: list[UncertaintyAggregate] = field(init=False)
    _t_ns: array[int] = field(init=False, default_factory=lambda: array("q"))
    _values: array[float] = field(init=False, default_factory=lambda: array("d"))

    def __post_init__(self) -> None:
        """Begin the counts of each group."""
        self.watts = [Aggregate() for _ in range(self.channels)]
        self.uncertainty = [UncertaintyAggregate() for _ in range(self.channels)]

    def __len__(self) -> int:
        return len(self._t_ns)

    @property
    def full(self) -> bool:
        """Return whether it has as many samples as a daemon takes."""
        return len(self) >= MOST_SAMPLES

    def add(self, sample: Sample, uncertainty: Sequence[float | None]) -> None:
        """Take a sample with the uncertainty of the power of each group; ramp-up samples enter no average."""
        if len(self) >= self.ramp:
            self._count(sample, uncertainty)
        self._t_ns.append(sample.t_ns)
        for values in sample.groups:
            self._values.extend(values)

    def _count(self, sample: Sample, uncertainty: Sequence[float | None]) -> None:
        for group, values in enumerate(sample.groups):
            valid = math.isfinite(values[0])
            self.watts[group].add(values[0], valid=valid)
            if valid:
                self.uncertainty[group].add(uncertainty[group])

    def sample(self, index: int) -> Sample:
        """Return a sample by its number."""
        width = len(COLUMNS)
        first = index * width * self.channels
        groups = tuple(
            tuple(self._values[first + group * width : first + (group + 1) * width]) for group in range(self.channels)
        )
        return Sample(self._t_ns[index], groups)


class Unread:
    """Which samples of a measurement one client has not read: what it asks for is gone afterwards, and nothing else."""

    def __init__(self) -> None:
        self._measurement: Measurement | None = None
        self._spans: list[list[int]] = []
        self._known = 0
        self._taken: list[range] = []
        """What was taken last."""

    def count(self, measurement: Measurement) -> int:
        """Count the samples that were not read."""
        self._follow(measurement)
        return sum(end - begin for begin, end in self._spans)

    def take(self, measurement: Measurement, most: int | None = None) -> Iterator[Sample]:
        """Return unread samples in the order of their stamps, the newest ``most`` of them; None: all.

        Once they were sent, `confirm` says so.
        """
        left = self.count(measurement) if most is None else most
        taken: list[range] = []
        while left and self._spans:
            span = self._spans[-1]
            begin = max(span[0], span[1] - left)
            taken.append(range(begin, span[1]))
            left -= span[1] - begin
            span[1] = begin
            if span[0] == span[1]:
                self._spans.pop()
        taken.reverse()
        self._taken = taken
        return (measurement.sample(index) for part in taken for index in part)

    def confirm(self) -> None:
        """Count as read what was taken last: until a client was sent it, another measurement must not clear it."""
        measurement = self._measurement
        if measurement is None:
            return
        for part in self._taken:
            if part.start <= measurement.read:
                measurement.read = max(measurement.read, part.stop)
        if not self._spans:
            measurement.read = max(measurement.read, self._known)

    def _follow(self, measurement: Measurement) -> None:
        if measurement is not self._measurement:
            self._measurement, self._spans, self._known = measurement, [], 0
        if self._known < len(measurement):
            if self._spans and self._spans[-1][1] == self._known:
                self._spans[-1][1] = len(measurement)
            else:
                self._spans.append([self._known, len(measurement)])
            self._known = len(measurement)
