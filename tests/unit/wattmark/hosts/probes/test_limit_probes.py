"""Heat, power limits, clocks and alarms from files as the kernel documents them; figures by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from wattmark.analysis.efficiency.limits_reached import _NOT_RECORDED
from wattmark.hosts.probes.clocks import ClockLimitProbe
from wattmark.hosts.probes.cpu_sensors import sensor_places
from wattmark.hosts.probes.files import LocalFiles, Texts
from wattmark.hosts.probes.meter import HostMeter
from wattmark.hosts.probes.power_limits import PowerLimitProbe
from wattmark.hosts.probes.probe import Taken
from wattmark.hosts.probes.sensors import SensorLimitProbe
from wattmark.hosts.probes.temperatures import TemperatureProbe, package_files
from wattmark.hosts.probes.throttling import ThrottleProbe
from wattmark.hosts.probes.topology import Topology

from tests.hand_clock import HandClock

CPU = "/sys/devices/system/cpu"
RAPL = "/sys/class/powercap"
HWMON = "/sys/class/hwmon"
RANGE_UJ = 262_143_328_850
"""max_energy_range_uj of the kernel's example in powercap.rst."""


def topology(
    threads: Mapping[int, str], packages: Mapping[int, int], dies: Mapping[int, int] | None = None
) -> Topology:
    return Topology(
        {f"{CPU}/cpu{n}/topology/thread_siblings_list": f"{text}\n" for n, text in threads.items()}
        | {f"{CPU}/cpu{n}/topology/physical_package_id": f"{package}\n" for n, package in packages.items()}
        | {f"{CPU}/cpu{n}/topology/die_id": f"{die}\n" for n, die in (dies or {}).items()}
    )


