"""What a measurement of a power daemon has: samples since `Go`, what they average to, what a client has read."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

MOST_SAMPLES = 500_000
"""Samples of a measurement; a daemon announces them in its answer to `Go` and stops there."""
READ_ERROR, MISSED = -1.0, -2.0
"""What stands in the place of a value that could not be read, and of a sample that did not come."""
FAILED = (MISSED, READ_ERROR)
LIMIT = 0.01
"""Uncertainty that counts as too large, as a fraction: 1 %."""
MOST_WATTS = 1e7
"""With what the smallest value begins; no sample is larger."""
Group = tuple[float, ...]
"""Values of one channel in the order of the daemon's columns; `READ_ERROR` for what is not measured."""
Outcome = Literal["good", "error", "over-range", "missed"]
POWER_COLUMNS = ("Watts", "Volts", "Amps", "PF")
CLIMATE_COLUMNS = ("Temperature", "Humidity")


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample: its stamp [UTC ns] and its groups, the sum first where there are several channels."""

    t_ns: int
    groups: tuple[Group, ...]
    outcome: Outcome = "good"


def add_up(channels: Sequence[Group]) -> Group:
    """Form the sum channel: watts are added, volts, amperes and power factor averaged; a part that failed fails it."""
    watts, *others = zip(*channels, strict=True)
    means = (_unless_failed(values, sum(values) / len(values)) for values in others)
    return (_unless_failed(watts, sum(watts)), *means)


def _unless_failed(values: Sequence[float], result: float) -> float:
    return next((failed for failed in FAILED if failed in values), result)


@dataclass(slots=True)
class Aggregate:
    """Mean and extremes of the valid values since `Go`, and how many there were."""

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
        """Return mean, lowest and highest; `READ_ERROR` each where nothing was valid."""
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
    columns: tuple[str, ...]
    channels: int
    """Groups of a sample, the sum included."""
    running: bool = True
    first_column: list[Aggregate] = field(init=False)
    """Of the watts, or the temperature, of each group, ramp-up excluded."""
    uncertainty: list[UncertaintyAggregate] = field(init=False)
    _further: dict[str, Aggregate] = field(init=False)
    """Of the other columns of the first group."""
    _t_ns: array[int] = field(init=False, default_factory=lambda: array("q"))
    _values: array[float] = field(init=False, default_factory=lambda: array("d"))

    def __post_init__(self) -> None:
        """Begin the counts of each group."""
        self.first_column = [Aggregate() for _ in range(self.channels)]
        self._further = {name: Aggregate() for name in self.columns[1:]}
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

    def of_column(self, name: str) -> Aggregate:
        """Return what a column of the first group averages to."""
        return self.first_column[0] if name == self.columns[0] else self._further[name]

    def _count(self, sample: Sample, uncertainty: Sequence[float | None]) -> None:
        for group, values in enumerate(sample.groups):
            valid = values[0] not in FAILED
            self.first_column[group].add(values[0], valid=valid)
            if valid:
                self.uncertainty[group].add(uncertainty[group])
        for aggregate, value in zip(self._further.values(), sample.groups[0][1:], strict=True):
            aggregate.add(value, valid=value not in FAILED)

    def sample(self, index: int) -> Sample:
        """Return a sample by its number."""
        width = len(self.columns)
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

    def count(self, measurement: Measurement) -> int:
        """Count the samples that were not read."""
        self._follow(measurement)
        return sum(end - begin for begin, end in self._spans)

    def take(self, measurement: Measurement, most: int | None = None) -> Iterator[Sample]:
        """Return unread samples in the order of their stamps, the newest ``most`` of them; None: all."""
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
        return (measurement.sample(index) for part in reversed(taken) for index in part)

    def _follow(self, measurement: Measurement) -> None:
        if measurement is not self._measurement:
            self._measurement, self._spans, self._known = measurement, [], 0
        if self._known < len(measurement):
            if self._spans and self._spans[-1][1] == self._known:
                self._spans[-1][1] = len(measurement)
            else:
                self._spans.append([self._known, len(measurement)])
            self._known = len(measurement)
