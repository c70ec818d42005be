"""The real thing for browser tests: the demo as a person starts it, and the system's Chromium."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
URL = re.compile(r"Open (http://\S+)")
START_S = 60


@dataclass
class Demo:
    """A running demo: its address, its data folder and everything it has said."""

    process: subprocess.Popen[str]
    data: Path
    said: list[str] = field(default_factory=list)
    url: str = ""

    def get(self, path: str) -> Any:
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
        pytest.fail(f"after {seconds} s: {campaign}\n" + "".join(self.said))

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
            self.said.append(line)
            if found := URL.search(line):
                self.url = found[1]


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    """Start `wattmark demo` on a free port; it is told to stop, and must, at the end."""
    data = tmp_path_factory.mktemp("demo")
    command = [str(Path(sys.executable).with_name("wattmark")), "demo", "--port", "0", "--data", str(data)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    running = Demo(process, data)
    listener = threading.Thread(target=running._listen, daemon=True)
    listener.start()
    try:
        end = time.monotonic() + START_S
        while not running.url and process.poll() is None and time.monotonic() < end:
            time.sleep(0.1)
        assert running.url, "the demo gave no address:\n" + "".join(running.said)
        yield running
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(20)
        listener.join(5)
        assert process.stderr is not None
        process.stderr.close()


def browse(script: str, *arguments: str, timeout_s: float = 120) -> dict[str, Any]:
    """Run a browser script of this folder with node; gives what it reports as its last line of JSON."""
    node = Path(sys.executable).with_name("node")
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    assert chromium, "Chromium is missing: apt-get install chromium"
    done = subprocess.run(
        [str(node), str(ROOT / "tests/e2e" / script), *arguments],
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
        env={**os.environ, "CHROMIUM": chromium},
    )
    assert done.returncode == 0, f"{script} failed:\n{done.stdout}\n{done.stderr}"
    report: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return report
