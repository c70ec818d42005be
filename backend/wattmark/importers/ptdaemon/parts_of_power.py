"""Which power of a log is read: of its only analyzer, the sum of several, or one of them; and lines that are lost."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from wattmark.core.errors import InputError
from wattmark.core.numbers import format_number
from wattmark.importers.log_lines import MOST_UNREAD_PCT
from wattmark.importers.log_stamps import CLOCK_NOT_SET, YEAR_2000_NS
from wattmark.importers.ptdaemon.power_lines import APART, PowerLines
from wattmark.importers.unread import Unread

_SUM_SHARE, _SUM_W = 1e-3, 0.05
"""How far channels may be from their sum: a share of it, or so much each."""

_MOST_APART = 3
"""Periods by which the stamps of analyzers may differ whose power is added up."""

Watts = NDArray[np.float64]
Stamps = NDArray[np.int64]


class PartsOfPower:
    """The channels or analyzers of a log, and the one that a person chose."""

    def __init__(self, file: str, names: tuple[str, ...], power: str | None, unread: Unread) -> None:
        """Raise `InputError` where the part that was chosen is not there."""
        self.names = names
        self._file = file
        self._unread = unread
        self._chosen = next((name for name in names if power and name.casefold() == power.strip().casefold()), None)
        if power is not None and self._chosen is None:
            held = f"It has: {', '.join(names)}." if names else "It is of one analyzer; leave --power out."
            raise InputError(f"{file} has no analyzer or channel {power!r:.80}.", held)
        self._lines = self._apart = self._late = 0
        self._latest_s = 0.0
        self._first = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of the numbers that are needed of the parts."""
        return (*self._watts, *((APART,) if self.names else ()))

    @property
    def _watts(self) -> tuple[str, ...]:
        return tuple(f"{name} Watts" for name in self.names)

    @property
    def title(self) -> str:
        """Return what the title of the meter says of the part."""
        return f", {self._chosen}" if self._chosen else f", sum of {len(self.names)}" if self.names else ""

    @property
    def notes(self) -> tuple[str, ...]:
        """Return which power was taken, where there are several."""
        if not self.names:
            return ()
        held = f"The log has the power of {', '.join(self.names)} and their sum"
        late = (f"In {self._late} lines {self._far_apart}; the stamps of the lines count.",) if self._late else ()
        if self._chosen:
            return (f"{held}; that of {self._chosen} is taken, as the person who imported it said.", *late)
        return (f"{held}; the sum is taken. One is chosen with --power {self.names[0]}.", *late)

    @property
    def _far_apart(self) -> str:
        return f"the stamps of the analyzers are up to {format_number(self._latest_s, 4)} s from that of their line"

    def digest(self, of_file: str) -> str:
        """Return what identifies the run: the digest of the file, and the part."""
        return hashlib.sha256(f"{of_file} {self._chosen}".encode()).hexdigest() if self._chosen else of_file

    def watts(self, lines: PowerLines) -> Watts:
        """Return the power that is taken [W]; NaN where the parts do not add up to the sum."""
        self._lines += len(lines)
        self._note_apart(lines)
        if self._chosen:
            return lines.others[f"{self._chosen} Watts"]
        if not self.names or not len(lines):
            return lines.watts
        parts = np.column_stack([lines.others[name] for name in self._watts])
        apart = np.abs(parts.sum(axis=1) - lines.watts)
        wrong = ~(apart <= np.maximum(_SUM_SHARE * np.abs(lines.watts), _SUM_W * len(self.names)))
        wrong &= (lines.watts >= 0) & np.isfinite(lines.watts)
        self._apart += int(np.count_nonzero(wrong))
        for place in np.flatnonzero(wrong).tolist():
            why = self._why(lines, parts, place)
            self._first = self._first or f"line {lines.lines[place]}: {why}"
            self._unread.add(self._file, int(lines.lines[place]), "", why)
        return np.where(wrong, np.nan, lines.watts)

    def _note_apart(self, lines: PowerLines) -> None:
        """Note the lines whose analyzers were read at other times."""
        if not self.names or len(lines) < 2:
            return
        apart_s = lines.others[APART]
        period_s = float(np.median(np.abs(np.diff(lines.t_ns)))) / 1e9
        late = apart_s > _MOST_APART * period_s
        self._late += int(np.count_nonzero(late))
        self._latest_s = max(self._latest_s, float(apart_s[late].max(initial=0.0)))

    def _why(self, lines: PowerLines, parts: Watts, place: int) -> str:
        each = ", ".join(
            f"{name} {format_number(float(value), 6)} W" for name, value in zip(self.names, parts[place], strict=True)
        )
        return f"{each} do not add up to {format_number(float(lines.watts[place]), 6)} W"

    def require_sums(self) -> None:
        """Refuse a log whose parts do not add up to the sum that it states, or not at one time. Raises `InputError`."""
        if not self._chosen and 100 * self._late > MOST_UNREAD_PCT * self._lines:
            raise InputError(
                f"{self._file}: {self._far_apart}, and so in {self._late} of {self._lines} lines: their sum is the "
                "power of no moment.",
                f"Choose one with --power, such as --power {self.names[0]}.",
            )
        if self._apart > 1 and 100 * self._apart > MOST_UNREAD_PCT * self._lines:
            raise InputError(
                f"{self._file}, {self._first}, and so in {self._apart} of {self._lines} lines.",
                f"Choose one with --power, such as --power {self.names[0]}; a part below 0 W is wired wrongly.",
            )


def with_lost(lines: PowerLines, watts: Watts, file: str, unread: Unread) -> tuple[Stamps, Watts, NDArray[np.int64]]:
    """Return stamps, power and lines, with NaN for lines that are lost: at their stamp, or between their neighbours."""
    unset = lines.t_ns < YEAR_2000_NS
    for number in lines.lines[unset].tolist():
        unread.add(file, number, "", CLOCK_NOT_SET)
    lost = [*lines.lost, *((number, None) for number in lines.lines[unset].tolist())]
    t_ns, watts, numbers = lines.t_ns[~unset], watts[~unset], lines.lines[~unset]
    if not lost:
        return t_ns, watts, numbers
    known = [(number, stamp) for number, stamp in lost if stamp is not None and stamp >= YEAR_2000_NS]
    at = np.concatenate((numbers, np.array([number for number, _ in known], np.int64)))
    stamps = np.concatenate((t_ns, np.array([stamp for _, stamp in known], np.int64)))
    power = np.concatenate((watts, np.full(len(known), np.nan)))
    by_line = np.argsort(at, kind="stable")
    at, stamps, power = at[by_line], stamps[by_line], power[by_line]
    unplaced = np.array(sorted({number for number, _ in lost} - {number for number, _ in known}), np.int64)
    if len(at) < 2 or not len(unplaced):
        return stamps, power, at
    unplaced = unplaced[(unplaced > at[0]) & (unplaced < at[-1])]
    after = np.searchsorted(at, unplaced)
    unplaced = unplaced[stamps[after] - stamps[after - 1] > len(lost)]
    offsets = np.interp(unplaced, at, (stamps - stamps[0]).astype(np.float64)).astype(np.int64)
    at = np.concatenate((at, unplaced))
    by_line = np.argsort(at, kind="stable")
    stamps = np.concatenate((stamps, stamps[0] + offsets))
    return stamps[by_line], np.concatenate((power, np.full(len(unplaced), np.nan)))[by_line], at[by_line]
