"""Everything that is examined, in the order in which it is told."""

from __future__ import annotations

import os
from datetime import datetime

from wattmark.doctor.finding import Finding
from wattmark.doctor.folder import folder
from wattmark.doctor.machine import machine
from wattmark.doctor.service import bench, port
from wattmark.doctor.software import software
from wattmark.settings import Settings


def examine(settings: Settings, now: datetime, *, deep: bool = False) -> list[Finding]:
    """Examine this machine and a data folder; changes nothing. ``deep`` reads all of a large database too."""
    return [
        *software(),
        *folder(settings.data_dir, now, deep=deep),
        *bench(settings.bench, settings.data_dir, os.environ),
        port(settings.host, settings.port),
        *machine(now),
    ]
