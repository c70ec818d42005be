"""Real loads, short."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from wattmark.core.errors import WorkloadFailed
from wattmark.workloads.catalogue import load_catalogue
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.hold import hold_load
from wattmark.workloads.local.commands import program_version, run_to_end
from wattmark.workloads.local.local import LocalTrigger
from wattmark.workloads.marks import Mark
from wattmark.workloads.measure import measure
from wattmark.workloads.parsers.work import MarkedWork
from wattmark_drivers.clock import SystemClock

from tests.integration.processes import processes_with

TICKER = """
import sys, time
for i in range(1000):
    print(f"{i * 10} ops", flush=True)
    time.sleep(0.1)
"""


def _own(script: str, reports: str, **more: Any) -> Declaration:
    parser = {"kind": "regex", "pattern": r"(?P<value>[\d.]+) ops", "reports": reports}
    command = [sys.executable, "-c", script, "{seconds}"]
    facts: dict[str, Any] = {"id": "own", "title": "own", "unit": "ops", "command": command, "parser": parser, **more}
    facts["environment"] = {"LABEL": uuid4().hex}
    return Declaration.model_validate(facts)


async def _measure(
    declaration: Declaration, trigger: LocalTrigger, clock: SystemClock, seconds: float, level: int | None = None
) -> tuple[MarkedWork, list[Mark]]:
    begins: list[Mark] = []
    work = await measure(
        declaration, level=level, seconds=seconds, trigger=trigger, clock=clock, on_begin=begins.append
    )
    return work, begins


def _left(declaration: Declaration) -> list[str]:
    """The live processes of this test's load, found by the label that they inherit."""
    return processes_with(f"LABEL={declaration.environment['LABEL']}")


def _labelled(name: str, **change: Any) -> Declaration:
    return load_catalogue()[name].model_copy(update={"environment": {"LABEL": uuid4().hex}, **change})


async def test_rsa_signatures_in_slices(trigger: LocalTrigger, clock: SystemClock) -> None:
    sign = _labelled("openssl.rsa1024-sign", slice_s=1)
    work, begins = await _measure(sign, trigger, clock, 2, level=2)
    assert begins == [work.begin]
    assert len(work.intervals) == 2
    first, second = work.intervals
    assert work.begin.utc_ns == first.begin_ns < first.end_ns < second.begin_ns < second.end_ns == work.end.utc_ns
    for interval in work.intervals:
        assert 0.8 <= (interval.end_ns - interval.begin_ns) / 1e9 < 1.5
        assert interval.amount > 100
    assert 0 < work.gap_s < 0.5 * work.duration_s
    assert work.cpu_s is not None
    assert 0 < work.cpu_s < 2.1 * work.duration_s  # two processes, clock ticks of 10 ms
    assert _left(sign) == []


async def test_rsa_verifications_begin_after_as_much_signing(trigger: LocalTrigger, clock: SystemClock) -> None:
    verify = load_catalogue()["openssl.rsa512-verify"]
    sign_begins = clock.monotonic_ns()
    work, _ = await _measure(verify, trigger, clock, 1, level=1)
    assert (work.begin.monotonic_ns - sign_begins) / 1e9 >= 0.99
    sign, _ = await _measure(load_catalogue()["openssl.rsa512-sign"], trigger, clock, 1, level=1)
    # A 512 bit verification is some ten times cheaper than a signature; a mix-up of the two would show.
    assert work.intervals[0].amount / work.duration_s > 3 * sign.intervals[0].amount / sign.duration_s


async def test_the_programs_version_is_asked(trigger: LocalTrigger) -> None:
    sign = load_catalogue()["openssl.rsa1024-sign"]
    assert str(await program_version(sign, trigger)).startswith("OpenSSL ")
    assert await program_version(sign.model_copy(update={"version": ("no-such-program",)}), trigger) is None
    assert await program_version(sign.model_copy(update={"version": None}), trigger) is None
    assert await program_version(sign.model_copy(update={"version": ("false",)}), trigger) is None


async def test_interval_reports_after_a_warm_up(trigger: LocalTrigger, clock: SystemClock) -> None:
    started = clock.monotonic_ns()
    ticker = _own(TICKER, "interval-amount", warm_up_s=0.5)
    work, begins = await _measure(ticker, trigger, clock, 1)
    assert (work.begin.monotonic_ns - started) / 1e9 >= 0.5
    assert begins == [work.begin]
    assert work.duration_s >= 1
    amounts = [interval.amount for interval in work.intervals]
    assert [b - a for a, b in pairwise(amounts)] == [10.0] * (len(amounts) - 1)
    assert work.gap_s < 1e-3  # a kernel slews UTC by up to 500 ppm against the monotonic clock; an interval is 0.1 s
    assert _left(ticker) == []


