"""Stamps that a logger cut to whole seconds: a property of the log, and no silence of its meter.

A meter that is read once a second, give or take, and whose stamps lose their decimals seems to give two readings in one
second and none in the next. One that is read a little slower, as by a loop that sleeps a second, seems to skip one now
and then, evenly. No reading is missing there: each was taken within the second after its stamp.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SECOND_NS = 10**9
_SLOWEST, _FASTEST = 0.9, 1.02
"""Readings a second over the time without long steps; more would be another rate, or repeated lines."""
_SLOWEST_EVEN = 1 / 1.5
"""The same where steps of 2 s come evenly; slower, most steps are as long, and none of them seems to miss one."""
_LEAST_SPACINGS, _MOST_SPREAD = 5, 0.1
"""Spacings of steps of 2 s, and their variance over the square of their mean: 0 for a rhythm, 1 for chance losses."""
_NEAR = 10
"""Lines about a repeated stamp among which a step of 2 s shows that readings only moved."""
_MOST_UNPAIRED = 0.1
_MOST_REPEATED = 0.1
"""Repeated lines for each stamp that seems cut; with more, lines were written twice, and others were lost."""
_BY_CHANCE = 2.0
"""How many times as often lines of one stamp are the same as neighbours have the same values, at most."""
_SMOOTHED = 11
"""Lines over which the instants of readings are evened out, before each is held within its second."""
_LEAST_NS = 1_000_000
_TOP_NS = SECOND_NS - 10 * _LEAST_NS


@dataclass(slots=True)
class CutStamps:
    """Counts of the steps between the stamps of a log; block by block, in the order of its lines."""

    readings: int = 0
    equal: int = 0
    """Stamps equal to the one before."""
    two_seconds: int = 0
    """Steps of 2 s."""
    long_s: float = 0.0
    """Time in steps of more than 2 s: true silences."""
    longest_s: float = 0.0
    repeated: int = 0
    """Lines that are the same as the one before, byte for byte, or as another that counts in their place."""
    same_values: int = 0
    """Lines with the values of the one before at another stamp, as a steady load gives them."""
    _long: int = 0
    _latest_double: int | None = None
    """Line of the last step of 2 s."""
    _spacings: int = 0
    _sum_of_spacings: int = 0
    _sum_of_squares: int = 0
    _unpaired: int = 0
    _sound: bool = True
    _first_ns: int | None = None
    _last_ns: int = 0

    def add(self, t_ns: NDArray[np.int64]) -> None:
        """Add stamps that follow the others."""
        if not len(t_ns):
            return
        joined = t_ns if self._first_ns is None else np.concatenate((np.array([self._last_ns], np.int64), t_ns))
        step = np.diff(joined)
        equal, double = step == 0, step == 2 * SECOND_NS
        long_ns = step[step > 2 * SECOND_NS]
        self._sound = (
            self._sound
            and not np.any(t_ns % SECOND_NS)
            and not np.any(step < 0)
            and not np.any(equal[1:] & equal[:-1])  # three in one second are another rate
        )
        self._space(np.flatnonzero(double) + self.readings)
        self.equal += int(np.count_nonzero(equal))
        self.two_seconds += int(np.count_nonzero(double))
        if equal.any():
            near = np.convolve(double, np.ones(2 * _NEAR + 1, dtype=np.int64), mode="full")[_NEAR:][: len(step)] > 0
            self._unpaired += int(np.count_nonzero(equal & ~near))
        self.long_s += float(long_ns.sum()) / SECOND_NS
        self._long += len(long_ns)
        self.longest_s = max(self.longest_s, float(step.max(initial=0)) / SECOND_NS)
        self.readings += len(t_ns)
        self._first_ns = int(t_ns[0]) if self._first_ns is None else self._first_ns
        self._last_ns = int(t_ns[-1])

    def _space(self, lines: NDArray[np.int64]) -> None:
        """Add the spacings of steps of 2 s, by their lines."""
        if not len(lines):
            return
        before = () if self._latest_double is None else (self._latest_double,)
        spacing = np.diff(np.concatenate((np.array(before, np.int64), lines))).tolist()
        self._spacings += len(spacing)
        self._sum_of_spacings += sum(spacing)
        self._sum_of_squares += sum(lines_apart**2 for lines_apart in spacing)
        self._latest_double = int(lines[-1])

    @property
    def _even(self) -> bool:
        """Return whether the steps of 2 s come as evenly as only a rhythm makes them, not chance."""
        if self._spacings < _LEAST_SPACINGS:
            return False
        mean = self._sum_of_spacings / self._spacings
        return self._sum_of_squares / self._spacings - mean**2 <= _MOST_SPREAD * mean**2

    @property
    def period_s(self) -> float:
        """Compute the mean time between readings, true silences excluded [s]."""
        steps = self.readings - 1 - self._long
        span_s = 0.0 if self._first_ns is None else (self._last_ns - self._first_ns) / SECOND_NS
        return (span_s - self.long_s) / steps if steps > 0 and span_s > self.long_s else 1.0

    @property
    def _are_repeated(self) -> bool:
        """Return whether lines stand twice by more than a steady load explains."""
        chance = _BY_CHANCE * self.same_values / max(self.readings - self.equal, 1)
        return self.repeated > max(_MOST_REPEATED * (self.equal + self.two_seconds), chance * self.equal)

    @property
    def are_cut(self) -> bool:
        """Return whether equal stamps and steps of 2 s come from stamps cut to the second, and from nothing missing."""
        if not self._sound or self._unpaired > _MOST_UNPAIRED * self.equal or self._are_repeated:
            return False
        slowest = _SLOWEST_EVEN if self._even else _SLOWEST
        return (self.equal > 0 or self._even) and slowest <= 1 / self.period_s <= _FASTEST

    @property
    def note(self) -> str:
        """Return one sentence on what was found and done."""
        read = (
            f"The log cuts its stamps to whole seconds: {self.equal} of {self.readings} are equal to the one before, "
            f"{self.two_seconds} steps are 2 s long, at {1 / self.period_s:.2f} readings a second. They were spread "
            "within their seconds; the window is known to a second at each end."
        )
        # Steps of 2 s that come evenly, and no repeated stamp, look the same where every tenth line is missing.
        return read if self.equal else f"{read} If lines are missing as evenly, export the log with all of them."


def cut_stamps(t_ns: NDArray[np.int64]) -> CutStamps:
    """Judge the stamps of a log in the order of its lines [ns]."""
    counted = CutStamps()
    counted.add(t_ns)
    return counted


def spread(t_ns: NDArray[np.int64], after_ns: int | None = None) -> NDArray[np.int64]:
    """Spread stamps that were cut to the second, each within its own; all of them after ``after_ns`` [ns]."""
    if not len(t_ns):
        return t_ns
    kernel = np.ones(_SMOOTHED)
    offset = (t_ns - t_ns[0]).astype(np.float64) + SECOND_NS / 2
    line = np.linspace(offset[0], offset[-1], len(t_ns))  # smoothed about it, the first and last lines do not move
    evened = line + np.convolve(offset - line, kernel, "same") / np.convolve(np.ones(len(t_ns)), kernel, "same")
    if len(t_ns) < _SMOOTHED:
        evened = offset
    within = np.clip(evened.astype(np.int64) + t_ns[0], t_ns, t_ns + _TOP_NS)
    if after_ns is not None:
        within[0] = max(within[0], after_ns + _LEAST_NS)
    rank = np.arange(len(t_ns), dtype=np.int64) * _LEAST_NS
    return np.asarray(np.maximum.accumulate(within - rank) + rank)
