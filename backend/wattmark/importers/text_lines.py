"""Read a text file line by line: hashed on the way, and a line that is too long ends in an error."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from wattmark.core.errors import InputError
from wattmark.core.progress import note_done
from wattmark.core.wanted import require_wanted
from wattmark.runs.disclosure import SourceFileNote
from wattmark.workloads.loadgen.source_file import broken

LONGEST_LINE = 2**20
NO_BREAK = "The log ends without a line break: its last line may be cut, and with it the last digits of its values."
_READ = 2**16


class TextLines:
    """The lines of a file with their numbers; after the last, `note` has its size and digest.

    A line that is not UTF-8 is read in ``fallback``; else the bytes that are not become U+FFFD. With ``whole_lines`` a
    last one without a line feed is left out. Raises `InputError` for a file that cannot be read and a line over
    ``longest`` bytes.
    """

    def __init__(
        self,
        path: Path,
        name: str,
        longest: int = LONGEST_LINE,
        fallback: str | None = None,
        *,
        whole_lines: bool = False,
    ) -> None:
        self.name = name
        self._whole_lines = whole_lines
        self._fallback = fallback
        self._path = path
        self.longest = longest
        self._hash = hashlib.sha256()
        self._bytes = 0

    def __iter__(self) -> Iterator[tuple[int, str]]:
        for first, block in self.blocks():
            for number, line in enumerate(block.removesuffix(b"\n").split(b"\n"), start=first):
                if len(line) > self.longest:
                    raise self.too_long(number)
                yield number, self._decoded(line).rstrip("\r")

    def _decoded(self, line: bytes) -> str:
        if self._fallback is None:
            return line.decode("utf-8", "replace")
        try:
            return line.decode("utf-8")
        except UnicodeDecodeError:
            return line.decode(self._fallback, "replace")

    def blocks(self, size: int = _READ) -> Iterator[tuple[int, bytes]]:
        """Read whole lines, some ``size`` bytes at a time, with the number of the first; the last may end in no LF.

        Raises `InputError` for a file that cannot be read and a line over ``longest`` bytes that reaches beyond what
        was read; whoever splits a block refuses the others with `too_long`.
        """
        number, rest = 1, b""
        try:
            with self._path.open("rb") as file:
                while block := file.read(size):
                    require_wanted()
                    note_done("read", len(block))
                    self._count(block)
                    whole, newline, after = block.rpartition(b"\n")
                    if newline:
                        lines = rest + whole + newline
                        yield number, lines
                        number += lines.count(b"\n")
                        rest = after
                    else:
                        rest += block
                    if len(rest) > self.longest:
                        raise self.too_long(number)
        except OSError as error:
            raise self.unreadable(error) from error
        if rest and not self._whole_lines:
            yield number, rest

    @property
    def note(self) -> SourceFileNote:
        """Return name, size and digest of what was read."""
        return SourceFileNote(file=self.name, bytes=self._bytes, sha256=self._hash.hexdigest())

    def _count(self, data: bytes) -> None:
        self._hash.update(data)
        self._bytes += len(data)

    def unreadable(self, error: OSError) -> InputError:
        """Build the error for a file that cannot be read."""
        return InputError(f"{self.name} cannot be read: {error.strerror or error}.", "Restore the file.")

    def too_long(self, number: int) -> InputError:
        """Build the error for a line over ``longest`` bytes."""
        return broken(self.name, number, f"the line is longer than {self.longest} bytes", "Give a text file.")


def ends_with_a_break(path: Path) -> bool:
    """Return whether the last line of a text file is whole; padding with NUL, as loggers leave it, is not a line."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - 1, 0))
        return file.read(1) in (b"", b"\n", b"\r", b"\0")
