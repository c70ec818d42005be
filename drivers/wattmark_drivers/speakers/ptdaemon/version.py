"""The version that our daemon states, in the form of a real one."""

from __future__ import annotations

import zlib
from functools import cache
from importlib.resources import files

REVISED = "20261130"
"""Day of the last change of what this daemon says."""


@cache
def daemon_version(version: str) -> str:
    """Write VERSION-CRC-DATE; the CRC is that of the daemon's own source files, as real ones state that of theirs."""
    sources = {entry.name: entry for entry in files(__package__).iterdir() if entry.name.endswith(".py")}
    crc = 0
    for name in sorted(sources):
        crc = zlib.crc32(sources[name].read_bytes(), crc)
    return f"{version.replace('-', '.')}-{crc:08x}-{REVISED}"
