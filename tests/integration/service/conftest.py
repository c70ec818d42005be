"""`wattmark serve` as a real process."""

from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from wattmark.campaigns.progress import ENDED_STATES

WATTMARK = Path(sys.executable).with_name("wattmark")
PATIENCE_S = 60
"""What anything may take on a busy machine; nothing waits longer than it must."""
STOP_S = 3.0
"""guide/operate: SIGTERM stops the service within three seconds."""
LISTENS = re.compile(r"listens on http://([^/\s]+)")


class Service:
    """A running service: requests to it, and the processes below it."""

    def __init__(self, folder: Path, *arguments: str, bench: Path | None = None) -> None:
        command = [str(WATTMARK), "serve", "--port", "0", "--data", str(folder), *arguments]
        command += ["--bench", str(bench)] if bench else []
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.log: list[str] = []
        self._listening = threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        assert self._listening.wait(PATIENCE_S), self.log
        match = LISTENS.search("".join(self.log))
        assert match, self.log
        self.netloc = match[1]

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.log.append(line)
            if LISTENS.search(line):
                self._listening.set()
        self._listening.set()

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """Make a request; gives the status and the JSON answer."""
        connection = http.client.HTTPConnection(self.netloc, timeout=PATIENCE_S)
        try:
            sent = None if body is None else json.dumps(body)
            names = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, sent, {"Content-Type": "application/json", **names})
            answer = connection.getresponse()
            content = answer.read()
            return answer.status, json.loads(content) if content else None
        finally:
            connection.close()

    def text(self, path: str) -> str:
        """Read something that is no JSON."""
        connection = http.client.HTTPConnection(self.netloc, timeout=PATIENCE_S)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            assert answer.status == 200
            return answer.read().decode()
        finally:
            connection.close()

    def get(self, path: str) -> Any:
        """Read something that must be there."""
        status, answer = self.ask("GET", path)
        assert status == 200, answer
        return answer

    def campaign_until(self, reached: Callable[[dict[str, Any]], bool], seconds: float = PATIENCE_S) -> dict[str, Any]:
        """Wait until the campaign's state satisfies a condition."""
        end = time.monotonic() + seconds
        while not reached(campaign := self.get("/api/campaign")):
            assert time.monotonic() < end, (campaign, self.log)
            time.sleep(0.1)
        return dict(campaign)

    def campaign_end(self, seconds: float = PATIENCE_S) -> dict[str, Any]:
        """Wait until the campaign has ended; while it is stopping, no other can start."""
        return self.campaign_until(lambda campaign: campaign["state"] in ENDED_STATES, seconds)

    def start_and_measure(self) -> dict[str, Any]:
        """Start the plan and wait until its run measures."""
        status, campaign = self.ask("POST", "/api/campaign", {"plan": "short"})
        assert status == 202, campaign
        return self.campaign_until(lambda campaign: campaign["phase"] == "measure")

    def loads(self) -> list[int]:
        """The load processes that this service started, found by the variable that they inherit."""
        marker = f"WATTMARK_LOAD={self.process.pid}-".encode()
        return [pid for pid in _processes() if marker in _read_bytes(pid, "environ")]

    def children(self) -> list[int]:
        """The direct children of the service."""
        return [pid for pid in _processes() if f"\nPPid:\t{self.process.pid}\n".encode() in _read_bytes(pid, "status")]

    def end(self, number: signal.Signals = signal.SIGTERM, seconds: float = PATIENCE_S) -> int:
        """Send a signal; gives the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        finally:
            self._reader.join(PATIENCE_S)
            if self.process.stderr is not None:
                self.process.stderr.close()


def fastest_s(stop: Callable[[], float], times: int = 3) -> float:
    """Stop a service until it takes no longer than promised, a few times at most: a busy machine only adds time."""
    taken_s = [stop()]
    while taken_s[-1] >= STOP_S and len(taken_s) < times:
        taken_s.append(stop())
    return min(taken_s)


def _processes() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _read_bytes(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""


def alive(pid: int) -> bool:
    """Tell whether a process lives; a zombie does not."""
    return b"State:\tZ" not in (status := _read_bytes(pid, "status")) and bool(status)


def wait_until(reached: Callable[[], bool], seconds: float = PATIENCE_S) -> None:
    """Wait for a condition, at most so long."""
    end = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < end
        time.sleep(0.05)


Start = Callable[..., Service]


@pytest.fixture
def start() -> Iterator[Start]:
    """Start services that end with the test."""
    running: list[Service] = []

    def start_one(folder: Path, *arguments: str, bench: Path | None = None) -> Service:
        running.append(Service(folder, *arguments, bench=bench))
        return running[-1]

    yield start_one
    for service in running:
        service.end()
    assert not any(alive(pid) for service in running for pid in service.loads())
