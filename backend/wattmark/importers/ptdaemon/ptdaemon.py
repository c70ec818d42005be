"""PTDaemon power logs: lines to columns with quality flags, in the order of their stamps."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from wattmark_drivers.reading import Quality

from wattmark.core.errors import InputError
from wattmark.importers.ptdaemon.ptdaemon_line import LogLine, is_remark, parse_line
from wattmark.workloads.loadgen.source_file import SourceFile, broken

COLUMNS = ("Watts", "Volts", "Amps", "PF")
_ABSURD = 9e37
"""SCPI writes 9.91e37 for "not a number" (IEEE 488.2)."""
_MOST_WATTS = 1e8
_SUM_TOLERANCE = 1e-3
_TAIL = 2**14
"""Bytes that hold the last two lines."""
CUT_LINE = "The last line was cut off while being written and is excluded."


@dataclass(frozen=True, slots=True)
class PowerColumn:
    """Values as written (NaN where the log holds no number) and `Quality` of each."""

    value: NDArray[np.float64]
    quality: NDArray[np.uint16]


@dataclass(frozen=True, slots=True)
class PowerLog:
    """Columns of one log, ordered by stamp; ``t_ns`` is the wall clock as written, as if UTC."""

    t_ns: NDArray[np.int64]
    columns: dict[str, PowerColumn]
    marks: tuple[str, ...]
    channels: int
    """Number of analyzer channels that the first group adds up; 1 for a single one."""
    remarks: tuple[str, ...]
    mark_starts: dict[str, int]
    """First stamp of each mark."""
    mark_index: NDArray[np.int64]
    """Which of ``marks`` each sample carries."""
    product_w: NDArray[np.float64]
    """Volts x amps x power factor, added over the channels [W]; NaN where the log does not hold them."""
    backward_s: tuple[float, ...]
    """By how much the clock ran backward each time, in the order of the file [s]."""

    def __len__(self) -> int:
        return len(self.t_ns)

    def of_mark(self, mark: str) -> NDArray[np.bool_]:
        """Return which samples carry a mark."""
        return np.asarray(self.mark_index == (self.marks.index(mark) if mark in self.marks else -1))


def parse_power_log(file: SourceFile) -> PowerLog:
    """Read a log. Raises `InputError` naming file and line when a line inside it is not a sample.

    A last line that was cut off while being written is excluded and reported; temperature lines are skipped.
    """
    lines, remarks = _lines(file)
    power = [line for line in lines if "Watts" in line.total]
    remarks += no_watts_remarks(len(lines) - len(power))
    if not power:
        raise no_power_sample(file.name)
    order = StampSteps()
    order.add(np.array([line.t_ns for line in power], dtype=np.int64))
    remarks += order.remarks
    ordered = sorted(power, key=lambda line: line.t_ns) if order.backward_s else power
    remarks += sum_remarks(sum(map(_does_not_add_up, ordered)))
    columns = {name: _column(name, ordered) for name in COLUMNS}
    remarks += sentinel_remarks(int(np.count_nonzero(columns["Watts"].quality)), len(ordered))
    starts: dict[str, int] = {}
    for line in ordered:
        starts.setdefault(line.mark or "", line.t_ns)
    return PowerLog(
        np.array([line.t_ns for line in ordered], dtype=np.int64),
        columns,
        tuple(starts),
        max(len(line.channels) for line in ordered) or 1,
        tuple(remarks),
        starts,
        np.array([list(starts).index(line.mark or "") for line in ordered], dtype=np.int64),
        np.array([_product_w(line) for line in ordered], dtype=np.float64),
        tuple(order.backward_s),
    )


def _lines(file: SourceFile) -> tuple[list[LogLine], list[str]]:
    rows = file.text.split("\n")
    torn = rows[-1].strip() != ""
    parsed: list[LogLine] = []
    remarks: list[str] = []
    last_full = ""
    for number, row in enumerate(rows, start=1):
        text = row.rstrip("\r")
        if is_remark(text):
            continue
        is_torn = torn and number == len(rows)
        if is_torn and last_full and _cut_off(text, last_full):
            remarks.append(CUT_LINE)
            break
        try:
            parsed.append(parse_line(text))
        except ValueError as error:
            raise not_a_sample(file.name, number, text, str(error)) from error
        last_full = text
    return parsed, remarks


def not_a_sample(name: str, number: int, text: str, why: str) -> InputError:
    """Build the error for a line inside a log that is not a sample."""
    return broken(
        name,
        number,
        f"found {text[:60]!r} ({why}), expected 'Time,MM-DD-YYYY HH:MM:SS.mmm,Watts,<number>,...'",
        "Restore the file from its source; do not edit power logs by hand.",
    )


def no_power_sample(name: str) -> InputError:
    """Build the error for a log without power."""
    return broken(name, None, "it contains no power sample", "Use the log that PTDaemon wrote with -l (spl.txt).")


def no_watts_remarks(count: int) -> list[str]:
    """Report how many lines hold another quantity."""
    return [f"{count} lines without watts (temperature) were skipped."] if count else []


def last_line_is_cut(path: Path) -> bool:
    """Return whether the last line of a log was cut off while it was being written."""
    with path.open("rb") as file:
        file.seek(-min(_TAIL, file.seek(0, os.SEEK_END)), os.SEEK_END)
        *before, last = file.read().decode("utf-8", "replace").split("\n")
    before = [line.rstrip("\r") for line in before if not is_remark(line)]
    return bool(last.strip() and before) and _cut_off(last.rstrip("\r"), before[-1])


def _cut_off(text: str, before: str) -> bool:
    """Return whether an unterminated line is shorter than its kind: a field, decimals or part of the mark missing."""
    fields, usual = text.split(","), before.split(",")
    if len(fields) != len(usual):
        return True
    last, model = fields[-1], usual[-1]
    if fields[-2] == "Mark":
        return last != model
    return len(last.partition(".")[2]) < len(model.partition(".")[2])


class StampSteps:
    """Which stamps of a log repeat or step back, in the order of the file."""

    def __init__(self) -> None:
        self._count = self._repeated = self._first = 0
        self._latest_ns: int | None = None
        self.backward_s: list[float] = []
        """By how much the clock ran backward each time [s]."""

    def add(self, t_ns: NDArray[np.int64]) -> None:
        """Look at the stamps that follow."""
        if not len(t_ns):
            return
        steps = np.diff(t_ns, prepend=t_ns[0] if self._latest_ns is None else self._latest_ns)
        backward = np.flatnonzero(steps < 0)
        if len(backward) and not self.backward_s:
            self._first = self._count + int(backward[0])
        self.backward_s += (-steps[backward] / 1e9).tolist()
        self._repeated += int(np.count_nonzero(steps == 0)) - (self._latest_ns is None)
        self._count += len(t_ns)
        self._latest_ns = int(t_ns[-1])

    @property
    def remarks(self) -> list[str]:
        """Report them."""
        remarks = [f"{self._repeated} stamps occur twice; both samples are kept."] if self._repeated else []
        if self.backward_s:
            remarks.append(
                f"The log's clock ran backward {len(self.backward_s)} times (by up to {max(self.backward_s):g} s, "
                f"first after sample {self._first}); the samples were put in the order of their stamps."
            )
        return remarks


def _product_w(line: LogLine) -> float:
    """Multiply volts, amps and power factor of each channel and add them [W]; NaN where one is not a reading."""
    parts = [[group.get(name, math.nan) for name in COLUMNS[1:]] for group in line.channels or (line.total,)]
    complete = all(0 <= value < _ABSURD for values in parts for value in values)
    return sum(math.prod(values) for values in parts) if complete else math.nan


def _column(name: str, lines: Sequence[LogLine]) -> PowerColumn:
    return column_of(name, np.array([line.total.get(name, np.nan) for line in lines], dtype=np.float64))


def column_of(name: str, value: NDArray[np.float64]) -> PowerColumn:
    """Judge the values of a quantity, by its name in the log."""
    sentinel = np.isin(value, (-1.0, -2.0)) if name == "PF" else value < 0
    quality = np.zeros(len(value), dtype=np.uint16)
    quality[np.isnan(value) | (np.abs(value) >= _ABSURD) | sentinel] = Quality.INVALID
    if name == "Watts":
        quality[(quality == 0) & (value > _MOST_WATTS)] = Quality.IMPLAUSIBLE
    return PowerColumn(value, quality)


def sentinel_remarks(bad: int, count: int) -> list[str]:
    """Report how many samples of power are none."""
    if not bad:
        return []
    return [f"{bad} of {count} power samples are error sentinels (-1, -2, nan, 9.91e37), not watts."]


def _does_not_add_up(line: LogLine) -> bool:
    parts = [group["Watts"] for group in line.channels if "Watts" in group]
    return bool(not_added_up(np.array([line.total["Watts"]]), [np.array([part]) for part in parts]))


def not_added_up(watts: NDArray[np.float64], parts: Sequence[NDArray[np.float64]]) -> int:
    """Count the totals that are not the sum of their channels, in lines where all of them are readings."""
    if not parts:
        return 0
    read = np.all([part >= 0 for part in parts], axis=0) & (watts >= 0)
    apart = np.abs(np.sum(parts, axis=0) - watts)
    return int(np.count_nonzero(read & (apart > np.maximum(_SUM_TOLERANCE * watts, 0.05 * len(parts)))))


def sum_remarks(wrong: int) -> list[str]:
    """Report how many totals are not the sum of their channels."""
    if not wrong:
        return []
    return [f"In {wrong} lines the channels do not add up to the total; the total (first group) is used."]
