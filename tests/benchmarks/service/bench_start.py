"""What a start costs: a service with its reader until it answers, and short commands, beside importing two libraries.

CPU time of all processes, user and system; for the service its memory too (proportional set size of both processes).
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import psutil

from tests.benchmarks.ratio import Ratio, command_cpu_s
from tests.benchmarks.service.service_process import PROGRAMS, ask, cpu_s, service, until

BESIDE = "importing fastapi and numpy"
WATTMARK = str(PROGRAMS / "wattmark")


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


def serve_to_ready() -> Ratio:
    """Compare the start of a service."""
    with tempfile.TemporaryDirectory() as folder:
        return Ratio("serve to ready", served(Path(folder))[0], imports_s(), "s", BESIDE)


def results() -> Ratio:
    """Compare `wattmark results` on a data folder without runs."""
    with tempfile.TemporaryDirectory() as folder:
        return _command("results", folder, "results", "--data", folder)


def meter_models() -> Ratio:
    """Compare `wattmark meter models`."""
    with tempfile.TemporaryDirectory() as folder:
        return _command("meter models", folder, "meter", "models")


def bench_check() -> Ratio:
    """Compare `wattmark bench check`."""
    with tempfile.TemporaryDirectory() as folder:
        bench = Path(folder) / "bench.yaml"
        bench.write_text("schema: wattmark-bench/1\nlab: Lab\n")
        return _command("bench check", folder, "bench", "check", str(bench))


def _command(name: str, folder: str, *arguments: str) -> Ratio:
    if name == "results":
        from wattmark.results.data_folder import open_storage

        open_storage(Path(folder)).close()
    return Ratio(name, command_cpu_s([WATTMARK, *arguments]), imports_s(), "s", BESIDE)


def main() -> None:
    """Print each ratio, and the memory of the service."""
    for measure in (serve_to_ready, results, meter_models, bench_check):
        ratio = measure()
        sys.stdout.write(f"{ratio.name}: {ratio.ours:.2f} s of CPU = {ratio.value:.2f} x {ratio.beside}\n")
    with tempfile.TemporaryDirectory() as folder:
        sys.stdout.write(f"service and reader: {served(Path(folder))[1]:.0f} MB (PSS)\n")
    subprocess.run(["uptime"], check=False)


if __name__ == "__main__":
    main()
