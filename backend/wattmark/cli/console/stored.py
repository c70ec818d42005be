"""Read what a data folder keeps beside runs: alarms, tokens, the audit log."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wattmark.cli.console.options import data_dir
from wattmark.core.errors import NotFound
from wattmark.results.data_folder import Storage, open_storage


@contextmanager
def stored(data: Path | None, lacking: str) -> Iterator[Storage]:
    """Open a data folder to read from it. Raises `NotFound` where it has no database.

    ``lacking`` completes that error, for example "are no alarms".
    """
    folder = data_dir(data)
    if not (folder / "wattmark.db").is_file():
        raise NotFound(f"There {lacking} in {folder}.", "Give the data folder of a service: --data DIR.")
    storage = open_storage(folder, read_only=True)
    try:
        yield storage
    finally:
        storage.close()
