"""The throughput of a log: work between its stamps, in as many intervals as a record can hold."""

from __future__ import annotations

import math
from statistics import median

import numpy as np
from numpy.typing import NDArray

from wattmark.core.amounts import LEAST
from wattmark.core.errors import InputError
from wattmark.importers.column_shape import ColumnShape
from wattmark.importers.csv_mapping.gaps import Gaps
from wattmark.importers.csv_mapping.units import COUNT, TOTAL
from wattmark.importers.logs.log_reader import LOST
from wattmark.runs.record import ThroughputInterval
from wattmark.workloads.parsers.number_track import ABSURD, FEWEST

_LONE = 10.0
"""A rate this many times all others is none."""
_FEWEST_OTHERS = 8
_MOST = 4096
"""Intervals of a record; of a longer log, neighbours are added up."""


class WorkDone:
    """Work between one reading of throughput and the next."""

    def __init__(self, column: int, unit: str) -> None:
        self.column = column
        self._unit = unit
        self._latest_ns: int | None = None
        self._latest: float | None = None
        self._fell_from: tuple[int, float] | None = None
        """Instant and value of a total before it fell, which may have been one wrong reading."""
        self._shape = ColumnShape()
        self._gaps = Gaps()
        self._spans: list[tuple[int, int, float]] = []
        self._lines = self._empty = 0
        self._excluded = 0
        """Readings that are not work: below 0, unusable, or of a total that fell."""
        self._came_back = 0
        """Times that a total fell and went on from where it had been."""
        self._after_gaps = 0
        """Readings between which and the one before others seem to be missing."""
        self._not_later = 0
        """Readings that end no interval, as their stamp is not later than one before them."""

    def add(self, stamps: NDArray[np.int64], values: NDArray[np.float64]) -> None:
        """Add readings that follow the others."""
        self._lines += len(values)
        self._empty += int(np.isnan(values).sum())
        self._shape.add(values)
        there = np.flatnonzero(~np.isnan(values))
        after_gap = self._gaps.before(stamps[there]).tolist()
        for place, is_after_gap in zip(there.tolist(), after_gap, strict=True):
            t_ns, value = int(stamps[place]), float(values[place])
            if self._latest_ns is not None and t_ns <= self._latest_ns:
                self._not_later += 1
                continue
            self._after_gaps += self._latest_ns is not None and is_after_gap
            if self._unit == TOTAL:
                self._add_total(t_ns, value)
            else:
                self._add_amount(t_ns, value)
            if len(self._spans) == 2 * _MOST:
                self._add_up()

    def _add_total(self, t_ns: int, value: float) -> None:
        """Add a reading of a running total; one that is unusable leaves its work to the next."""
        if value < 0 or math.isinf(value):
            self._excluded += 1
            return
        latest_ns, latest = self._latest_ns, self._latest
        self._latest_ns, self._latest = t_ns, value
        if latest_ns is None or latest is None:
            return
        if value < latest:
            self._excluded += 1
            self._fell_from = self._fell_from or (latest_ns, latest)
            return
        if self._fell_from is not None and value >= self._fell_from[1]:
            latest_ns, latest = self._fell_from
            self._spans = [span for span in self._spans if span[1] <= latest_ns]
            self._came_back += 1
            self._fell_from = None
        self._append(latest_ns, t_ns, value - latest)

    def _add_amount(self, t_ns: int, value: float) -> None:
        """Add a reading of work since the line before, or of a rate."""
        latest_ns = self._latest_ns
        if value == LOST and self._unit != COUNT:
            self._excluded += 1
            return
        self._latest_ns = t_ns
        if value < 0 or math.isinf(value):
            self._excluded += 1
        elif latest_ns is not None:
            self._append(latest_ns, t_ns, value if self._unit == COUNT else value * (t_ns - latest_ns) / 1e9)

    def _append(self, begin_ns: int, end_ns: int, amount: float) -> None:
        self._spans.append((begin_ns, end_ns, amount if amount >= LEAST else 0.0))

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what was not counted, one sentence each."""
        notes = []
        if self._excluded:
            notes.append(
                f"{self._excluded} readings of throughput were excluded: below 0, unusable, or of a total that fell."
            )
        if self._came_back:
            notes.append(
                f"The total of the throughput fell and came back ({self._came_back}): its work goes on from where it "
                "had been."
            )
        if self._unit == COUNT and 2 * self._empty < self._lines and self._empty:
            notes.append(
                f"{self._empty} of {self._lines} lines state no throughput; the others the work since the line before: "
                "what was done in these lines is missing from the result. Export them, or give the rate instead."
            )
        elif self._unit == COUNT and self._empty:
            notes.append(
                f"{self._empty} of {self._lines} lines state no throughput: that of each other line was taken as the "
                "work since the reading before. If it is that of its own line alone, give the rate instead."
            )
        if self._unit == COUNT and self._not_later:
            notes.append(
                f"Readings of throughput at a stamp that is not later than one before it ({self._not_later}): "
                "their work is missing from the result."
            )
        if self._unit != TOTAL and self._after_gaps:
            what = (
                "the work of the lines that are missing there is in the result only if the logger adds it to the next"
                if self._unit == COUNT
                else "in it the work was taken to go on at the rate that they state"
            )
            notes.append(
                f"Readings of throughput after a gap ({self._after_gaps}): {what}. Export the missing lines, or map "
                "a running total instead."
            )
        return tuple(notes)

    def require_work(self, file: str) -> None:
        """Refuse numbers that are not the work that was declared. Raises `InputError`."""
        self._require_no_total(file)
        if self._unit == TOTAL and self._shape.often_falls:
            raise InputError(
                f"The throughput of {file} falls in {self._shape.falls} of its {self._shape.readings} lines: it is no "
                "running total, which only rises.",
                f"Give the column the unit of its rate, or {COUNT!r} if each line holds the work of its interval.",
            )
        rates = [amount * 1e9 / (end - begin) for begin, end, amount in self._spans if amount > 0]
        if len(rates) >= _FEWEST_OTHERS and (most := max(rates)) > _LONE * (others := sorted(rates)[-2]):
            raise InputError(
                f"The throughput of {file} is {most:.6g} per second in one interval and at most {others:.6g} in all "
                "others: a counter began or jumped there, a wrong number, or a sum stands among the lines.",
                "Correct or remove that line, or choose a part of the log without it.",
            )
        typical = median(rates) if len(rates) > FEWEST else math.inf
        if (most := max(rates, default=0.0)) > ABSURD * typical:
            raise InputError(
                f"The throughput of {file} is {most:.6g} per second in one interval and typically {typical:.6g}: a "
                "counter wrapped, or a sum stands among the lines.",
                "Correct or remove that line, or choose a part of the log without it.",
            )

    def _require_no_total(self, file: str) -> None:
        """Refuse a running total that was declared as a rate or as work since the line before. Raises `InputError`."""
        if self._unit != TOTAL and self._shape.only_rises:
            declared = "the work since the line before" if self._unit == COUNT else "a rate"
            raise InputError(
                f"The throughput of {file} rises in {self._shape.rises} of its {self._shape.readings} lines and never "
                f"falls: it is a running total, not {declared}.",
                f"Give the column the unit {TOTAL!r}.",
            )

    @property
    def intervals(self) -> tuple[ThroughputInterval, ...]:
        """Return the intervals in time order."""
        return tuple(ThroughputInterval(begin_ns=b, end_ns=e, amount=amount) for b, e, amount in self._spans)

    def _add_up(self) -> None:
        """Add up each pair of neighbours that touch; after a negative reading they do not."""
        pairs = zip(self._spans[::2], self._spans[1::2], strict=True)
        self._spans = [(first[0], second[1], first[2] + second[2]) for first, second in pairs]
