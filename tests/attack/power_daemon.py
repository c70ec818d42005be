"""Run a power daemon for an hour with a simulated analyser on a serial line behind it, and count what it did.

`python -m tests.attack.power_daemon --minutes 60 --out hour.json` writes one JSON document: samples, those that were
missed or failed, how far their spacing was from the interval, whether the daemon's counts, a client's samples and the
log agree, and what is left where a daemon is killed while it measures. Exit code 1 where one of its limits is exceeded.
Ctrl-C ends it early: what came by then is judged, and said to be incomplete.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import IO

import numpy as np
from wattmark.importers.ptdaemon.ptdaemon_line import LogLine, parse_line
from wattmark_drivers.simulators.simulated_lab import SimulatedLab

from tests.integration.ports import free_port
from tests.power_daemon_client import ANALYSER, LAB, Client, address, daemon

P99_S = 0.005
"""Largest deviation of the spacing from the interval, of 99 of 100 samples [s]."""
INTERVAL_S = 1.0
KILLED_S = 10.0
"""How long the daemon measures that is killed [s]."""


@dataclass(frozen=True)
class Killed:
    """What is left of a daemon that is killed while it measures."""

    read: int
    """Samples that the client had read."""
    connection_closed: bool
    log_whole: bool
    """Whether every line of the log is whole, and holds what the client had read."""


@dataclass(frozen=True)
class Outcome:
    """What a run gave."""

    samples: int
    expected: int
    missed: int
    failed: int
    p50_s: float
    p99_s: float
    largest_s: float
    counters_agree: bool
    log_agrees: bool
    warnings: int
    """Lines of the console with WARNING or ERROR."""
    complete: bool = True
    killed: Killed | None = None

    @property
    def holds(self) -> bool:
        """Return whether every limit is kept."""
        none_lost = abs(self.samples - self.expected) <= 1 and self.missed == self.failed == 0
        whole = self.killed is None or (self.killed.connection_closed and self.killed.log_whole)
        return none_lost and self.complete and whole and self.p99_s <= P99_S and self.counters_agree and self.log_agrees


def measure(seconds: float, enough: threading.Event | None = None) -> Outcome:
    """Measure for some time, or until it is ``enough``, with `Go,1000,0`, polled once a second as SPECpower does."""
    with tempfile.TemporaryDirectory() as folder, SimulatedLab(LAB) as lab:
        log, port = Path(folder) / "ptd.log", free_port()
        device = address(lab, "analyser", "&update_period_s=1")
        with daemon("-l", log, ANALYSER, device, port=port) as process:
            console = _drained(process)
            lines, watts, lasted_s = _converse(port, seconds, enough or threading.Event())
            process.send_signal(signal.SIGTERM)
            process.wait(10)
        text = "".join(console)
        logged = _marked(log, "hour")
    outcome = _judge([parse_line(line) for line in lines], [parse_line(line) for line in logged], watts, lasted_s)
    warnings = sum("WARNING:" in line or "ERROR:" in line for line in text.splitlines())
    return replace(outcome, warnings=warnings, complete=lasted_s >= seconds)


def kill() -> Killed:
    """Kill a daemon while it measures."""
    with tempfile.TemporaryDirectory() as folder, SimulatedLab(LAB) as lab:
        log, port = Path(folder) / "ptd.log", free_port()
        device = address(lab, "analyser", "&update_period_s=1")
        with daemon("-l", log, ANALYSER, device, port=port) as process, Client(port) as client:
            _drained(process)
            client.ask("Go,1000,0,killed")
            read: list[str] = []
            end_s = time.monotonic() + KILLED_S
            while time.monotonic() < end_s:
                read += client.sample_lines()
            process.kill()
            process.wait()
            closed = client.line() == ""
        whole = log.read_text("ascii").endswith("\n")
        logged = [parse_line(line) for line in _marked(log, "killed")]
    samples = [parse_line(line) for line in read]
    same = [(line.t_ns, line.total) for line in logged[: len(samples)]] == [(line.t_ns, line.total) for line in samples]
    return Killed(len(samples), closed, whole and same)


def _marked(log: Path, mark: str) -> list[str]:
    return [line for line in log.read_text("ascii").splitlines() if line.endswith(f",Mark,{mark}")]


def _drained(process: subprocess.Popen[str]) -> list[str]:
    """Take what the daemon writes, as a harness does; return the growing list."""
    console: list[str] = []

    def take(stream: IO[str]) -> None:
        console.extend(stream)

    if process.stdout is not None:
        threading.Thread(target=take, args=(process.stdout,), daemon=True).start()
    return console


def _converse(port: int, seconds: float, enough: threading.Event) -> tuple[list[str], list[str], float]:
    """Measure; return the samples, the reply to `Watts`, and how long it lasted [s]."""
    with Client(port, timeout_s=30) as client:
        for preparation in ("Hello", "Identify", "RR", "SR,V,230", "SR,A,4"):
            client.ask(preparation)
        client.ask("Go,1000,0,hour")
        begun_s = time.monotonic()
        lines: list[str] = []
        while time.monotonic() < begun_s + seconds and not enough.is_set():
            client.ask("R*")
            lines += client.sample_lines()
        lasted_s = time.monotonic() - begun_s
        client.ask("Stop")
        watts = client.ask("Watts").split(",")
        lines += client.sample_lines()
    return lines, watts, lasted_s


def _judge(read: list[LogLine], logged: list[LogLine], watts: list[str], seconds: float) -> Outcome:
    values = [line.total["Watts"] for line in read]
    good = [value for value in values if value >= 0]
    apart_s = np.abs([(late.t_ns - early.t_ns) / 1e9 - INTERVAL_S for early, late in pairwise(read)] or [np.inf])
    mean_w = float(np.mean(good)) if good else -1.0
    counts = [int(field) for field in watts[4:7]]
    return Outcome(
        samples=len(read),
        expected=round(seconds / INTERVAL_S),
        missed=values.count(-2.0),
        failed=values.count(-1.0),
        p50_s=float(np.percentile(apart_s, 50)),
        p99_s=float(np.percentile(apart_s, 99)),
        largest_s=float(apart_s.max()),
        counters_agree=counts == [len(values), len(values) - len(good), len(good)]
        and abs(float(watts[1]) - mean_w) < 1e-6,
        log_agrees=[(line.t_ns, line.total) for line in logged] == [(line.t_ns, line.total) for line in read],
        warnings=0,
    )


def main() -> int:
    """Run it; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--out", type=Path, help="Write the document there; otherwise to standard output.")
    arguments = parser.parse_args()
    enough = threading.Event()
    signal.signal(signal.SIGINT, lambda *_: enough.set())
    outcome = measure(60 * arguments.minutes, enough)
    if outcome.complete:
        outcome = replace(outcome, killed=kill())
    text = json.dumps(asdict(outcome) | {"holds": outcome.holds}, indent=1)
    if arguments.out is None:
        print(text)  # noqa: T201
    else:
        arguments.out.write_text(f"{text}\n", "utf-8")
    return 0 if outcome.holds else 1


if __name__ == "__main__":
    sys.exit(main())
