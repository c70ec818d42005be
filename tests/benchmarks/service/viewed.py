"""A service that measures many meters while others look on: how late its polls begin meanwhile, and what it answers."""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from tests.benchmarks.drivers.bench_modbus import MODEL
from tests.benchmarks.service.service_process import ask, until

QUICK, SLOW = 8, 200
HEAD = """schema: wattmark-bench/1
lab: Viewed
servers:
  - id: s
    access: {local: true}
    configurations: [{id: c, cpu: {model: any}, os: {name: any, kernel: any}}]
workloads: [{id: marked, title: Marked, unit: jobs, parser: {kind: markers, wait_s: 120}}]
"""
PLAN = "plans: [{{name: all, configurations: [s/c], workloads: [marked], repeats: 1, idle_s: 0, settle_s: 0, \
measure_s: {seconds}, hold_s: 0, full_load_limit_pct: null}}]\n"
BUCKET = re.compile(r'^wattmark_poll_lateness_seconds_bucket\{le="([^"]+)"\} (\S+)', re.M)
DROPPED = re.compile(r"^wattmark_dropped_samples_total (\S+)", re.M)


def bench_file(folder: Path, ports: list[int], seconds: int) -> Path:
    """Describe eight meters read twice a second, the first of them at the wall, and two hundred read once."""
    lines = []
    for k, port in enumerate(ports[: QUICK + SLOW]):
        period, role = 0.5 if k < QUICK else 1, "role: secondary, " if k else ""
        rest = f'options: {{channels: "power"}}, feeds: [{{server: s}}], period_s: {period}'
        lines.append(f'  - {{id: m{k}, model: {MODEL}, url: "modbus-tcp://127.0.0.1:{port}/1", {role}{rest}}}\n')
    path = folder / "bench.yaml"
    path.write_text(HEAD + "meters:\n" + "".join(lines) + PLAN.format(seconds=seconds))
    return path


class Lateness(NamedTuple):
    """How much later than planned polls began [s], from the service's own figures."""

    polls: int
    median_s: float
    p99_s: float
    most_s: float
    """The upper end of the last class that any poll fell into."""


class Looked(NamedTuple):
    """What a while with viewers showed."""

    lateness: Lateness
    run: dict[str, Any]
    dropped: float
    health_s: float
    """The longest that /healthz took [s]."""
    service_mb: float
    reader_mb: float
    crowd: dict[str, Any]


def counts(url: str) -> list[tuple[float, float]]:
    """Read how many polls were at most so late."""
    return [(float(edge), float(count)) for edge, count in BUCKET.findall(ask(f"{url}/metrics"))]


def lateness(before: list[tuple[float, float]], after: list[tuple[float, float]]) -> Lateness:
    """Tell how late polls were between two readings of the figures, by straight lines inside the classes."""
    grown = [(0.0, 0.0), *((edge, count - was) for (edge, count), (_, was) in zip(after, before, strict=True))]
    total = grown[-1][1]

    def quantile(share: float) -> float:
        for (low, below), (high, reached) in pairwise(grown):
            if reached >= share * total and reached > below:
                return low if high == float("inf") else low + (high - low) * (share * total - below) / (reached - below)
        return 0.0

    most = next(edge for edge, count in grown if count >= total)
    return Lateness(round(total), quantile(0.5), quantile(0.99), most)


class Watch:
    """Ask for the health of the service twice a second, and look at its memory."""

    def __init__(self, process: psutil.Process, url: str) -> None:
        self._process = process
        self._url = url
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self.health_s = 0.0
        self.service_mb = 0.0
        self.reader_mb = 0.0

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(0.5):
            began = time.monotonic()
            ask(f"{self._url}/healthz")
            self.health_s = max(self.health_s, time.monotonic() - began)
            self.service_mb = max(self.service_mb, self._process.memory_info().rss / 1e6)
            with contextlib.suppress(psutil.NoSuchProcess):
                below = [child.memory_info().rss / 1e6 for child in self._process.children()]
                self.reader_mb = max([self.reader_mb, *below])


@contextlib.contextmanager
def crowd(url: str, viewers: int, seconds: float, streams: int = 0) -> Iterator[dict[str, Any]]:
    """Let viewers look on while the block lasts and so long; gives what became of their requests afterwards.

    They sit at machines of their own, so here they get only what nobody else needs.
    """
    report: dict[str, Any] = {}
    if not viewers and not streams:
        yield report
        return
    command = [
        "nice",
        "-n",
        "19",
        sys.executable,
        str(Path(__file__).with_name("crowd.py")),
        url,
        str(viewers),
        str(seconds),
        str(streams),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield report
        report |= json.loads(process.communicate()[0])


def look(process: psutil.Process, url: str, viewers: int, seconds: int, streams: int = 0) -> Looked:
    """Record a run of so long while so many look on."""
    ask(f"{url}/api/campaign", {"plan": "all"})
    until(lambda: ask(f"{url}/api/markers", {"kind": "begin"}))
    before = counts(url)
    with Watch(process, url) as watch, crowd(url, viewers, seconds, streams) as report:
        time.sleep(seconds)
        late = lateness(before, counts(url))
        ask(f"{url}/api/markers", {"kind": "value", "value": 1})
        with contextlib.suppress(OSError):
            ask(f"{url}/api/markers", {"kind": "end"})
    until(lambda: ask(f"{url}/api/campaign")["state"] not in ("running", "stopping"))
    (run_id,) = [run["run_id"] for run in ask(f"{url}/api/campaign")["runs"]]
    run = ask(f"{url}/api/runs/{run_id}")["result"]
    dropped = float(DROPPED.findall(ask(f"{url}/metrics"))[0])
    return Looked(late, run, dropped, watch.health_s, watch.service_mb, watch.reader_mb, report)