TWO_PACKAGES = topology({n: f"{n % 4},{n % 4 + 4}" for n in range(8)}, {n: 0 if n % 4 < 2 else 1 for n in range(8)})
"""Four cores of two threads: CPUs 0, 1, 4 and 5 in package 0."""
FOUR_DIES = topology({}, {n: n // 4 for n in range(8)}, {n: n % 4 // 2 for n in range(8)})
"""Two packages of two dies of two cores: CPUs 2 and 3 in die 1 of package 0."""


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
    assert probe.values(texts, Taken(0.0)) == {
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
    values = probe.values(texts, Taken(1.0))
    assert math.isnan(values["package0_throttle_events"])
    assert values["package1_throttle_events"] == 0.0


def test_each_die_of_a_package_counts_for_itself() -> None:
    """The status of a package is that of a die where a package has several: each has its channels, none is added."""
    texts: dict[str, str] = {}
    for n in range(8):
        hot = n // 2 == 1
        texts |= throttle_files(
            n,
            core_throttle_count=2 if hot else 0,
            core_throttle_total_time_ms=300 if n == 2 else 0,
            package_throttle_count=5 if hot else 0,
            package_throttle_total_time_ms=1200 if hot else 0,
        )
    probe = ThrottleProbe(list(texts), FOUR_DIES)
    counted = {name: value for name, value in probe.values(texts, Taken(0.0)).items() if value}
    assert counted == {
        "cpu_throttle_events": 9.0,
        "package0_die1_throttle_events": 9.0,
        "package0_die1_throttle_time": 1200.0,
        "package0_die1_core_throttle_time": 150.0,
    }
    assert len(probe.channels) == 1 + 4 * 3
    labels = {channel.id: channel.label for channel in probe.channels}
    assert labels["package1_die0_throttle_time"] == "CPU package 1 die 0: throttled by heat"
    assert labels["package1_die0_core_throttle_time"] == "Cores of CPU package 1 die 0, mean: throttled by heat"


def test_a_kernel_before_5_5_has_counts_and_no_times() -> None:
    texts = throttle_files(0, core_throttle_count=1) | throttle_files(1, core_throttle_count=2)
    probe = ThrottleProbe(list(texts), Topology({}))
    assert probe.values(texts, Taken(0.0)) == {"cpu_throttle_events": 3.0, "package0_throttle_events": 3.0}
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
    """150 J in 1 s at a limit of 150 W; the counter wraps after 100.32885 J.

    Then the limit is lowered to 100 W: 200 J in 2 s across the change say nothing, 100 J in 1 s after it are all of it.
    """
    texts = zone("package-0")
    probe = PowerLimitProbe(texts)
    (channel,) = probe.channels
    assert (channel.id, channel.quantity) == ("package0_power_over_limit", "power_over_limit")
    assert channel.label == "CPU package 0: power over its long-term limit"
    first = RANGE_UJ - 150_328_850
    assert probe.values(energy(texts, first), Taken(10.0)) == {}
    assert probe.values(energy(texts, first + 150_000_000), Taken(11.0)) == {channel.id: pytest.approx(1.0)}
    assert probe.values(energy(texts, 100_000_000), Taken(12.0)) == {channel.id: pytest.approx(100.32885 / 150)}
    lowered = texts | {f"{RAPL}/intel-rapl:0/constraint_0_power_limit_uw": "100000000\n"}
    assert probe.values(energy(lowered, 300_000_000), Taken(14.0)) == {}
    assert probe.values(energy(lowered, 400_000_000), Taken(15.0)) == {channel.id: pytest.approx(1.0)}
    gone = {path: text for path, text in texts.items() if not path.endswith("energy_uj")}
    assert math.isnan(probe.values(gone, Taken(16.0))[channel.id])
    assert probe.values(energy(texts, 400_000_000), Taken(17.0)) == {}
    assert probe.values(energy(texts, 500_000_000), Taken(60.0)) == {}, "a counter may have wrapped more than once"


def test_the_time_between_two_answers_must_be_known_to_one_percent() -> None:
    """Over SSH: the counter was read somewhere between question and answer, here 8 ms before or after the middle.

    At 100 W (a limit of 100 W), two readings 1 s apart are known to 16 ms, 1.6 %: 101.6 J may lie between them, and no
    limit is judged by that. Over 2 s it is 0.8 %: 200 J within 1.6 J are 1.0 within 0.008.
    """
    texts = zone("package-0", limit_w=100.0)
    probe = PowerLimitProbe(texts)
    read_early_or_late_s = [0.008, -0.008, -0.008, 0.008, 0.008]
    judged = [
        list(probe.values(energy(texts, round(1e8 * (n + shift_s))), Taken(float(n), 0.008)).values())
        for n, shift_s in enumerate(read_early_or_late_s)
    ]
    assert judged == [[], [], [pytest.approx(0.992)], [], [pytest.approx(1.008)]]


def test_one_slow_answer_delays_nothing_for_long() -> None:
    """0.5 s known to 0.25 s would need 25 s to be worth 1 %; 2 ms of the next answers need less than 1 s."""
    texts = zone("package-0", limit_w=100.0)
    probe = PowerLimitProbe(texts)
    assert probe.values(energy(texts, 0), Taken(0.0, 0.25)) == {}, "the first answer starts the shell"
    assert probe.values(energy(texts, 100_000_000), Taken(1.0, 0.002)) == {}
    at_limit = {"package0_power_over_limit": pytest.approx(1.0)}
    assert probe.values(energy(texts, 200_000_000), Taken(2.0, 0.002)) == at_limit
    assert probe.values(energy(texts, 300_000_000), Taken(3.0, 0.25)) == {}, "a slow answer is passed over"
    assert probe.values(energy(texts, 400_000_000), Taken(4.0, 0.002)) == at_limit


def test_a_limit_that_is_switched_counts_while_it_is_in_force() -> None:
    """powercap.rst: enabled switches the controls of a zone. The kernel also says 0 of a zone that firmware locked."""
    texts = zone("package-0", limit_w=100.0)
    off = texts | {f"{RAPL}/intel-rapl:0/enabled": "0\n"}
    probe = PowerLimitProbe(off)
    (channel,) = probe.channels
    values = [
        probe.values(energy(read, 100_000_000 * n), Taken(float(n))).get(channel.id)
        for n, read in enumerate([off, off, texts, texts, texts, off, texts])
    ]
    assert values == [
        pytest.approx(math.nan, nan_ok=True), pytest.approx(math.nan, nan_ok=True), None, pytest.approx(1.0),
        pytest.approx(1.0), pytest.approx(math.nan, nan_ok=True), None,
    ]  # fmt: skip


def test_a_second_zone_of_the_same_package_that_is_switched_on_lowers_the_limit() -> None:
    mmio = zone("package-0", "intel-rapl-mmio:0", 100.0, enabled="0\n")
    texts = zone("package-0") | mmio
    on = texts | {f"{RAPL}/intel-rapl-mmio:0/enabled": "1\n"}
    probe = PowerLimitProbe(texts)
    reads = [(texts, 0), (texts, 75), (on, 150), (on, 225)]
    values = [probe.values(energy(read, joule * 1_000_000), Taken(n * 1.0)) for n, (read, joule) in enumerate(reads)]
    assert [list(value.values()) for value in values] == [[], [pytest.approx(0.5)], [], [pytest.approx(0.75)]]


def test_the_lowest_limit_in_force_counts() -> None:
    texts = zone("package-0") | zone("package-0", "intel-rapl-mmio:0", 100.0) | zone("core", "intel-rapl:0:0", 10.0)
    probe = PowerLimitProbe(texts)
    probe.values(energy(texts, 0), Taken(0.0))
    later = energy(energy(texts, 50_000_000), 50_000_000, "intel-rapl-mmio:0")
    assert probe.values(later, Taken(1.0)) == {"package0_power_over_limit": pytest.approx(0.5)}


@pytest.mark.parametrize(
    "texts",
    [
        zone("package-0", limit_w=None),
        zone("psys"),
        {path: text for path, text in zone("package-0").items() if "energy_uj" not in path},
    ],
    ids=["AMD has no limits", "not a package", "root only"],
)
def test_without_a_limit_or_a_counter_there_is_no_channel(texts: dict[str, str]) -> None:
    assert PowerLimitProbe(texts).channels == []


def test_dies_of_a_package_have_a_channel_each() -> None:
    texts = zone("package-0-die-0") | zone("package-0-die-1", "intel-rapl:1")
    assert [channel.id for channel in PowerLimitProbe(texts).channels] == [
        "package0_die0_power_over_limit",
        "package0_die1_power_over_limit",
    ]


def test_two_zones_of_one_name_are_two_zones() -> None:
    """Each is held against its own limit: 50 W of 100 W, and 90 W of 150 W."""
    texts = zone("package-0", limit_w=100.0) | zone("package-0", "intel-rapl:1")
    probe = PowerLimitProbe(texts)
    probe.values(texts, Taken(0.0))
    later = energy(energy(texts, 50_000_000), 90_000_000, "intel-rapl:1")
    assert probe.values(later, Taken(1.0)) == {
        "package0_power_over_limit": pytest.approx(0.5),
        "package0_zone2_power_over_limit": pytest.approx(0.6),
    }


def clocks(*khz: int) -> dict[str, str]:
    return {f"{CPU}/cpu{n}/cpufreq/scaling_cur_freq": f"{clock}\n" for n, clock in enumerate(khz)}


def test_a_clock_over_the_base_clock_or_over_a_lower_limit_that_is_set() -> None:
    """Base 2.1 GHz: 2.0 GHz are 0.952 of it; where only 1.5 GHz are allowed, 1.5 GHz are all of it."""
    base = {f"{CPU}/cpu{n}/cpufreq/base_frequency": "2100000\n" for n in range(2)}
    ceilings = {f"{CPU}/cpu{n}/cpufreq/scaling_max_freq": "3500000\n" for n in range(2)}
    now = clocks(2_100_000, 1_900_000)
    probe = ClockLimitProbe(list(now), list(ceilings), base, Topology({}))
    (channel,) = probe.channels
    assert probe.values(now | ceilings, Taken(0.0)) == {channel.id: pytest.approx(2.0 / 2.1)}
    set_lower = dict.fromkeys(ceilings, "1500000\n")
    assert probe.values(clocks(1_500_000, 1_500_000) | set_lower, Taken(1.0)) == {channel.id: 1.0}
    assert math.isnan(probe.values(now, Taken(2.0))[channel.id])


def test_the_nominal_clock_of_cppc_is_the_base_clock() -> None:
    """cppc_sysfs.rst: nominal_freq is in MHz."""
    now = clocks(2_450_000)
    probe = ClockLimitProbe(list(now), [], {f"{CPU}/cpu0/acpi_cppc/nominal_freq": "2450\n"}, Topology({}))
    assert probe.values(now, Taken(0.0)) == {"package0_clock_over_limit": 1.0}
    assert ClockLimitProbe(list(now), [], {}, Topology({})).channels == []
    unknown = {f"{CPU}/cpu0/acpi_cppc/nominal_freq": "0\n"}
    assert ClockLimitProbe(list(now), [], unknown, Topology({})).channels == []


def chip(number: int, name: str, uevent: str = "", **files: int) -> dict[str, str]:
    folder = f"{HWMON}/hwmon{number}"
    named = {f"{folder}/name": f"{name}\n", f"{folder}/device/uevent": uevent}
    return named | {f"{folder}/{file}": f"{value}\n" for file, value in files.items()}


def probe_of(texts: dict[str, str], topology: Topology | None = None) -> SensorLimitProbe:
    return SensorLimitProbe(sorted(texts), texts, sensor_places(texts, topology or Topology({})))


def amd(number: int, slot: str, name: str = "k10temp", **files: int) -> dict[str, str]:
    return chip(number, name, f"DRIVER={name}\nPCI_SLOT_NAME=0000:00:{slot}.3\n", **files)


def temperatures(texts: dict[str, str], topology: Topology) -> dict[str, str]:
    """The channels of temperature with their labels."""
    probe = TemperatureProbe(package_files(texts, sensor_places(texts, topology), topology))
    return {channel.id: channel.label for channel in probe.channels}


def labelled(texts: dict[str, str], label: str) -> dict[str, str]:
    """The files of chips with a label of their first temperature."""
    folders = {path.rsplit("/", 1)[0] for path in texts if path.endswith("/temp1_input")}
    return texts | {f"{folder}/temp1_label": f"{label}\n" for folder in folders}


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
    assert probe.values(texts, Taken(0.0)) == {channel.id: pytest.approx(0.99)}
    uncapped = texts | {f"{HWMON}/hwmon4/power1_cap": "0\n"}
    assert math.isnan(probe.values(uncapped, Taken(0.0))[channel.id])


def test_an_acpi_power_meter_has_its_cap_and_alarm_at_the_device() -> None:
    folder = f"{HWMON}/hwmon1/device"
    texts = {
        f"{HWMON}/hwmon1/name": "power_meter\n", f"{folder}/power1_cap": "400000000\n",
        f"{folder}/power1_average": "200000000\n", f"{folder}/power1_alarm": "1\n",
    }  # fmt: skip
    probe = probe_of(texts)
    assert probe.values(texts, Taken(0.0)) == {"server_power1_over_cap": 0.5, "server_power1_alarm": 1.0}
    assert [channel.quantity for channel in probe.channels] == ["power_over_limit", "power_alarm"]


def test_an_old_amd_processor_is_at_its_limit_where_it_throttles() -> None:
    """k10temp.rst: temp1_crit is the threshold at which the processor will throttle itself."""
    texts = amd(0, "19", temp1_input=70_000, temp1_crit=70_000) | amd(1, "18", temp1_input=69_875, temp1_crit=70_000)
    probe = probe_of(texts, topology({}, {0: 0, 1: 1}))
    assert probe.values(texts, Taken(0.0)) == {"package1_throttles": 1.0, "package0_throttles": 0.0}
    assert probe_of(chip(0, "k10temp", temp1_input=90_000)).channels == []


def test_an_intel_processor_at_tjmax_is_cooled_by_force() -> None:
    """coretemp.rst: temp1_crit is TjMax, at which protection forcibly cools the processor down; 2Dh has no offset."""
    texts = modalias("002D") | labelled(chip(3, "coretemp", temp1_input=100_000, temp1_crit=100_000), "Package id 1")
    texts |= labelled(chip(4, "coretemp", temp1_input=99_000, temp1_crit=100_000), "Package id 0")
    probe = probe_of(texts, TWO_PACKAGES)
    assert probe.values(texts, Taken(0.0)) == {"package1_throttles": 1.0, "package0_throttles": 0.0}
    assert [channel.label for channel in probe.channels] == [
        "CPU package 1: at the temperature that throttles it",
        "CPU package 0: at the temperature that throttles it",
    ]


def modalias(model: str) -> dict[str, str]:
    return {f"{CPU}/modalias": f"cpu:type:x86,ven0000fam0006mod{model}:feature:,0000,0001\n"}


@pytest.mark.parametrize(
    ("model", "temperature_c", "state"),
    [
        ("0055", 84.9, 0.0),  # Skylake-X to Cascade Lake: four bits, so 15 °C below TjMax and cooler is below any limit
        ("0055", 85.0, 0.5),
        ("0055", 100.0, 1.0),
        ("006A", 36.9, 0.0),  # Ice Lake-X: six bits, 63 °C
        ("006A", 37.0, 0.5),
        ("000F", 99.9, 0.0),  # Core 2: none
        ("00AD", 1.0, 0.5),  # a model that is not known: seven bits, so no temperature is below for certain
    ],
)
def test_an_offset_that_no_file_states_may_throttle_below_tjmax(model: str, temperature_c: float, state: float) -> None:
    """intel_tcc.c: it throttles at TjMax less the offset, whose mask is 0xf, 0x3f, 0 or, by default, 0x7f."""
    texts = modalias(model) | labelled(
        chip(3, "coretemp", temp1_input=round(1000 * temperature_c), temp1_crit=100_000), "Package id 0"
    )
    probe = probe_of(texts, topology({}, {0: 0}))
    assert probe.values(texts, Taken(0.0)) == {"package0_throttles": state}


@pytest.mark.parametrize(
    "offset",
    [
        {"/sys/bus/pci/devices/0000:00:04.0/tcc_offset_degree_celsius": "10\n"},
        {
            "/sys/class/thermal/cooling_device0/type": "Processor\n",
            "/sys/class/thermal/cooling_device0/cur_state": "0\n",
            "/sys/class/thermal/cooling_device12/type": "TCC Offset\n",
            "/sys/class/thermal/cooling_device12/cur_state": "10\n",
        },
    ],
    ids=["processor_thermal_device", "intel_tcc_cooling"],
)
def test_an_offset_that_is_stated_lowers_the_limit(offset: dict[str, str]) -> None:
    """Ten degrees below a TjMax of 100 °C: throttled from 90 °C on, and surely not below."""
    states = []
    for temperature in (89_000, 90_000):
        texts = modalias("008E") | offset
        texts |= labelled(chip(3, "coretemp", temp1_input=temperature, temp1_crit=100_000), "Package id 0")
        probe = probe_of(texts, topology({}, {0: 0}))
        states.append(probe.values(texts, Taken(0.0))["package0_throttles"])
        assert set(offset) & set(probe.paths) == {list(offset)[-1]}, "it may be set anew at any time"
    assert states == [0.0, 1.0]


def test_an_offset_is_that_of_a_single_package() -> None:
    texts = modalias("0055") | {"/sys/bus/pci/devices/0000:00:04.0/tcc_offset_degree_celsius": "0\n"}
    for n in range(2):
        texts |= labelled(chip(n, "coretemp", temp1_input=90_000, temp1_crit=100_000), f"Package id {n}")
    values = probe_of(texts, topology({}, {0: 0, 1: 1})).values(texts, Taken(0.0))
    assert values == {"package0_throttles": 0.5, "package1_throttles": 0.5}


@pytest.mark.parametrize(
    ("slots", "packages", "channels"),
    [
        (["19", "18"], 2, ["package1", "package0"]),  # one node each, in the order of hwmon
        (["18", "19", "1a", "1b"], 2, ["package0_node0", "package0_node1", "package1_node2", "package1_node3"]),
        (["18", "1b", "19", "1a"], 1, ["package0_node0", "package0_node3", "package0_node1", "package0_node2"]),
        (["18"], 1, ["package0"]),
        (["18", "1a"], 2, ["cpu_sensor0", "cpu_sensor1"]),  # node 1 has no sensor: the nodes of a package are unknown
        (["18", "19", "1a"], 2, ["cpu_sensor0", "cpu_sensor1", "cpu_sensor2"]),
    ],
)
@pytest.mark.parametrize("name", ["k10temp", "zenpower"])
def test_sensors_of_amd_belong_to_the_package_of_their_node(
    name: str, slots: list[str], packages: int, channels: list[str]
) -> None:
    """amd/node.h: node N is PCI device 18h + N, and there are as many nodes in each package."""
    texts: dict[str, str] = {}
    for n, slot in enumerate(slots):
        texts |= labelled(amd(n, slot, name, temp1_input=60_000), "Tdie")
    measured = temperatures(texts, topology({}, {n: n for n in range(packages)}))
    assert list(measured) == [f"{channel}_temperature" for channel in channels]


def test_an_alarm_of_a_gpu_is_one_of_its_limits() -> None:
    gpu = chip(4, "amdgpu", "DRIVER=amdgpu\nPCI_SLOT_NAME=0000:c1:00.0\n", curr1_alarm=1, power1_alarm=0)
    labels = {channel.quantity: channel.label for channel in probe_of(gpu).channels}
    assert labels == {
        "current_alarm": "GPU 0000:c1:00.0: alarm curr1",
        "power_alarm": "GPU 0000:c1:00.0: alarm power1",
    }


def test_a_sensor_that_tells_no_package_has_its_own_number() -> None:
    texts = labelled(chip(2, "k10temp", temp1_input=60_000), "Tdie")
    texts |= labelled(chip(5, "k10temp", temp1_input=61_000), "Tdie")
    assert temperatures(texts, topology({}, {0: 0, 1: 1})) == {
        "cpu_sensor0_temperature": "CPU sensor 0 (k10temp, hwmon2)",
        "cpu_sensor1_temperature": "CPU sensor 1 (k10temp, hwmon5)",
    }
    zones = {f"/sys/class/thermal/thermal_zone{n}/type": "x86_pkg_temp\n" for n in (0, 4)}
    assert temperatures(zones, topology({}, {0: 0, 1: 1})) == {
        "cpu_sensor0_temperature": "CPU sensor 0 (x86_pkg_temp, thermal_zone0)",
        "cpu_sensor1_temperature": "CPU sensor 1 (x86_pkg_temp, thermal_zone4)",
    }


@pytest.mark.parametrize(
    ("numbers", "cpus", "channels"),
    [
        ([1, 0], {0: 0, 1: 1}, ["package1", "package0"]),  # the order of hwmon is not that of the packages
        ([0, 1], {0: 0, 1: 2}, ["package0", "package2"]),  # since Linux 5.3 they are counted over what is there
        ([0, 2], {0: 0, 1: 2}, ["package0", "package2"]),  # before, they were the packages' own
    ],
)
def test_the_label_of_coretemp_numbers_the_packages(
    numbers: list[int], cpus: dict[int, int], channels: list[str]
) -> None:
    texts: dict[str, str] = {}
    for n, number in enumerate(numbers):
        texts |= labelled(chip(n, "coretemp", temp1_input=60_000), f"Package id {number}")
    assert list(temperatures(texts, topology({}, cpus))) == [f"{channel}_temperature" for channel in channels]


def test_the_label_of_coretemp_numbers_the_dies_of_all_packages() -> None:
    """coretemp.c: a device for each logical die; its number is in the label."""
    texts: dict[str, str] = {}
    for number in range(4):
        texts |= labelled(chip(number, "coretemp", temp1_input=60_000), f"Package id {number}")
    assert list(temperatures(texts, FOUR_DIES).values()) == [
        "CPU package 0 die 0",
        "CPU package 0 die 1",
        "CPU package 1 die 0",
        "CPU package 1 die 1",
    ]


def test_every_alarm_is_read_but_coretemps_which_never_clears() -> None:
    texts = chip(
        2, "dps800", in1_alarm=0, temp1_max_alarm=1, temp1_min_alarm=1, fan1_alarm=1, curr1_crit_alarm=0,
        power1_cap_alarm=1, curr2_alarm=1, in2_lcrit_alarm=0,
    ) | chip(0, "coretemp", temp1_crit_alarm=1)  # fmt: skip
    probe = probe_of(texts)
    assert [channel.label for channel in probe.channels] == [
        "dps800 (hwmon2): board or device alarm curr1 crit",
        "dps800 (hwmon2): board or device alarm in1",
        "dps800 (hwmon2): board or device alarm power1 cap",
        "dps800 (hwmon2): board or device alarm temp1 max",
        "dps800 (hwmon2): board or device alarm curr2",
        "dps800 (hwmon2): board or device alarm in2 lcrit",
    ]
    assert {channel.quantity for channel in probe.channels} == {"device_alarm"}, "no limit of a processor"
    assert list(probe.values(texts, Taken(0.0)).values()) == [0.0, 0.0, 1.0, 1.0, 1.0, 0.0]
    many = chip(3, "nct6779", **{f"in{n}_alarm": 0 for n in range(300)})
    assert len(probe_of(many).channels) == 300


STAT = "cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 100 0 50 800 50 0 0 0 0 0\n"


def put(root: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        file = root / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="ascii")


class SlowFiles(LocalFiles):
    """A machine that draws 100 W and whose files are read in the middle between question and answer."""

    def __init__(self, root: Path, clock: HandClock) -> None:
        super().__init__(root)
        self._tree, self._clock = root, clock
        self.answer_ns = 0

    async def read(self, paths: Sequence[str]) -> Texts:
        self._clock.elapsed_ns += self.answer_ns // 2
        put(self._tree, {f"{RAPL}/intel-rapl:0/energy_uj": f"{self._clock.elapsed_ns // 10}\n"})
        texts = await super().read(paths)
        self._clock.elapsed_ns += self.answer_ns - self.answer_ns // 2
        return texts


async def test_power_is_taken_over_the_time_from_middle_to_middle(clock: HandClock, tmp_path: Path) -> None:
    """Asked at 0 s and 10 s, answered after 20 ms and at once: 999 J in 9.99 s are 100 W, not 99.9 W."""
    put(tmp_path, {"/proc/stat": STAT} | zone("package-0", limit_w=100.0))
    files = SlowFiles(tmp_path, clock)
    host = HostMeter(clock=clock, files=files)
    await host.open()
    files.answer_ns = 20_000_000
    first = {reading.channel: reading for reading in await host.read()}
    assert "package0_power_over_limit" not in first
    clock.elapsed_ns, files.answer_ns = 10 * 10**9, 0
    (over,) = [reading for reading in await host.read() if reading.channel == "package0_power_over_limit"]
    assert over.value == pytest.approx(1.0, rel=1e-6)


@pytest.mark.parametrize(("answer_ms", "is_judged"), [(280, True), (320, False)])
async def test_answers_slower_than_the_verdict_says_give_no_power(
    clock: HandClock, tmp_path: Path, answer_ms: int, is_judged: bool
) -> None:
    """1 % of 30 s, after which a counter may have wrapped, are 0.3 s, by halves before and after."""
    put(tmp_path, {"/proc/stat": STAT} | zone("package-0", limit_w=100.0))
    files = SlowFiles(tmp_path, clock)
    host = HostMeter(clock=clock, files=files)
    await host.open()
    files.answer_ns = answer_ms * 10**6
    channels = set()
    for _ in range(100):
        clock.elapsed_ns += 10**9
        channels |= {reading.channel for reading in await host.read()}
    assert ("package0_power_over_limit" in channels) is is_judged
    assert "more than 0.3 s" in _NOT_RECORDED["power"]


async def test_a_machine_with_all_of_them(clock: HandClock, tmp_path: Path) -> None:
    files: dict[str, str] = {"/proc/stat": STAT}
    files |= clocks(2_100_000) | {f"{CPU}/cpu0/cpufreq/base_frequency": "2100000\n"}
    files |= {f"{CPU}/cpu0/cpufreq/scaling_max_freq": "3500000\n", f"{CPU}/cpu0/topology/physical_package_id": "0\n"}
    files |= throttle_files(0, core_throttle_count=0, core_throttle_total_time_ms=0, package_throttle_total_time_ms=4)
    files |= zone("package-0") | chip(1, "power_meter", power1_cap=400_000_000, power1_average=100_000_000)
    put(tmp_path, files)
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
