"""The simulator as a process: ready line, control, orderly and disorderly ends."""

import json
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.simulators import control
from wattmark_drivers.simulators.control import ControlRefused
from wattmark_drivers.simulators.simulated_lab import SimulatedLab

SPEC: dict[str, Any] = {
    "servers": {"sut": {"idle_w": 180, "dynamic_w": 0, "dimm_load_share": 0, "dimms": 2, "dimm_counts": [2, 4, 8]}},
    "devices": {
        "bmc": {"model": "ipmi.bmc", "measures": ["sut"]},
        "plug": {"model": "wattsup.pro", "measures": ["sut"]},
    },
}
TICKS_S = 0.5
"""How long ago the state was computed that is told, at most."""
MODULE = [sys.executable, "-m", "wattmark_drivers.simulators"]


@contextmanager
def started(folder: Path, spec: dict[str, Any] = SPEC) -> Iterator[tuple["subprocess.Popen[str]", dict[str, Any]]]:
    path = folder / "spec.json"
    path.write_text(json.dumps(spec))
    process = subprocess.Popen([*MODULE, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin
    assert process.stdout
    ready = json.loads(process.stdout.readline())
    try:
        yield process, ready
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()
        shutil.rmtree(ready["folder"], ignore_errors=True)


def has_ended(pid: int) -> bool:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.05)
    return False


def bmc_pid(process: "subprocess.Popen[str]") -> int:
    (child,) = psutil.Process(process.pid).children()
    assert child.name() == "ipmi_sim"
    return int(child.pid)


def test_the_ready_line_tells_all(tmp_path: Path) -> None:
    with started(tmp_path) as (_, ready):
        assert ready["devices"]["plug"]["url"].startswith("serial:///")
        assert ready["devices"]["bmc"]["url"].startswith("ipmi://127.0.0.1:")
        assert ready["planted"]["sut"]["watts_per_dimm_dc"] == 5.5
        assert Path(ready["token_file"]).read_text() == ready["token"]


def test_the_planted_slope_is_the_regression_over_the_true_powers() -> None:
    with SimulatedLab(SPEC) as lab:
        counts, powers_w = [2, 4, 8], []
        for count in counts:
            lab.set_dimms("sut", count)
            powers_w.append(lab.state("sut").wall_power_w)

        slope = np.polyfit(counts, powers_w, 1)[0]

        assert lab.planted["sut"].watts_per_dimm_wall == pytest.approx(slope, rel=1e-9)
        assert lab.planted["sut"].watts_per_dimm_wall > lab.planted["sut"].watts_per_dimm_dc


def test_energy_is_the_integral_of_true_power() -> None:
    with SimulatedLab(SPEC) as lab:
        before, first, begin = time.monotonic(), lab.state("sut"), time.monotonic()
        time.sleep(1.5)
        end, last, after = time.monotonic(), lab.state("sut"), time.monotonic()

        passed_s = (last.energy_j - first.energy_j) / first.wall_power_w
        assert end - begin - TICKS_S < passed_s < after - before + TICKS_S


@pytest.mark.parametrize("end", ["input", "SIGTERM", "SIGINT"])
def test_an_orderly_end_leaves_nothing_behind(tmp_path: Path, end: str) -> None:
    with started(tmp_path) as (process, ready):
        bmc = bmc_pid(process)
        if end == "input":
            assert process.stdin
            process.stdin.close()
        else:
            process.send_signal(signal.Signals[end])

        assert process.wait(60) == 0
        assert has_ended(bmc)
        assert not Path(ready["folder"]).exists()


def test_a_killed_simulator_takes_ipmi_sim_along(tmp_path: Path) -> None:
    with started(tmp_path) as (process, _):
        bmc = bmc_pid(process)

        process.kill()

        assert has_ended(bmc)


def test_a_killed_parent_leaves_no_process_behind(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(
        "import json, sys, time\n"
        "from wattmark_drivers.simulators.simulated_lab import SimulatedLab\n"
        "lab = SimulatedLab(json.loads(sys.argv[1]))\n"
        "lab.start()\n"
        "print(lab.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    argv = [sys.executable, str(script), json.dumps(SPEC)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        simulator = int(parent.stdout.readline())
        (bmc,) = (child.pid for child in psutil.Process(simulator).children())

        parent.kill()

        assert has_ended(simulator)
        assert has_ended(bmc)


def test_a_taken_port_is_the_devices_problem_and_the_rest_works() -> None:
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.bind(("127.0.0.1", 0))
        tcp_port, udp_port = tcp.getsockname()[1], udp.getsockname()[1]
        devices = {
            "wall": {"model": "eastron.sdm120", "measures": ["sut"], "port": tcp_port},
            "bmc": {"model": "ipmi.bmc", "measures": ["sut"], "port": udp_port},
            "plug": {"model": "wattsup.pro", "measures": ["sut"]},
        }
        with SimulatedLab({**SPEC, "devices": devices}) as lab:
            assert f"TCP port {tcp_port}" in (lab.devices["wall"].problem or "")
            assert f"UDP port {udp_port}" in (lab.devices["bmc"].problem or "")
            assert lab.devices["plug"].url


async def test_it_is_an_asynchronous_context_too() -> None:
    async with SimulatedLab({**SPEC, "devices": {}}) as lab:
        assert lab.state("sut").dimms == 2


def test_the_hook_changes_the_dimms() -> None:
    with SimulatedLab({**SPEC, "devices": {}}) as lab:
        argv = [sys.executable, "-m", "wattmark_drivers.simulators.control", lab.control, str(lab.token_file)]

        done = subprocess.run([*argv, "server=sut", "dimms=8"], capture_output=True, text=True, check=False)
        refused = subprocess.run([*argv, "server=sut", "dimms=99"], capture_output=True, text=True, check=False)

        assert (done.returncode, done.stderr) == (0, "")
        assert lab.state("sut").dimms == 8
        assert refused.returncode == 1
        assert refused.stderr.count("\n") == 1
        assert "16 DIMM slots" in refused.stderr


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"server": "other", "dimms": 4}, "There is no server named other"),
        ({"server": "steady", "dimms": -1}, "dimms"),
        ({"server": "steady", "dimms": "4"}, "dimms"),
        ({"server": "steady", "dimms": True}, "dimms"),
        ({"server": "steady", "dims": 4}, "dims"),
        ({"device": "none", "fault": {"kind": "drop"}}, "There is no device named none"),
        ({"device": "plug", "fault": {"kind": "drop"}}, "does not support the fault drop. Choose one of torn"),
        ({"device": "bmc", "fault": {"kind": "torn"}}, "does not support the fault torn. Choose one of freeze"),
        ({"device": "plug", "fault": {"kind": "fire"}}, "fault"),
        ({}, "There is no server"),
    ],
)
def test_wrong_control_messages_are_refused_in_one_line(lab: SimulatedLab, message: dict[str, Any], words: str) -> None:
    token = lab.token_file.read_text()

    with pytest.raises(ControlRefused) as caught:
        control.request(lab.control, {"token": token, **message})

    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "line", [b'{"token": "x", "server": "sut"}\n', b"\n", b"[]\n", b"\xff\n", b"x" * 10_000 + b"\n"]
)
def test_without_the_token_the_connection_ends(lab: SimulatedLab, line: bytes) -> None:
    host, _, port = lab.control.rpartition(":")
    with socket.create_connection((host, int(port)), 5) as connection, connection.makefile("rwb") as stream:
        stream.write(line)
        stream.flush()
        try:
            answer = stream.readline()
            rest = stream.read()
        except ConnectionResetError:
            answer = rest = b""

    assert rest == b""
    assert not answer or json.loads(answer)["ok"] is False
    assert lab.state("steady").dimms == 4


