"""Files as proc(5) and the kernel's hwmon and cpufreq documents describe them; figures by hand."""

import math
from pathlib import Path

import pytest
from wattmark.hosts.probes.files import LocalFiles
from wattmark.hosts.probes.meter import HostMeter
from wattmark_drivers.errors import ConnectionFailed
from wattmark_drivers.reading import Kind, Quality, Reading

from tests.hand_clock import NOON_NS, HandClock

MEMINFO = "MemTotal:       16777216 kB\nMemFree:         1000000 kB\nMemAvailable:   12582912 kB\nBuffers: 5 kB\n"


def put(root: Path, path: str, text: str) -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="ascii")
    return file


def stat(root: Path, jiffies: str) -> None:
    put(root, "proc/stat", f"cpu  {jiffies}\ncpu0 {jiffies}\nintr 5\n")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    stat(tmp_path, "100 0 50 800 50 0 0 0 0 0")
    put(tmp_path, "proc/meminfo", MEMINFO)
    return tmp_path


@pytest.fixture
def host(root: Path, clock: HandClock) -> HostMeter:
    return HostMeter(clock=clock, files=LocalFiles(root))


async def readings(host: HostMeter) -> dict[str, Reading]:
    return {reading.channel: reading for reading in await host.read()}


async def test_utilisation_is_the_busy_share_since_the_last_reading(host: HostMeter, root: Path) -> None:
    await host.open()
    stat(root, "150 5 65 815 55 4 6 0 40 0")
    utilisation = (await readings(host))["cpu_utilisation"]
    assert utilisation.value == pytest.approx(80.0)
    assert (utilisation.unit, utilisation.kind, utilisation.quality, utilisation.t_ns) == (
        "%",
        Kind.AVERAGED,
        Quality.GOOD,
        NOON_NS,
    )
    stat(root, "250 5 65 815 55 4 6 0 40 0")
    assert (await readings(host))["cpu_utilisation"].value == 100.0
    stat(root, "250 5 65 915 55 4 6 0 40 0")
    assert (await readings(host))["cpu_utilisation"].value == 0.0


async def test_stolen_time_is_neither_busy_nor_available(host: HostMeter, root: Path) -> None:
    await host.open()
    stat(root, "160 0 70 815 55 0 0 25 0 0")
    by_channel = await readings(host)
    assert by_channel["cpu_utilisation"].value == pytest.approx(80.0)
    assert by_channel["cpu_steal"].value == pytest.approx(20.0)


async def test_no_time_passed_gives_no_reading_and_loses_no_time(host: HostMeter, root: Path) -> None:
    await host.open()
    by_channel = await readings(host)
    assert {"cpu_utilisation", "cpu_steal"}.isdisjoint(by_channel)
    stat(root, "180 0 50 820 50 0 0 0 0 0")
    assert (await readings(host))["cpu_utilisation"].value == pytest.approx(80.0)


async def test_a_field_that_runs_backwards_did_not_pass(host: HostMeter, root: Path) -> None:
    await host.open()
    stat(root, "190 0 50 810 20 0 0 0 0 0")
    assert (await readings(host))["cpu_utilisation"].value == pytest.approx(90.0)


async def test_memory_is_what_is_not_available(host: HostMeter) -> None:
    await host.open()
    memory = (await readings(host))["memory_used"]
    assert (memory.value, memory.unit) == (4.0, "GiB")


async def test_what_the_kernel_does_not_tell_has_no_channel(host: HostMeter) -> None:
    await host.open()
    assert [channel.id for channel in host.channels] == ["cpu_utilisation", "cpu_steal", "memory_used"]


async def test_clock_is_the_mean_of_all_cpus(host: HostMeter, root: Path) -> None:
    for cpu, khz in (("cpu0", 1_200_000), ("cpu1", 3_600_000), ("cpu10", 3_000_000)):
        put(root, f"sys/devices/system/cpu/{cpu}/cpufreq/scaling_cur_freq", f"{khz}\n")
    put(root, "sys/devices/system/cpu/cpuidle/cpufreq/scaling_cur_freq", "1\n")
    await host.open()
    frequency = (await readings(host))["cpu_frequency"]
    assert (frequency.value, frequency.unit, frequency.kind) == (2600.0, "MHz", Kind.INSTANTANEOUS)


