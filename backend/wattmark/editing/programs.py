"""What a bench makes the service run, and the files that it makes it read: no change over HTTP may bring in more."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wattmark.editing.plain import Document, Steps
from wattmark.inventory.references import Mistake

RUNS = frozenset({"command", "version", "setup", "cleanup", "program", "environment"})
READS = frozenset({"password_file", "privacy_password_file", "identity_file", "known_hosts"})
FREE = frozenset({"firmware", "options", "slots", "parameters"})
"""Maps whose keys are the operator's own words."""
RUN_REFUSAL = "programs are named on the machine itself, in the bench file, and not over the network"
READ_REFUSAL = (
    "the bench does not name this file yet; store a password with the service, or name the file on the machine"
)


def brought_in(before: Document, after: Document, own_folder: Path, bench_folder: Path) -> list[Mistake]:
    """Find programs and files that the bench did not name before. Files in ``own_folder`` are the service's own."""
    known = {_key(key, value) for _, key, value in _powers(before, ())}
    new = [(path, key, value) for path, key, value in _powers(after, ()) if _key(key, value) not in known]
    return [
        Mistake(path, RUN_REFUSAL if key in RUNS else READ_REFUSAL)
        for path, key, value in new
        if key in RUNS or not _inside(value, own_folder, bench_folder)
    ]


def _powers(node: Any, path: Steps) -> Iterator[tuple[Steps, str, Any]]:
    """Walk everything that names a program or a file."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key in RUNS | READS and value is not None:
                yield (*path, key), key, value
            elif key not in FREE:
                yield from _powers(value, (*path, key))
    elif isinstance(node, list):
        for at, item in enumerate(node):
            yield from _powers(item, (*path, at))


def _key(key: str, value: Any) -> str:
    return f"{'run' if key in RUNS else 'read'} {value!r}"


def _inside(value: Any, own_folder: Path, bench_folder: Path) -> bool:
    path = bench_folder / Path(str(value)).expanduser()
    return path.resolve().is_relative_to(own_folder.resolve())
