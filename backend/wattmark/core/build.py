"""Identity of this build: the version, and a digest of everything that affects a result."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import wattmark_calibration

from wattmark.core.version import version

_OWN = Path(__file__).parents[1]
_ROOMS = [_OWN / room for room in ("analysis", "results", "runs", "store", "traceability")]
_KINDS = (".py", ".yaml")
DIGITS = 12


@lru_cache
def build() -> str:
    """Return version and build, such as "0.1.0 build 3f9c0a71b2de"; two builds that differ may evaluate differently."""
    digest = hashlib.sha256()
    for path in sorted(_sources()):
        digest.update(path.name.encode() + path.read_bytes())
    return f"{version()} build {digest.hexdigest()[:DIGITS]}"


def _sources() -> Iterator[Path]:
    for room in (*_ROOMS, Path(wattmark_calibration.__file__).parent):
        yield from (path for path in room.rglob("*") if path.suffix in _KINDS)
