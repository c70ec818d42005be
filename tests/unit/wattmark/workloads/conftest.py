from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from wattmark.workloads.marks import Mark
from wattmark.workloads.trigger import OutputLine

RECORDED = Path(__file__).parent / "recorded"
UTC_NS = 1_795_234_000_000_000_000


def mark(monotonic_ns: int) -> Mark:
    return Mark(UTC_NS + monotonic_ns, monotonic_ns)


def lines(name: str) -> list[OutputLine]:
    """Real output with the instants at which its lines arrived."""
    recorded_lines = []
    for row in (RECORDED / name).read_text("utf-8").splitlines():
        stamp, _, rest = row.partition("\t")
        stream, _, text = rest.partition("\t")
        if stream in ("stdout", "stderr"):
            recorded_lines.append(OutputLine(stream, text, mark(int(stamp))))
    return recorded_lines


@pytest.fixture
def recorded() -> Callable[[str], list[OutputLine]]:
    return lines


@pytest.fixture(scope="session")
def mark_at() -> Callable[[float], Mark]:
    """A mark so many seconds after the start."""
    return lambda seconds: mark(round(seconds * 1e9))
