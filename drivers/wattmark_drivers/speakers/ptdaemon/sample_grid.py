"""Which readings make up which sample: one sample per interval, as regular as the meter, and a gap where none came."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from wattmark_drivers.speakers.ptdaemon.samples import (
    COLUMNS,
    MISSED,
    NOT_SAID,
    READ_ERROR,
    Exceeded,
    Group,
    Outcome,
    Sample,
)

Trouble = Literal["error", "over-range"]
FOLLOWED = 16
"""The grid of samples follows a regular meter by this part of each deviation, which smooths the doubt of its stamps."""
REGULAR_NS = 50_000_000
"""A reading this close to the grid is one of a regular meter, seen through queries that take some time."""
STEADY = 3
"""After so many readings near the grid the meter is a regular one: a reading later than half an interval is another."""
SLIP = 10
"""Other readings move the grid by this part of an update at most."""
FAILED, ABSENT = (READ_ERROR,) * len(COLUMNS), (MISSED,) * len(COLUMNS)
"""A channel without values, and one of a sample that did not come."""


@dataclass(frozen=True, slots=True)
class Observation:
    """A reading of the meter: its stamp [UTC ns], the channels without their sum, and why there are no values."""

    t_ns: int
    groups: tuple[Group, ...] = ()
    trouble: Trouble | None = None
    exceeded: Exceeded = NOT_SAID
    """Which range, where one is exceeded."""


class SampleGrid:
    """Collects readings into samples; times are monotonic [ns], stamps UTC.

    A sample is the mean of the readings of its interval. It ends with the reading nearest to its due time, so that each
    reading of a meter that updates once per interval is one sample, whatever its clock does. A reading that comes after
    the end of its sample enters no other one: it is counted.
    """

    def __init__(self, begun_ns: int, interval_ns: int, update_ns: int, channels: int) -> None:
        self._interval_ns = interval_ns
        self._update_ns = min(update_ns, interval_ns) if update_ns else interval_ns
        self._patience_ns = max(interval_ns, update_ns)
        self._first_ns = begun_ns + self._update_ns // 2
        self._from_ns = self._first_ns
        """Readings from then on belong to the present sample."""
        self._due_ns = begun_ns + interval_ns
        self._locked = False
        self._steady = 0
        """Samples in a row that a reading near the grid ended."""
        self._channels = channels
        self._collected: list[tuple[Group, ...]] = []
        self._trouble: Trouble | None = None
        self._exceeded = NOT_SAID
        self.late = 0
        """Readings that came after the end of their sample."""

    @property
    def late_ns(self) -> int:
        """Return when a sample that did not come is a missed one [monotonic ns]."""
        return self._due_ns + self._patience_ns

    def take(self, at_ns: int, observation: Observation) -> list[Sample]:
        """Take a reading of that instant; return the samples that it completes, those missed before it included."""
        samples = self.missed(at_ns, observation.t_ns)
        if at_ns < self._from_ns:
            self.late += at_ns >= self._first_ns  # what was measured before Go is not late
            return samples
        while self._steady >= STEADY and at_ns - self._due_ns > self._interval_ns // 2:
            samples.append(self._pass(at_ns, observation.t_ns))
        if observation.trouble is None:
            self._collected.append(observation.groups)
        elif self._trouble != "over-range":
            self._trouble, self._exceeded = observation.trouble, observation.exceeded
        apart_ns = at_ns - self._due_ns
        if apart_ns < -(self._update_ns // 2):
            return samples
        regular = self._locked and abs(apart_ns) <= min(REGULAR_NS, self._update_ns // SLIP)
        samples.append(self._close(observation.t_ns - (apart_ns if regular else 0)))
        most_ns = self._update_ns // SLIP
        slip_ns = apart_ns // FOLLOWED if regular else max(-most_ns, min(most_ns, apart_ns))
        if not self._locked and abs(apart_ns) <= self._update_ns:
            slip_ns = apart_ns
        self._locked = True
        self._steady = self._steady + 1 if regular else 0
        self._due_ns += self._interval_ns + slip_ns
        self._from_ns = at_ns
        return samples

    def missed(self, now_ns: int, now_utc_ns: int) -> list[Sample]:
        """Return the samples whose time has passed: what was read of their interval, or none."""
        samples: list[Sample] = []
        while now_ns > self.late_ns:
            samples.append(self._pass(now_ns, now_utc_ns))
        return samples

    def _pass(self, now_ns: int, now_utc_ns: int) -> Sample:
        """End a sample at its due time, without the reading that should have ended it."""
        sample = self._close(now_utc_ns - (now_ns - self._due_ns))
        self._from_ns = self._due_ns + self._update_ns // 2
        self._due_ns += self._interval_ns
        return sample

    def _close(self, t_ns: int) -> Sample:
        collected, self._collected = self._collected, []
        trouble, self._trouble = self._trouble, None
        if trouble == "over-range" or (trouble and not collected):
            return Sample(t_ns, (FAILED,) * self._channels, trouble, self._exceeded)
        if not collected:
            return Sample(t_ns, (ABSENT,) * self._channels, "missed")
        groups = tuple(_mean([groups[channel] for groups in collected]) for channel in range(self._channels))
        outcome: Outcome = "error" if any(math.isnan(group[0]) for group in groups) else "good"
        return Sample(t_ns, groups, outcome)


def _mean(groups: Sequence[Group]) -> Group:
    """Average each column over the readings that have it."""
    if len(groups) == 1:
        return groups[0]
    columns = ([value for value in column if math.isfinite(value)] for column in zip(*groups, strict=True))
    return tuple(sum(values) / len(values) if values else READ_ERROR for values in columns)
