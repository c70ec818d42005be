"""Read a text file line by line: hashed on the way, and a line that is too long ends in an error."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from wattmark.core.errors import InputError
from wattmark.runs.disclosure import SourceFileNote
from wattmark.workloads.loadgen.source_file import broken

LONGEST_LINE = 2**20
_READ = 2**16


class TextLines:
    """The lines of a file with their numbers; after the last, `note` has its size and digest.

    Bytes that are no UTF-8 become U+FFFD. Raises `InputError` for a file that cannot be read and a line over
    ``longest`` bytes.
    """

    def __init__(self, path: Path, name: str, longest: int = LONGEST_LINE) -> None:
        self.name = name
        self._path = path
        self._longest = longest
        self._hash = hashlib.sha256()
        self._bytes = 0

    def __iter__(self) -> Iterator[tuple[int, str]]:
        number, held = 0, b""
        try:
            with self._path.open("rb") as file:
                while block := file.read(_READ):
                    self._hash.update(block)
                    self._bytes += len(block)
                    *lines, held = (held + block).split(b"\n")
                    for line in lines:
                        number += 1
                        yield number, self._text(line, number)
                    if len(held) > self._longest:
                        raise self._too_long(number + 1)
        except OSError as error:
            raise InputError(f"{self.name} cannot be read: {error.strerror or error}.", "Restore the file.") from error
        if held:
            yield number + 1, self._text(held, number + 1)

    @property
    def note(self) -> SourceFileNote:
        """Return name, size and digest of what was read."""
        return SourceFileNote(file=self.name, bytes=self._bytes, sha256=self._hash.hexdigest())

    def _text(self, line: bytes, number: int) -> str:
        if len(line) > self._longest:
            raise self._too_long(number)
        return line.decode("utf-8", "replace").rstrip("\r")

    def _too_long(self, number: int) -> InputError:
        return broken(self.name, number, f"the line is longer than {self._longest} bytes", "Give a text file.")
