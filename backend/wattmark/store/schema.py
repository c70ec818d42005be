"""The schema of a file as its layout declares it, and how a damaged one is distinguished from another layout's.

A new file is laid out the same way each time, down to the page on which each table begins, so the pages that hold its
schema are known without reading them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple, Self

import apsw

from wattmark.core.errors import StoreError
from wattmark.store.query import query

PAGE = 4096
HEADER = 100
"""Bytes of page 1 before its b-tree (SQLite file format, 1.3)."""
LOG = "-wal"
"""Ending of the name of SQLite's log beside a file."""
JOURNAL = slice(18, 20)
"""Bytes of the header for the journal mode: 1 with a rollback journal (a backup), 2 with a log."""
_CONSTANT = (*range(18), *range(20, 24))
"""Bytes of the header that never change: signature, page size, limits of b-trees."""
_SETTLED = (*range(44, 48), *range(52, 60), *range(64, 72))
"""Bytes that never change once tables are in the file itself: formats, encoding, application."""
NO_LAYOUT = 100
"""From here on a number of layout is a damaged one, not one that this build does not know yet."""
UNREADABLE = (apsw.CorruptError, apsw.NotADBError, apsw.SQLError, UnicodeDecodeError)
"""Errors that SQLite reports for an invalid header or schema."""
_ALTERED = 2
"""Most characters in which a statement with a flipped bit or two differs; those of another layout differ in more."""


class DamagedSchemaError(StoreError):
    """The schema or the header of a file of this layout is damaged, and can be rebuilt."""

    def __init__(self, path: Path, reason: str) -> None:
        self.reason = reason = "".join(char if char.isprintable() else "\ufffd" for char in reason)
        super().__init__(
            f"{path} is damaged in its schema or header ({reason}).",
            "Start `wattmark serve` with this folder once: it rebuilds that part, keeps the damaged file beside it and "
            "says what else is damaged. Or restore a backup.",
        )


class Entry(NamedTuple):
    """A table, index or trigger in the schema."""

    name: str
    table: str
    root: int
    """The page on which it begins; 0 for a trigger."""
    sql: str | None


Entries = dict[tuple[str, str], Entry]
"""By type and name."""


def read_entries(connection: apsw.Connection) -> Entries:
    """Read the schema of a file."""
    rows = query(connection, "SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema")
    return {(kind, name): Entry(name, *rest) for kind, name, *rest in rows}


@dataclass(frozen=True, slots=True)
class Schema:
    """The schema of a new file."""

    entries: Entries
    changes: int
    """SQLite's count of changes to it: the same in every file whose schema was not changed since."""
    pages: Mapping[int, bytes]
    """The pages that hold it, by their numbers from 0."""

    @classmethod
    def of(cls, new: apsw.Connection) -> Self:
        """Take the schema of a new file in memory."""
        entries = read_entries(new)
        begun = {entry.root - 1 for entry in entries.values()}
        content = new.serialize("main")
        pages = {number: content[number * PAGE :][:PAGE] for number in range(len(content) // PAGE)}
        return cls(
            entries,
            new.pragma("schema_version"),
            {number: page for number, page in pages.items() if number not in begun},
        )

    def deviations(self, entries: Entries) -> list[str]:
        """List what is missing from the schema of a file, or differs from the declaration.

        The first pages of tables are compared too, unless most differ: then another program has rewritten the file.
        """
        pairs = [(entry, entries.get(key)) for key, entry in self.entries.items()]
        moved = 2 * sum(read is not None and read.root != entry.root for entry, read in pairs) > len(pairs)
        return [
            entry.name
            for entry, read in pairs
            if read is None or (read._replace(root=entry.root) if moved else read) != entry
        ]

    def nearly(self, entries: Entries) -> bool:
        """Return whether every statement in the schema of a file is the declared one but for a flipped bit or two."""
        pairs = [(entry.sql or "", entries[key].sql or "") for key, entry in self.entries.items() if key in entries]
        return all(
            len(sql) == len(read) and sum(a != b for a, b in zip(sql, read, strict=True)) <= _ALTERED
            for sql, read in pairs
        )

    def laid_out(self, path: Path) -> bool:
        """Return whether a file has at least half of these pages, byte by byte: then it was laid out this way."""
        try:
            with path.open("rb") as file:
                same = sum(
                    _body(number, page_of(file, number)) == _body(number, page) for number, page in self.pages.items()
                )
        except OSError:
            return False
        return 2 * same >= len(self.pages)

    def header_changed(self, path: Path) -> bool:
        """Return whether a byte of a file's header that never changes has done so."""
        places = _CONSTANT if has_log(path) else _CONSTANT + _SETTLED
        with path.open("rb") as file:
            header = page_of(file, 0)
        return header[JOURNAL] not in (b"\1\1", b"\2\2") or any(
            header[place] != self.pages[0][place] for place in places
        )


def has_log(path: Path) -> bool:
    """Return whether changes to a file wait in its log."""
    log = path.with_name(path.name + LOG)
    return log.exists() and log.stat().st_size > 0


def page_of(file: BinaryIO, number: int) -> bytes:
    """Read a page of a file, which may end before it."""
    file.seek(number * PAGE)
    return file.read(PAGE)


def _body(number: int, page: bytes) -> bytes:
    return page[HEADER:] if number == 0 else page
