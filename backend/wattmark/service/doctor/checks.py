"""All checks, in the order of the report."""

from __future__ import annotations

import os
from datetime import datetime

from wattmark.service.doctor.finding import Finding
from wattmark.service.doctor.folder import folder
from wattmark.service.doctor.left_settings import left_settings
from wattmark.service.doctor.machine import machine
from wattmark.service.doctor.modules import memory_modules
from wattmark.service.doctor.service import bench, port, running
from wattmark.service.doctor.software import software
from wattmark.service.doctor.viewers import viewers
from wattmark.service.settings import Settings
from wattmark.store.database import FILE_NAME


def examine(settings: Settings, now: datetime, *, deep: bool = False) -> list[Finding]:
    """Examine this machine and a data folder without changing them; ``deep`` takes minutes for a large database."""
    return [
        *software(),
        *folder(settings.data_dir, now, deep=deep),
        *left_settings(settings.data_dir),
        *bench(settings.bench, settings.data_dir, os.environ, settings.port),
        port(settings.host, settings.port),
        *running(settings.host, settings.port),
        *machine(now),
        *memory_modules(settings.bench, settings.data_dir, os.environ),
        *([viewers(settings.data_dir)] if deep and (settings.data_dir / FILE_NAME).is_file() else []),
    ]
