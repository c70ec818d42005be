"""The whole service recording a thousand Modbus TCP meters at 1 Hz: CPU, memory and lost samples against their limits.

python tests/benchmarks/service/bench_recording.py [seconds, 60 by default] [--browser]

The meters are libmodbus servers in processes of their own. The run is one of a load that marks itself, so that nothing
but the service works. Needs cc and libmodbus-dev; --browser needs Chromium.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psutil
from wattmark.storage.open import open_storage

sys.path.insert(0, str(Path(__file__).parents[1] / "drivers"))
from bench_modbus import MODEL, meters

PROGRAMS = Path(sys.executable).parent
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


def bench_file(folder: Path, ports: list[int], seconds: int) -> Path:
    """Describe the meters: one at the wall, the others beside it."""
    roles = ["", *["role: witness, "] * (len(ports) - 1)]
    lines = "".join(
        f'  - {{id: m{k}, model: {MODEL}, url: "modbus-tcp://127.0.0.1:{port}/1", {role}feeds: [{{server: s}}]}}\n'
        for k, (port, role) in enumerate(zip(ports, roles, strict=True))
    )
    path = folder / "bench.yaml"
    path.write_text(HEAD + "meters:\n" + lines + PLAN.format(seconds=seconds))
    return path


@contextlib.contextmanager
def service(bench: Path, data: Path) -> Iterator[tuple[psutil.Process, str]]:
    """Run the service; give its process and its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [PROGRAMS / "wattmark", "serve", "--bench", bench, "--data", data, "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        url = f"http://127.0.0.1:{port}"
        until(lambda: ask(f"{url}/healthz/live"))
        yield psutil.Process(process.pid), url
    finally:
        process.terminate()
        process.wait(60)


def ask(url: str, body: object = None) -> object:
    """Ask the service; a body makes it a POST."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        text = answer.read()
    return json.loads(text) if answer.headers["Content-Type"].startswith("application/json") else text.decode()


def until(condition, patience_s: float = 300) -> None:
    """Wait for something of the service."""
    deadline = time.monotonic() + patience_s
    while True:
        with contextlib.suppress(OSError):
            if condition():
                return
        if time.monotonic() > deadline:
            raise TimeoutError("the service did not come that far")
        time.sleep(0.2)


@contextlib.contextmanager
def browser(url: str) -> Iterator[None]:
    """Keep the Live page open in the system's Chromium."""
    with tempfile.TemporaryDirectory() as profile:
        program = shutil.which("chromium") or "chromium"
        flags = ["--headless=new", "--no-sandbox", "--remote-debugging-port=0", f"--user-data-dir={profile}"]
        process = subprocess.Popen([program, *flags, f"{url}/live"], stderr=subprocess.DEVNULL)
        try:
            yield
        finally:
            process.terminate()
            process.wait(30)


def cpu_s(process: psutil.Process) -> float:
    """Read the CPU time of the service and its children [s]."""
    times = process.cpu_times()
    return times.user + times.system + times.children_user + times.children_system


def measured(url: str, process: psutil.Process, seconds: int) -> tuple[float, float]:
    """Record for so long; give the share of a core [%] and the largest resident set [MB]."""
    ask(f"{url}/api/campaign", {"plan": "all"})
    until(lambda: ask(f"{url}/api/markers", {"kind": "begin"}))
    began, used, largest = time.monotonic(), cpu_s(process), 0
    while time.monotonic() < began + seconds:
        time.sleep(min(2.0, max(0.1, began + seconds - time.monotonic())))
        largest = max(largest, process.memory_info().rss)
    share = 100 * (cpu_s(process) - used) / (time.monotonic() - began)
    ask(f"{url}/api/markers", {"kind": "value", "value": 1})
    with contextlib.suppress(OSError):
        ask(f"{url}/api/markers", {"kind": "end"})
    until(lambda: ask(f"{url}/api/campaign")["state"] not in ("running", "stopping"))
    return share, largest / 1e6


def main() -> None:
    """Print what recording a thousand meters costs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("seconds", nargs="?", type=int, default=60)
    parser.add_argument("--browser", action="store_true")
    given = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (8192, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        ports = stack.enter_context(meters())
        bench = bench_file(folder, ports, given.seconds)
        with service(bench, folder / "data") as (process, url), contextlib.ExitStack() as watching:
            until(lambda: len(ask(f"{url}/api/live")["channels"]) >= len(ports))
            time.sleep(5)
            if given.browser:
                watching.enter_context(browser(url))
                time.sleep(10)
            share, memory = measured(url, process, given.seconds)
            text = ask(f"{url}/metrics")
            (run,) = ask(f"{url}/api/runs")
        lost = dict(re.findall(r"^(wattmark_dropped_\w+?)(?:_total)? (\S+)", text, re.M))
        with contextlib.closing(open_storage(folder / "data")) as storage:
            series = [one for one in storage.samples.list_series(run["run_id"]) if one.key.channel == "power"]
            counts = sorted(len(storage.samples.read(one.id)) for one in series)
    limit = 14 if given.browser else 10
    watched = ", a browser watching" if given.browser else ""
    lines = [
        f"{len(ports)} meters x 9 channels at 1 Hz for {given.seconds} s{watched}",
        f"  CPU of the service    {share:6.1f} % of a core (limit {limit}, for 4 channels)",
        f"  resident memory       {memory:6.0f} MB (limit 200)",
        f"  samples of power      {counts[0]} to {counts[-1]} per meter, {len(counts)} meters; run: {run['status']}",
        f"  dropped               {lost or 'no figure'}",
        f"  load average          {os.getloadavg()[0]:.1f}",
    ]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
