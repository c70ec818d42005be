"""The real thing for browser tests: wattmark as a person starts it, and the system's Chromium."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Self

import pytest

ROOT = Path(__file__).parents[2]
WATTMARK = Path(sys.executable).with_name("wattmark")
ADDRESS = re.compile(r"(?:Open|listens on) (http://[^/\s\"]+)")
START_S = 60


@dataclass
class Program:
    """A running `wattmark serve` or `wattmark demo`: its address and everything it has said."""

    process: subprocess.Popen[str]
    printed: IO[str]
    log: list[str] = field(default_factory=list)
    url: str = ""
    _heard: threading.Event = field(default_factory=threading.Event)

    @classmethod
    @contextmanager
    def started(cls, *arguments: str) -> Iterator[Self]:
        """Start it on a free port, wait until it has said its address; it is told to stop, and must, at the end."""
        command = [str(WATTMARK), *arguments, "--port", "0"]
        with (
            tempfile.TemporaryFile("w+") as printed,
            subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.PIPE, text=True
            ) as process,
        ):
            program = cls(process, printed)
            listener = threading.Thread(target=program._listen, daemon=True)
            listener.start()
            try:
                program._heard.wait(START_S)
                assert program.url, f"{command} gave no address:\n" + "".join(program.log)
                yield program
            finally:
                try:
                    program.end()
                finally:
                    process.kill()
                    listener.join(5)

    def end(self) -> tuple[int, str]:
        """Tell it to stop; gives the exit code and what it has printed on its standard output."""
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(60)
        self.printed.seek(0)
        return code, self.printed.read()

    def get(self, path: str) -> Any:
        """Read JSON."""
        with urllib.request.urlopen(self.url + path, timeout=30) as answer:
            return json.load(answer)

    def wait_until(self, reached: Callable[[dict[str, Any]], Any], seconds: float) -> dict[str, Any]:
        """Wait until the campaign's state satisfies a condition."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            campaign: dict[str, Any] = self.get("/api/campaign")
            if reached(campaign):
                return campaign
            assert campaign["state"] in {"running", "idle"}, campaign
            time.sleep(1)
        pytest.fail(f"after {seconds} s: {campaign}\n" + "".join(self.log))

    def wait_for(self, state: str, seconds: float) -> dict[str, Any]:
        """Wait until the campaign has a state."""
        return self.wait_until(lambda campaign: campaign["state"] == state, seconds)

    def status(self, method: str, path: str, headers: dict[str, str]) -> int:
        """Make a request that may be refused; gives the status."""
        connection = http.client.HTTPConnection(self.url.removeprefix("http://"), timeout=10)
        try:
            connection.request(method, path, headers=headers)
            return connection.getresponse().status
        finally:
            connection.close()

    def stream(self, seconds: float) -> list[tuple[str, Any]]:
        """Listen to the live stream for a while; gives the events."""
        events, kind = [], ""
        end = time.monotonic() + seconds
        with urllib.request.urlopen(self.url + "/api/live/stream", timeout=10) as answer:
            for raw in answer:
                line = raw.decode().rstrip("\n")
                if line.startswith("event:"):
                    kind = line.partition(":")[2].strip()
                elif line.startswith("data:"):
                    events.append((kind, json.loads(line.partition(":")[2])))
                if time.monotonic() > end:
                    return events
        return events

    def _listen(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.log.append(line)
            if not self.url and (match := ADDRESS.search(line)):
                self.url = match[1]
                self._heard.set()
        self._heard.set()


@contextmanager
def serving(data: Path, *options: str) -> Iterator[str]:
    """Serve a data folder with options of `wattmark serve`; gives the address."""
    with Program.started("serve", "--data", str(data), *options) as program:
        yield program.url


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """Start the demo; its campaign goes on meanwhile."""
    with Program.started("demo", "--json", "--no-repeat", "--data", str(tmp_path_factory.mktemp("demo"))) as program:
        yield program


def browse(script: str, *arguments: str, timeout_s: float = 240) -> dict[str, Any]:
    """Run a browser script of this folder with node; gives what it reports as its last line of JSON."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    assert chromium, "Chromium is missing: apt-get install chromium"
    done = subprocess.run(
        [str(WATTMARK.with_name("node")), str(ROOT / "tests/e2e" / script), *arguments],
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
        env={**os.environ, "CHROMIUM": chromium},
    )
    assert done.returncode == 0, f"{script} failed:\n{done.stdout}\n{done.stderr}"
    report: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return report


def assert_well(seen: dict[str, Any], refused: str = "(?!)") -> None:
    """Check what no page may do; `refused` says which statuses of the API the script brought about."""
    assert seen["foreign"] == [], "a page asked another host"
    assert [error for error in seen["errors"] if not re.search(refused, error)] == []
    assert seen.get("violations", {}) == {}, "axe found violations"
    assert seen.get("overflow", []) == [], "a page is wider than its screen"
