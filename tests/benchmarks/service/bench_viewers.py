"""How late polls begin while 0, 12 and 100 viewers ask for comparisons, all results and reports of 10,000 stored runs.

usage: python -m tests.benchmarks.service.bench_viewers [SECONDS] [STORE]

208 Modbus TCP meters on libmodbus are recorded meanwhile. SECONDS for each number of viewers, 60 by default. A store in
STORE, as bench_scale.py makes it, is used again; what is recorded here is added to it. Needs cc and libmodbus-dev.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.drivers.bench_modbus import meters
from tests.benchmarks.ratio import tell
from tests.benchmarks.service.service_process import ask, service, until
from tests.benchmarks.service.viewed import QUICK, SLOW, bench_file, look
from tests.benchmarks.store.bench_scale import fill

RUNS, SAMPLES = 10_000, 4_000_000
VIEWERS = (0, 12, 100)


def main(seconds: str = "60", keep_in: str | None = None) -> None:
    """Print the lateness with each number of viewers, and its ratio to that with none."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=Path.cwd())))
        store = Path(keep_in) if keep_in else folder / "store"
        if not (store / "wattmark.db").exists():
            fill(store, SAMPLES, RUNS)
        ports = stack.enter_context(meters())
        process, url = stack.enter_context(service(bench_file(folder, ports, int(seconds)), store))
        until(lambda: len(ask(f"{url}/api/live")["channels"]) >= QUICK + SLOW)
        sys.stdout.write(f"lateness of polls, {seconds} s each\n")
        first = None
        for viewers in VIEWERS:
            shown = look(process, url, viewers, int(seconds))
            late = shown.lateness
            first = first or late
            sys.stdout.write(
                f"{viewers:4} viewers  median {late.median_s * 1e3:6.2f} ms, p99 {late.p99_s * 1e3:6.2f} ms "
                f"({late.p99_s / first.p99_s:.2f} of that without, limit 2), at most {late.most_s * 1e3:.0f} ms\n"
                f"  /healthz {shown.health_s:.2f} s, MB: service {shown.service_mb:.0f}, reader {shown.reader_mb:.0f}\n"
                f"  {late.polls} polls, {shown.run['status']}, dropped {shown.dropped:.0f}; {shown.crowd or 'nobody'}\n"
            )
            name = f"lateness of polls, p99, {viewers} viewers"
            tell(name, late.p99_s * 1e3, first.p99_s * 1e3, "ms", "without viewers", "<= 2")
        sys.stdout.write(f"load average {os.getloadavg()[0]:.1f}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
