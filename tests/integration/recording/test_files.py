"""A service that may open no more files says so and what to do, at every meter, and goes on when files are free."""

import json
import socket
import subprocess
import sys
from pathlib import Path

from wattmark_drivers.simulators.simulated_lab import SimulatedLab

CHILD = Path(__file__).with_name("files_child.py")
POWER = {"servers": {"s": {"idle_w": 300.0, "dynamic_w": 160.0, "dimms": 2, "psu": {"rated_w": 1500}}}}


def test_meters_that_lack_files_say_so_and_come_back() -> None:
    devices = {"m": {"model": "eastron.sdm630", "measures": ["s"]}}
    with SimulatedLab({**POWER, "devices": devices}) as lab, socket.create_server(("127.0.0.1", 0)) as listener:
        arguments = [lab.devices["m"].url, str(listener.getsockname()[1])]
        done = subprocess.run(
            [sys.executable, str(CHILD), *arguments], capture_output=True, text=True, timeout=240, check=False
        )
    assert done.returncode == 0, done.stderr
    lost, back = json.loads(done.stdout)
    for name in ("modbus", "plain", "host"):
        problem = lost[name]
        assert problem.startswith("wattmark may have 64 files and connections open at a time, and has them.")
        assert "LimitNOFILE=8192" in problem
        assert "ulimit -n 8192" in problem
    assert not any(back.values())
    assert "defect" not in done.stdout + done.stderr
