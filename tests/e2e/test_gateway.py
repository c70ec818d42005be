"""The page of the gateway in a browser: what is spoken, to whom, who asks, and what keeps an entry from speaking."""

from __future__ import annotations

import socket
import subprocess
import time
from pathlib import Path

import pytest

from ..integration.ports import free_port
from .conftest import assert_well, browse, serving

pytestmark = pytest.mark.e2e
METER = '{id: wall, model: eastron.sdm120, url: "simulated://?idle_w=400&dynamic_w=0"}'
BENCH = f"schema: wattmark-bench/1\nlab: Rack\nmeters: [{METER}]\n"


def test_what_is_spoken_who_asks_and_what_is_wrong(tmp_path: Path) -> None:
    bench = tmp_path / "bench.yaml"
    port = free_port()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        entries = [
            f"  - {{as: modbus-tcp, what: wall, port: {port}}}",
            f"  - {{as: scpi, what: wall, port: {taken.getsockname()[1]}}}",
        ]
        bench.write_text("\n".join([f"{BENCH}speak:", *entries, ""]))
        with serving(tmp_path / "data", "--bench", str(bench)) as url:
            _poll(port)
            seen = browse("gateway.mjs", url, str(tmp_path), "requests by 1 client", timeout_s=240)
    assert_well(seen)
    spoken, failed = seen["cards"]["Modbus TCP: wall"], seen["cards"]["SCPI: wall"]
    assert "simulated" in spoken
    assert "\xa0W" in spoken
    assert f"modbus-tcp://127.0.0.1:{port}/1" in spoken
    assert "gateway to Eastron SDM120" in spoken
    assert "speaks as eastron.sdm630" in spoken
    assert "programs on this machine, without a password" in spoken
    assert "127.0.0.1" in spoken.partition("Asks every")[2]
    assert "Not open" in failed
    assert "in use" in failed
    assert "Choose another port" in failed
    assert "Nobody has asked yet." in failed
    assert seen["first"].startswith("speak:\n  - {as: ipmi, what: wall, port: 6230, user: monitor, password_file: ")
    assert seen["second"] == "speak:\n  - {as: snmp, what: wall, port: 1161, password_file: community}"


def test_without_an_entry_it_says_what_it_is_for_and_how_to_begin(tmp_path: Path) -> None:
    bench = tmp_path / "bench.yaml"
    bench.write_text(BENCH)
    with serving(tmp_path / "data", "--bench", str(bench)) as url:
        seen = browse("gateway.mjs", url, str(tmp_path), "Nothing is spoken", timeout_s=240)
    assert_well(seen)
    assert seen["cards"] == {}
    assert "Ports and passwords cannot be set over the network." in seen["main"]


def _poll(port: int) -> None:
    """Ask twice with a program of others, once the port is open and shows watts."""
    command = f"mbpoll -m tcp -p {port} -a 1 -0 -1 -t 3:float -B -r 52 127.0.0.1".split()
    answers = 0
    end = time.monotonic() + 60
    while answers < 2:
        assert time.monotonic() < end, "nobody answers"
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
        answers += "[52]:" in done.stdout
        time.sleep(0.5)