async def test_package_temperatures_of_intel(host: HostMeter, root: Path) -> None:
    for index, package, celsius in ((2, 0, 61), (10, 1, 73)):
        folder = f"sys/class/hwmon/hwmon{index}"
        put(root, f"{folder}/name", "coretemp\n")
        put(root, f"{folder}/temp1_label", f"Package id {package}\n")
        put(root, f"{folder}/temp1_input", f"{celsius}000\n")
        put(root, f"{folder}/temp2_label", "Core 0\n")
        put(root, f"{folder}/temp2_input", "99000\n")
    put(root, "sys/class/hwmon/hwmon0/name", "nvme\n")
    put(root, "sys/class/hwmon/hwmon0/temp1_input", "40000\n")
    await host.open()
    by_channel = await readings(host)
    assert (by_channel["package0_temperature"].value, by_channel["package1_temperature"].value) == (61.0, 73.0)
    assert by_channel["package0_temperature"].unit == "°C"


async def test_package_temperature_of_amd_is_the_die_when_there_is_one(host: HostMeter, root: Path) -> None:
    put(root, "sys/class/hwmon/hwmon0/name", "k10temp\n")
    for index, label, milli in ((1, "Tctl", 80_000), (2, "Tdie", 70_000)):
        put(root, f"sys/class/hwmon/hwmon0/temp{index}_label", f"{label}\n")
        put(root, f"sys/class/hwmon/hwmon0/temp{index}_input", f"{milli}\n")
    await host.open()
    assert (await readings(host))["package0_temperature"].value == 70.0


async def test_thermal_zones_where_there_is_no_sensor_driver(host: HostMeter, root: Path) -> None:
    for index, kind in enumerate(("acpitz", "x86_pkg_temp")):
        put(root, f"sys/class/thermal/thermal_zone{index}/type", f"{kind}\n")
        put(root, f"sys/class/thermal/thermal_zone{index}/temp", f"{50 + index}500\n")
    await host.open()
    assert (await readings(host))["package0_temperature"].value == 51.5


async def test_a_sensor_that_goes_away_gives_invalid_readings_never_zero(host: HostMeter, root: Path) -> None:
    put(root, "sys/class/thermal/thermal_zone0/type", "x86_pkg_temp\n")
    sensor = put(root, "sys/class/thermal/thermal_zone0/temp", "50000\n")
    await host.open()
    sensor.unlink()
    put(root, "proc/meminfo", "garbage\n")
    by_channel = await readings(host)
    for channel in ("package0_temperature", "memory_used"):
        assert math.isnan(by_channel[channel].value)
        assert by_channel[channel].quality is Quality.INVALID


@pytest.mark.parametrize("text", [None, "", "intr 1 2 3\n", "cpu 1 2 x 4 5 6 7 8\n", "cpu 1 2\n"])
async def test_without_proc_stat_there_is_a_cause_and_a_remedy(host: HostMeter, root: Path, text: str | None) -> None:
    if text is None:
        (root / "proc/stat").unlink()
    else:
        put(root, "proc/stat", text)
    with pytest.raises(ConnectionFailed, match=r"proc/stat cannot be read.*needs Linux"):
        await host.open()


async def test_the_machine_itself(clock: HandClock) -> None:
    host = HostMeter(clock=clock)
    assert (host.identity.name, host.identity.indicative, host.identity.simulated) == ("host", True, False)
    await host.open()
    by_channel = await readings(host)
    await host.close()
    assert by_channel["memory_used"].value > 0
    assert all(reading.quality is Quality.GOOD for reading in by_channel.values())
    if "cpu_utilisation" in by_channel:
        assert 0 <= by_channel["cpu_utilisation"].value <= 100
