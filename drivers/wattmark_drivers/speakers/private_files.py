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


def write_password(folder: Path, password: str) -> Path:
    """Write the password of a device into its folder, in place of an earlier one; return the file."""
    folder.mkdir(exist_ok=True)
    path = folder / "password"
    path.unlink(missing_ok=True)
    write_secret(path, password)
    return path


def write_secret(path: Path, secret: str) -> None:
    """Write a file that only this user can read."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(secret)
