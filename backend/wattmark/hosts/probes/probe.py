"""One kind of quantity of a machine: which files it wants and what they say."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from wattmark_drivers.reading import Channel

from wattmark.hosts.probes.files import Texts

Values = Mapping[str, float]
"""Values by channel id; NaN where a file has become unreadable, absent where no time has passed."""


@dataclass(frozen=True, slots=True)
class Taken:
    """When files were read: the middle between question and answer [monotonic s], and half of what lies between [s]."""

    at_s: float
    u_s: float = 0.0


class Probe(Protocol):
    """Reads some channels from some files."""

    @property
    def channels(self) -> Sequence[Channel]:
        """List the channels that it measures."""
        ...

    @property
    def paths(self) -> Sequence[str]:
        """List the files that it needs at each reading."""
        ...

    def values(self, texts: Texts, taken: Taken) -> Values:
        """Compute the channels' values from the files."""
        ...


class Rate:
    """The change per second of a number that only grows."""

    def __init__(self) -> None:
        self._before: tuple[float, float] | None = None

    def of(self, value: float, at_s: float) -> float | None:
        """Compute the rate since the previous call [1/s]; None at the first, NaN when the number ran backwards."""
        before, self._before = self._before, (value, at_s)
        if before is None or at_s <= before[1] or not math.isfinite(value + before[0]):
            return None if math.isfinite(value) else math.nan
        return (value - before[0]) / (at_s - before[1]) if value >= before[0] else math.nan


def number(texts: Texts, path: str) -> float:
    """Read a file of one number; NaN where it is unreadable."""
    try:
        return float(texts[path])
    except (KeyError, ValueError):
        return math.nan


def by_number(paths: Iterable[str]) -> list[str]:
    """Sort paths by the numbers in them, so that cpu10 comes after cpu9."""
    return sorted(paths, key=lambda path: [int(digits) for digits in re.findall(r"\d+", path)])
