"""When the data folder was last backed up, as `wattmark backup` notes it there."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

FILE_NAME = "last-backup.json"


def last_backup(folder: Path) -> tuple[datetime, str] | None:
    """Read instant and file of the last backup; None where none is known."""
    try:
        record = json.loads((folder / FILE_NAME).read_bytes())
        return datetime.fromisoformat(record["at"]).astimezone(UTC), str(record["file"])
    except (OSError, ValueError, OverflowError, KeyError, TypeError, RecursionError):
        return None