@pytest.mark.parametrize(
    ("arguments", "words"),
    [([], "usage"), (["/does/not/exist.json"], "cannot be read"), (["a", "b"], "usage")],
)
def test_wrong_arguments_are_one_line_and_code_2(arguments: list[str], words: str) -> None:
    done = subprocess.run(
        [*MODULE, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=240, check=False
    )

    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert words in done.stderr


def test_a_wrong_specification_reaches_the_caller() -> None:
    spec = {"servers": {"sut": {"idle_w": 180, "dynamic_w": 1, "dimms": 99}}, "devices": {}}

    with pytest.raises(ConfigurationError, match=r"servers\.sut: dimms"), SimulatedLab(spec):
        pass


def test_it_uses_little_of_the_machine_that_is_being_measured() -> None:
    """The simulator shares the CPU with the workload under test; a tenth of one core would be felt."""
    with SimulatedLab(SPEC) as lab:
        process = psutil.Process(lab.pid)
        before_s, begin = sum(process.cpu_times()[:2]), time.monotonic()
        time.sleep(3)
        used_s = sum(process.cpu_times()[:2]) - before_s

        assert used_s / (time.monotonic() - begin) < 0.1


def test_the_loopback_address_is_the_only_one_served(lab: SimulatedLab) -> None:
    assert lab.pid
    listening = [c for c in psutil.Process(lab.pid).net_connections() if c.status == psutil.CONN_LISTEN]

    assert listening
    assert {connection.laddr.ip for connection in listening} == {"127.0.0.1"}
