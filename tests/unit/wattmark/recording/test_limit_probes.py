"""Heat, power limits, clocks and alarms from files as the kernel documents them; figures by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import pytest
from wattmark.hosts.probes.clocks import ClockLimitProbe
from wattmark.hosts.probes.files import LocalFiles
from wattmark.hosts.probes.meter import HostMeter
from wattmark.hosts.probes.power_limits import PowerLimitProbe
from wattmark.hosts.probes.sensors import MOST_ALARMS, SensorLimitProbe
from wattmark.hosts.probes.throttling import ThrottleProbe
from wattmark.hosts.probes.topology import Topology

from .conftest import HandClock

CPU = "/sys/devices/system/cpu"
RAPL = "/sys/class/powercap"
HWMON = "/sys/class/hwmon"
RANGE_UJ = 262_143_328_850
"""max_energy_range_uj of the kernel's example in powercap.rst."""


def topology(threads: Mapping[int, str], packages: Mapping[int, int]) -> Topology:
    return Topology(
        {f"{CPU}/cpu{n}/topology/thread_siblings_list": f"{text}\n" for n, text in threads.items()}
        | {f"{CPU}/cpu{n}/topology/physical_package_id": f"{package}\n" for n, package in packages.items()}
    )


TWO_PACKAGES = topology({n: f"{n % 4},{n % 4 + 4}" for n in range(8)}, {n: 0 if n % 4 < 2 else 1 for n in range(8)})
"""Four cores of two threads: CPUs 0, 1, 4 and 5 in package 0."""


def throttle_files(n: int, **values: int) -> dict[str, str]:
    return {f"{CPU}/cpu{n}/thermal_throttle/{name}": f"{value}\n" for name, value in values.items()}


def test_events_and_times_count_once_for_each_core_and_package() -> None:
    """intel_thermal_throttle.rst: all CPUs in the package increment its count; both threads of a core count its own."""
    texts: dict[str, str] = {}
    for n in range(8):
        hot = n % 4 < 2
        texts |= throttle_files(
            n,
            core_throttle_count=(3, 2, 0, 0)[n % 4],
            core_throttle_total_time_ms=(800, 400, 0, 0)[n % 4],
            package_throttle_count=5 if hot else 0,
            package_throttle_total_time_ms=1200 if hot else 0,
        )
    probe = ThrottleProbe(list(texts), TWO_PACKAGES)
    assert probe.values(texts, 0.0) == {
        "cpu_throttle_events": 10.0,
        "package0_throttle_events": 10.0,
        "package1_throttle_events": 0.0,
        "package0_throttle_time": 1200.0,
        "package1_throttle_time": 0.0,
        "package0_core_throttle_time": 600.0,
        "package1_core_throttle_time": 0.0,
    }
    assert len(probe.paths) == 4 * 2 + 2 * 2, "one file per core and package, not per CPU"
    assert {channel.unit for channel in probe.channels if channel.quantity == "throttle_time"} == {"ms"}
    del texts[f"{CPU}/cpu1/thermal_throttle/core_throttle_count"]
    values = probe.values(texts, 1.0)
    assert math.isnan(values["package0_throttle_events"])
    assert values["package1_throttle_events"] == 0.0


def test_a_kernel_before_5_5_has_counts_and_no_times() -> None:
    texts = throttle_files(0, core_throttle_count=1) | throttle_files(1, core_throttle_count=2)
    probe = ThrottleProbe(list(texts), Topology({}))
    assert probe.values(texts, 0.0) == {"cpu_throttle_events": 3.0, "package0_throttle_events": 3.0}
    assert ThrottleProbe([], Topology({})).channels == []


def zone(name: str, number: str = "intel-rapl:0", limit_w: float | None = 150.0, **files: str) -> dict[str, str]:
    folder = f"{RAPL}/{number}"
    texts = {
        f"{folder}/name": f"{name}\n",
        f"{folder}/max_energy_range_uj": f"{RANGE_UJ}\n",
        f"{folder}/enabled": "1\n",
    }
    if limit_w is not None:
        texts |= {
            f"{folder}/constraint_0_name": "long_term\n",
            f"{folder}/constraint_0_power_limit_uw": f"{round(limit_w * 1e6)}\n",
            f"{folder}/constraint_1_name": "short_term\n",
            f"{folder}/constraint_1_power_limit_uw": f"{round(limit_w * 1.2e6)}\n",
        }
    return texts | {f"{folder}/{file}": text for file, text in {"energy_uj": "0\n", **files}.items()}


def energy(texts: dict[str, str], uj: int, number: str = "intel-rapl:0") -> dict[str, str]:
    return texts | {f"{RAPL}/{number}/energy_uj": f"{uj}\n"}


