"""Stamps of a log in the order of its lines: one judgement for every kind of log."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from wattmark.core.errors import InputError
from wattmark.importers.log_lines import clock_steps, require_stamps_in_order
from wattmark.importers.unread import Unread
from wattmark.runs.record import ImportedVerdict

YEAR_2000_NS = 946_684_800 * 10**9
"""No log that is imported is older; a clock that was never set is."""
REMEDY = (
    "Sort the lines by time if they are not; if several series or logs stand in the file, give one; if a clock was set "
    "while it recorded, import what lies before or after."
)
_HALF_DAY_S, _NEAR_HALF_DAY_S = 43_200.0, 900.0
_HALF_DAY = (
    "The stamps step back by 12 h: a clock of 12 hours that writes no am or pm. Export the log with 24 hours; if a "
    "clock was set while it recorded, import what lies before or after."
)
_NEVER_NS = -1
_DAY_NS = 86_400 * 10**9
_SILENCE = 1.5
"""Typical steps that leave room for a reading that was written late."""
_MOST_SILENCES = 100_000
_LOOKED_AT = 4000
"""Stamps among which series that come by turns are looked for, again and again."""
_FEWEST = 8
"""Lines in which a pattern can be seen."""
_MOST_IN_TURN = 4
_EVEN = 0.05
_UNEVEN = 0.2
_MOST_DIGITS = 2.5
"""A step of 1.5 s is written as 1 s and 2 s by turns where stamps are whole seconds."""
_KEPT = 0.95
"""Share of the lines that follow a pattern."""
_OFTEN = 0.2
"""Share of the steps that differ from the one before, at least, where series come by turns."""
_SHORT = 0.1
"""A short step is at most this share of a long one."""

Stamps = NDArray[np.int64]
Flags = NDArray[np.bool_]


CLOCK_NOT_SET = "its stamp lies before the year 2000, as of a clock that was not set"


def require_set_clock(t_ns: int) -> None:
    """Refuse a stamp of a clock that was never set. Raises ValueError."""
    if t_ns < YEAR_2000_NS:
        raise ValueError(CLOCK_NOT_SET)


@dataclass(slots=True)
class _Series:
    latest_ns: int = _NEVER_NS
    before_ns: int = _NEVER_NS
    lines: int = 0
    not_later: Unread = field(default_factory=Unread)
    back: int = 0
    longest_back_s: float = 0.0
    first_back: int = 0
    first_ns: int = _NEVER_NS
    silence: tuple[int, int] = (0, 0)
    """Longest step forward [ns], and the line after it."""
    typical_ns: float = 0.0
    silences: list[tuple[int, int]] = field(default_factory=list)
    """Steps that leave room for late readings, in the order of time."""

    @property
    def is_split(self) -> bool:
        """Return whether a single silence of days is most of the series, as after a clock was set."""
        silence_ns = self.silence[0]
        return self.lines > 2 and silence_ns > _DAY_NS and 2 * silence_ns > self.latest_ns - self.first_ns


class StampOrder:
    """Finds stamps that step back or repeat within their series, block by block.

    ``late``: lines may come later than their time, as a buffer hands them on; one that fits into a silence is in order.
    ``where`` gives file and number of a line where a log has several files.
    """

    def __init__(self, file: str, *, late: bool = False, where: Callable[[int], tuple[str, int]] | None = None) -> None:
        self._late = late
        self._where = where or (lambda line: (file, line))
        self._series: dict[int, _Series] = {}

    def place(
        self, series: int, t_ns: Stamps, lines: NDArray[np.int64], text_of: Callable[[int], str] = lambda _: ""
    ) -> tuple[Stamps, Flags]:
        """Return the stamps, each not later one set to the latest before it, and which those are."""
        state = self._series.setdefault(series, _Series())
        if not len(t_ns):
            return t_ns, np.zeros(0, np.bool_)
        state.lines += len(t_ns)
        latest = np.maximum.accumulate(np.concatenate(([state.latest_ns], t_ns)))
        wrong = t_ns <= latest[:-1]
        before = np.concatenate(([state.before_ns], t_ns[:-1]))
        placed = np.maximum(t_ns, latest[:-1])
        if state.first_ns == _NEVER_NS:
            state.first_ns = latest[0] = int(t_ns[0])
        steps_ns = np.diff(latest)
        if int(steps_ns.max()) > state.silence[0]:
            state.silence = int(steps_ns.max()), self._where(int(lines[int(steps_ns.argmax())]))[1]
        if self._late:
            self._note_silences(state, latest, steps_ns)
        for place in np.flatnonzero(wrong).tolist():
            instant = int(t_ns[place])
            file, line = self._where(int(lines[place]))
            if self._late and _fill(state, instant):
                wrong[place], placed[place] = False, instant
                continue
            if instant < before[place]:
                state.back += 1
                state.first_back = state.first_back or line
                state.longest_back_s = max(state.longest_back_s, (int(before[place]) - instant) / 1e9)
            why = "its stamp is " + ("that" if instant == latest[place] else "before that") + " of an earlier line"
            state.not_later.add(file, line, text_of(place), why)
        state.latest_ns, state.before_ns = int(latest[-1]), int(t_ns[-1])
        return placed, wrong

    def _note_silences(self, state: _Series, latest: Stamps, steps: Stamps) -> None:
        if not state.typical_ns and np.any(steps > 0):
            state.typical_ns = float(np.median(steps[steps > 0]))
        for place in np.flatnonzero(steps > _SILENCE * state.typical_ns).tolist():
            if state.typical_ns and len(state.silences) < _MOST_SILENCES:
                state.silences.append((int(latest[place]), int(latest[place + 1])))

    def forgive(self, series: int) -> None:
        """Forget a series whose stamps repeat because they were cut to whole seconds."""
        self._series.pop(series, None)

    @property
    def not_later(self) -> Unread:
        """Return the lines whose stamp is not later than that of an earlier line of their series."""
        together = Unread()
        for state in self._series.values():
            together.extend(state.not_later)
        return together

    def require(self, remedy: str = REMEDY) -> None:
        """Refuse a log with a series of which too many lines are not in order. Raises `InputError`."""
        for state in self._series.values():
            half_a_day = _HALF_DAY_S - _NEAR_HALF_DAY_S <= state.longest_back_s <= _HALF_DAY_S
            require_stamps_in_order(state.lines, state.back, state.not_later, _HALF_DAY if half_a_day else remedy)

    def verdict(self) -> ImportedVerdict:
        """Return the verdict on the stamps of all series."""
        states = list(self._series.values())
        furthest = max(states, key=lambda state: state.longest_back_s, default=_Series())
        return clock_steps(
            sum(state.back for state in states),
            sum(state.not_later.count for state in states),
            furthest.longest_back_s,
            furthest.first_back,
            max((state.silence for state in states if state.is_split), default=None),
        )


def _fill(state: _Series, instant: int) -> bool:
    """Put a late reading into the silence that holds its stamp; return whether there is one."""
    place = bisect_left(state.silences, (instant, 0)) - 1
    if place < 0 or not state.silences[place][0] < instant < state.silences[place][1]:
        return False
    begin, end = state.silences.pop(place)
    for part in ((begin, instant), (instant, end)):
        if part[1] - part[0] > 1:
            insort(state.silences, part)
    return True


def require_one_rhythm(file: str, t_ns: Stamps) -> None:
    """Refuse lines that come by turns from several series, as the time between them shows.

    Raises `InputError`.
    """
    for begin in range(0, len(t_ns), _LOOKED_AT):
        _require_one_rhythm(file, np.diff(t_ns[begin : begin + _LOOKED_AT]))


def _require_one_rhythm(file: str, steps_ns: Stamps) -> None:
    if not len(steps_ns) or int(steps_ns.max()) * (1 - _UNEVEN) <= int(steps_ns.min()):
        return
    if np.count_nonzero(steps_ns < 0) > (1 - _KEPT) * len(steps_ns):  # out of order: no rhythm tells anything
        return
    steps = steps_ns.astype(np.float64)
    if (count := _interleaved(steps) or _in_turn(steps_ns)) is None:
        return
    short_s, long_s = float(np.median(np.sort(steps)[: len(steps) // 2])) / 1e9, float(steps.max()) / 1e9
    raise InputError(
        f"The time between the lines of {file} alternates between {short_s:g} s and {long_s:g} s: {count} series "
        "stand in one column.",
        "Export one series a column, or choose one by a column that distinguishes them (where: in the mapping). If one "
        "meter wrote them, export its stamps with all of their decimals.",
    )


def _interleaved(steps: NDArray[np.float64]) -> int | None:
    """Return how many series the steps between lines show: some short ones, then a long one, again and again."""
    if len(steps) < 3 * _FEWEST // 2:
        return None
    typical = float(np.median(steps[steps >= np.percentile(steps, 95) * 0.5])) if len(steps) else 0.0
    long, short = steps > 0.5 * typical, steps <= _SHORT * typical
    if typical <= 0 or not short.any() or np.count_nonzero(long | short) < _KEPT * len(steps):
        return None
    apart = np.diff(np.flatnonzero(long))
    if len(apart) < 3:
        return None
    count = int(np.median(apart))
    return count if count > 1 and np.count_nonzero(apart == count) >= _KEPT * len(apart) else None


def _in_turn(steps: Stamps) -> int | None:
    """Return after how many lines unequal steps come again; by more than the digits of the stamps make them unequal."""
    if len(steps) < 3 * _FEWEST // 2 or int(steps.min()) <= 0:
        return None
    digit_ns = int(np.gcd.reduce(steps))
    changes = np.abs(np.diff(steps)) > _UNEVEN * np.maximum(steps[1:], steps[:-1])
    if np.count_nonzero(changes) < _OFTEN * len(changes):  # not once, where the log became slower
        return None
    for count in range(2, _MOST_IN_TURN + 1):
        same = np.abs(steps[count:] - steps[:-count]) <= _EVEN * np.abs(steps[:-count])
        turn = np.median(steps[: len(steps) // count * count].reshape(-1, count), axis=0)
        uneven = float(np.ptp(turn)) > max(_UNEVEN * float(turn.max()), _MOST_DIGITS * digit_ns)
        if uneven and np.count_nonzero(same) >= _KEPT * len(same):
            return count
    return None
