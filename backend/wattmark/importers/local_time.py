"""From the wall clock of a time zone to UTC, for many stamps at once."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo

import numpy as np
from numpy.typing import NDArray

from wattmark.core.errors import InputError

_QUARTER_NS = 900 * 10**9
"""Zones change their offset at whole quarters of an hour."""
_SLOW_NS = 2 * _QUARTER_NS
"""Time between stamps from which on one may repeat because its hour does."""


class LocalClock:
    """Converts stamps in the order in which they were written, so that an hour that comes twice is distinguished.

    When summer time ends, the wall clock shows an hour twice; the second one begins where the stamps step back.
    """

    def __init__(self, zone: tzinfo) -> None:
        self._zone = zone
        self._offsets: dict[tuple[int, int], int] = {}
        self._latest_ns: int | None = None
        self._latest_twice = self._second = False
        self._visit = 0
        self._unproven = 0
        """Stamps inside such an hour that no step back follows."""
        self._later_ns = 0
        """Offset from UTC the second time."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Return how the stamps were read, one sentence each."""
        read = f"Stamps were read as {self._zone}."
        if not self._unproven:
            return (read,)
        hour = "an hour that comes twice when summer time ends"
        sign, quarters = "-" if self._later_ns < 0 else "+", abs(self._later_ns) // _QUARTER_NS
        later = f"{sign}{quarters // 4:02}:{quarters % 4 * 15:02}"
        return read, (
            f"{self._unproven} stamps lie in {hour}, and were read as the first; if they are the second, import the "
            f"log with --zone {later}."
        )

    def to_utc(self, local: NDArray[np.int64]) -> NDArray[np.int64]:
        """Convert wall-clock stamps, as if UTC [ns], to UTC [ns]."""
        if not len(local):
            return local
        quarters, where = np.unique(local // _QUARTER_NS, return_inverse=True)
        first, second = (
            np.array([self._offset_ns(quarter, fold) for quarter in quarters.tolist()], dtype=np.int64)[where]
            for fold in (0, 1)
        )
        if np.any(never := first < second):
            self._refuse(int(local[np.flatnonzero(never)[0]]))
        offsets = first.copy()
        if np.any(twice := first > second):
            self._later_ns = int(second[twice][-1])
        for place in np.flatnonzero(twice).tolist():
            before_ns = int(local[place - 1]) if place else self._latest_ns
            before_twice = bool(twice[place - 1]) if place else self._latest_twice
            next_ns = int(local[place + 1]) if place + 1 < len(local) else None
            is_slow = place > 1 and int(local[place - 1] - local[place - 2]) >= _SLOW_NS
            least_ns = 0 if is_slow and before_twice else _QUARTER_NS
            if self._in_second(int(local[place]), before_ns, next_ns, least_ns, before_twice=before_twice):
                offsets[place] = second[place]
        self._latest_ns, self._latest_twice = int(local[-1]), bool(twice[-1])
        return np.asarray(local - offsets)

    def _refuse(self, local_ns: int) -> None:
        """Refuse a wall clock that the zone skips when it is put forward. Raises `InputError`."""
        wall = datetime.fromtimestamp(local_ns // 10**9, UTC).strftime("%Y-%m-%d %H:%M:%S")
        raise InputError(
            f"A stamp says {wall}, which does not exist in {self._zone}: the clock was put forward there.",
            "Name the zone in which the logger's clock ran, such as UTC or +01:00.",
        )

    def _in_second(
        self, t_ns: int, before_ns: int | None, next_ns: int | None, least_ns: int, *, before_twice: bool
    ) -> bool:
        """Return whether a stamp of an hour that comes twice is in the second, which a step of ``least_ns`` begins."""
        # A single late line steps back too, but the one after it goes on from where the log had been.
        is_late = least_ns > 0 and before_ns is not None and next_ns is not None and next_ns > before_ns
        if before_ns is not None and before_ns - t_ns >= least_ns and not is_late:
            self._second = True
            self._unproven -= self._visit
            self._visit = 0
        elif not before_twice:
            self._second, self._visit = False, 0
        if not self._second:
            self._visit += 1
            self._unproven += 1
        return self._second

    def _offset_ns(self, quarter: int, fold: int) -> int:
        key = quarter, fold
        if key not in self._offsets:
            wall = datetime.fromtimestamp(quarter * _QUARTER_NS // 10**9, UTC).replace(tzinfo=self._zone, fold=fold)
            offset = wall.utcoffset()
            self._offsets[key] = 0 if offset is None else round(offset.total_seconds()) * 10**9
        return self._offsets[key]
