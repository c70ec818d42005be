"""A wattmark that is killed at any moment of a sweep leaves settings that the next start undoes."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from wattmark.campaigns.power.control import Machine, PowerControl
from wattmark.campaigns.power.journal import FOLDER
from wattmark.campaigns.power.leftover import Leftovers
from wattmark.workloads.local.local import LocalTrigger
from wattmark_drivers.clock import SystemClock

from tests.power_tree import CAP_0, CAP_1, Pipe, plant_settings, serve, take, texts

PATIENCE_S = 20.0
SWEEP = """
import asyncio, sys
from pathlib import Path
from wattmark.campaigns.power.control import Machine, PowerControl
from wattmark.runs.power_settings import PowerSettings
from wattmark.workloads.local.local import LocalTrigger
from wattmark_drivers.clock import SystemClock

async def main(data, root):
    power = PowerControl(Path(data), SystemClock(), root)
    machine = Machine("a", "A", "this machine", LocalTrigger(SystemClock(), Path(data)))
    for watts in (125, 100):
        await power.set_up(machine, PowerSettings(turbo="off", power_cap_w=watts), f"run at {watts} W")
        print("load", flush=True)
        sys.stdin.readline()
        await power.restore(machine)
    print("end", flush=True)

asyncio.run(main(*sys.argv[1:]))
"""
"""The sweep that a campaign makes, without its loads; a line on standard input ends a load."""


class Bed:
    def __init__(self, folder: Path) -> None:
        self.root, self.data = folder / "tree", folder / "data"
        self.data.mkdir()
        self.killed = False
        plant_settings(self.root)
        self.before = texts(self.root)

    def journals(self) -> list[Path]:
        return [*(self.data / FOLDER).glob("[!.]*")]

    def read(self, name: str) -> str:
        return (self.root / name).read_text().strip()

    def pipe(self, name: str, *steps: Callable[[Path], None]) -> Pipe:
        return Pipe(self.root / name, *steps)

    @contextmanager
    def sweep(self) -> Iterator[subprocess.Popen[bytes]]:
        """Run the sweep, and kill it."""
        argv = [sys.executable, "-c", SWEEP, str(self.data), str(self.root)]
        with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            try:
                yield process
            finally:
                process.kill()
                self.killed = process.wait() == -signal.SIGKILL

    async def start(self) -> None:
        """Start wattmark again: everything is as it was before the sweep."""
        assert self.killed
        trigger = LocalTrigger(SystemClock(), self.data)
        await trigger.clear()

        leftovers = Leftovers(
            PowerControl(self.data, SystemClock(), str(self.root)), lambda server: _Here(server, trigger), SystemClock()
        )
        undone = await leftovers.undo()
        assert [of.problem for of in undone if of.problem] == []
        assert [of.notes for of in undone if of.notes] == []
        assert leftovers.notes() == []
        assert self.journals() == []
        assert texts(self.root) == self.before


class _Here:
    """This machine, reached at once."""

    def __init__(self, server: str, trigger: LocalTrigger) -> None:
        self._machine = Machine(server, server, "this machine", trigger)

    async def __aenter__(self) -> Machine:
        return self._machine

    async def __aexit__(self, *_: object) -> None:
        return None


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.fixture
def bed(tmp_path: Path) -> Bed:
    return Bed(tmp_path)


async def test_killed_before_the_journal_is_written(bed: Bed) -> None:
    boot = bed.pipe("proc/sys/kernel/random/boot_id")
    with bed.sweep():
        until(boot.is_awaited)
    boot.end("boot-1")
    assert bed.journals() == []
    await bed.start()


async def test_killed_with_a_journal_and_nothing_written(bed: Bed) -> None:
    turbo = bed.pipe("sys/devices/system/cpu/intel_pstate/no_turbo", serve("0"))
    with bed.sweep():
        until(lambda: bool(bed.journals()))
    turbo.end("0")
    assert texts(bed.root) == bed.before
    assert len(bed.journals()) == 1
    await bed.start()


async def test_killed_with_some_of_it_written(bed: Bed) -> None:
    cap = bed.pipe(CAP_1, serve("140000000"))
    with bed.sweep():
        until(lambda: bed.read(CAP_0) == "125000000")
    cap.end("140000000")
    assert bed.read("sys/devices/system/cpu/intel_pstate/no_turbo") == "1"
    await bed.start()


@pytest.mark.parametrize("taken", ["125000000", "120000000"])
async def test_killed_with_all_written_and_nothing_read_back(bed: Bed, taken: str) -> None:
    """``taken``: what the kernel made of 125 W, which nobody has read."""
    cap = bed.pipe(CAP_1, serve("140000000"), take)
    with bed.sweep():
        assert cap.done.wait(PATIENCE_S)
    cap.end(taken)
    assert bed.read(CAP_0) == "125000000"
    await bed.start()


@pytest.mark.parametrize("loads", [1, 2])
async def test_killed_during_a_load(bed: Bed, loads: int) -> None:
    with bed.sweep() as process:
        assert process.stdin
        assert process.stdout
        for load in range(loads):
            assert process.stdout.readline() == b"load\n"
            if load + 1 < loads:
                process.stdin.write(b"\n")
                process.stdin.flush()
    assert (bed.read(CAP_0), bed.read(CAP_1)) == 2 * (["125000000", "100000000"][loads - 1],)
    await bed.start()


async def test_killed_with_some_of_it_restored(bed: Bed) -> None:
    with bed.sweep() as process:
        assert process.stdin
        assert process.stdout
        assert process.stdout.readline() == b"load\n"
        cap = bed.pipe(CAP_1, serve("125000000"))
        process.stdin.write(b"\n")
        process.stdin.flush()
        until(lambda: bed.read(CAP_0) == "150000000")
    cap.end("125000000")
    assert bed.read("sys/devices/system/cpu/intel_pstate/no_turbo") == "1"
    await bed.start()


async def test_killed_with_all_restored_and_the_journal_still_there(bed: Bed) -> None:
    with bed.sweep() as process:
        assert process.stdin
        assert process.stdout
        assert process.stdout.readline() == b"load\n"
        turbo = bed.pipe("sys/devices/system/cpu/intel_pstate/no_turbo", serve("1"), take)
        process.stdin.write(b"\n")
        process.stdin.flush()
        assert turbo.done.wait(PATIENCE_S)
    turbo.end("0")
    assert texts(bed.root) == bed.before
    assert len(bed.journals()) == 1
    await bed.start()


async def test_a_start_that_is_killed_too_is_made_up_for_by_the_next(bed: Bed) -> None:
    with bed.sweep() as process:
        assert process.stdout
        assert process.stdout.readline() == b"load\n"
    cap = bed.pipe(CAP_1, serve("125000000"))
    with bed.sweep():  # undoes first what it finds
        until(lambda: bed.read(CAP_0) == "150000000")
    cap.end("125000000")
    await bed.start()


async def test_a_sweep_to_its_end(bed: Bed) -> None:
    with bed.sweep() as process:
        assert process.stdin
        assert process.stdout
        for _ in range(2):
            assert process.stdout.readline() == b"load\n"
            assert len(bed.journals()) == 1
            process.stdin.write(b"\n")
            process.stdin.flush()
        assert process.stdout.readline() == b"end\n"
    assert texts(bed.root) == bed.before
    assert bed.journals() == []
