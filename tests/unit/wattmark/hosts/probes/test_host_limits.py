"""What limits a load: cores, disks, links. Files as the kernel documents them; figures by hand."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark.hosts.probes.cpu import MOST_CORES, CpuProbe
from wattmark.hosts.probes.disks import DISKSTATS, DiskProbe, disk_numbers
from wattmark.hosts.probes.files import LocalFiles
from wattmark.hosts.probes.memory import BandwidthProbe
from wattmark.hosts.probes.network import NetworkProbe, link_names, speed_file
from wattmark.hosts.probes.probe import Taken

STAT = "cpu  {} 0 0 {} 0 0 0 0 0 0\ncpu0 {} 0 0 {} 0 0 0 0 0 0\ncpu1 {} 0 0 {} 0 0 0 0 0 0\nctxt 1\n"
# The example line of the kernel's Documentation/admin-guide/iostats.rst, with a partition and a loop device beside it.
DISKS = (
    "   3    0   hda 446216 784926 9550688 4382310 424847 312726 5922052 19310380 0 {busy} 23705160\n"
    "   3    1   hda1 35486 38030 38030 38030\n"
    "   7    0 loop0 1 2 3 4 5 6 7 8 9 10 11\n"
)


def test_each_core_has_its_share_and_the_busiest_is_named() -> None:
    probe = CpuProbe(STAT.format(100, 900, 50, 450, 50, 450))
    assert [channel.id for channel in probe.channels] == [
        "cpu_utilisation",
        "cpu_steal",
        "cpu_busiest_core",
        "cpu0_utilisation",
        "cpu1_utilisation",
    ]
    values = probe.values({"/proc/stat": STAT.format(210, 990, 150, 450, 60, 540)}, Taken(1.0))
    assert values["cpu0_utilisation"] == 100.0
    assert values["cpu1_utilisation"] == pytest.approx(10.0)
    assert values["cpu_busiest_core"] == 100.0
    assert values["cpu_utilisation"] == pytest.approx(100 * 110 / 200)


def test_the_busiest_core_may_be_one_without_a_channel_of_its_own() -> None:
    """CPU 299 of 300 was busy for 90 of 100 jiffies, all others for none."""
    idle = [f"cpu{n} 0 0 0 {{}} 0 0 0 0 0 0" for n in range(299)]
    text = "\n".join(["cpu  {} 0 0 {} 0 0 0 0 0 0", *idle, "cpu299 {} 0 0 {} 0 0 0 0 0 0", ""])
    probe = CpuProbe(text.format(0, 0, *[0] * 299, 0, 0))
    assert len(probe.channels) == 3 + MOST_CORES
    values = probe.values({"/proc/stat": text.format(90, 29_910, *[100] * 299, 90, 10)}, Taken(1.0))
    assert values["cpu_busiest_core"] == 90.0


def test_a_disk_is_busy_while_a_request_is_in_flight() -> None:
    assert disk_numbers(DISKS.format(busy=3376340)) == {"hda": (9550688 * 512.0, 5922052 * 512.0, 3376.340)}
    probe = DiskProbe(DISKS.format(busy=3376340))
    assert probe.values({DISKSTATS: DISKS.format(busy=3376340)}, Taken(10.0)) == {}
    later = DISKS.format(busy=3377240).replace("9550688", "9552736")
    values = probe.values({DISKSTATS: later}, Taken(11.0))
    assert values == pytest.approx({"hda_read": 2048 * 512 / 1e6, "hda_write": 0.0, "hda_utilisation": 90.0})


def test_a_disk_that_is_pulled_gives_no_numbers() -> None:
    probe = DiskProbe(DISKS.format(busy=1))
    assert all(math.isnan(value) for value in probe.values({DISKSTATS: ""}, Taken(1.0)).values())


def test_a_link_is_as_busy_as_its_busier_direction() -> None:
    names = link_names(["/sys/class/net/eth0/statistics/rx_bytes", "/sys/class/net/lo/statistics/rx_bytes"])
    assert names == ["eth0"]
    probe = NetworkProbe(names, {speed_file("eth0"): "1000\n"})
    received, sent, speed = probe.paths
    probe.values({received: "0", sent: "0", speed: "1000\n"}, Taken(0.0))
    values = probe.values({received: "25000000", sent: "100000000", speed: "1000\n"}, Taken(1.0))
    assert values == pytest.approx({"eth0_receive": 25.0, "eth0_send": 100.0, "eth0_utilisation": 80.0})


@pytest.mark.parametrize(
    ("speed", "busy_pct"),
    [("10000\n", 8.0), ("100\n", 100.0), ("-1\n", math.nan), (None, math.nan)],  # 100 MB/s are 800 Mbit/s
)
def test_a_link_that_negotiates_another_speed_is_busy_by_that(speed: str | None, busy_pct: float) -> None:
    probe = NetworkProbe(["eth0"], {speed_file("eth0"): "1000\n"})
    received, sent, of_speed = probe.paths
    probe.values({received: "0", sent: "0", of_speed: "1000\n"}, Taken(0.0))
    later = {received: "100000000", sent: "0"} | ({} if speed is None else {of_speed: speed})
    assert probe.values(later, Taken(1.0))["eth0_utilisation"] == pytest.approx(busy_pct, nan_ok=True)


@pytest.mark.parametrize("counters", [("0", "100000000"), ("100000000", "0")])
def test_a_link_whose_counter_runs_backwards_has_no_busy_share(counters: tuple[str, str]) -> None:
    probe = NetworkProbe(["eth0"], {speed_file("eth0"): "1000\n"})
    received, sent, speed = probe.paths
    probe.values({received: "5", sent: "5", speed: "1000\n"}, Taken(0.0))
    values = probe.values({received: counters[0], sent: counters[1], speed: "1000\n"}, Taken(1.0))
    assert math.isnan(values["eth0_utilisation"])


@pytest.mark.parametrize("speed", ["-1\n", "", "garbage"])
def test_a_link_without_a_speed_has_traffic_but_no_share(speed: str) -> None:
    probe = NetworkProbe(["veth1"], {speed_file("veth1"): speed})
    assert [channel.id for channel in probe.channels] == ["veth1_receive", "veth1_send"]


def test_counters_that_run_backwards_give_no_rate() -> None:
    probe = BandwidthProbe(["/a", "/b"])
    assert probe.values({"/a": "10", "/b": "5"}, Taken(0.0)) == {}
    assert math.isnan(probe.values({"/a": "1", "/b": "5"}, Taken(1.0))["memory_bandwidth"])
    assert probe.values({"/a": "1000001", "/b": "5"}, Taken(2.0)) == {"memory_bandwidth": 1.0}


@given(st.lists(st.text(alphabet="0123456789-x.² ", max_size=8), min_size=13, max_size=16))
def test_any_disk_line_gives_numbers_or_none(fields: list[str]) -> None:
    line = " ".join(["8", "0", "sda", *fields])
    assert all(number >= 0 for value in disk_numbers(line).values() for number in value)


async def test_files_that_cannot_be_read_are_excluded(tmp_path: Path) -> None:
    (tmp_path / "sys").mkdir()
    (tmp_path / "sys/one").write_text("1")
    files = LocalFiles(tmp_path)
    assert await files.find(["/sys/*", "/none/*"]) == ["/sys/one"]
    assert await files.read(["/sys/one", "/sys", "/none"]) == {"/sys/one": "1"}
