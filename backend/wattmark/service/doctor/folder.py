"""The data folder: rights, space, speed, soundness, backups."""

from __future__ import annotations

import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from wattmark.access.whole import newest_hash
from wattmark.core.errors import StoreError
from wattmark.core.folders import OF_THE_FILE_SYSTEM
from wattmark.core.numbers import format_number
from wattmark.core.texts import first_of
from wattmark.results.data_folder import LAYOUT, open_storage
from wattmark.service.doctor.finding import Finding
from wattmark.service.doctor.last_backup import last_backup
from wattmark.service.doctor.stored import stored_documents
from wattmark.service.health import LEAST_FREE_BYTES
from wattmark.store.database import FILE_NAME
from wattmark.store.rebuild import kept_aside
from wattmark.store.verify import verify

LOW_DISK_GIB = 2.0
SLOW_SYNC_S = 0.1
"""Slowest durable write [s]: with a commit each second the disk must have time for other work."""
SMALL_BYTES = 2**30
OLD_BACKUP_DAYS = 7
_SYNCS = 16
_NAMED = 3


def folder(data_dir: Path, now: datetime, *, deep: bool) -> Iterator[Finding]:
    """Check a data folder, and remove what the check wrote. ``deep`` reads all of a large database too."""
    existing = next(path for path in (data_dir, *data_dir.parents) if path.exists())
    rights = _rights(data_dir, existing)
    yield rights
    yield _space(existing)
    if rights.state == "ok":
        yield _speed(existing)
    if (data_dir / FILE_NAME).is_file():
        database = _database(data_dir, deep)
        yield database
        yield from _rebuilt(data_dir / FILE_NAME)
        if database.state == "ok" and (deep or not _large(data_dir)):
            yield from stored_documents(data_dir / FILE_NAME)
        yield _audit_log(data_dir)
        yield backups(last_backup(data_dir), now)


def _rights(data_dir: Path, existing: Path) -> Finding:
    remedy = "Choose another folder with --data DIR, or give this user access to it."
    if not existing.is_dir():
        return Finding("data folder", "problem", f"{existing} is not a folder", remedy)
    if not os.access(existing, os.R_OK | os.W_OK | os.X_OK):
        return Finding("data folder", "problem", f"{existing} cannot be written", remedy)
    if foreign := [path.name for path in _entries(data_dir) if not os.access(path, _needed(path))]:
        cause = f"{first_of(foreign, _NAMED)} in {data_dir} cannot be read or written by this user"
        return Finding(
            "data folder", "problem", cause, f"Another user wrote there. Run: sudo chown -R $USER {data_dir}"
        )
    return Finding("data folder", "ok", f"{data_dir} ({'exists' if data_dir.exists() else 'will be created'})")


def _entries(data_dir: Path) -> list[Path]:
    """List the files and folders of wattmark in a data folder."""
    entries = (path for path in data_dir.iterdir() if path.name != OF_THE_FILE_SYSTEM) if data_dir.is_dir() else ()
    return sorted(path for path in entries if path.is_file() or path.is_dir())


def _needed(path: Path) -> int:
    return os.R_OK | os.W_OK | (os.X_OK if path.is_dir() else 0)


def _space(existing: Path) -> Finding:
    free = shutil.disk_usage(existing).free
    remedy = "Free space: 12 channels at 10 Hz need 0.26 GB a day; `wattmark retention` thins old runs."
    if free < LEAST_FREE_BYTES:
        return Finding("disk space", "problem", f"{free / 2**20:.1f} MiB free; nothing is recorded", remedy)
    if free < LOW_DISK_GIB * 2**30:
        return Finding("disk space", "warning", f"{free / 2**30:.1f} GiB free", remedy)
    return Finding("disk space", "ok", f"{free / 2**30:.0f} GiB free")


def sync_s(existing: Path) -> float:
    """Measure the median duration of a small durable write [s]."""
    taken = []
    with tempfile.TemporaryFile(dir=existing) as file:
        for _ in range(_SYNCS):
            begin = time.perf_counter()
            file.write(bytes(4096))
            file.flush()
            os.fdatasync(file.fileno())
            taken.append(time.perf_counter() - begin)
    return statistics.median(taken)


def _speed(existing: Path) -> Finding:
    try:
        return speed(sync_s(existing))
    except OSError as error:
        text = f"a durable write failed: {error.strerror}"
        return Finding("disk speed", "problem", text, "Free space, or repair the disk.")


def speed(taken_s: float) -> Finding:
    """Evaluate the duration of a durable write [s]."""
    text = f"a durable write takes {format_number(taken_s * 1e3, 2)} ms"
    if taken_s > SLOW_SYNC_S:
        return Finding(
            "disk speed", "warning", text, "Use a local disk that is not busy; a network drive is not suitable."
        )
    return Finding("disk speed", "ok", text)


def _large(data_dir: Path) -> bool:
    return (data_dir / FILE_NAME).stat().st_size > SMALL_BYTES


def _database(data_dir: Path, deep: bool) -> Finding:
    path = data_dir / FILE_NAME
    size = path.stat().st_size
    try:
        open_storage(data_dir, read_only=True).close()
    except StoreError as error:
        return Finding("database", "problem", error.cause, error.remedy)
    if _large(data_dir) and not deep:
        return Finding("database", "ok", f"{size / 1e9:.1f} GB; `wattmark doctor --deep` reads and verifies all of it")
    problems = verify(path, LAYOUT)
    if problems:
        remedy = "The rest stays readable: save it with `wattmark archive --all`, or restore the latest backup."
        return Finding("database", "problem", " ".join(problems), remedy)
    return Finding("database", "ok", f"{size / 1e6:.1f} MB, all checksums match")


def _rebuilt(path: Path) -> Iterator[Finding]:
    if kept := kept_aside(path):
        text = f"{FILE_NAME} was damaged and has been rebuilt; the damaged file is kept as {', '.join(kept)}"
        remedy = "The disk may be failing: check it. Delete that file (and its -wal) once nothing is missing."
        yield Finding("rebuilt database", "warning", text, remedy)


def _audit_log(data_dir: Path) -> Finding:
    try:
        with closing(open_storage(data_dir, read_only=True)) as storage:
            newest_hash(storage.audit)
    except StoreError as error:
        return Finding("audit log", "problem", error.cause, error.remedy)
    return Finding("audit log", "ok", "the chain of entries is intact")


def backups(last: tuple[datetime, str] | None, now: datetime) -> Finding:
    """Evaluate the age of the last backup."""
    remedy = "Run `wattmark backup FILE` to another disk; the service keeps running."
    if last is None:
        return Finding("backup", "warning", "none made by `wattmark backup`", remedy)
    days = (now - last[0].astimezone(UTC)).total_seconds() / 86_400
    if days < 0:
        return Finding("backup", "warning", f"dated later than now, {last[0]:%Y-%m-%d %H:%M %Z}, to {last[1]}", remedy)
    text = f"{days:.1f} days ago, to {last[1]}"
    return Finding("backup", "warning", text, remedy) if days > OLD_BACKUP_DAYS else Finding("backup", "ok", text)
