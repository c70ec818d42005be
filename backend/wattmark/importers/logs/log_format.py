"""What a log format declares: its name, how it begins, and the reader of its lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from wattmark.core.errors import InputError
from wattmark.importers.importer import Choices, TimeZones
from wattmark.importers.logs.log_reader import LogReader

_HEAD = 2**17
"""Bytes that are looked at to recognise a log."""
_LINES = 40


def single_file(path: Path) -> Iterator[tuple[Path, str]]:
    """Yield the file itself, under its name."""
    if path.is_file():
        yield path, path.name


@dataclass(frozen=True, slots=True, kw_only=True)
class LogGrammar:
    """How the lines of a log are read, and how its kind is named."""

    kind: str
    title: str
    takes: str
    reader: Callable[[Choices], LogReader]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFormat(LogGrammar):
    """A log format. To add one: a module with a reader, and a line in `log_formats.py`."""

    time_zone: TimeZones
    begins: Callable[[Sequence[str]], bool]
    """Return whether the first lines of a file are of this format."""
    files: Callable[[Path], Iterator[tuple[Path, str]]] = single_file
    """The files of a source with the names under which they are reported; none: it is no such log."""

    def recognises(self, path: Path) -> bool:
        """Return whether a source begins as this format does. Never raises."""
        try:
            return next((begins for file, _ in self.files(path) if (begins := self._begins(file)) is not None), False)
        except (OSError, InputError):
            return False

    def _begins(self, file: Path) -> bool | None:
        """Return whether a file begins as this format does; None for one that cannot be read."""
        try:
            return self.begins(first_lines(file))
        except OSError:
            return None
        except ValueError:
            return False


def first_lines(path: Path, size: int = _HEAD) -> list[str]:
    """Read the first whole lines of a file, without those that are empty."""
    with path.open("rb") as file:
        head = file.read(size)
    try:
        text = head.decode("utf-8")
    except UnicodeDecodeError:
        text = head.decode("cp1252", "replace")
    whole = text.split("\n")[:-1] if len(head) == size else text.split("\n")
    lines = (line.strip("\r\0 \ufeff") for line in whole[:_LINES])
    return [line for line in lines if line]