def test_power_over_the_long_term_limit() -> None:
    """150 J in 1 s at a limit of 150 W; the counter wraps after 100.32885 J; the limit is lowered to 100 W."""
    texts = zone("package-0")
    probe = PowerLimitProbe(texts)
    (channel,) = probe.channels
    assert (channel.id, channel.quantity) == ("package0_power_over_limit", "power_over_limit")
    assert channel.label == "CPU package 0: power over its long-term limit"
    first = RANGE_UJ - 150_328_850
    assert probe.values(energy(texts, first), 10.0) == {}
    assert probe.values(energy(texts, first + 150_000_000), 11.0) == {channel.id: pytest.approx(1.0)}
    assert probe.values(energy(texts, 100_000_000), 12.0) == {channel.id: pytest.approx(100.32885 / 150)}
    lowered = texts | {f"{RAPL}/intel-rapl:0/constraint_0_power_limit_uw": "100000000\n"}
    assert probe.values(energy(lowered, 300_000_000), 14.0) == {channel.id: pytest.approx(1.0)}
    gone = {path: text for path, text in texts.items() if not path.endswith("energy_uj")}
    assert math.isnan(probe.values(gone, 15.0)[channel.id])
    assert probe.values(energy(texts, 400_000_000), 16.0) == {}
    assert probe.values(energy(texts, 500_000_000), 60.0) == {}, "a counter may have wrapped more than once"


def test_the_lowest_limit_in_force_counts() -> None:
    texts = zone("package-0") | zone("package-0", "intel-rapl-mmio:0", 100.0) | zone("core", "intel-rapl:0:0", 10.0)
    probe = PowerLimitProbe(texts)
    probe.values(energy(texts, 0), 0.0)
    later = energy(energy(texts, 50_000_000), 50_000_000, "intel-rapl-mmio:0")
    assert probe.values(later, 1.0) == {"package0_power_over_limit": pytest.approx(0.5)}


@pytest.mark.parametrize(
    "texts",
    [
        zone("package-0", enabled="0\n"),
        zone("package-0", limit_w=None),
        zone("psys"),
        {path: text for path, text in zone("package-0").items() if "energy_uj" not in path},
    ],
    ids=["not in force", "AMD has no limits", "not a package", "root only"],
)
def test_without_a_limit_or_a_counter_there_is_no_channel(texts: dict[str, str]) -> None:
    assert PowerLimitProbe(texts).channels == []


def test_dies_of_a_package_have_a_channel_each() -> None:
    texts = zone("package-0-die-0") | zone("package-0-die-1", "intel-rapl:1")
    assert [channel.id for channel in PowerLimitProbe(texts).channels] == [
        "package0_die0_power_over_limit",
        "package0_die1_power_over_limit",
    ]


def clocks(*khz: int) -> dict[str, str]:
    return {f"{CPU}/cpu{n}/cpufreq/scaling_cur_freq": f"{clock}\n" for n, clock in enumerate(khz)}


def test_a_clock_over_the_base_clock_or_over_a_lower_limit_that_is_set() -> None:
    """Base 2.1 GHz: 2.0 GHz are 0.952 of it; where only 1.5 GHz are allowed, 1.5 GHz are all of it."""
    base = {f"{CPU}/cpu{n}/cpufreq/base_frequency": "2100000\n" for n in range(2)}
    ceilings = {f"{CPU}/cpu{n}/cpufreq/scaling_max_freq": "3500000\n" for n in range(2)}
    now = clocks(2_100_000, 1_900_000)
    probe = ClockLimitProbe(list(now), list(ceilings), base, Topology({}))
    (channel,) = probe.channels
    assert probe.values(now | ceilings, 0.0) == {channel.id: pytest.approx(2.0 / 2.1)}
    set_lower = dict.fromkeys(ceilings, "1500000\n")
    assert probe.values(clocks(1_500_000, 1_500_000) | set_lower, 1.0) == {channel.id: 1.0}
    assert math.isnan(probe.values(now, 2.0)[channel.id])


def test_the_nominal_clock_of_cppc_is_the_base_clock() -> None:
    """cppc_sysfs.rst: nominal_freq is in MHz."""
    now = clocks(2_450_000)
    probe = ClockLimitProbe(list(now), [], {f"{CPU}/cpu0/acpi_cppc/nominal_freq": "2450\n"}, Topology({}))
    assert probe.values(now, 0.0) == {"package0_clock_over_limit": 1.0}
    assert ClockLimitProbe(list(now), [], {}, Topology({})).channels == []
    unknown = {f"{CPU}/cpu0/acpi_cppc/nominal_freq": "0\n"}
    assert ClockLimitProbe(list(now), [], unknown, Topology({})).channels == []


def chip(number: int, name: str, uevent: str = "", **files: int) -> dict[str, str]:
    folder = f"{HWMON}/hwmon{number}"
    named = {f"{folder}/name": f"{name}\n", f"{folder}/device/uevent": uevent}
    return named | {f"{folder}/{file}": f"{value}\n" for file, value in files.items()}


