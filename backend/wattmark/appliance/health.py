"""Whether the appliance can do its work, in words where it cannot."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

LEAST_FREE_BYTES = 64 * 2**20
"""What a night of one meter and the database's own log need."""


def folder_problems(data_dir: Path) -> list[str]:
    """Tell what keeps the data folder from taking samples: rights, or space [bytes]."""
    if not os.access(data_dir, os.W_OK):
        return ["The data folder cannot be written: give the service the right, or mount it for writing."]
    free = shutil.disk_usage(data_dir).free
    if free < LEAST_FREE_BYTES:
        return [f"Only {free // 2**20} MiB are free for data: make room, at least {LEAST_FREE_BYTES // 2**20} MiB."]
    return []
