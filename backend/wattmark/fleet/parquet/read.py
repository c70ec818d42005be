"""Read files of the archive back: what runs they hold, and what is in them.

A separate process starts with this module, which is why it imports little.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wattmark.core.errors import InputError
from wattmark.core.extras import require
from wattmark.fleet.parquet.layout import LAYOUT, columns

KEY = "wattmark"
"""The key of a file's own metadata."""
NUMBERS = ("part", "t_ns", "repeat", "value", "quality", "u_t_s")
AT_ONCE = 200
"""Rows of results and records that are in memory together; each holds documents of many kilobytes."""
_BATCH = 65_536


class Content:
    """What samples consist of, in order: how many, and a hash over each numeric column."""

    def __init__(self) -> None:
        self.n = 0
        self._hashes = {name: hashlib.blake2b(digest_size=16) for name in NUMBERS}

    def add(self, batch: Any) -> None:
        """Add the rows of a batch."""
        self.n += batch.num_rows
        for name, column_hash in self._hashes.items():
            column_hash.update(np.ascontiguousarray(batch[name].to_numpy()).tobytes())

    @property
    def digest(self) -> str:
        return "".join(column_hash.hexdigest() for column_hash in self._hashes.values())


@dataclass(frozen=True, slots=True)
class Mark:
    """What the archive holds of a run: hashes of its dossier and of what its samples consist of."""

    dossier: str
    samples: str


def read_content(path: Path) -> Content:
    """Read what the samples of a file consist of."""
    content = Content()
    for batch in _open(path, _BATCH):
        content.add(batch)
    return content


def count_rows(path: Path) -> int:
    """Count the rows of a file by reading all of it."""
    return sum(int(batch.num_rows) for batch in _open(path, AT_ONCE))


def check_content(path: Path) -> tuple[int, str] | str:
    """Return number and digest of the samples of a file, or why it has none; runs in a process of its own."""
    try:
        reader = _open(path, _BATCH)
        if list(reader.schema.names) != list(columns("sample")):
            return "it has other columns"
        content = read_content(path)
    except BaseException as error:
        return _short(error)
    return content.n, content.digest


def check_marks(path: Path) -> dict[str, tuple[str, str]] | str:
    """Return the marks of the runs of a file, or why it has none; runs in a process of its own.

    The whole file is read: what is damaged is found before it is copied.
    """
    try:
        facts = _facts(_open(path, AT_ONCE))
        if facts["layout"] != LAYOUT:
            return "another version of wattmark wrote it"
        marks = {run: (dossier, samples) for run, (dossier, samples) in facts["runs"].items()}
        if count_rows(path) != len(marks):
            return "it has more or fewer rows than it says"
    except BaseException as error:
        return _short(error)
    return marks


def check_rows(path: Path) -> int | str:
    """Return the number of rows of a file, or why they cannot be read; runs in a process of its own."""
    try:
        return count_rows(path)
    except BaseException as error:
        return _short(error)


def other_rows(path: Path, runs: Collection[str]) -> Iterator[Any]:
    """Yield the rows of a file but those of some runs, batch by batch."""
    arrow = require("parquet", "arro3.core", "Parquet needs")
    for batch in _open(path, AT_ONCE):
        stay = [k for k, run in enumerate(batch["run"].to_pylist()) if run not in runs]
        if len(stay) == batch.num_rows:
            yield batch
        elif stay:
            yield batch.take(arrow.Array.from_numpy(np.asarray(stay, np.uint32)))


def runs_of(path: Path) -> Collection[str]:
    """List the runs of a file of the table `run`, from its footer alone. Raises `InputError` for a damaged file."""
    with _readable(path):
        runs: dict[str, Any] = _facts(_open(path, AT_ONCE))["runs"]
        return runs.keys()


def batches_of(path: Path, rows: int = AT_ONCE) -> Iterator[Any]:
    """Yield a file batch by batch, in this process. Raises `InputError` for a damaged file."""
    with _readable(path):
        batches = iter(_open(path, rows))
    while True:
        with _readable(path):
            batch = next(batches, None)
        if batch is None:
            return
        yield batch


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Raise `InputError` for whatever the library raises: it panics at some damage."""
    try:
        yield
    except (InputError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        raise InputError(
            f"{path.name} cannot be read as Parquet: {_short(error)}.", "Restore the file from a copy."
        ) from None


def _facts(reader: Any) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads((reader.schema.metadata_str or {})[KEY])
    return facts


def _open(path: Path, batch: int) -> Any:
    return require("parquet", "arro3.io", "Parquet needs").read_parquet(str(path), batch_size=batch)


def _short(error: BaseException) -> str:
    words = " ".join(str(error).split())
    inner = re.search(r'\("(.+)"\)$', words)  # the library shows its errors as Rust does
    return (inner[1] if inner else words)[:100] or type(error).__name__
