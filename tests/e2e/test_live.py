"""The Live page in a browser: a real service reads a simulated meter over Modbus TCP, which dies meanwhile."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from .conftest import browse

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]
LISTENS = re.compile(r"listens on (http://[^/\s\"]+)")
WATTMARK = str(Path(sys.executable).with_name("wattmark"))
BENCH = """\
schema: wattmark-bench/1
lab: Test
servers:
  - id: s
    access: {{local: true}}
    configurations:
      - {{id: c, cpu: {{model: any}}, os: {{name: any, kernel: any}}}}
meters:
  - {{id: wall, model: eastron.sdm630, url: "modbus-tcp://127.0.0.1:{port}/1", feeds: [{{server: s}}]}}
"""


@pytest.fixture
def port() -> int:
    """Find a port that nobody has."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@pytest.fixture
def url(tmp_path: Path, port: int) -> Iterator[str]:
    """Serve a bench of one meter; the service is told to stop, and must, at the end."""
    bench = tmp_path / "bench.yaml"
    bench.write_text(BENCH.format(port=port))
    command = [WATTMARK, "serve", "--port", "0", "--bench", str(bench), "--data", str(tmp_path / "data")]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        found = next(found for line in process.stderr if (found := LISTENS.search(line)))
        threading.Thread(target=process.stderr.read, daemon=True).start()
        yield found[1]
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(20)
        process.stderr.close()


def test_values_hold_zoom_and_a_meter_that_is_lost_and_comes_back(url: str, port: int, tmp_path: Path) -> None:
    seen = browse("live.mjs", url, WATTMARK, str(port), str(tmp_path / "pictures"), timeout_s=220)
    assert seen["errors"] == []
    assert seen["foreign"] == []
    assert re.search(r"\d", seen["value"])
    assert seen["held"] != seen["zoomed"]
    assert "power" in seen["columns"]
    assert "does not answer" in seen["lost"]
    assert seen["grey"] == 1, "a value of a lost meter does not look fresh"
    assert seen["looks"]["violations"] == {}
    assert seen["looks"]["overflow"] == []
