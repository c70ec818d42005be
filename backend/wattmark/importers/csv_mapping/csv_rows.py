"""The rows of a CSV file, one a line, in bounded memory: decoded, hashed on the way, cells without spaces around."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

from wattmark.core.progress import note_done
from wattmark.core.wanted import require_wanted
from wattmark.importers.csv_mapping.mapping import CsvMapping
from wattmark.importers.text_lines import TextLines
from wattmark.workloads.loadgen.source_file import broken

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

LONGEST_LINE = 2**16
"""Characters."""
MOST_CELLS = 4096


class CsvRow(NamedTuple):
    """One line: its number from 1, its text, its cells; None where it is no row of this form."""

    number: int
    text: str
    cells: list[str] | None


class CsvLines(TextLines):
    """The lines of a file in the encoding of a mapping.

    A row is a line: a quoted text that continues on the next line is not a row of a log.
    """

    def __init__(self, path: Path, mapping: CsvMapping, name: str) -> None:
        super().__init__(path, name, LONGEST_LINE)
        self._encoding = "utf-8-sig" if mapping.encoding == "utf-8" else mapping.encoding

    def __iter__(self) -> Iterator[tuple[int, str]]:
        """Read line by line. Raises `InputError` for a file that cannot be read and a line that is too long."""
        number = 0
        try:
            with self._path.open("rb") as file:
                source = io.BufferedReader(_Hashed(file, self._count), 2**16)
                with io.TextIOWrapper(source, self._encoding, "replace") as lines:
                    while line := lines.readline(LONGEST_LINE + 1):
                        number += 1
                        if len(line) > LONGEST_LINE:
                            mistake = f"the line is longer than {LONGEST_LINE} characters"
                            raise broken(self.name, number, mistake, "Give a text file, or another encoding.")
                        yield number, line.rstrip("\n")
        except UnicodeError as error:
            mistake = f"it is not written in {self._encoding}"
            raise broken(self.name, number + 1, mistake, "Choose another encoding.") from error
        except OSError as error:
            raise self.unreadable(error) from error


def csv_rows(lines: CsvLines, mapping: CsvMapping) -> Iterator[CsvRow]:
    """Read a file row by row. Raises `InputError` for one that cannot be read and a line that is too long."""
    for number, text in lines:
        yield CsvRow(number, text, split(text, mapping.delimiter))


def split(line: str, delimiter: str) -> list[str] | None:
    """Split a line into cells without the spaces around them; None where a quoted text does not end."""
    if '"' not in line:
        cells = line.split() if delimiter == " " else line.split(delimiter)
    else:
        try:
            cells = next(csv.reader([line], delimiter=delimiter, skipinitialspace=True, strict=True), [])
        except csv.Error:
            return None
    return [cell.strip() for cell in cells] if len(cells) <= MOST_CELLS else None


def wrong_width(cells: Sequence[str], needed: int, width: int, surplus: int = MOST_CELLS) -> str:
    """Explain why the cells of a line cannot be assigned to columns; empty where they can.

    More cells than columns are thousands or decimals whose comma separates cells; ``surplus`` empty ones end each row.
    """
    if len(cells) < needed:
        return f"it has {len(cells)} columns, and {needed} are needed"
    if any(cells[width:]) or len(cells) > width + surplus:
        return f"it has {len(cells)} columns, and the heading or first line {width}"
    return ""


class _Hashed(io.RawIOBase):
    """A file that tells what is read of it."""

    def __init__(self, file: IO[bytes], tell: Callable[[bytes], None]) -> None:
        self._file = file
        self._tell = tell

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer)
        require_wanted()
        data = self._file.read(len(view))
        view[: len(data)] = data
        note_done("read", len(data))
        self._tell(data)
        return len(data)
