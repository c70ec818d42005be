"""`wattmark ptd` as a harness starts it: a simulated WT310E behind it, a client of the protocol, SIGTERM, SIGKILL."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from wattmark.importers.ptdaemon.ptdaemon_console import parse_console
from wattmark.importers.ptdaemon.ptdaemon_import import recognises
from wattmark.importers.recordings.ptdaemon_log import read_ptdaemon
from wattmark_drivers.simulators.simulated_lab import SimulatedLab

from tests.integration.command import Command

WATTMARK = Path(sys.executable).with_name("wattmark")
MODEL = "yokogawa.wt310e"
SPEC = {
    "servers": {"s": {"idle_w": 300.0, "dynamic_w": 0.0, "dimms": 2, "psu": {"rated_w": 1500}}},
    "devices": {
        "analyser": {"model": MODEL, "measures": ["s"], "transport": "serial"},
        "plain": {"model": "eastron.sdm120", "measures": ["s"]},
    },
}


@pytest.fixture(scope="module")
def lab() -> Iterator[SimulatedLab]:
    with SimulatedLab(SPEC) as running:
        yield running


def url(lab: SimulatedLab, device: str, more: str = "") -> str:
    address = lab.devices[device].url or ""
    return f"{address}{'&' if '?' in address else '?'}model={SPEC['devices'][device]['model']}{more}"


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


class Client:
    """A harness: one connection, CRLF lines, one reply each."""

    def __init__(self, port: int, patience_s: float = 30.0) -> None:
        deadline_s = time.monotonic() + patience_s
        while True:
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
                break
            except ConnectionRefusedError:
                assert time.monotonic() < deadline_s, "it does not listen within 30 s"
                time.sleep(0.1)
        self.file = self.socket.makefile("rb")

    def ask(self, command: str) -> str:
        self.socket.sendall(f"{command}\r\n".encode())
        return self.line()

    def line(self) -> str:
        return self.file.readline().decode().rstrip("\r\n")

    def samples(self) -> list[dict[str, str]]:
        header = self.ask("RL,*,*")
        if header == "Invalid number of parameters":
            header = self.ask("RL")
        fields = [self.line().split(",") for _ in range(int(header.split()[1]))]
        return [dict(zip(line[::2], line[1::2], strict=True)) for line in fields]

    def close(self) -> None:
        self.file.close()
        self.socket.close()


@contextmanager
def daemon(*arguments: Any, port: int) -> Iterator[Any]:
    """Run the program; gives it once its port accepts connections."""
    process = subprocess.Popen(
        [WATTMARK, "ptd", "-p", str(port), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        if process.stdout and not process.stdout.closed:
            process.stdout.close()


def end(process: Any) -> str:
    """End it as a harness does; return its console."""
    begun = time.monotonic()
    process.send_signal(signal.SIGTERM)
    console, _ = process.communicate(timeout=10)
    assert time.monotonic() - begun < 10
    assert process.returncode == 0, console
    return str(console)


def test_the_two_passes_of_a_harness(lab: SimulatedLab, tmp_path: Path) -> None:
    """Ranging under auto-range, testing in the ranges that it found; log, console and the daemon's own counts."""
    log, port = tmp_path / "ptd.log", free_port()
    with daemon("-l", log, "-y", 49, url(lab, "analyser", "&update_period_s=0.25"), port=port) as process:
        client = Client(port)
        assert client.ask("Hello") == "Hello, PTDaemon here!"
        identity = client.ask("Identify").split(",")
        assert identity[0] == f"wattmark-{MODEL}"
        assert identity[8] == "0"
        assert re.fullmatch(r"version=[0-9][0-9A-Za-z.+]*-[0-9a-f]{8}-[0-9]{8}", identity[9])
        assert identity[-1].split(";")[2].startswith("SIMULATED")
        assert client.ask("RR").startswith("Ranges,")
        assert client.ask("SR,V,Auto") == "Range V changed"
        assert client.ask("SR,A,Auto") == "Range A changed"
        assert client.ask("RR").split(",")[1::2] == ["1", "1"]
        started = client.ask("Go,1000,0,s_ranging")
        assert started == "Starting untimed measurement, maximum 500000 samples at 1000ms with 0 rampup samples"
        time.sleep(4.3)
        assert client.ask("Stop") == "Stopping untimed measurement"
        assert client.ask("Uncertainty").startswith("Uncertainty,-1.0,10000000.000000,0.000000,")
        ranging = client.samples()
        assert len(ranging) >= 3
        most_v, most_a = (max(float(sample[name]) for sample in ranging) for name in ("Volts", "Amps"))
        assert client.ask(f"SR,V,{most_v}") == "Range V changed"
        assert client.ask(f"SR,A,{1.1 * most_a:.4f}") == "Range A changed"
        amps_auto, amps, volts_auto, volts = client.ask("RR").split(",")[1:]
        assert (amps_auto, volts_auto, volts) == ("0", "0", "300.000000")
        assert float(amps) >= 1.1 * most_a
        client.ask("Go,1000,0,s_testing")
        time.sleep(4.3)
        watts, uncertainty = client.ask("Watts").split(","), client.ask("Uncertainty").split(",")
        assert client.ask("Stop") == "Stopping untimed measurement"
        assert client.ask("Stop") == "Error: no measurement to stop"
        testing = client.samples()
        client.close()
        console = end(process)
    # IM WT310E-02EN, 7.3.2: 0.1 % of reading + 0.05 % of 300 V x A; the power factor, near 1, changes both a little.
    limit = 0.001 + 0.0005 * 300.0 * float(amps) / float(watts[1])
    assert 0.9 * limit <= float(uncertainty[1]) <= 1.6 * limit
    assert uncertainty[5:] == ["0", uncertainty[4], "0"]
    lines = log.read_text("ascii").splitlines()
    assert "Not a SPEC or MLPerf result" in lines[0]
    of_testing = [line for line in lines if line.endswith(",Mark,s_testing")]
    assert [line.split(",")[1] for line in of_testing] == [sample["Time"] for sample in testing]
    mean_w = sum(float(sample["Watts"]) for sample in testing) / len(testing)
    measurements = parse_console(console)
    assert measurements["s_testing"].samples == len(testing) == len(of_testing)
    assert measurements["s_testing"].average_w == pytest.approx(mean_w, abs=1e-6)
    assert measurements["s_testing"].settings.amp_range == float(amps)
    assert measurements["s_ranging"].settings.amp_range is None
    assert recognises(log)
    columns = {column.channel.id: column.samples for column in read_ptdaemon(log).columns}
    assert len(columns["power"]) == len(ranging) + len(testing)
    for words in (
        "Not a SPEC or MLPerf result",
        f"Uncertainty checking for wattmark-{MODEL} is activated",
        f"Connected to wattmark-{MODEL} successfully",
        f"Establishing the listener on port {port}...",
        "Accepted connection from 127.0.0.1:",
        "Response to client sent: Hello, PTDaemon here!",
        "Volt range set to Auto",
        "Volt range set to 300.000000V",
        "Completed test",
        "No data returned by socket read.",
    ):
        assert words in console, words


