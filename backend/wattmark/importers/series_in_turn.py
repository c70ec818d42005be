"""Two to four meters in one column: power that jumps between the same levels from reading to reading, for long.

A meter of one load shows this only where the load changes in step with its readings, over hundreds of them; such a log
tells nothing of the power between its readings, so it is refused as well.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wattmark.core.errors import InputError
from wattmark.core.numbers import format_number
from wattmark.importers.log_stamps import require_one_rhythm

_MOST_IN_TURN = 4
_LONG = 200
"""Readings in a row that neither chance nor a load of nearly the same rhythm puts in turn."""
_APART = 0.05
"""Levels further apart than this share of them are those of two meters, and not the last digit of one [1]."""
_FAR = 4
"""How many times as far a reading lies from its neighbours as from the next one of its own series."""

Values = NDArray[np.float64]
Flags = NDArray[np.bool_]


class SeriesInTurn:
    """Looks for several meters in the readings of one, block by block."""

    def __init__(self) -> None:
        self._latest = np.zeros(0)
        """The readings before those of a block with which they may be in turn."""

    def require_one(self, file: str, t_ns: NDArray[np.int64], values: Values) -> None:
        """Refuse readings that follow the others and come in turn from several meters. Raises `InputError`."""
        require_one_rhythm(file, t_ns)
        values = np.concatenate((self._latest, values[np.isfinite(values)]))
        self._latest = values[-_LONG:]
        if np.count_nonzero(_are_apart(values[1:], values[:-1])) < _LONG - 1:
            return
        for count in range(2, _MOST_IN_TURN + 1):
            place = _long_stretch(_in_turn(values, count))
            if place is not None:
                raise _several(file, values[place : place + _LONG], count)


def _are_apart(some: Values, others: Values) -> Flags:
    return np.asarray(np.abs(some - others) > _APART * np.maximum(np.abs(some), np.abs(others)))


def _in_turn(values: Values, count: int) -> Flags:
    """Return which readings are far from those that follow, and near the one that comes ``count`` later."""
    first, own = values[:-count], np.abs(values[count:] - values[:-count])
    far = np.ones(len(first), np.bool_)
    for other in range(1, count):
        between = values[other : len(first) + other]
        far &= _are_apart(first, between) & (np.abs(between - first) > _FAR * own)
    return far


def _long_stretch(flags: Flags) -> int | None:
    """Return where a long stretch begins in which all flags are set; None where there is none."""
    length = _LONG - _MOST_IN_TURN
    total = np.concatenate(([0], np.cumsum(flags)))
    begins = np.flatnonzero(total[length:] - total[:-length] == length)
    return int(begins[0]) if len(begins) else None


def _several(file: str, values: Values, count: int) -> InputError:
    levels = " W, ".join(format_number(float(np.median(values[place::count])), 4) for place in range(count))
    return InputError(
        f"The power in {file} alternates from line to line ({levels} W): {count} series stand in one column.",
        "Give a log of one meter, or choose one by what distinguishes them. If one meter wrote them, its load changes "
        "in step with its readings: log more often.",
    )