def probe_of(texts: dict[str, str]) -> SensorLimitProbe:
    return SensorLimitProbe(sorted(texts), texts)


def test_an_amd_gpu_at_its_cap_by_its_pci_address() -> None:
    texts = chip(
        4, "amdgpu", "DRIVER=amdgpu\nPCI_SLOT_NAME=0000:c1:00.0\n",
        power1_cap=300_000_000, power1_average=297_000_000, power1_input=310_000_000,
    )  # fmt: skip
    probe = probe_of(texts)
    (channel,) = probe.channels
    assert (channel.id, channel.label) == (
        "gpu_0000_c1_00_0_power1_over_cap",
        "GPU 0000:c1:00.0: power over its cap, power1",
    )
    assert probe.values(texts, 0.0) == {channel.id: pytest.approx(0.99)}
    uncapped = texts | {f"{HWMON}/hwmon4/power1_cap": "0\n"}
    assert math.isnan(probe.values(uncapped, 0.0)[channel.id])


def test_an_acpi_power_meter_has_its_cap_and_alarm_at_the_device() -> None:
    folder = f"{HWMON}/hwmon1/device"
    texts = {
        f"{HWMON}/hwmon1/name": "power_meter\n", f"{folder}/power1_cap": "400000000\n",
        f"{folder}/power1_average": "200000000\n", f"{folder}/power1_alarm": "1\n",
    }  # fmt: skip
    probe = probe_of(texts)
    assert probe.values(texts, 0.0) == {"server_power1_over_cap": 0.5, "server_power1_alarm": 1.0}
    assert [channel.quantity for channel in probe.channels] == ["power_over_limit", "power_alarm"]


def test_an_old_amd_processor_is_at_its_limit_where_it_throttles() -> None:
    """k10temp.rst: temp1_crit is the threshold at which the processor will throttle itself."""
    texts = chip(0, "k10temp", temp1_input=70_000, temp1_crit=70_000) | chip(
        1, "k10temp", temp1_input=69_875, temp1_crit=70_000
    )
    probe = probe_of(texts)
    assert probe.values(texts, 0.0) == {"cpu_package_0_throttles": 1.0, "cpu_package_1_throttles": 0.0}
    assert probe_of(chip(0, "k10temp", temp1_input=90_000)).channels == []


def test_alarms_of_power_and_current_come_first_and_coretemps_never_clear() -> None:
    texts = chip(
        2, "dps800", in1_alarm=0, temp1_max_alarm=1, temp1_min_alarm=1, fan1_alarm=1, curr1_crit_alarm=0,
        power1_cap_alarm=1, curr2_alarm=1, in2_lcrit_alarm=0,
    ) | chip(0, "coretemp", temp1_crit_alarm=1)  # fmt: skip
    probe = probe_of(texts)
    assert [channel.label for channel in probe.channels] == [
        "dps800 (hwmon2): alarm power1 cap",
        "dps800 (hwmon2): alarm curr1 crit",
        "dps800 (hwmon2): alarm curr2",
        "dps800 (hwmon2): alarm temp1 max",
        "dps800 (hwmon2): alarm in1",
        "dps800 (hwmon2): alarm in2 lcrit",
    ]
    assert list(probe.values(texts, 0.0).values()) == [1.0, 0.0, 1.0, 1.0, 0.0, 0.0]
    many = chip(3, "nct6779", **{f"in{n}_alarm": 0 for n in range(MOST_ALARMS + 5)})
    assert len(probe_of(many).channels) == MOST_ALARMS


async def test_a_machine_with_all_of_them(clock: HandClock, tmp_path: Path) -> None:
    files: dict[str, str] = {"/proc/stat": "cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 100 0 50 800 50 0 0 0 0 0\n"}
    files |= clocks(2_100_000) | {f"{CPU}/cpu0/cpufreq/base_frequency": "2100000\n"}
    files |= {f"{CPU}/cpu0/cpufreq/scaling_max_freq": "3500000\n", f"{CPU}/cpu0/topology/physical_package_id": "0\n"}
    files |= throttle_files(0, core_throttle_count=0, core_throttle_total_time_ms=0, package_throttle_total_time_ms=4)
    files |= zone("package-0") | chip(1, "power_meter", power1_cap=400_000_000, power1_average=100_000_000)
    for path, text in files.items():
        file = tmp_path / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="ascii")
    host = HostMeter(clock=clock, files=LocalFiles(tmp_path))
    await host.open()
    values = {reading.channel: reading.value for reading in await host.read()}
    assert {
        "package0_clock_over_limit": 1.0,
        "cpu_throttle_events": 0.0,
        "package0_throttle_time": 4.0,
        "package0_core_throttle_time": 0.0,
        "server_power1_over_cap": 0.25,
    }.items() <= values.items()
    assert {channel.id for channel in host.channels} >= {"package0_power_over_limit"}
    assert {channel.unit for channel in host.channels if channel.quantity == "power"} == set(), "no meter of power"
