"""Twenty BMCs polled each second by ipmitool: sessions that stay open beside a new process for each reading.

The BMCs are OpenIPMI's simulators; CPU time is that of this process and of every ipmitool. Needs ipmitool and openipmi.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import time
from collections.abc import Coroutine
from urllib.parse import urlsplit

import psutil
from wattmark_drivers.factory import create_meter
from wattmark_drivers.sampler import Sampler, staggered_phase_s
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.simulators.simulated_lab import SimulatedDevice, SimulatedLab

from tests.benchmarks.ratio import tell

READERS, BMCS = 20, 4
PERIOD_S = 1.0
WARM_UP_S, LONGEST_WARM_UP_S = 3.0, 60.0
SERVER = {"idle_w": 200, "dynamic_w": 100, "dimms": 4}


def lab_of_bmcs() -> SimulatedLab:
    """Simulate the BMCs; each is read by several readers."""
    devices = {f"bmc{n}": {"model": "ipmi.bmc", "measures": ["sut"]} for n in range(BMCS)}
    return SimulatedLab({"servers": {"sut": SERVER}, "devices": devices})


def cpu_s(spawned: float = 0.0) -> float:
    """Add up the CPU time of this process and of its ipmitool children [s]."""
    total = spawned + time.process_time()
    for child in psutil.Process().children(recursive=True):
        try:
            if child.name() == "ipmitool":
                times = child.cpu_times()
                total += times.user + times.system
        except psutil.NoSuchProcess:
            continue
    return total


async def reused_sessions(bmcs: list[SimulatedDevice], got: list[int]) -> None:
    """Sample as a bench does."""

    def sampler(index: int) -> Sampler:
        bmc = bmcs[index % len(bmcs)]
        assert bmc.url is not None
        assert bmc.password_file is not None
        settings = MeterSettings(
            f"bmc{index}", "ipmi.bmc", bmc.url, PERIOD_S, username=bmc.username, password=bmc.password_file.read_text
        )
        return Sampler(
            create_meter(settings),
            period_s=PERIOD_S,
            phase_s=staggered_phase_s(index, READERS, PERIOD_S),
            on_readings=lambda *_: got.append(index),
            on_state=lambda _: None,
        )

    await asyncio.gather(*(sampler(index).run() for index in range(READERS)))


async def new_processes(bmcs: list[SimulatedDevice], got: list[int]) -> None:
    """Start ipmitool for each reading, as scripts do."""

    async def poll(index: int) -> None:
        bmc = bmcs[index % len(bmcs)]
        assert bmc.url is not None
        assert bmc.password_file is not None
        parts = urlsplit(bmc.url)
        where = ["-H", parts.hostname or "", "-p", str(parts.port), "-U", bmc.username or ""]
        argv = ["ipmitool", "-I", "lanplus", "-C", "3", *where, "-E", "-L", "ADMINISTRATOR"]
        argv += ["dcmi", "power", "reading"]
        environment = os.environ | {"IPMI_PASSWORD": bmc.password_file.read_text().strip()}
        await asyncio.sleep(PERIOD_S * index / READERS)
        due = time.monotonic()
        while True:
            process = await asyncio.create_subprocess_exec(*argv, stdout=asyncio.subprocess.PIPE, env=environment)
            output, _ = await process.communicate()
            if b"Instantaneous" in output:
                got.append(index)
            due += PERIOD_S
            await asyncio.sleep(due - time.monotonic())

    await asyncio.gather(*(poll(index) for index in range(READERS)))


async def measure(work: Coroutine[None, None, None], got: list[int], seconds: float) -> tuple[float, float]:
    """Let it run; return the share of the readings that came, and the CPU that they took [% of a core]."""
    task = asyncio.create_task(work)
    deadline = time.monotonic() + LONGEST_WARM_UP_S
    while len(set(got)) < READERS and time.monotonic() < deadline:
        await asyncio.sleep(0.1)
    await asyncio.sleep(WARM_UP_S)
    waited = os.times()
    begin, cpu, first = time.monotonic(), cpu_s(), len(got)
    await asyncio.sleep(seconds)
    ended = os.times()
    spawned = ended.children_user + ended.children_system - waited.children_user - waited.children_system
    spent, cpu, number = time.monotonic() - begin, cpu_s(spawned) - cpu, len(got) - first
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return number / (READERS * spent / PERIOD_S), 100 * cpu / spent


async def main(seconds: float) -> None:
    async with lab_of_bmcs() as lab:
        bmcs = list(lab.devices.values())
        taken = []
        for work in (reused_sessions, new_processes):
            got: list[int] = []
            taken.append(await measure(work(bmcs, got), got, seconds))
    (ours_share, ours), (peer_share, peer) = taken
    name = f"{READERS} BMC readers each {PERIOD_S:g} s"
    tell(f"{name}: CPU", ours, peer, "% core", "a new ipmitool for each reading")
    tell(f"{name}: share of the readings that came", ours_share, peer_share, "", "a new ipmitool for each reading")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=15.0, help="length of each measurement [s]")
    asyncio.run(main(parser.parse_args().seconds))
