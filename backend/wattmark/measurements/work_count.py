"""Count the work of a command: a number that is given, one in its output, or its own marks."""

from __future__ import annotations

import re

from wattmark.core.amounts import NotANumber, problem, read_number
from wattmark.core.errors import InputError


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

    def take(self, line: bytes) -> None:
        """Look at a line of its output."""
        for match in self._pattern.finditer(line.decode("utf-8", "replace")):
            self._text = match[1]

    @property
    def amount(self) -> float:
        """Return the work done. Raises `InputError` where the output has no number that can be counted."""
        if self._text is None:
            raise InputError(
                f"No line of the output matches {self._pattern.pattern!r}, so no work was counted.",
                "Correct --work, or give the amount with --ops.",
            )
        try:
            amount = read_number(self._text)
        except NotANumber as error:
            raise InputError(f"--work found {error.cause}", "Correct the pattern.") from None
        if why := problem(amount):
            raise InputError(f"The work that was printed, {self._text[:40]}, {why}.", "Correct --work.")
        return amount
