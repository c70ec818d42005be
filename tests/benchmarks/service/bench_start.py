"""What a start costs: a service with its reader until it answers, and short commands, beside importing two libraries.

CPU time of all processes, user and system; for the service its memory too (proportional set size of both processes).
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil

from tests.benchmarks.ratio import Pair, command_cpu_s, tell
from tests.benchmarks.service.service_process import PROGRAMS, ask, cpu_s, service, until

BESIDE = "importing fastapi and numpy"
WATTMARK = str(PROGRAMS / "wattmark")
AIMS = {"serve to ready": "<= 3.5", "results": "<= 1", "meter models": "<= 0.8", "bench check": "<= 1"}


def imports_s() -> float:
    """Measure the CPU time of importing fastapi and numpy [s]."""
    return command_cpu_s([sys.executable, "-c", "import fastapi, numpy"])


def served(folder: Path) -> tuple[float, float]:
    """Start a service that records nothing; return its CPU time until it answers [s] and its memory then [MB]."""
    bench = folder / "bench.yaml"
    bench.write_text("schema: wattmark-bench/1\nlab: Lab\n")
    with service(bench, folder / "data") as (process, url):
        until(lambda: ask(f"{url}/api/runs"))
        memory = sum(_pss_mb(member) for member in (process, *process.children(recursive=True)))
        return cpu_s(process), memory


def _pss_mb(process: psutil.Process) -> float:
    for line in Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    return 0.0


def starts() -> Iterator[Pair]:
    """Compare the start of a service, and short commands."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bench, data = folder / "bench.yaml", folder / "data"
        bench.write_text("schema: wattmark-bench/1\nlab: Lab\n")
        yield Pair("serve to ready", "s", BESIDE, lambda: served(folder)[0], imports_s)
        yield _command("results", "results", "--data", str(data))
        yield _command("meter models", "meter", "models")
        yield _command("bench check", "bench", "check", str(bench))


def _command(name: str, *arguments: str) -> Pair:
    return Pair(name, "s", BESIDE, lambda: command_cpu_s([WATTMARK, *arguments]), imports_s)


def main() -> None:
    """Print each ratio, and the memory of the service."""
    for pair in starts():
        ratio = pair.measure()
        tell(ratio.name, ratio.ours, ratio.peer, "s CPU", ratio.beside, AIMS[ratio.name])
    with tempfile.TemporaryDirectory() as folder:
        tell("service and reader, memory (PSS)", served(Path(folder))[1], 130, "MB", "its limit", "<= 1")
    subprocess.run(["uptime"], check=False)


if __name__ == "__main__":
    main()
