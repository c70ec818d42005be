"""Whether the appliance can do its work, in words where it cannot."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from wattmark.store.faults import files_left

LEAST_FREE_BYTES = 64 * 2**20
"""Least free space [bytes]: a night of one meter and the database's own log."""
NOTHING: Mapping[str, str] = MappingProxyType({})
LEAST_FREE_FILES = 16
"""Least free inodes: the database's auxiliary files and the requests in progress."""
LONGEST_WRITE_S = 10.0
"""Longest write [s]: a busy local disk takes a few seconds, a lost network drive never returns."""


def folder_problems(data_dir: Path) -> list[str]:
    """List what keeps the data folder from taking samples: rights, space [bytes], or free inodes."""
    if not os.access(data_dir, os.W_OK):
        return ["The data folder is not writable: give the service write access, or mount it writable."]
    free = shutil.disk_usage(data_dir).free
    if free < LEAST_FREE_BYTES:
        return [f"Only {free // 2**20} MiB are free for data: free at least {LEAST_FREE_BYTES // 2**20} MiB."]
    files = files_left(data_dir)
    if files is not None and files < LEAST_FREE_FILES:
        return [f"The disk of the data folder has room for only {files} more files (inodes): delete unneeded files."]
    return []


def write_problems(alarm: str | None, lasts_s: float) -> list[str]:
    """List what keeps samples from the disk: a refused write, or one that does not end [s]."""
    if lasts_s > LONGEST_WRITE_S:
        return [f"A write to the data folder has lasted {lasts_s:.0f} s; samples wait in memory: check the disk."]
    return [alarm] if alarm else []


def meter_problems(
    meters: Iterable[str], problems: Mapping[str, str | None], frozen: Mapping[str, str] = NOTHING
) -> list[str]:
    """Report that no meter of a non-empty bench measures; a meter that was not polled yet does not count.

    ``problems`` are of sources that do not answer, ``frozen`` of those that repeat a reading.
    """
    states = [(name, problems.get(name), problems.get(name) or frozen.get(name)) for name in meters]
    if states and all(problem for _, _, problem in states):
        name, _, problem = states[0]
        silent = all(lost for _, lost, _ in states)
        if silent:
            return [f"No meter answers. {name}: {problem}"]
        return [f"No meter gives a new reading. {name}: {problem}"]
    return []


def source_notes(problems: Mapping[str, str | None], frozen: Mapping[str, str]) -> list[str]:
    """List the sources that do not answer or repeat a reading; the live view gives the reason to those with access."""
    lost = [f"{name} does not answer." for name, problem in problems.items() if problem]
    still = [f"{name} repeats a reading." for name in frozen if not problems.get(name)]
    return [*lost, *still]


def place_notes(places: Mapping[str, tuple[int, int]]) -> list[str]:
    """List the kinds of responses about stored runs with places taken without a request: (places, those)."""
    return [
        f"{unasked} of {most} places for answers of the kind {kind} are taken although nobody asks: "
        "restart the service when no campaign runs, and report it; measuring continues."
        for kind, (most, unasked) in places.items()
        if unasked
    ]


def rebuilt_notes(kept: Sequence[str]) -> list[str]:
    """Report that the database was damaged; ``kept`` are the damaged files beside it."""
    return [
        f"The database was damaged and has been rebuilt; the damaged file is kept as {name}. "
        "`wattmark doctor --deep` says what is missing; delete that file once nothing is."
        for name in kept[-1:]
    ]


def bench_notes(fixed: Path | None) -> list[str]:
    """Report that the bench file cannot be changed; ``fixed`` is that file."""
    return [] if fixed is None else [f"The bench file {fixed} cannot be written, so the bench cannot be edited here."]
