"""Energy since the line before, as mean power over that time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from wattmark.core.errors import InputError
from wattmark.importers.csv_mapping.gaps import Gaps
from wattmark.importers.csv_mapping.mapping import CsvColumn, CsvMapping
from wattmark.importers.csv_mapping.units import INTERVAL_ENERGY
from wattmark.importers.logs.log_blocks import ChannelPart
from wattmark.importers.logs.log_reader import LOST, UNUSABLE

_COARSE = 0.1
"""Steps of the stamps a typical time between readings, above which cut stamps make single readings too unsure."""
_MOST_CUT = 0.005
"""Share of the readings whose time differs from the typical one by a step of the stamps."""


@dataclass(slots=True)
class _Latest:
    """What is known of a column at the end of a block."""

    t_ns: int
    ended_empty: bool = False
    ended_lost: bool = False
    gaps: Gaps = field(default_factory=Gaps)
    after_gaps: int = 0
    readings: int = 0
    cut: int = 0
    """Readings whose time may differ from the typical one because coarse stamps were cut."""


class IntervalEnergy:
    """Turns energy since the line before into mean power over that time, block by block.

    A reading after a gap, such as a missing line or an empty cell in a column with few of them, cannot be used: some
    loggers give the energy since the reading before, others that since the line before.
    """

    def __init__(self, mapping: CsvMapping) -> None:
        self._columns: dict[int, CsvColumn] = {
            number: column for number, column in enumerate(mapping.columns) if column.quantity == INTERVAL_ENERGY
        }
        self._latest: dict[int, _Latest] = {}

    def as_power(self, parts: Sequence[ChannelPart], stamp_s: float) -> list[ChannelPart]:
        """Return a block with power [W] in place of energy [J]; the first reading has no interval.

        ``stamp_s`` is half the step of the stamps.
        """
        step_ns = 2e9 * stamp_s
        return [self._as_power(part, step_ns) if part.channel in self._columns else part for part in parts]

    def _as_power(self, part: ChannelPart, step_ns: float) -> ChannelPart:
        is_empty = np.isnan(part.value)
        there = np.flatnonzero(~is_empty)
        if not len(there):
            return part
        t_ns, value = part.t_ns[there], part.value.copy()
        is_first = part.channel not in self._latest
        latest = self._latest.setdefault(part.channel, _Latest(int(t_ns[0])))
        span_ns = np.diff(t_ns, prepend=latest.t_ns)
        after_gap = latest.gaps.before(t_ns)
        is_lost = value[there] == LOST
        after_gap |= np.concatenate(([latest.ended_lost], is_lost[:-1]))
        if 2 * np.count_nonzero(is_empty) < len(is_empty):
            after_gap |= np.diff(there, prepend=-1 - latest.ended_empty) > 1
        if is_first:
            after_gap[0] = False
        usable = (span_ns > 0) & ~after_gap
        value[there] = np.divide(value[there], span_ns / 1e9, out=np.full(len(there), UNUSABLE), where=usable)
        if is_first:
            value[there[0]] = np.nan
        if step_ns > _COARSE * latest.gaps.typical_ns:
            beside_ns = np.abs(span_ns[int(is_first) :] - latest.gaps.typical_ns)
            latest.cut += int(np.count_nonzero((beside_ns >= 0.5 * step_ns) & (beside_ns <= step_ns)))
        latest.readings += len(there)
        latest.after_gaps += int(np.count_nonzero(after_gap))
        latest.t_ns, latest.ended_empty, latest.ended_lost = int(t_ns[-1]), bool(is_empty[-1]), bool(is_lost[-1])
        return replace(part, value=value)

    def require_uncut(self, file: str) -> None:
        """Refuse energies between stamps too coarse to say what time they cover. Raises `InputError`."""
        for number, latest in self._latest.items():
            if latest.cut > _MOST_CUT * latest.readings:
                raise InputError(
                    f"{file}: {latest.cut} of {latest.readings} readings of column {self._columns[number].column!r} "
                    f"come a step of the stamps sooner or later than the typical {latest.gaps.typical_ns / 1e9:g} s: "
                    "the stamps are too coarse for the energy between two of them, or lines are missing.",
                    "Export the stamps with all of their decimals and every line, or map power or an energy counter.",
                )

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what is unknown of the time that readings cover, one sentence a column."""
        notes = []
        for number, latest in self._latest.items():
            how = f"Column {self._columns[number].column!r}"
            if latest.after_gaps:
                notes.append(
                    f"{how}: readings after a gap are invalid ({latest.after_gaps}), as it is unknown whether they "
                    "hold the energy of the gap. Export the missing lines, or map power or an energy counter instead."
                )
            if latest.gaps.varies:
                notes.append(
                    f"{how}: the time between its readings varies; each was taken as the energy since the reading "
                    "before it. Where lines are missing, the power after them is too low."
                )
        return tuple(notes)
