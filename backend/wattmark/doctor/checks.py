"""Everything that is examined, in the order in which it is told."""

from __future__ import annotations

import os
from datetime import datetime

from wattmark.doctor.finding import Finding
from wattmark.doctor.folder import folder
from wattmark.doctor.machine import machine
from wattmark.doctor.service import bench, port
from wattmark.doctor.software import software
from wattmark.doctor.viewers import viewers
from wattmark.settings import Settings
from wattmark.storage.database import FILE_NAME


def examine(settings: Settings, now: datetime, *, deep: bool = False) -> list[Finding]:
    """Examine this machine and a data folder; changes nothing. ``deep`` takes minutes where much is stored."""
    return [
        *software(),
        *folder(settings.data_dir, now, deep=deep),
        *bench(settings.bench, settings.data_dir, os.environ),
        port(settings.host, settings.port),
        *machine(now),
        *([viewers(settings.data_dir)] if deep and (settings.data_dir / FILE_NAME).is_file() else []),
    ]
