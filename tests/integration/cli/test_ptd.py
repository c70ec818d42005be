"""`wattmark ptd` as a harness starts it: a simulated WT310E behind it, a client of the protocol, SIGTERM, SIGKILL."""

from __future__ import annotations

import re
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from wattmark.cli.meter.ptd_device import Interface, device_settings
from wattmark.importers.ptdaemon.ptdaemon_console import parse_console
from wattmark.importers.ptdaemon.ptdaemon_import import recognises
from wattmark.importers.recordings.ptdaemon_log import read_ptdaemon
from wattmark_drivers.simulators.simulated_lab import SimulatedLab

from tests.integration.command import Command
from tests.integration.ports import free_port
from tests.power_daemon_client import ANALYSER, LAB, Client, address, daemon

MODEL = ANALYSER


@pytest.fixture(scope="module")
def lab() -> Iterator[SimulatedLab]:
    with SimulatedLab(LAB) as running:
        yield running


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
    with daemon("-l", log, "-y", 49, address(lab, "analyser", "&update_period_s=0.25"), port=port) as process:
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
        with daemon("-n", 0, address(lab, "plain"), port=port) as process:
            client = Client(port)
            assert client.ask("Hello") == "Hello, PTDaemon here!"
            end(process)
            assert client.line() == ""
            client.close()


def test_killed_it_leaves_a_whole_log_and_a_closed_connection(lab: SimulatedLab, tmp_path: Path) -> None:
    log, port = tmp_path / "ptd.log", free_port()
    with daemon("-l", log, "eastron.sdm120", address(lab, "plain"), port=port) as process:
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
    with daemon("-l", log, "--compatibility", profile, "eastron.sdm120", address(lab, "plain"), port=port) as process:
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
    with daemon("eastron.sdm120", address(lab, "plain"), port=port) as process:
        client = Client(port)
        ranges = client.ask("RR")
        assert "Error" in client.ask("SR,V,Auto")
        # 239.42 V were seen in MLPerf v1.0: a meter for 230 V mains, which measures up to 300 V, holds them
        assert client.ask("SR,V,239.42") == "Range V changed"
        assert "Error" in client.ask("SR,V,301")
        assert "Error" in client.ask("SR,A,46")
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
        (["-c", "1", "49", "/dev/usbtmc-Yoko-13"], "usbtmc://VENDOR:PRODUCT"),
        (["-t", "49", "/dev/null"], "reads no thermometer"),
        (["-c", "2", "49", "/dev/null"], "yokogawa.wt310e has no channel 2"),
        (["-c", "4", "48", "10.0.0.9"], "yokogawa.wt500 has no channel 4"),
        (["-c", "2,3", "77", "10.0.0.9"], "yokogawa.wt330e has no channel 4"),
        (["-c", "3", "59", "/dev/null"], "Its channels: 1, 2"),
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
    with daemon("-Z", "-b", 0, "-e", "-n", "eastron.sdm120", address(lab, "plain"), port=port) as process:
        client = Client(port)
        assert client.ask("Hello") == "Hello, PTDaemon here!"
        client.close()
        end(process)


@pytest.mark.parametrize(
    ("channel", "kind", "phases", "with_sum"),
    [
        (None, "77", (), False),
        ("3", "48", (1, 2, 3), True),  # power-dev: of a WT500 how many, from the first
        ("1", "48", (1,), True),
        ("2,2", "77", (2, 3), True),  # the first one and how many
        ("1,2", "59", (1, 2), True),
        ("2", "52", (2,), False),  # one channel of an analyser with several, alone
        ("2", "35", (2,), False),
        ("1", "49", (), False),
    ],
)
def test_channels_as_each_type_has_them(
    channel: str | None, kind: str, phases: tuple[int, ...], with_sum: bool
) -> None:
    """mlcommons/power-dev#154, #220 and its server's configuration: 48, 59, 61 and 77 have several channels."""
    device = device_settings(kind, "/dev/ttyUSB0" if kind in ("49", "59") else "10.0.0.9", Interface(), channel)
    assert (device.phases, device.with_sum) == (phases, with_sum)
    if phases:
        assert device.settings.options["elements"] == ",".join(map(str, phases))


def test_channels_of_the_device_are_named_in_the_log(tmp_path: Path) -> None:
    log, port = tmp_path / "ptd.log", free_port()
    device = "simulated://?model=yokogawa.wt330e&idle_w=400"
    with daemon("-l", log, "-c", "2,2", 77, device, port=port) as process:
        client = Client(port)
        assert client.ask("Identify").split(",")[14] == "2"
        client.ask("Go,1000,0,named")
        time.sleep(3.4)
        assert client.ask("Stop") == "Stopping untimed measurement"
        assert client.ask("RL,*,*").endswith("from sum channel and channels 2 - 3")
        client.close()
        end(process)
    lines = [line.split(",") for line in log.read_text("ascii").splitlines() if ",Mark,named," in line]
    assert len(lines) >= 2
    # power-dev's server reads the mark as the twelfth word, and each channel with its four values behind it
    assert {(line[11], line[12], line[21]) for line in lines} == {("named", "Ch2", "Ch3")}
    assert {len(line) for line in lines} == {30}
