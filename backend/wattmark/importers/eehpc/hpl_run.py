"""A folder with HPL's output and the energy counters of the machine, read as one run in UTC."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import Path

import numpy as np

from wattmark.core.errors import InputError
from wattmark.importers.eehpc.counters import Counter, read_counters
from wattmark.importers.eehpc.hpl_log import HEAD, HplResult, begins, read_hpl
from wattmark.importers.eehpc.summary_text import SUMMARY, Summary, read_summary
from wattmark.importers.source_tree import files_that_begin, folders_of
from wattmark.importers.unread import Unread
from wattmark.importers.zones import require_zone
from wattmark.runs.disclosure import SourceFileNote
from wattmark.workloads.loadgen.source_file import broken

COUNTERS = ".parquet"
_OUTPUTS = (".log", ".out", ".txt")
_REMEDY = "Give a folder with the output of HPL and the energy counters as Parquet files beside it."


@dataclass(frozen=True, slots=True)
class HplFolder:
    """Where a run lies: HPL's output, and the files with counters."""

    path: Path
    output: Path
    counters: tuple[Path, ...]
    is_only_run: bool = True
    """Whether no other output of HPL lies in the folder."""

    @property
    def where(self) -> str:
        """Return the folder with the one it lies in, as sources are shown and errors name files."""
        return "/".join(part for part in self.path.parts[-2:] if part != os.sep)

    @property
    def source(self) -> str:
        """Return the folder, with the output where it has several: the run, as sources are shown."""
        return self.where if self.is_only_run else f"{self.where}/{self.output.name}"


@dataclass(frozen=True, slots=True)
class HplRun:
    """A run of HPL with its counters; ``begin_ns`` and ``end_ns`` are the core phase [UTC ns]."""

    folder: HplFolder
    hpl: HplResult
    summary: Summary
    counters: tuple[Counter, ...]
    begin_ns: int
    end_ns: int
    ahead_s: float
    """How far HPL's clock is ahead of UTC [s]."""
    zone_from: str
    files: tuple[SourceFileNote, ...]
    unread: Unread

    @property
    def id(self) -> str:
        """Return the run by HPL's output: one output is one run."""
        return f"eehpc-{self.hpl.note.sha256[:16]}"

    @property
    def duration_s(self) -> float:
        """Return the length of the core phase [s]."""
        return (self.end_ns - self.begin_ns) / 1e9


def find_folders(root: Path) -> list[HplFolder]:
    """Find every output of HPL beside counters. Raises `InputError` where there is none."""
    folders = _folders(root, unreadable_too=True)
    if not folders:
        raise InputError(f"{root} holds no output of HPL with energy counters (*{COUNTERS}) beside it.", _REMEDY)
    return folders


def has_folder(root: Path) -> bool:
    """Return whether a folder of a tree looks like a run of HPL with counters."""
    return bool(_folders(root))


def _folders(root: Path, *, unreadable_too: bool = False) -> list[HplFolder]:
    """Return the outputs beside counters, or also those that may be one and cannot be read."""
    if not root.is_dir():
        return []
    folders = []
    for folder, _, files in folders_of(root.resolve()):
        counters = tuple(folder / file for file in files if file.endswith(COUNTERS))
        named = [folder / file for file in files if file.endswith(_OUTPUTS)] if counters else []
        outputs, unreadable = files_that_begin(named, begins, HEAD)
        folders += [HplFolder(folder, output, counters, len(outputs) == 1) for output in outputs]
        if unreadable_too:
            folders += [HplFolder(folder, path, counters, is_only_run=False) for path in unreadable]
    return folders


def read_run(folder: HplFolder, zone: tzinfo | None) -> HplRun:
    """Read a run. Raises `InputError` naming the file that cannot be read, or where no zone is stated or said."""
    unread, where = Unread(), folder.where
    hpl = read_hpl(folder.output, f"{where}/{folder.output.name}", unread)
    summary = read_summary(folder.path / SUMMARY, f"{where}/{SUMMARY}", unread)
    begin_ns, ahead_s, zone_from = _begin(hpl, summary, zone, folder)
    counters = tuple(counter for path in folder.counters for counter in read_counters(path))
    end_ns = begin_ns + round((hpl.end - hpl.begin).total_seconds()) * 10**9
    _require_covered(counters, begin_ns, end_ns, where)
    notes = [hpl.note, *([summary.note] if summary.note else [])]
    notes += [_note(path, f"{where}/{path.name}") for path in folder.counters]
    return HplRun(folder, hpl, summary, counters, begin_ns, end_ns, ahead_s, zone_from, tuple(notes), unread)


def _begin(hpl: HplResult, summary: Summary, zone: tzinfo | None, folder: HplFolder) -> tuple[int, float, str]:
    """Return the start of the core phase [UTC ns], how far HPL's clock is ahead [s], and the evidence."""
    stated = summary.spans.get("Core")
    if stated is not None:
        begin_s = round(hpl.begin.replace(tzinfo=UTC).timestamp() - stated.ahead_s)
        if begin_s != stated.begin_s:
            raise broken(
                f"{folder.where}/{SUMMARY}",
                None,
                f"its core phase begins at {stated.begin_s}, that of {folder.output.name} at {begin_s}",
                "Give the summary of the same run.",
            )
        return begin_s * 10**9, stated.ahead_s, SUMMARY
    local = hpl.begin.replace(tzinfo=require_zone(zone, folder.output.name))
    offset = local.utcoffset()
    return round(local.timestamp()) * 10**9, offset.total_seconds() if offset else 0.0, "the person who imported it"


def _require_covered(counters: Sequence[Counter], begin_ns: int, end_ns: int, where: str) -> None:
    """Refuse counters of another time. Raises `InputError`."""
    for counter in counters:
        inside = np.count_nonzero((counter.t_ns >= begin_ns) & (counter.t_ns <= end_ns) & ~counter.bad)
        if inside < 2:
            first, last = (datetime.fromtimestamp(int(t) / 1e9, UTC) for t in (counter.t_ns[0], counter.t_ns[-1]))
            raise InputError(
                f"{where}: the counter {counter.name[:60]!r} has {inside} readings in the core phase; it was read from "
                f"{first:%Y-%m-%d %H:%M:%S} to {last:%Y-%m-%d %H:%M:%S} UTC.",
                "Give the counters of the same run, or the right time zone.",
            )


def _note(path: Path, name: str) -> SourceFileNote:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return SourceFileNote(file=name, bytes=path.stat().st_size, sha256=digest)
