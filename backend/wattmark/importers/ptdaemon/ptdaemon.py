"""PTDaemon power logs: lines to columns with quality flags, in the order of their stamps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from wattmark_drivers.reading import Quality

from wattmark.core.errors import InputError
from wattmark.importers.ptdaemon.ptdaemon_line import LogLine, parse_line
from wattmark.workloads.loadgen.source_file import SourceFile, broken

COLUMNS = ("Watts", "Volts", "Amps", "PF")
_ABSURD = 9e37
"""SCPI writes 9.91e37 for "not a number" (IEEE 488.2)."""
_MOST_WATTS = 1e8
_SUM_TOLERANCE = 1e-3


@dataclass(frozen=True, slots=True)
class Column:
    """Values as written (NaN where the log holds no number) and `Quality` of each."""

    value: NDArray[np.float64]
    quality: NDArray[np.uint16]


@dataclass(frozen=True, slots=True)
class PowerLog:
    """Columns of one log, ordered by stamp; ``t_ns`` is the wall clock as written, as if UTC."""

    t_ns: NDArray[np.int64]
    columns: dict[str, Column]
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
    if len(power) < len(lines):
        remarks.append(f"{len(lines) - len(power)} lines without watts (temperature) were skipped.")
    if not power:
        raise broken(
            file.name, None, "it contains no power sample", "Use the log that PTDaemon wrote with -l (spl.txt)."
        )
    backward_s = _backward_s(power)
    ordered = _in_order(power, backward_s, remarks)
    _check_sums(ordered, remarks)
    columns = {name: _column(name, ordered) for name in COLUMNS}
    remarks += sentinel_remarks(columns["Watts"])
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
        backward_s,
    )


def _lines(file: SourceFile) -> tuple[list[LogLine], list[str]]:
    rows = file.text.split("\n")
    torn = rows[-1].strip() != ""
    parsed: list[LogLine] = []
    remarks: list[str] = []
    last_full = ""
    for number, row in enumerate(rows, start=1):
        text = row.rstrip("\r")
        if not text.strip():
            continue
        is_torn = torn and number == len(rows)
        if is_torn and last_full and _cut_off(text, last_full):
            remarks.append(f"The last line ({number}) was cut off while being written and is excluded.")
            break
        try:
            parsed.append(parse_line(text))
        except ValueError as error:
            raise _no_sample(file.name, number, text, error) from error
        last_full = text
    return parsed, remarks


def _no_sample(name: str, number: int, text: str, error: ValueError) -> InputError:
    return broken(
        name,
        number,
        f"found {text[:60]!r} ({error}), expected 'Time,MM-DD-YYYY HH:MM:SS.mmm,Watts,<number>,...'",
        "Restore the file from its source; do not edit power logs by hand.",
    )


def _cut_off(text: str, before: str) -> bool:
    """Return whether an unterminated line is shorter than its kind: a field, decimals or part of the mark missing."""
    fields, usual = text.split(","), before.split(",")
    if len(fields) != len(usual):
        return True
    last, model = fields[-1], usual[-1]
    if fields[-2] == "Mark":
        return last != model
    return len(last.partition(".")[2]) < len(model.partition(".")[2])


def _backward_s(lines: list[LogLine]) -> tuple[float, ...]:
    """Measure each backward step of the stamps in the order of the file [s]."""
    steps_ns = np.diff(np.array([line.t_ns for line in lines], dtype=np.int64))
    return tuple((-steps_ns[steps_ns < 0] / 1e9).tolist())


def _in_order(lines: list[LogLine], backward_s: tuple[float, ...], remarks: list[str]) -> list[LogLine]:
    stamps = np.array([line.t_ns for line in lines], dtype=np.int64)
    steps = np.diff(stamps)
    if np.any(steps == 0):
        remarks.append(f"{int(np.count_nonzero(steps == 0))} stamps occur twice; both samples are kept.")
    if not backward_s:
        return lines
    first = int(np.flatnonzero(steps < 0)[0]) + 1
    remarks.append(
        f"The log's clock ran backward {len(backward_s)} times (by up to {max(backward_s):g} s, first after sample "
        f"{first}); the samples were put in the order of their stamps."
    )
    return [lines[index] for index in np.argsort(stamps, kind="stable")]


def _product_w(line: LogLine) -> float:
    """Multiply volts, amps and power factor of each channel and add them [W]; NaN where one is not a reading."""
    parts = [[group.get(name, math.nan) for name in COLUMNS[1:]] for group in line.channels or (line.total,)]
    complete = all(0 <= value < _ABSURD for values in parts for value in values)
    return sum(math.prod(values) for values in parts) if complete else math.nan


def _column(name: str, lines: Sequence[LogLine]) -> Column:
    return column_of(name, np.array([line.total.get(name, np.nan) for line in lines], dtype=np.float64))


def column_of(name: str, value: NDArray[np.float64]) -> Column:
    """Judge the values of a quantity, by its name in the log."""
    sentinel = np.isin(value, (-1.0, -2.0)) if name == "PF" else value < 0
    quality = np.zeros(len(value), dtype=np.uint16)
    quality[np.isnan(value) | (np.abs(value) >= _ABSURD) | sentinel] = Quality.INVALID
    if name == "Watts":
        quality[(quality == 0) & (value > _MOST_WATTS)] = Quality.IMPLAUSIBLE
    return Column(value, quality)


def sentinel_remarks(watts: Column) -> list[str]:
    """Report how many samples of power are none."""
    bad = int(np.count_nonzero(watts.quality))
    if not bad:
        return []
    return [f"{bad} of {len(watts.value)} power samples are error sentinels (-1, -2, nan, 9.91e37), not watts."]


def _check_sums(lines: Sequence[LogLine], remarks: list[str]) -> None:
    wrong = 0
    for line in lines:
        parts = [group["Watts"] for group in line.channels if "Watts" in group]
        total = line.total["Watts"]
        if (
            parts
            and min(parts) >= 0
            and total >= 0
            and abs(sum(parts) - total) > max(_SUM_TOLERANCE * total, 0.05 * len(parts))
        ):
            wrong += 1
    if wrong:
        remarks.append(f"In {wrong} lines the channels do not add up to the total; the total (first group) is used.")
