"""Read what a data folder keeps beside runs: alarms, tokens, the audit log."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wattmark.cli.options import data_dir
from wattmark.errors import NotFound
from wattmark.storage.open import Storage, open_storage


@contextmanager
def stored(data: Path | None, what: str) -> Iterator[Storage]:
    """Open a data folder to read from it. Raises `NotFound` where nothing is kept, so that there ``what``."""
    folder = data_dir(data)
    if not (folder / "wattmark.db").is_file():
        raise NotFound(f"There {what} in {folder}.", "Give the data folder of a service: --data DIR.")
    storage = open_storage(folder, read_only=True)
    try:
        yield storage
    finally:
        storage.close()
