"""Copy a database while others write to it."""

from __future__ import annotations

from pathlib import Path

import apsw

from wattmark.core.errors import StoreError
from wattmark.core.whole_file import part_beside, sync
from wattmark.store.database import Database
from wattmark.store.faults import explain_os, explained
from wattmark.store.verify import verify


def back_up(database: Database, target: Path) -> int:
    """Copy everything committed so far to one file and verify the copy; return its size [bytes].

    The copy appears under its name only when it is whole, on disk and sound. It is one state of the database (SQLite's
    online backup in one step), and recording goes on meanwhile. Raises `StoreError`.
    """
    beside = part_beside(target)
    try:
        _copy(database, beside)
        _must_be_sound(beside, database)
        size = beside.stat().st_size
        sync(beside)
        beside.replace(target)
        sync(target.parent)
        return size
    except OSError as error:
        raise explain_os(error, target) from error
    finally:
        beside.unlink(missing_ok=True)


def _copy(database: Database, target: Path) -> None:
    with database.snapshot() as source, explained(target):
        copy = apsw.Connection(str(target))
        try:
            with explained(target, copy), copy.backup("main", source, "main") as backup:
                backup.step()
            copy.pragma("journal_mode", "delete")
        finally:
            copy.close()


def _must_be_sound(copy: Path, source: Database) -> None:
    if problems := verify(copy, source.layout):
        raise StoreError(
            f"The copy of {source.path} is damaged, because the original is: {' '.join(problems)}",
            "Keep older backups; `wattmark doctor` shows which part is damaged, `wattmark archive` saves the rest.",
        )
