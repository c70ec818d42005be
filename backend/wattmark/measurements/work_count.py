"""Count the work of a command: a number that is given, one in its output, or its own marks."""

from __future__ import annotations

import re

from wattmark.core.amounts import NotANumber, problem, read_number
from wattmark.core.errors import InputError
from wattmark.measurements.output_copy import LONGEST_LINE

WHOLE_NUMBER = "([0-9]+(?:[.,][0-9]+)*(?:[eE][-+]?[0-9]+)?)"
"""A group that takes all of a number."""
_BETWEEN = ".,'\u2019_\u00a0\u202f\u2009"
"""What may stand between digits of one number: decimal signs, and what groups thousands."""
_CONTINUES_BEFORE = re.compile(rf"(?:[0-9][0-9{_BETWEEN}]*(?:[eE][-+]?)?|(?<![\w.])-?\.|(?<![^\s=:(])-)\Z")
_CONTINUES_AFTER = re.compile(rf"(?:[{_BETWEEN}]?[0-9]|[eE][-+]?[0-9])[0-9{_BETWEEN}]*(?:[eE][-+]?[0-9]+)?|[kKMGT]\b")
_FIRST_GROUP, _LAST_GROUP = re.compile("[1-9][0-9]{0,2}"), re.compile("[0-9]{3}(?:[.,][0-9]+)?")
_GROUPS_BEFORE = re.compile(r"(?<![\w.,])[1-9][0-9]{0,2} (?:[0-9]{3} )*\Z")
_GROUPS_AFTER = re.compile(r"(?: [0-9]{3})+(?:[.,][0-9]+)?(?![0-9])")
"""Thousands that a plain space groups, which may as well be numbers beside each other."""
_LOOK = 40
"""Characters to either side that are looked at."""


def read_pattern(text: str) -> re.Pattern[str]:
    """Read a pattern of the line with the work done; its one group is the number. Raises `InputError`."""
    try:
        pattern = re.compile(text)
    except re.error as error:
        raise InputError(
            f"The pattern {text[:80]!r} is no regular expression: {error}.", "Such as 'requests: ([0-9]+)'."
        ) from None
    if pattern.groups != 1:
        raise InputError(
            f"The pattern {text[:80]!r} has {pattern.groups} groups; the number must stand in one.",
            "Put parentheses around the number: 'requests: ([0-9]+)'.",
        )
    return pattern


class PrintedWork:
    """The work that a command prints: the number in the last line that its pattern finds."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self._pattern = pattern
        self._text: str | None = None
        self._whole = ""
        """The number of the line that the text is or is a part of."""
        self._was_too_long = False
        """A line that could not be searched came after it."""

    def take(self, line: bytes) -> None:
        """Look at a line of its output."""
        if len(line) > LONGEST_LINE:
            self._was_too_long = True
            return
        text = line.decode("utf-8", "replace")
        matches = reversed([*self._pattern.finditer(text)])
        match = next((match for match in matches if match[1] is not None), None)
        if match is not None:
            self._text, self._was_too_long = match[1], False
            self._whole = _whole_number(match)

    @property
    def amount(self) -> float:
        """Return the work done. Raises `InputError` where the output has no number that can be counted."""
        if self._was_too_long:
            raise InputError(
                f"A line of the output has more than {LONGEST_LINE} bytes and was not searched; no work is counted.",
                "Print the work in a line of its own, at the end.",
            )
        if self._text is None:
            raise InputError(
                f"No line of the output matches {self._pattern.pattern!r}, so no work was counted.",
                "Correct --work, or give the amount with --ops.",
            )
        if self._whole != self._text.strip():
            raise InputError(
                f"--work found {self._text[:40]!r}, a part of {self._whole[:60]!r} in the output; no work is counted.",
                f"Let the parentheses hold the whole number, such as {WHOLE_NUMBER}, or print a plain one (LC_ALL=C)."
                + (" If they are two numbers, let the pattern match both." if " " in self._whole else ""),
            )
        try:
            amount = read_number(self._text)
        except NotANumber as error:
            raise InputError(f"--work found {error.cause}", "Correct the pattern.") from None
        if why := problem(amount):
            raise InputError(f"The work that was printed, {self._text[:40]}, {why}.", "Correct --work.")
        if not amount:
            raise InputError("The work that was printed is 0: no work was counted.", "Check what the command does.")
        return amount


def _whole_number(match: re.Match[str]) -> str:
    """Extend a matched text to both sides by what would make it another number: digits, signs between them, a factor.

    Digits behind a plain space belong to it where the pattern itself does not say what stands there.
    """
    line, text, (begin, end) = match.string, match[1], match.span(1)
    left, right = line[max(begin - _LOOK, 0) : begin], line[end : end + _LOOK]
    before = None if text[:1].isspace() else _CONTINUES_BEFORE.search(left)
    after = None if text[-1:].isspace() else _CONTINUES_AFTER.match(right)
    if before is None and match.start() == begin and _LAST_GROUP.fullmatch(text):
        before = _GROUPS_BEFORE.search(left)
    if after is None and match.end() == end and _FIRST_GROUP.fullmatch(text):
        after = _GROUPS_AFTER.match(right)
    return "".join((before[0] if before else "", text.strip(), after[0] if after else ""))
