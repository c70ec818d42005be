"""Make the parser of a program's output from what a person marked in it: its figure, and what counts its errors.

A pattern is made of the words before the mark, never typed: every piece of it is a fixed text, white space or digits,
none of which can match what the next one does, so that it is found or not in one pass over a line, whatever the output.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from wattmark.core.amounts import NotANumber, read_number
from wattmark.core.errors import InputError, WorkloadFailed
from wattmark.core.inputs import LONGEST
from wattmark.workloads.marks import Mark
from wattmark.workloads.parsers.parsers import Reports, TextParser
from wattmark.workloads.parsers.printed_lines import PrintedLines
from wattmark.workloads.parsers.text_output import TextOutput
from wattmark.workloads.trigger import OutputLine

_NUMBER = r"[\d.,]*\d"
"""Points and commas are judged when the number is read, so that a decimal comma fails the run and is not cut off."""
_EXPONENT = r"[eE][-+]?\d+"
_PIECES = re.compile(r"\s+|\d+(?:[.,]\d+)*|[^\s\d]+")
_ANY_NUMBER = r"\d+(?:[.,]\d+)*"
_NOT_0 = r"[0.,]*[1-9]"
_AGAIN = "Mark the digits of the number, all of them and nothing else."


@dataclass(frozen=True, slots=True)
class Marking:
    """A part of a line that a person marked: line from 0, and characters from ``begin`` up to ``end``."""

    line: int
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class ReadLine:
    """A line in which the figure was found."""

    line: int
    begin: int
    end: int
    value: float


@dataclass(frozen=True, slots=True)
class Read:
    """What a parser finds in an output; ``failure`` is why a run that prints it would fail."""

    lines: tuple[ReadLine, ...]
    failure: WorkloadFailed | None = None


def printed_lines(output: str) -> list[str]:
    """Cut an output into lines as those of a program are cut."""
    cut = PrintedLines()
    return [*cut.take(output.encode()), *cut.finish()]


def marked_parser(
    lines: Sequence[str], figure: Marking, errors: Sequence[Marking], reports: Reports, scale: float = 1.0
) -> TextParser:
    """Make the parser that reads the marked number, and fails where a marked count of errors is not 0.

    A marking of errors that is no number is a text that must not appear. Raises `InputError` for a marking that is
    outside of the output, or holds only a part of a number.
    """
    pattern = _figure_pattern(lines, figure)
    fails = "|".join(_error_pattern(lines, marking) for marking in errors)
    if max(len(pattern), len(fails)) > LONGEST:
        raise InputError("The line before a marking is too long.", "Mark a number that stands in a shorter one.")
    return TextParser(kind="regex", pattern=pattern, reports=reports, scale=scale, fails_on=fails or None)


def read_output(parser: TextParser, unit: str, lines: Sequence[str]) -> Read:
    """Read an output as a run would: every line in which the figure is, and why such a run would fail."""
    output = TextOutput(parser, started=_second(0), warm_up_s=0.0, seconds=float(len(lines) + 1), unit=unit)
    pattern = re.compile(parser.pattern)
    matches: list[ReadLine] = []
    failure: WorkloadFailed | None = None
    for number, text in enumerate(lines):
        try:
            output.feed(OutputLine("stdout", text, _second(number + 1)))
            if match := pattern.search(text):
                value = read_number(match["value"]) * parser.scale
                matches.append(ReadLine(number, *match.span("value"), value))
        except WorkloadFailed as refusal:
            failure = failure or refusal
    return Read(tuple(matches), failure)


def _second(number: int) -> Mark:
    return Mark(number * 10**9, number * 10**9)


def _figure_pattern(lines: Sequence[str], marking: Marking) -> str:
    before, number, after = _split(lines, marking)
    try:
        value = read_number(number)
    except NotANumber as error:
        raise InputError(f"The marking {number[:40]!r} is no number: {error.cause}", _AGAIN) from None
    written = re.fullmatch(f"{_NUMBER}({_EXPONENT})?", number)
    if written is None:
        raise InputError(f"The marking {number[:40]!r} is no amount of work ({value:g}).", _AGAIN)
    if before[-1:].isdecimal() or before.endswith(("-", "+", ".")) or re.match(r"\d|[.,]\d|[eE][-+]?\d", after):
        raise InputError(f"The number goes on beside the marking {number[:40]!r}.", _AGAIN)
    # What stands behind the number is its unit, which the run holds against that of the workload: it is part of the
    # pattern only where nothing else tells the line from others.
    words = re.search(r"[^\W\d_]", before)
    group = f"(?P<value>{_NUMBER}{_EXPONENT if written[1] else ''})"
    return f"^{_pieces(before, at_start=True)}{group}{'' if words else _pieces(after.rstrip()) + '$'}"


def _error_pattern(lines: Sequence[str], marking: Marking) -> str:
    before, text, _ = _split(lines, marking)
    if re.fullmatch(r"[\d.,]+", text):
        return f"^{_pieces(before, at_start=True)}{_NOT_0}"
    return _literal(text)


def _split(lines: Sequence[str], marking: Marking) -> tuple[str, str, str]:
    """Return what stands before the marking in its line, the marked text, and what stands behind it."""
    line = lines[marking.line] if 0 <= marking.line < len(lines) else ""
    text = line[marking.begin : marking.end].strip()
    if not text:
        raise InputError(f"Nothing is marked in line {marking.line + 1} of the output.", "Mark a number in it.")
    begin = line.index(text, marking.begin)
    return line[:begin], text, line[begin + len(text) :]


def _pieces(text: str, *, at_start: bool = False) -> str:
    """Write a text as a pattern: white space of any width, any numbers, and all else as it is.

    At the start of a line there may be none: numbers stand right-aligned.
    """
    written = [
        r"\s+" if piece.isspace() else _ANY_NUMBER if piece[0].isdecimal() else _literal(piece)
        for piece in _PIECES.findall(text)
    ]
    if at_start and text[:1].isspace():
        written[0] = r"\s*"
    return "".join(written)


def _literal(text: str) -> str:
    """Escape what a pattern would read as an order, and nothing else: a person reads the pattern."""
    return re.sub(r"([\\.^$*+?{}\[\]|()])", r"\\\1", text)