async def test_the_cpu_time_of_a_load_includes_its_children_and_leaves_out_the_warm_up(
    trigger: LocalTrigger, clock: SystemClock
) -> None:
    """The children burn CPU time by the clock of CPU time itself, so the sum does not depend on who else runs."""
    script = (
        "import os, time\n"
        "def burn(s):\n"
        "    while time.process_time() < s: pass\n"
        "out, into = os.pipe()\n"
        "if os.fork() == 0: burn(0.5); os.write(into, b'x'); time.sleep(1000)\n"
        "burn(0.5); os.read(out, 1); print('1 ops', flush=True); time.sleep(0.2)\n"
        "burn(0.7)\n"
        "time.sleep(1); print('1 ops', flush=True); time.sleep(1000)\n"
    )
    work, _ = await _measure(_own(script, "interval-amount"), trigger, clock, 1)
    assert work.cpu_s == pytest.approx(0.2, abs=0.06)


async def test_a_total_counts_from_start_to_exit(trigger: LocalTrigger, clock: SystemClock) -> None:
    script = "import sys, time; time.sleep(0.4); print('working on 3 ops'); print('250 ops in all', sys.argv[1])"
    work, begins = await _measure(_own(script, "total"), trigger, clock, 1)
    assert [interval.amount for interval in work.intervals] == [250.0]
    assert 0.4 <= work.duration_s < 5
    assert begins == [work.begin]


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("import sys; print('5 ops'); sys.exit('the disk is full')", "ended with exit status 1: the disk is full"),
        ("import os; os.kill(os.getpid(), 11)", "was killed by signal 11"),
        ("print('nothing to see')", "The parser found no throughput"),
    ],
)
async def test_a_failing_load_says_why(trigger: LocalTrigger, clock: SystemClock, script: str, message: str) -> None:
    with pytest.raises(WorkloadFailed, match=message):
        await _measure(_own(script, "total"), trigger, clock, 1)


async def test_a_load_that_does_not_end_is_killed(trigger: LocalTrigger, clock: SystemClock) -> None:
    forever = _own("import time; time.sleep(1000)", "total", timeout_s=0.5)
    with pytest.raises(WorkloadFailed, match=r"did not end within 0\.5 s and was killed"):
        await _measure(forever, trigger, clock, 1)
    assert _left(forever) == []


async def test_a_cancelled_measurement_leaves_no_load(trigger: LocalTrigger, clock: SystemClock) -> None:
    sign = _labelled("openssl.rsa4096-sign")
    begun = asyncio.Event()
    task = asyncio.create_task(
        measure(sign, level=2, seconds=60, trigger=trigger, clock=clock, on_begin=lambda _: begun.set())
    )
    await asyncio.wait_for(begun.wait(), 10)
    assert len(_left(sign)) == 3  # openssl and its two processes
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert _left(sign) == []


async def test_load_is_held_as_long_as_asked_and_started_again(
    trigger: LocalTrigger, clock: SystemClock, tmp_path: Path
) -> None:
    script = f"import time; open({str(tmp_path / 'starts')!r}, 'a').write('x'); time.sleep(0.3)"
    begin = clock.monotonic_ns()
    await hold_load(_own(script, "total"), level=None, seconds=1, trigger=trigger, clock=clock)
    assert 1 <= (clock.monotonic_ns() - begin) / 1e9 < 5
    assert len((tmp_path / "starts").read_text()) >= 2


async def test_a_load_that_fails_while_the_server_settles_says_why(trigger: LocalTrigger, clock: SystemClock) -> None:
    broken = _own("import sys; sys.exit('no memory')", "total")
    with pytest.raises(WorkloadFailed, match="exit status 1 while the load was held: no memory"):
        await hold_load(broken, level=None, seconds=1, trigger=trigger, clock=clock)


async def test_a_short_command_is_given_up_in_time(
    trigger: LocalTrigger, tmp_path: Path, alive: Callable[[Path], list[int]]
) -> None:
    pids = tmp_path / "pids"
    with pytest.raises(WorkloadFailed, match=r"did not end within 0\.3 s and was killed"):
        await run_to_end(trigger, ["sh", "-c", 'echo $$ >"$0"; sleep 1000', str(pids)], 0.3)
    assert alive(pids) == []
