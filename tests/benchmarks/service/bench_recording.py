"""The whole service recording a thousand Modbus TCP meters at 1 Hz: CPU, memory and lost samples against their limits.

usage: python -m tests.benchmarks.service.bench_recording [seconds, 60 by default] [--channels 9] [--browser]

The meters are libmodbus servers in processes of their own. The run is one of a load that marks itself, so that nothing
but the service works. The peer is our drivers alone, polling the same meters in a process of their own. Needs cc and
libmodbus-dev; --browser needs Chromium.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import psutil
from wattmark.results.data_folder import open_storage
from wattmark_drivers.catalogue import find_model
from wattmark_drivers.catalogue.modbus_map import ModbusMap

from tests.benchmarks.drivers.bench_modbus import MODEL, in_fresh_process, meters
from tests.benchmarks.ratio import tell
from tests.benchmarks.service.service_process import ask, browser, cpu_s, service, until

HEAD = """schema: wattmark-bench/1
lab: A thousand meters
servers:
  - id: s
    access: {local: true}
    configurations: [{id: c, cpu: {model: any}, os: {name: any, kernel: any}}]
workloads: [{id: marked, title: Marked, unit: jobs, parser: {kind: markers, wait_s: 120}}]
"""
PLAN = "plans: [{{name: all, configurations: [s/c], workloads: [marked], repeats: 1, idle_s: 0, settle_s: 0, \
measure_s: {seconds}, hold_s: 0, full_load_limit_pct: null}}]\n"
PROTOCOL = find_model(MODEL).protocol
assert isinstance(PROTOCOL, ModbusMap)
CHANNELS = [register.channel for register in PROTOCOL.registers]
PEER_S = 10


class Used(NamedTuple):
    """Shares of a core [%], in all and by thread, and the largest resident set [MB]."""

    share: float
    threads: list[tuple[str, float]]
    memory: float


def bench_file(folder: Path, ports: list[int], seconds: int, channels: str) -> Path:
    """Describe the meters: one at the wall, the others beside it."""
    roles = ["", *["role: secondary, "] * (len(ports) - 1)]
    rest = f'options: {{channels: "{channels}"}}, feeds: [{{server: s}}]'
    lines = "".join(
        f'  - {{id: m{k}, model: {MODEL}, url: "modbus-tcp://127.0.0.1:{port}/1", {role}{rest}}}\n'
        for k, (port, role) in enumerate(zip(ports, roles, strict=True))
    )
    path = folder / "bench.yaml"
    path.write_text(HEAD + "meters:\n" + lines + PLAN.format(seconds=seconds))
    return path


def thread_cpu_s(process: psutil.Process) -> dict[int, float]:
    """Read the CPU time of each thread [s]; the event loop runs in the one with the number of the process."""
    return {thread.id: thread.user_time + thread.system_time for thread in process.threads()}


def measured(url: str, process: psutil.Process, seconds: int) -> Used:
    """Record for so long, and tell what it took."""
    ask(f"{url}/api/campaign", {"plan": "all"})
    until(lambda: ask(f"{url}/api/markers", {"kind": "begin"}))
    began, used, before, largest = time.monotonic(), cpu_s(process), thread_cpu_s(process), 0
    while time.monotonic() < began + seconds:
        time.sleep(0.1)
        largest = max(largest, process.memory_info().rss)
    per_s = 100 / (time.monotonic() - began)
    share, after = (cpu_s(process) - used) * per_s, thread_cpu_s(process)
    ask(f"{url}/api/markers", {"kind": "value", "value": 1})
    with contextlib.suppress(OSError):
        ask(f"{url}/api/markers", {"kind": "end"})
    until(lambda: ask(f"{url}/api/campaign")["state"] not in ("running", "stopping"))
    shares = sorted(((spent - before.get(thread, 0)) * per_s, thread) for thread, spent in after.items())
    names = [
        ("event loop" if thread == process.pid else f"thread {thread - process.pid}", part) for part, thread in shares
    ]
    return Used(share, names[:-6:-1], largest / 1e6)


def options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("seconds", nargs="?", type=int, default=60)
    parser.add_argument("--channels", type=int, default=4, help=f"of each meter, up to {len(CHANNELS)}")
    parser.add_argument("--browser", action="store_true", help="keep the Live page open meanwhile")
    return parser.parse_args()


def main() -> None:
    """Print what recording a thousand meters costs."""
    chosen = options()
    channels = ",".join(CHANNELS[: chosen.channels])
    resource.setrlimit(resource.RLIMIT_NOFILE, (8192, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        ports = stack.enter_context(meters())
        bench = bench_file(folder, ports, chosen.seconds, channels)
        with service(bench, folder / "data") as (process, url), contextlib.ExitStack() as watching:
            until(lambda: len(ask(f"{url}/api/live")["channels"]) >= len(ports))
            time.sleep(5)
            if chosen.browser:
                watching.enter_context(browser(url))
                time.sleep(10)
            used = measured(url, process, chosen.seconds)
            text = ask(f"{url}/metrics")
            (run,) = ask(f"{url}/api/runs")["results"]
        lost = dict(re.findall(r"^(wattmark_dropped_\w+?)(?:_total)? (\S+)", text, re.M))
        with contextlib.closing(open_storage(folder / "data")) as storage:
            series = [
                stored for stored in storage.samples.list_series(run["run_id"]) if stored.key.channel == CHANNELS[0]
            ]
            counts = sorted(len(storage.samples.read(stored.id)) for stored in series)
        arguments = ["--who", "wattmark", "--what", "staggered", "--seconds", str(PEER_S), "--channels", channels]
        peer = in_fresh_process(arguments, ports)["cpu_pct"]
    watched = ", a browser watching" if chosen.browser else ""
    lines = [
        f"{len(ports)} meters x {chosen.channels} channels at 1 Hz for {chosen.seconds} s{watched}",
        f"  CPU of the service    {used.share:6.1f} % of a core (limit {14 if chosen.browser else 10}, for 4 channels)",
        *(f"    {name:20}{share:6.1f} %" for name, share in used.threads),
        f"  drivers alone         {peer:6.1f} % of a core; the service takes {used.share / peer:.2f} times that",
        f"  resident memory       {used.memory:6.0f} MB (limit 200)",
        f"  samples of {CHANNELS[0]}      {counts[0]} to {counts[-1]} per meter, {len(counts)} meters; {run['status']}",
        f"  dropped               {lost or 'no figure'}",
        f"  load average          {os.getloadavg()[0]:.1f}",
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    recorded = f"recording {len(ports)} meters x {chosen.channels} channels{watched}"
    tell(f"{recorded}: CPU of the service", used.share, peer, "% core", "its drivers alone", "<= 1.3")
    tell(f"{recorded}: memory", used.memory, 200, "MB", "its limit", "<= 1")


if __name__ == "__main__":
    main()
