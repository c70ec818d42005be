"""Progress of a long command: one line on a terminal, with the time that is left; nothing in a pipe or a file."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from wattmark.core.progress import Step, progress_told

FIRST_S = 2.0
"""Commands that end before show nothing."""
_EVERY_S = 0.5
_SURE_S = 1.0
"""How long a step must have lasted before its rest is estimated [s]."""
_MB = 10**6
_WORDS: Mapping[Step, str] = {
    "read": "MB read",
    "verified": "MB verified",
    "stored": "samples stored",
    "written": "runs written",
    "restored": "runs restored",
    "compared": "runs compared",
    "evaluated": "evaluated",
}
_BYTES: frozenset[Step] = frozenset({"read", "verified"})


class ProgressLine:
    """Writes how far a command has come. ``total`` counts the bytes to be read where that is known, else it is 0."""

    def __init__(self, name: str, total: int, out: IO[str], *, now: Callable[[], float] = time.monotonic) -> None:
        self._name = name
        self._out = out
        self._now = now
        self._next_s = now() + FIRST_S
        self._step: Step | None = None
        self._step_began_s = now()
        self._done: dict[Step, int] = dict.fromkeys(_WORDS, 0)
        self._whole: dict[Step, int] = {"read": total} if total else {}
        self._width = 0

    def add(self, step: Step, amount: int, of: int | None) -> None:
        """Note that some more has been done, and write it when it is time again."""
        self._done[step] += amount
        if of is not None:
            self._whole[step] = of
        shown, now_s = self._shown(step), self._now()
        if shown != self._step:
            self._step_began_s, self._step = (now_s if self._step else self._step_began_s), shown
        if now_s < self._next_s:
            return
        self._next_s = now_s + _EVERY_S
        text = f"{self._name}: {self._text(shown, now_s - self._step_began_s)}"
        self._out.write(f"\r{text:<{self._width}}")
        self._width = len(text)
        self._out.flush()

    def clear(self) -> None:
        """Remove the line."""
        if self._width:
            self._out.write(f"\r{'':<{self._width}}\r")
            self._out.flush()

    def _shown(self, step: Step) -> Step:
        """Choose what is counted: a source that is stored while it is read is counted by what is read of it."""
        reading = 0 < self._done["read"] < self._whole.get("read", 0)
        return "read" if step == "stored" and reading else step

    def _text(self, step: Step, lasted_s: float) -> str:
        done, whole = self._done[step], self._whole.get(step)
        if whole is None:
            return f"{_amount(step, done)} {_WORDS[step]}"
        done = min(done, whole)
        left = time_left(lasted_s * (whole - done) / done) if done < whole and lasted_s >= _SURE_S and done else ""
        return f"{_amount(step, done)} of {_amount(step, whole)} {_WORDS[step]}{left and f', {left}'}"


def _amount(step: Step, amount: int) -> str:
    return f"{amount / _MB:.0f}" if step in _BYTES else str(amount)


def time_left(seconds: float) -> str:
    """Write how long something still takes, no finer than it is known: "9 s left", "3 min left", "1 h 20 min left"."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s left"
    minutes = round(seconds / 60)
    return f"{minutes} min left" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min left"


@contextmanager
def progress_shown(source: Path, *, silent: bool = False) -> Iterator[None]:
    """Show the progress of the work inside the block on a file or folder, on a terminal."""
    with work_shown(source.name, 0 if silent or not sys.stderr.isatty() else _size(source), silent=silent):
        yield


@contextmanager
def work_shown(name: str, total: int = 0, *, silent: bool = False) -> Iterator[None]:
    """Show the progress of the work inside the block under a name, on a terminal; ``total`` bytes are to be read."""
    if silent or not sys.stderr.isatty():
        yield
        return
    line = ProgressLine(name, total, sys.stderr)
    with progress_told(line.add):
        try:
            yield
        finally:
            line.clear()


def _size(source: Path) -> int:
    files = [source] if source.is_file() else [file for file in source.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files)
