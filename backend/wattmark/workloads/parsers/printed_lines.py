"""Cut what a program prints into lines as a person sees them: progress on one line, and colours."""

from __future__ import annotations

import re
from collections.abc import Iterator

LONGEST_LINE = 8_192
"""Longer lines are cut here [bytes]: no measurement is that long, and memory stays bounded."""
CUT = "…"
"""Ends a line that was cut, so that a number at its end is not taken for a whole one."""
_LINE_END = re.compile(rb"\r*\n|\r")
_TERMINAL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
"""Orders to a terminal, such as colours (ECMA-48): they stand between the characters of a text, and are none of it."""


class PrintedLines:
    """Bytes of one stream, as they come; a carriage return ends a line too, as programs that show progress mean it."""

    def __init__(self) -> None:
        self._rest = b""

    def take(self, data: bytes) -> Iterator[str]:
        """Add bytes; list the lines that are whole now."""
        *whole, rest = _LINE_END.split(self._rest + data)
        self._rest = rest[: LONGEST_LINE + 1]
        yield from map(_text, whole)

    def finish(self) -> Iterator[str]:
        """List what is left when the stream has ended."""
        rest, self._rest = self._rest, b""
        if rest:
            yield _text(rest)


def _text(raw: bytes) -> str:
    text = _TERMINAL.sub("", raw[:LONGEST_LINE].decode("utf-8", "replace"))
    return text + CUT if len(raw) > LONGEST_LINE else text
