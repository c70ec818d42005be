"""A PTDaemon log of any length as columns of stamps and watts, block by block."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from wattmark.importers.ptdaemon.line_form import AlikeLines, LineForm, LogText
from wattmark.importers.ptdaemon.ptdaemon_line import LineShape, LogLine, is_remark, parse_line, stamp_of
from wattmark.importers.text_lines import TextLines
from wattmark.importers.unread import Unread

_BLOCK = 2**18
"""Bytes read at once; the positions of all fields take some ten times as much."""
_MOST_FORMS = 8
_FEW = 4
"""Lines for which a new form does not pay."""
APART = "stamps apart"
"""In place of a number's name: how far the stamp of an analyzer is from that of its line, at most [s]."""
NO_MARK = "notset"
"""PTDaemon's placeholder for a mark that was not set."""


@dataclass(frozen=True, slots=True)
class PowerLines:
    """Samples of power in the order of the file. ``t_ns`` is the wall clock as written, as if UTC [ns]."""

    t_ns: NDArray[np.int64]
    watts: NDArray[np.float64]
    """As written, sentinels included."""
    marks: tuple[str, ...]
    """Each mark once, in the order in which they begin."""
    others: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    """Further numbers that were asked for; NaN where a line has none."""
    lines: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    """The line of each sample, from 1."""
    lost: tuple[tuple[int, int | None], ...] = ()
    """Lines that could not be read, and their stamps where these could."""

    def __len__(self) -> int:
        return len(self.t_ns)


def read_power_lines(
    file: TextLines, unread: Unread, names: tuple[str, ...] = (), shape: LineShape | None = None
) -> Iterator[PowerLines]:
    """Read the lines with watts, and of their other numbers those of ``names``; other lines are counted in ``unread``.

    ``names`` are those of the first group, or of a channel behind its name ("Ch1 Watts"). With a ``shape`` lines that
    do not fit it are not read either.

    Raises `InputError` for a file that cannot be read and a line that is too long.
    """
    forms: list[LineForm] = []
    for number, block in file.blocks(_BLOCK):
        log = LogText(block)
        over = np.flatnonzero(log.lengths > file.longest)
        if len(over):
            raise file.too_long(number + int(over[0]))
        yield _read_block(log, forms, file.name, number, unread, names, shape)


def _read_block(
    log: LogText,
    forms: list[LineForm],
    name: str,
    number: int,
    unread: Unread,
    names: tuple[str, ...],
    shape: LineShape | None,
) -> PowerLines:
    """Read lines of known forms as columns, then those of the forms of lines that are left, then the others singly."""
    left = np.arange(len(log.begins))
    parts: list[AlikeLines] = []
    begun: list[tuple[int, str]] = []
    singly: list[int] = []

    def read(form: LineForm) -> NDArray[np.int64]:
        part = form.read(log, left, names)
        if len(part.index) == 0:
            return left
        parts.append(part)
        begun.append((int(part.index[0]), form.mark or NO_MARK))
        return np.setdiff1d(left, part.index, assume_unique=True)

    for form in forms:
        left = read(form)
    for _ in range(_MOST_FORMS):
        if len(left) < _FEW:
            break
        form_of_first = LineForm.of(log.line(int(left[0])), shape)
        if form_of_first is None:
            singly.append(int(left[0]))
            left = left[1:]
            continue
        forms.insert(0, form_of_first)
        del forms[_MOST_FORMS:]
        left = read(form_of_first)
    alone, lost = _read_singly(log, [*singly, *left.tolist()], begun, name, number, unread, names, shape)
    parts.append(alone)
    index = np.concatenate([part.index for part in parts])
    order = np.argsort(index, kind="stable")
    return PowerLines(
        np.concatenate([part.t_ns for part in parts])[order],
        np.concatenate([part.watts for part in parts])[order],
        tuple(dict.fromkeys(mark for _, mark in sorted(begun, key=lambda item: item[0]))),
        {other: np.concatenate([part.others[other] for part in parts])[order] for other in names},
        number + index[order],
        tuple(lost),
    )


def _read_singly(
    log: LogText,
    lines: list[int],
    begun: list[tuple[int, str]],
    name: str,
    number: int,
    unread: Unread,
    names: tuple[str, ...],
    shape: LineShape | None,
) -> tuple[AlikeLines, list[tuple[int, int | None]]]:
    lost: list[tuple[int, int | None]] = []
    index: list[int] = []
    t_ns: list[int] = []
    watts: list[float] = []
    others: dict[str, list[float]] = {other: [] for other in names}
    for place in lines:
        text = log.line(place).decode("utf-8", "replace").rstrip("\r")
        if is_remark(text):
            continue
        try:
            line = parse_line(text)
        except ValueError as error:
            unread.add(name, number + place, text, str(error))
            lost.append((number + place, stamp_of(text)))
            continue
        if "Watts" not in line.total:
            unread.add(name, number + place, text, "it holds no watts")
            continue
        if shape is not None and not shape.fits(line):
            unread.add(name, number + place, text, "it has other fields than most of the first lines")
            lost.append((number + place, line.t_ns))
            continue
        index.append(place)
        t_ns.append(line.t_ns)
        watts.append(line.total["Watts"])
        for other, values in others.items():
            values.append(_value(line, other))
        begun.append((place, line.mark or NO_MARK))
    alike = AlikeLines(
        np.array(index, dtype=np.int64),
        np.array(t_ns, dtype=np.int64),
        np.array(watts, dtype=float),
        {other: np.array(values, dtype=float) for other, values in others.items()},
    )
    return alike, lost


def _value(line: LogLine, name: str) -> float:
    if name == APART:
        return line.apart_s
    channel, _, quantity = name.rpartition(" ")
    group = line.channels[line.names.index(channel)] if channel in line.names else {} if channel else line.total
    return group.get(quantity, np.nan)
