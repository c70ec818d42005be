"""Rebuild the schema and the header of a damaged file: the layout defines them, and rows stay unchanged."""

from __future__ import annotations

import logging
import os
import re
import shutil
from itertools import count
from pathlib import Path
from typing import BinaryIO

import apsw

from wattmark.core.whole_file import part_beside, remove_parts, sync
from wattmark.store import free_list
from wattmark.store.faults import REPORTED, damaged_file, explain_os, explained
from wattmark.store.layout import Layout
from wattmark.store.schema import HEADER, JOURNAL, LOG, PAGE, DamagedSchemaError, Schema, page_of
from wattmark.store.verify import verify

_log = logging.getLogger(__name__)

_KEPT = ".damaged-"
_BEYOND = re.compile(r"(?!Freelist).*invalid page number")
_UNUSED = re.compile(r"Page (\d+): never used")
_ALL = 2**31 - 1
_INDEX = "-shm"
"""Ending of the file name of SQLite's log index."""
_CHANGES, _PAGES, _VARIABLE, _VALID_FOR = slice(24, 28), slice(28, 32), slice(24, 40), slice(92, 96)
"""Header fields: change counter, number of pages, all fields that change with rows, version-valid-for counter."""


def rebuild(path: Path, layout: Layout, damage: DamagedSchemaError) -> None:
    """Replace a file by a copy with a new schema and header, and log what else in it is damaged.

    The damaged file is kept beside it, with its log. Pages missing from a truncated file become empty ones, so that
    their content is reported as missing. Needs as much free space as the file. Raises `StoreError`, and then nothing
    has changed.
    """
    if not layout.schema.laid_out(path):
        raise damaged_file(path, damage.reason)
    remove_parts(path)
    copy = part_beside(path)
    try:
        _copy(path, copy)
        _merge_log(copy, path, layout.schema)
        _mend(copy, path, layout.schema)
        problems = verify(copy, layout)
        # a page used twice: the first pages of tables in this file are not those of the new schema
        if any("2nd reference" in problem for problem in problems):
            raise damaged_file(path, f"{damage.reason}; its tables do not begin where this build expects them")
        kept = _keep(path)
        sync(copy)
        copy.replace(path)
        for ending in (LOG, _INDEX):
            _beside(path, ending).unlink(missing_ok=True)
        sync(path.parent)
    except OSError as error:
        raise explain_os(error, path) from error
    finally:
        for leftover in (copy, _beside(copy, LOG), _beside(copy, _INDEX)):
            leftover.unlink(missing_ok=True)
    others = f"Also damaged: {' '.join(problems)}" if problems else "Nothing else in it is damaged."
    _log.error(
        "%s was damaged in its schema or header (%s). It has been rebuilt; the damaged file is kept as %s. %s",
        path,
        damage.reason,
        kept.name,
        others,
    )


def kept_aside(path: Path) -> list[str]:
    """List the names of damaged files that rebuilding kept beside a database."""
    return sorted(file.name for file in path.parent.glob(f"{path.name}{_KEPT}*") if not file.name.endswith(LOG))


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _copy(path: Path, copy: Path) -> None:
    shutil.copyfile(path, copy)
    shutil.copymode(path, copy)
    if _beside(path, LOG).exists():
        shutil.copyfile(_beside(path, LOG), _beside(copy, LOG))


def _merge_log(copy: Path, path: Path, schema: Schema) -> None:
    """Write the content of the log back to the file; a schema in the log may be as damaged as that in the file."""
    if not _beside(copy, LOG).exists():
        return
    with copy.open("r+b") as file:
        _write_schema(file, schema)
    connection = apsw.Connection(str(copy))
    try:
        with explained(path, connection):
            connection.pragma("writable_schema", True)
            connection.pragma("wal_checkpoint(TRUNCATE)")
    finally:
        connection.close()


def _mend(copy: Path, path: Path, schema: Schema) -> None:
    """Write schema and header, and rebuild the list of free pages if it is damaged too."""
    with copy.open("r+b") as file:
        _write_schema(file, schema)
        expected, there = _set_pages(file)
    problems = _structure(copy)
    if expected > there and any(_BEYOND.match(problem) for problem in problems):
        # A page refers to one beyond the end: the header was right, and the file was truncated.
        if expected > 2 * there:
            raise damaged_file(path, "most of it is missing")
        os.truncate(copy, expected * PAGE)
        with copy.open("r+b") as file:
            _set_pages(file)
        problems = _structure(copy)
    if any(problem.startswith("Freelist") or _UNUSED.fullmatch(problem) for problem in problems):
        with copy.open("r+b") as file:
            free_list.write(file, [])  # first an empty list, so that the next check reports all unused pages
            file.flush()
            unused = [_UNUSED.fullmatch(problem) for problem in _structure(copy)]
            if pages := [int(match[1]) for match in unused if match]:
                free_list.write(file, pages)


def _write_schema(file: BinaryIO, schema: Schema) -> None:
    """Write the pages of the schema, keeping the header fields that change with rows."""
    header = page_of(file, 0)[:HEADER]
    first = bytearray(schema.pages[0])
    first[JOURNAL] = b"\2\2"  # 2: a file with a log beside it (`JOURNAL`)
    first[_VARIABLE] = header[_VARIABLE]
    first[_VALID_FOR] = header[_CHANGES]  # SQLite uses the number of pages only while both counters are equal
    for number, page in {**schema.pages, 0: bytes(first)}.items():
        file.seek(number * PAGE)
        file.write(page)


def _set_pages(file: BinaryIO) -> tuple[int, int]:
    """Write the number of pages into the header; return (number in the header before, pages in the file)."""
    # rounded up: a file cut inside a page is filled to the whole page
    there = -(-file.seek(0, os.SEEK_END) // PAGE)
    file.truncate(there * PAGE)
    said = int.from_bytes(page_of(file, 0)[_PAGES], "big")
    file.seek(_PAGES.start)
    file.write(there.to_bytes(4, "big"))
    return said, there


def _structure(copy: Path) -> list[str]:
    """List the problems that SQLite finds in the pages of a file."""
    connection = apsw.Connection(str(copy), apsw.SQLITE_OPEN_READONLY)
    problems: list[str] = []
    try:
        for (lines,) in connection.execute(f"PRAGMA integrity_check({_ALL})"):
            problems += str(lines).splitlines()
    except REPORTED as error:
        problems.append(str(error))
    finally:
        connection.close()
    return problems


def _keep(path: Path) -> Path:
    """Link the damaged file and its log to a free name, or copy them, and return it."""
    kept = next(name for number in count(1) if not (name := _beside(path, f"{_KEPT}{number}")).exists())
    for source, target in ((_beside(path, LOG), _beside(kept, LOG)), (path, kept)):
        if source.exists():
            try:
                target.hardlink_to(source)
            except OSError:  # a file system without links
                shutil.copyfile(source, target)
    return kept
