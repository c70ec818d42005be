"""Lines of a PTDaemon log that are written alike, read as columns: stamp and watts of thousands of lines at once.

A form is taken from a line that `parse_line` has read. Another line has that form where its names and its mark are the
same bytes, its stamp is a date and a time of day, and each number is digits, a point, and as many decimals. Such a line
gives exactly what `parse_line` gives; whatever differs in anything is left to `parse_line`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from wattmark.importers.ptdaemon.ptdaemon_line import CHANNEL, LineShape, parse_line
from wattmark.workloads.loadgen.stamps import parse_stamp

_WORD = 8
"""Bytes that are compared or converted at once."""
_STAMP_BYTES = 23
_DECIMAL = re.compile(rb"-?[0-9]{1,8}\.([0-9]{1,7})")
"""At most 15 digits: a float holds them, and dividing them by a power of ten rounds as reading the text does."""
_NO_DATE = -1

Words = NDArray[np.uint64]
Where = NDArray[np.int64]
Flags = NDArray[np.bool_]


class LogText:
    """Whole lines of a log, and where their fields are. Positions are bytes from the first."""

    def __init__(self, text: bytes) -> None:
        self.text = text if text.endswith(b"\n") else text + b"\n"
        self.bytes = np.frombuffer(self.text, np.uint8)
        breaks = np.flatnonzero(self.bytes == ord("\n"))
        self.begins: Where = np.concatenate(([0], breaks[:-1] + 1))
        self.lengths: Where = breaks - self.begins
        """Bytes of each line without its line feed."""
        self.ends: Where = breaks - ((self.lengths > 0) & (self.bytes[breaks - 1] == ord("\r")))
        """Where each line ends, without one carriage return."""
        self.commas: Where = np.flatnonzero(self.bytes == ord(","))
        edges = np.searchsorted(self.commas, np.append(self.begins, len(self.text)))
        self.first_comma: Where = edges[:-1]
        self.comma_count: Where = np.diff(edges)
        padded = self.text + bytes(_WORD)
        self.words: Words = np.ndarray((len(padded) - _WORD + 1,), "<u8", padded, strides=(1,))
        """The eight bytes that begin at each position."""

    def line(self, index: int) -> bytes:
        """Return a line without its line feed."""
        begin = int(self.begins[index])
        return self.text[begin : begin + int(self.lengths[index])]


@dataclass(frozen=True, slots=True)
class AlikeLines:
    """The lines of one form: which they are, and what they hold."""

    index: Where
    t_ns: NDArray[np.int64]
    watts: NDArray[np.float64]
    others: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    """Volts, amps and power factor of the first group, where they were asked for; NaN where a line has none."""


@dataclass(frozen=True, slots=True)
class LineForm:
    """How a line with watts is written: each field behind the stamp as its text, or as the decimals of a number."""

    fields: tuple[bytes | int, ...]
    watts: int
    """Which of ``fields`` holds the watts of the first group."""
    mark: str | None
    positions: tuple[tuple[str, int], ...] = ()
    """Names of the other numbers, of a channel behind its name ("Ch1 Watts"), and which of ``fields`` hold them."""

    @classmethod
    def of(cls, line: bytes, shape: LineShape | None = None) -> LineForm | None:
        """Return the form of a line; None where it has no watts or only `parse_line` can read its kind."""
        try:
            parsed = parse_line(line.decode("utf-8", "replace").rstrip("\r"))
        except ValueError:
            return None
        if shape is not None and not shape.fits(parsed):
            return None
        time, stamp, *texts = line.removesuffix(b"\r").split(b",")
        if "Watts" not in parsed.total or time != b"Time" or len(stamp) != _STAMP_BYTES:
            return None
        fields: list[bytes | int] = []
        watts = 0
        positions: dict[str, int] = {}
        group = ""
        rest = iter(texts)
        for name in rest:
            fields.append(name)
            if CHANNEL.fullmatch(name.decode("utf-8", "replace")):
                group = f"{name.decode()} "
                continue
            value = next(rest, b"")
            if name == b"Mark":
                fields.append(value)
            elif number := _DECIMAL.fullmatch(value):
                if name == b"Watts" and watts == 0 and not group:
                    watts = len(fields)
                else:
                    positions.setdefault(group + name.decode("utf-8", "replace"), len(fields))
                fields.append(len(number[1]))
            else:
                return None
        return cls(tuple(fields), watts, parsed.mark, tuple(positions.items()))

    def read(self, log: LogText, index: Where, names: tuple[str, ...] = ()) -> AlikeLines:
        """Read those of some lines that have this form; of the numbers beside the watts those of ``names``."""
        index = index[log.comma_count[index] == len(self.fields) + 1]
        commas = [log.commas[log.first_comma[index] + k] for k in range(len(self.fields) + 1)]
        edges = [*commas, log.ends[index]]
        fits = self._as_long(log.begins[index], edges)
        if not fits.all():  # positions of the others may lie outside the text
            index, edges = index[fits], [edge[fits] for edge in edges]
        alike = _same(log, log.begins[index], b"Time,")
        watts = np.zeros(len(index))
        others = {name: np.full(len(index), np.nan) for name in names}
        named = {position: name for name, position in self.positions if name in others}
        for position, text in enumerate(self.fields):
            begin, end = edges[position + 1] + 1, edges[position + 2]
            if isinstance(text, bytes):
                alike &= _same(log, begin, text)
                continue
            number = DecimalText.of(log, begin, end, text)
            alike &= number.good
            if position == self.watts:
                watts = number.value(text)
            elif position in named:
                others[named[position]] = number.value(text)
        good, t_ns = _stamps(log, edges[0] + 1)
        alike &= good
        return AlikeLines(
            index[alike], t_ns[alike], watts[alike], {name: value[alike] for name, value in others.items()}
        )

    def _as_long(self, begins: Where, edges: list[Where]) -> Flags:
        """Return where the fields are as long as this form allows."""
        fits = (edges[0] - begins == len(b"Time")) & (edges[1] - edges[0] == _STAMP_BYTES + 1)
        for text, begin, end in zip(self.fields, edges[1:-1], edges[2:], strict=True):
            length = end - begin - 1
            if isinstance(text, bytes):
                fits &= length == len(text)
            else:
                fits &= (length >= text + 2) & (length <= text + 10)
        return np.asarray(fits)


def _same(log: LogText, at: Where, literal: bytes) -> Flags:
    """Return where a literal text stands."""
    same = np.ones(len(at), dtype=np.bool_)
    for offset in range(0, len(literal), _WORD):
        part = literal[offset : offset + _WORD]
        mask = np.uint64(256 ** len(part) - 1)
        same &= (log.words[at + offset] & mask) == np.uint64(int.from_bytes(part, "little"))
    return same


@dataclass(frozen=True, slots=True)
class DecimalText:
    """Decimal numbers of a field: their digits before and behind the point as words of eight characters."""

    good: Flags
    """Which are well written."""
    whole: Words
    part: Words
    negative: Flags

    @classmethod
    def of(cls, log: LogText, begin: Where, end: Where, decimals: int) -> DecimalText:
        """Check numbers that end with so many decimals."""
        point = end - (decimals + 1)
        negative = log.bytes[begin] == ord("-")
        count = point - begin - negative
        good = (log.bytes[point] == ord(".")) & (count >= 1) & (count <= _WORD)
        whole = _last_bytes(log.words[point - _WORD], np.clip(count, 1, _WORD))
        part = _last_bytes(log.words[end - _WORD], np.full(1, decimals))
        return cls(good & _all_digits(whole) & _all_digits(part), whole, part, negative)

    def value(self, decimals: int) -> NDArray[np.float64]:
        """Convert the numbers; those that are not well written come to anything."""
        scale = 10**decimals
        size = (_number(self.whole) * np.uint64(scale) + _number(self.part)).astype(np.float64) / scale
        return np.asarray(np.where(self.negative, -size, size))


def _last_bytes(word: Words, count: Where) -> Words:
    """Replace all but the last ``count`` bytes (1 to 8) of words by the digit 0."""
    shift = ((_WORD - count) * 8).astype(np.uint64)
    zeros = np.uint64(0x3030303030303030) & ((np.uint64(1) << shift) - np.uint64(1))
    return ((word >> shift) << shift) | zeros


def _all_digits(word: Words) -> Flags:
    """Return which words are eight digits."""
    three, six = np.uint64(0x3030303030303030), np.uint64(0x0606060606060606)
    wrong = ((word ^ three) | ((word + six) ^ three)) & np.uint64(0xF0F0F0F0F0F0F0F0)
    return np.asarray(wrong == 0)


def _number(word: Words) -> Words:
    """Convert eight digits: neighbours to pairs, pairs to the number."""
    word = word & np.uint64(0x0F0F0F0F0F0F0F0F)
    pairs = word * np.uint64(10) + (word >> np.uint64(8))
    pair = np.uint64(0x000000FF000000FF)
    outer = (pairs & pair) * np.uint64(100 + (1_000_000 << 32))
    inner = ((pairs >> np.uint64(16)) & pair) * np.uint64(1 + (10_000 << 32))
    return (outer + inner) >> np.uint64(32)


def _stamps(log: LogText, at: Where) -> tuple[Flags, NDArray[np.int64]]:
    """Read "MM-DD-YYYY HH:MM:SS.mmm": which are stamps, and what they are, as if UTC [ns]."""
    day_good, day_ns = _days(log, at)
    clock, rest = log.words[at + 11], log.words[at + 15]
    hour, minute = _two(clock, 0), _two(clock, 3)
    second, tens = _two(clock, 6), _two(rest, 5)
    unit = rest >> np.uint64(56)
    good = day_good & (_byte(clock, 2) == ord(":")) & (_byte(clock, 5) == ord(":")) & (_byte(rest, 4) == ord("."))
    good &= (hour < 24) & (minute < 60) & (second < 60) & (tens < 100) & (unit - np.uint64(ord("0")) < 10)
    millis = tens * np.uint64(10) + unit - np.uint64(ord("0"))
    within = ((hour * np.uint64(60) + minute) * np.uint64(60) + second) * np.uint64(1000) + millis
    return good, day_ns + np.where(good, within, np.uint64(0)).astype(np.int64) * 1_000_000


def _byte(word: Words, place: int) -> Words:
    return (word >> np.uint64(8 * place)) & np.uint64(0xFF)


def _two(word: Words, place: int) -> Words:
    """Read two digits; 100 or more where they are none."""
    zero, many = np.uint64(ord("0")), np.uint64(100)
    tens, ones = _byte(word, place) - zero, _byte(word, place + 1) - zero
    return np.where((tens < 10) & (ones < 10), tens * np.uint64(10) + ones, many)


def _days(log: LogText, at: Where) -> tuple[Flags, NDArray[np.int64]]:
    """Read "MM-DD-YYYY ": a date is looked up once for all lines in a row that have it."""
    month_and_day, year = log.words[at], log.words[at + 3]
    changes = (month_and_day[1:] != month_and_day[:-1]) | (year[1:] != year[:-1])
    firsts = np.concatenate(([0], np.flatnonzero(changes) + 1))[: len(at)]
    days = np.array([_day_ns(log.text[begin : begin + 11]) for begin in at[firsts].tolist()], dtype=np.int64)
    each = np.repeat(days, np.diff(np.append(firsts, len(at))))
    return each != _NO_DATE, each


@lru_cache(maxsize=1024)
def _day_ns(text: bytes) -> int:
    try:
        return parse_stamp(f"{text.decode('ascii')}00:00:00") if text.endswith(b" ") else _NO_DATE
    except ValueError:
        return _NO_DATE
