"""Run a power daemon for an hour with a simulated analyser on a serial line behind it, and count what it did.

`python -m tests.attack.power_daemon --minutes 60` prints one JSON document: samples, those that were missed or failed,
how far their spacing was from the interval, and whether the daemon's counts, a client's samples and the log agree. Exit
code 1 where one of its limits is exceeded.
"""

from __future__ import annotations

import argparse
import json
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from wattmark.importers.ptdaemon.ptdaemon_line import LogLine, parse_line
from wattmark_drivers.simulators.simulated_lab import SimulatedLab

WATTMARK = Path(sys.executable).with_name("wattmark")
MODEL = "yokogawa.wt310e"
SERVER = {"idle_w": 300.0, "dynamic_w": 0.0, "dimms": 2, "psu": {"rated_w": 1500}}
LAB = {"servers": {"s": SERVER}, "devices": {"wt": {"model": MODEL, "measures": ["s"], "transport": "serial"}}}
P99_S = 0.005
"""Largest deviation of the spacing from the interval, of 99 of 100 samples [s]."""
INTERVAL_S = 1.0


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

    @property
    def holds(self) -> bool:
        """Return whether every limit is kept."""
        complete = abs(self.samples - self.expected) <= 1 and self.missed == self.failed == 0
        return complete and self.p99_s <= P99_S and self.counters_agree and self.log_agrees


def measure(seconds: float) -> Outcome:
    """Measure for some time with `Go,1000,0`, polled once a second as SPECpower does."""
    with tempfile.TemporaryDirectory() as folder, SimulatedLab(LAB) as lab:
        log, port = Path(folder) / "ptd.log", _free_port()
        url = str(lab.devices["wt"].url)
        option = f"{url}{'&' if '?' in url else '?'}update_period_s=1"
        command = [str(WATTMARK), "ptd", "-l", str(log), "-p", str(port), MODEL, option]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            lines, watts = _converse(port, seconds)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(10)
        logged = [line for line in log.read_text("ascii").splitlines() if line.endswith(",Mark,hour")]
    return _judge([parse_line(line) for line in lines], [parse_line(line) for line in logged], watts, seconds)


def _converse(port: int, seconds: float) -> tuple[list[str], list[str]]:
    with _connected(port) as connection, connection.makefile("rb") as file:

        def ask(text: str) -> str:
            connection.sendall(f"{text}\r\n".encode())
            return file.readline().decode().strip()

        lines: list[str] = []

        def read() -> None:
            header = ask("RL")
            if header.startswith("Last "):
                lines.extend(file.readline().decode().strip() for _ in range(int(header.split()[1])))

        for preparation in ("Hello", "Identify", "RR", "SR,V,230", "SR,A,4"):
            ask(preparation)
        ask("Go,1000,0,hour")
        end_s = time.monotonic() + seconds
        while time.monotonic() < end_s:
            ask("R*")
            read()
        ask("Stop")
        watts = ask("Watts").split(",")
        read()
    return lines, watts


def _judge(read: list[LogLine], logged: list[LogLine], watts: list[str], seconds: float) -> Outcome:
    values = [line.total["Watts"] for line in read]
    good = [value for value in values if value >= 0]
    apart_s = np.abs([(late.t_ns - early.t_ns) / 1e9 - INTERVAL_S for early, late in pairwise(read)])
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
    )


def _connected(port: int) -> socket.socket:
    deadline_s = time.monotonic() + 30
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=30)
        except ConnectionRefusedError:
            if time.monotonic() > deadline_s:
                raise
            time.sleep(0.1)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def main() -> int:
    """Run it; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    outcome = measure(60 * parser.parse_args().minutes)
    print(json.dumps(asdict(outcome) | {"holds": outcome.holds}))  # noqa: T201
    return 0 if outcome.holds else 1


if __name__ == "__main__":
    sys.exit(main())
