"""Loads that print more than anybody can read, and loads that print much."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from wattmark.core.errors import WorkloadFailed
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.hold import hold_load
from wattmark.workloads.local.local import LocalTrigger
from wattmark.workloads.measure import measure
from wattmark.workloads.parsers.work import MarkedWork
from wattmark.workloads.prepared import prepared
from wattmark_drivers.clock import SystemClock

from tests.integration.processes import processes_with

FLOODS = {
    "lines": "exec yes 'work 1'",
    "errors": "exec yes 'work 1' >&2",
    "one endless line": "exec yes | exec tr -d '\\n'",
}
PACED = """
import sys, time
begin = time.monotonic()
for piece in range(100 * int(sys.argv[1])):
    sys.stdout.write("work 1\\n" * 200)
    sys.stdout.flush()
    time.sleep(max(0, begin + piece / 100 - time.monotonic()))
"""


def printing(*command: str, **more: Any) -> Declaration:
    parser = {"kind": "regex", "pattern": r"^work (?P<value>\S+)", "reports": "interval-amount"}
    facts: dict[str, Any] = {"id": "own", "title": "own", "unit": "ops", "command": command, "parser": parser, **more}
    return Declaration.model_validate({**facts, "environment": {"LABEL": uuid4().hex}})


def left(declaration: Declaration) -> list[str]:
    """The live processes of a load, found by the label that they inherit."""
    return processes_with(f"LABEL={declaration.environment['LABEL']}")


async def measured(declaration: Declaration, trigger: LocalTrigger, clock: SystemClock, seconds: float) -> MarkedWork:
    return await measure(
        declaration, level=None, seconds=seconds, trigger=trigger, clock=clock, on_begin=lambda _: None
    )


class SlowClock(SystemClock):
    """A tenth of real time: a busy machine, too, reads faster than the bound by this clock."""

    def monotonic_ns(self) -> int:
        return super().monotonic_ns() // 10


@pytest.mark.parametrize("flood", FLOODS)
async def test_a_flood_is_ended_with_words(flood: str, tmp_path: Path) -> None:
    """`yes` prints millions of lines a second: long before they fill the memory the load is ended."""
    clock = SlowClock()
    declaration = printing("sh", "-c", FLOODS[flood])
    with pytest.raises(WorkloadFailed, match=r"printed more than .* per second for .* and was stopped"):
        await measured(declaration, LocalTrigger(clock, tmp_path), clock, seconds=60)
    assert left(declaration) == []


async def test_five_million_lines_are_too_many_even_where_the_program_ends(tmp_path: Path) -> None:
    clock = SlowClock()
    with pytest.raises(WorkloadFailed, match="more than 25,000 lines per second"):
        await measured(
            printing("sh", "-c", "yes 'work 1' | head -n 5000000"), LocalTrigger(clock, tmp_path), clock, seconds=60
        )


async def test_a_flood_ends_a_held_load_and_a_set_up_alike(trigger: LocalTrigger, clock: SystemClock) -> None:
    declaration = printing("sh", "-c", FLOODS["lines"])
    with pytest.raises(WorkloadFailed, match="lines per second"):
        await hold_load(declaration, level=None, seconds=30, trigger=trigger, clock=clock)
    declaration = printing("true", setup=(("sh", "-c", FLOODS["lines"]),))
    with pytest.raises(WorkloadFailed, match="lines per second"):
        async with prepared(declaration, level=None, seconds=1, trigger=trigger):
            pass


async def test_twenty_thousand_lines_a_second_are_counted_each(trigger: LocalTrigger, clock: SystemClock) -> None:
    """Reports in pieces of 200: all count, but for the first piece, which marks the begin."""
    work = await measured(printing(sys.executable, "-c", PACED, "3"), trigger, clock, seconds=60)
    total = sum(item.amount for item in work.intervals)
    assert total % 1 == 0
    assert 60_000 - 20_000 < total <= 60_000 - 1
    assert len(work.intervals) <= work.duration_s / 0.02 + 1
