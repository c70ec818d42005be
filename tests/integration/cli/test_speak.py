"""`wattmark speak`: a meter spoken without a service, and what is wrong named before anything is opened."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from ..fake_sdm120 import FakeSdm120, fake_sdm120
from ..ports import free_port

WATTMARK = Path(sys.executable).with_name("wattmark")
PATIENCE_S = 60.0


@pytest.fixture
def meter() -> Iterator[FakeSdm120]:
    with fake_sdm120() as running:
        running.power_w = 230.5
        yield running


def test_it_prints_the_address_and_a_line_for_each_change_and_ends_on_ctrl_c(meter: FakeSdm120) -> None:
    port = free_port()
    command = [
        str(WATTMARK),
        "speak",
        "modbus-tcp",
        "--meter",
        f"{meter.url}?model=eastron.sdm120",
        "--port",
        str(port),
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    timer = threading.Timer(PATIENCE_S, process.kill)
    timer.start()
    try:
        assert process.stdout is not None
        assert process.stderr is not None
        address = process.stdout.readline().strip()
        assert f":{port}" in address
        read = [str(WATTMARK), "meter", "read", f"{address}?model=eastron.sdm630", "--json"]
        done = subprocess.run(read, capture_output=True, timeout=PATIENCE_S, text=True, check=True)
        values = {reading["channel"]: reading["value"] for reading in json.loads(done.stdout)["readings"]}
        assert values["power"] == pytest.approx(230.5, abs=0.02)
        meter.stop()
        lines = []
        while not any("shows no power" in line for line in lines):
            lines.append(process.stderr.readline())
            assert lines[-1], lines
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 0
    finally:
        timer.cancel()
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["modbus-tcp", "--port", "502"], "a port from 1024 on"),
        (["modbus-tcp"], "port, where others ask"),
        (["http", "--port", "5020"], "modbus-tcp"),
        (["snmp", "--port", "5161", "--address", "0.0.0.0"], "open to other machines"),
        (["scpi", "--port", "5025", "--model", "eastron.sdm120"], "not a model that is read by scpi"),
    ],
)
def test_what_cannot_be_spoken_is_refused(arguments: list[str], words: str) -> None:
    command = [str(WATTMARK), "speak", *arguments, "--meter", "simulated://?model=eastron.sdm120"]
    done = subprocess.run(command, capture_output=True, timeout=PATIENCE_S, text=True, check=False)
    assert done.returncode == 2
    assert words in done.stderr


def test_a_port_that_is_taken_ends_it_with_the_reason(meter: FakeSdm120) -> None:
    port = meter.url.rpartition(":")[2].partition("/")[0]
    command = [str(WATTMARK), "speak", "modbus-tcp", "--meter", f"{meter.url}?model=eastron.sdm120", "--port", port]
    done = subprocess.run(command, capture_output=True, timeout=PATIENCE_S, text=True, check=False)
    assert done.returncode == 1
    assert "is in use" in done.stderr
