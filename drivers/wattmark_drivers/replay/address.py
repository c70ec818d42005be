"""Which log is played, how fast and how often."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import SplitResult, unquote

from wattmark_drivers.address_parts import number, query
from wattmark_drivers.catalogue.declaration import Transport
from wattmark_drivers.engine import Scheme

FASTEST = 1000.0


@dataclass(frozen=True, slots=True)
class ReplayAddress:
    """A log file; ``speed`` 2 plays it in half its time; ``loop`` starts again at its end."""

    path: Path
    speed: float
    loop: bool


def parse_replay(parts: SplitResult, _transport: Transport) -> ReplayAddress:
    """Read replay:///FILE?speed=X&loop=0."""
    options = query(parts, "speed", "loop")
    path = unquote(parts.path)
    if parts.netloc or not path.startswith("/") or "\0" in path:
        raise ValueError("names no file (three slashes lead to an absolute path)")
    return ReplayAddress(
        Path(path), _speed(options.get("speed", "1")), bool(number(options.get("loop", "0"), "loop", 0, 1))
    )


def _speed(text: str) -> float:
    try:
        speed = float(text)
    except ValueError:
        speed = math.nan
    if not 1 / FASTEST <= speed <= FASTEST:
        raise ValueError(f"has the speed {text}, which is not a number from {1 / FASTEST:g} to {FASTEST:g}")
    return speed


SCHEMES = {"replay": Scheme("replay:///path/to/log.csv?speed=1&loop=0", parse_replay)}
