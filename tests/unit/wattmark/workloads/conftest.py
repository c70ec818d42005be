from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from wattmark.workloads.marks import Mark
from wattmark.workloads.trigger import Line

RECORDED = Path(__file__).parent / "recorded"
UTC_NS = 1_795_234_000_000_000_000


def mark(monotonic_ns: int) -> Mark:
    return Mark(UTC_NS + monotonic_ns, monotonic_ns)


def lines(name: str) -> list[Line]:
    """Real output with the instants at which its lines arrived."""
    found = []
    for row in (RECORDED / name).read_text("utf-8").splitlines():
        at, _, rest = row.partition("\t")
        stream, _, text = rest.partition("\t")
        if stream in ("stdout", "stderr"):
            found.append(Line(stream, text, mark(int(at))))
    return found


@pytest.fixture
def recorded() -> Callable[[str], list[Line]]:
    return lines


@pytest.fixture(scope="session")
def at() -> Callable[[float], Mark]:
    """A mark so many seconds after the start."""
    return lambda seconds: mark(round(seconds * 1e9))