def test_it_starts_and_ends_on_one_port(lab: SimulatedLab) -> None:
    port = free_port()
    for _ in range(3):
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port), timeout=1)
        with daemon("-n", 0, url(lab, "plain"), port=port) as process:
            client = Client(port)
            assert client.ask("Hello") == "Hello, PTDaemon here!"
            end(process)
            assert client.line() == ""
            client.close()


def test_killed_it_leaves_a_whole_log_and_a_closed_connection(lab: SimulatedLab, tmp_path: Path) -> None:
    log, port = tmp_path / "ptd.log", free_port()
    with daemon("-l", log, "eastron.sdm120", url(lab, "plain"), port=port) as process:
        client = Client(port)
        client.ask("Go,1000,0,killed")
        time.sleep(4.6)
        read = client.samples()
        process.kill()
        process.wait()
        assert client.line() == ""
        client.close()
    text = log.read_text("ascii")
    assert text.endswith("\n")
    samples = [line for line in text.splitlines() if line.endswith(",Mark,killed")]
    assert len(samples) >= len(read) >= 3
    assert [line.split(",")[1] for line in samples][: len(read)] == [sample["Time"] for sample in read]
    assert len(read_ptdaemon(log).columns) == 4


def test_a_compatibility_profile_is_named_wherever_it_speaks(lab: SimulatedLab, tmp_path: Path) -> None:
    log, port = tmp_path / "ptd.log", free_port()
    profile = "YokogawaWT310,1.11.1-462c978e-20240907"
    with daemon("-l", log, "--compatibility", profile, "eastron.sdm120", url(lab, "plain"), port=port) as process:
        client = Client(port)
        identity = client.ask("Identify").split(",")
        client.close()
        console = end(process)
    assert identity[0] == "YokogawaWT310"
    assert identity[9] == "version=1.11.1-462c978e-20240907"
    for text in (console, log.read_text("ascii")):
        assert "Compatibility profile: states the driver YokogawaWT310" in text
        assert "Not a SPEC or MLPerf result" in text


def test_a_meter_without_settable_ranges_refuses(lab: SimulatedLab) -> None:
    port = free_port()
    with daemon("eastron.sdm120", url(lab, "plain"), port=port) as process:
        client = Client(port)
        ranges = client.ask("RR")
        assert "Error" in client.ask("SR,V,Auto")
        assert client.ask("RR") == ranges
        client.close()
        end(process)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["49"], "TYPE and DEVICE are needed"),
        (["9999", "/dev/null"], "no device type 9999"),
        (["1005", "/dev/ttyUSB0"], "thermometer"),
        (["-g", "49", "5"], "no address of a device"),
        (["-c", "x", "0", "modbus-tcp://127.0.0.1:1/1?model=eastron.sdm120"], "-c x is no channel"),
        (["--compatibility", "x", "0", "modbus-tcp://127.0.0.1:1/1?model=eastron.sdm120"], "DRIVER,VERSION"),
        (["-D", "eastron.sdm120", "modbus-tcp://127.0.0.1:1/1"], "direct current"),
        (["no.model", "/dev/null"], "no.model"),
    ],
)
def test_what_cannot_be_served_is_said(wattmark: Command, arguments: list[str], words: str) -> None:
    code, _, err = wattmark("ptd", *arguments)
    assert code == 2
    assert words in err


def test_a_meter_that_does_not_answer_ends_it(wattmark: Command) -> None:
    code, _, err = wattmark("ptd", "-p", str(free_port()), "eastron.sdm120", f"modbus-tcp://127.0.0.1:{free_port()}/1")
    assert code == 1
    assert "127.0.0.1" in err


def test_flags_that_it_does_not_know_change_nothing(lab: SimulatedLab) -> None:
    port = free_port()
    with daemon("-Z", "-b", 0, "-e", "-n", "eastron.sdm120", url(lab, "plain"), port=port) as process:
        client = Client(port)
        assert client.ask("Hello") == "Hello, PTDaemon here!"
        client.close()
        end(process)
