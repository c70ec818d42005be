"""Files of a speaker in its private folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path


def write_values(folder: Path, values: Mapping[str, str]) -> None:
    """Replace value files, each at once, so that no reader sees half a number."""
    for name, text in values.items():
        draft = folder / f"{name}.new"
        draft.write_text(text, "ascii")
        draft.replace(folder / name)


def write_secret(path: Path, secret: str) -> None:
    """Write a file that only this user can read."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(secret)
