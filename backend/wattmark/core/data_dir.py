"""Default place of the data folder."""

from __future__ import annotations

import os
from pathlib import Path

from wattmark.core.errors import InputError


def default_data_dir() -> Path:
    """Return the data folder: WATTMARK_DATA_DIR, else the XDG convention.

    Raises `InputError` for a user without a home: container platforms start programs as a number that no user has.
    """
    if folder := os.environ.get("WATTMARK_DATA_DIR"):
        return Path(folder)
    if base := os.environ.get("XDG_DATA_HOME"):
        return Path(base) / "wattmark"
    try:
        return Path.home() / ".local/share/wattmark"
    except RuntimeError:
        cause = f"The data folder has no default location: user {os.getuid()} has no name and no home folder."
        raise InputError(cause, "Set --data DIR or WATTMARK_DATA_DIR to a writable folder.") from None
