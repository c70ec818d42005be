"""Progress of a long command: on a terminal in one line, elsewhere a line every few seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from wattmark.core.progress import Step, progress_told

FIRST_S = 2.0
"""Commands that end before tell nothing."""
_TERMINAL_S, _LINES_S = 0.5, 5.0
_MB = 10**6


class ProgressLine:
    """Writes how far an import or a conversion has come."""

    def __init__(
        self, name: str, total: int, out: IO[str], *, terminal: bool, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._name = name
        self._total = total
        self._out = out
        self._terminal = terminal
        self._now = now
        self._next_s = now() + FIRST_S
        self._done: dict[Step, int] = {"read": 0, "stored": 0, "evaluated": 0}
        self._width = 0

    def add(self, step: Step, amount: int) -> None:
        """Note that some more has been done, and write it when it is time again."""
        self._done[step] += amount
        now_s = self._now()
        if now_s < self._next_s:
            return
        self._next_s = now_s + (_TERMINAL_S if self._terminal else _LINES_S)
        text = f"{self._name}: {self._text(step)}"
        if self._terminal:
            self._out.write(f"\r{text:<{self._width}}")
            self._width = len(text)
        else:
            self._out.write(f"{text}\n")
        self._out.flush()

    def clear(self) -> None:
        """Remove the line from a terminal."""
        if self._width:
            self._out.write(f"\r{'':<{self._width}}\r")
            self._out.flush()

    def _text(self, step: Step) -> str:
        if step == "evaluated":
            return f"{self._done[step]} evaluated"
        if step == "stored" or self._done["stored"]:
            return f"{self._done['stored']} samples stored"
        read = min(self._done["read"], self._total)
        return f"{read / _MB:.0f} of {self._total / _MB:.0f} MB read"


@contextmanager
def progress_shown(source: Path, *, silent: bool = False) -> Iterator[None]:
    """Write the progress of the work inside the block on a file or folder to standard error."""
    if silent:
        yield
        return
    files = [source] if source.is_file() else [file for file in source.rglob("*") if file.is_file()]
    total = sum(file.stat().st_size for file in files)
    line = ProgressLine(source.name, total, sys.stderr, terminal=sys.stderr.isatty())
    with progress_told(line.add):
        try:
            yield
        finally:
            line.clear()
