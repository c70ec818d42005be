"""The environment of a server: asked by the real script of a tree of files, read strictly, diffed fact by fact."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_args, get_origin

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wattmark.campaigns.environment.parser import BY_BMC, Answer, public_parameters, read_answer
from wattmark.campaigns.server_facts import with_supplies
from wattmark.core.schema import Record
from wattmark.runs.differences import differences
from wattmark.runs.environment import COMPARED, FACTS, Environment

from tests.examples import examples
from tests.server_tree import SECRETS, SMI, TREE, plant, printed

NOBODY = 1_234_567

CPU = "sys/devices/system/cpu"


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Answer:
    root = tmp_path_factory.mktemp("server")
    plant(root, {})
    return read_answer(printed(root))


@pytest.fixture
def changed(tmp_path: Path) -> Callable[[Mapping[str, str | None]], Answer]:
    def answer(changes: Mapping[str, str | None]) -> Answer:
        plant(tmp_path, changes)
        return read_answer(printed(tmp_path))

    return answer


def both(name: str, text: str) -> dict[str, str | None]:
    """The same file of both CPUs."""
    return {f"{CPU}/cpu{n}/{name}": text for n in range(2)}


def cpuinfo(old: str, new: str) -> dict[str, str | None]:
    return {"proc/cpuinfo": TREE["proc/cpuinfo"].replace(old, new)}


def smi(old: str, new: str) -> dict[str, str | None]:
    assert old in SMI
    return {"bin/nvidia-smi": f"#!/bin/sh\necho '{SMI.replace(old, new)}'\n"}


CHANGES: Mapping[str, tuple[dict[str, str | None], str | None, str | None]] = {
    "governor": (both("cpufreq/scaling_governor", "powersave\n"), "performance", "powersave"),
    "turbo": ({f"{CPU}/intel_pstate/no_turbo": "1\n"}, "on", "off"),
    "power_caps/intel-rapl:0 package-0 long_term": (
        {"sys/class/powercap/intel-rapl:0/constraint_0_power_limit_uw": "95000000\n"}, "125 W", "95 W",
    ),
    "max_clock": (both("cpufreq/scaling_max_freq", "2000000\n"), "3500 MHz", "2000 MHz"),
    "min_clock": (both("cpufreq/scaling_min_freq", "1200000\n"), "800 MHz", "1200 MHz"),
    "energy_preference": (both("cpufreq/energy_performance_preference", "power\n"), "performance", "power"),
    "energy_bias": (both("power/energy_perf_bias", "15\n"), "0", "15"),
    "platform_profile": ({"sys/firmware/acpi/platform_profile": "low-power\n"}, "balanced", "low-power"),
    "tuned_profile": ({"etc/tuned/active_profile": "powersave"}, "throughput-performance", "powersave"),
    "uncore/package_00_die_00/max": (
        {f"{CPU}/intel_uncore_frequency/package_00_die_00/max_freq_khz": "1800000\n"}, "2400 MHz", "1800 MHz",
    ),
    "uncore/package_00_die_00/min": (
        {f"{CPU}/intel_uncore_frequency/package_00_die_00/min_freq_khz": "1800000\n"}, "1200 MHz", "1800 MHz",
    ),
    "uncore/package_00_die_00/max_at_boot": (
        {f"{CPU}/intel_uncore_frequency/package_00_die_00/initial_max_freq_khz": "2200000\n"}, "2400 MHz", "2200 MHz",
    ),
    "uncore/package_00_die_00/min_at_boot": (
        {f"{CPU}/intel_uncore_frequency/package_00_die_00/initial_min_freq_khz": "800000\n"}, "1200 MHz", "800 MHz",
    ),
    "fans/nct6779 pwm1": ({"sys/class/hwmon/hwmon3/pwm1_enable": "0\n"}, "automatic (5)", "full speed"),
    "gpus/0000:c1:00.0/power_cap": (
        {"sys/class/drm/card0/device/hwmon/hwmon4/power1_cap": "200000000\n"}, "300 W", "200 W",
    ),
    "gpus/0000:c1:00.0/performance_level": (
        {"sys/class/drm/card0/device/power_dpm_force_performance_level": "low\n"}, "auto", "low",
    ),
    "gpus/0000:c1:00.0/clock_limit": (
        {"sys/class/drm/card0/device/pp_dpm_sclk": "0: 500Mhz\n1: 1400Mhz *\n"}, "1700 MHz", "1400 MHz",
    ),
    "gpus/0000:c1:00.0/firmware": (
        {"sys/class/drm/card0/device/vbios_version": "113-D67301-059\n"}, "113-D67301-063", "113-D67301-059",
    ),
    "gpus/0/power_cap": (smi("350.00 W", "250.00 W"), "350.00 W", "250.00 W"),
    "gpus/0/clock": (smi("1755 MHz", "1200 MHz"), "1755 MHz", "1200 MHz"),
    "gpus/0/memory_clock": (smi("1755 MHz, 1593 MHz", "1755 MHz, 1215 MHz"), "1593 MHz", "1215 MHz"),
    "gpus/0/memory_clock_limit": (smi("1980 MHz, 1593 MHz", "1980 MHz, 1215 MHz"), "1593 MHz", "1215 MHz"),
    "gpus/0/name": (smi("H100 PCIe", "H200 NVL"), "NVIDIA H100 PCIe", "NVIDIA H200 NVL"),
    "gpus/0/persistence": (smi("01, Enabled", "01, Disabled"), "Enabled", "Disabled"),
    "gpus/0/compute_mode": (smi("Default", "Exclusive_Process"), "Default", "Exclusive_Process"),
    "gpus/0/mig": (smi("Default, Disabled", "Default, Enabled"), "Disabled", "Enabled"),
    "gpus/0/ecc": (smi("Enabled, 350", "Disabled, 350"), "Enabled", "Disabled"),
    "gpus/0/driver": (smi("550.54.15", "535.86.10"), "550.54.15", "535.86.10"),
    "scaling_driver": (both("cpufreq/scaling_driver", "acpi-cpufreq\n"), "intel_pstate", "acpi-cpufreq"),
    "driver_mode": ({f"{CPU}/intel_pstate/status": "passive\n"}, "active", "passive"),
    "idle_states/C6": (both("cpuidle/state1/disable", "1\n"), "enabled", "disabled"),
    "idle_driver": ({f"{CPU}/cpuidle/current_driver": "acpi_idle\n"}, "intel_idle", "acpi_idle"),
    "idle_governor": ({f"{CPU}/cpuidle/current_governor": "teo\n"}, "menu", "teo"),
    "pcie_power": (
        {"sys/module/pcie_aspm/parameters/policy": "default performance [powersave]\n"}, "default", "powersave",
    ),
    "smt": ({f"{CPU}/smt/control": "off\n"}, "on", "off"),
    "cpus_online": ({f"{CPU}/online": "0\n"}, "2", "1"),
    "mitigations/meltdown": ({f"{CPU}/vulnerabilities/meltdown": "Vulnerable\n"}, "Mitigation: PTI", "Vulnerable"),
    "memory_gib": (
        {"proc/meminfo": TREE["proc/meminfo"].replace("16384000", "8192000")}, "15.62 GiB", "7.81 GiB",
    ),
    "numa_nodes": ({"sys/devices/system/node/online": "0\n"}, "2", "1"),
    "transparent_huge_pages": (
        {"sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never\n"}, "madvise", "always",
    ),
    "transparent_huge_page_defrag": (
        {"sys/kernel/mm/transparent_hugepage/defrag": "[always] defer defer+madvise madvise never\n"},
        "madvise", "always",
    ),
    "huge_page_size": (
        {"proc/meminfo": TREE["proc/meminfo"].replace("2048 kB", "1048576 kB")}, "2048 kB", "1048576 kB",
    ),
    "huge_pages": ({"proc/meminfo": TREE["proc/meminfo"].replace("Total:       0", "Total:     512")}, "0", "512"),
    "virtualisation": (cpuinfo("fpu vme", "fpu hypervisor"), "none", "virtual machine"),
    "container": ({".dockerenv": ""}, "none", "docker"),
    "kernel": ({"proc/sys/kernel/osrelease": "6.12.4\n"}, "6.1.0-18-amd64", "6.12.4"),
    "kernel_build": ({"proc/sys/kernel/version": "#2 SMP\n"}, "#1 SMP Debian 6.1.76-1", "#2 SMP"),
    "kernel_parameters/mitigations": (
        {"proc/cmdline": TREE["proc/cmdline"].replace("mitigations=auto", "mitigations=off")}, "auto", "off",
    ),
    "kernel_parameters/quiet": ({"proc/cmdline": TREE["proc/cmdline"].replace(" quiet", "")}, "set", None),
    "clock_source": (
        {"sys/devices/system/clocksource/clocksource0/current_clocksource": "hpet\n"}, "tsc", "hpet",
    ),
    "distribution": (
        {"etc/os-release": 'PRETTY_NAME="Fedora Linux 42"'}, "Debian GNU/Linux 12 (bookworm)", "Fedora Linux 42",
    ),
    "libc": ({"bin/getconf": "#!/bin/sh\nexit 1\n", "lib/ld-musl-x86_64.so.1": ""}, "glibc 2.36", "musl"),
    "microcode": (cpuinfo("0x2007006", "0x2006e05"), "0x2007006", "0x2006e05"),
    "bios_version": ({"sys/class/dmi/id/bios_version": "P64\n"}, "P58", "P64"),
    "bios_date": ({"sys/class/dmi/id/bios_date": "01/22/2018\n"}, "05/02/2011", "01/22/2018"),
    "bios_vendor": ({"sys/class/dmi/id/bios_vendor": "coreboot\n"}, "HP", "coreboot"),
    "cpu_model": (
        cpuinfo("Gold 6138", "Gold 6148"), "Intel(R) Xeon(R) Gold 6138", "Intel(R) Xeon(R) Gold 6148",
    ),
    "hardware_max_clock": (both("cpufreq/cpuinfo_max_freq", "3700000\n"), "3500 MHz", "3700 MHz"),
    "hardware_min_clock": (both("cpufreq/cpuinfo_min_freq", "1000000\n"), "800 MHz", "1000 MHz"),
    "drives/sda/model": ({"sys/block/sda/device/model": "MZ7LH480\n"}, "INTEL SSDSC2BB48", "MZ7LH480"),
    "drives/sda/size": ({"sys/block/sda/size": "1875385008\n"}, "480.1 GB", "960.2 GB"),
    "drives/sda/firmware": ({"sys/block/sda/device/rev": "0380\n"}, "0370", "0380"),
    "drives/sda/scheduler": ({"sys/block/sda/queue/scheduler": "mq-deadline [none]\n"}, "mq-deadline", "none"),
    "drives/sdb": (
        {"sys/block/sdb/device/model": "WDC\n", "sys/block/sdb/size": "2000000000\n"}, None, "WDC, 1024 GB",
    ),
    "nics/eth0/device": (
        {"sys/class/net/eth0/device/uevent": "DRIVER=ixgbe\nPCI_ID=8086:1563\n"}, "8086:1528", "8086:1563",
    ),
    "nics/eth0/driver": (
        {"sys/class/net/eth0/device/uevent": "DRIVER=ixgbevf\nPCI_ID=8086:1528\n"}, "ixgbe", "ixgbevf",
    ),
    "nics/eth0/firmware": (
        {"bin/ethtool": "#!/bin/sh\necho 'firmware-version: 0x80000001'\n"}, "0x800007f4, 1.255.0", "0x80000001",
    ),
    "nics/eth0/speed": ({"sys/class/net/eth0/speed": "1000\n"}, "10000 Mbit/s", "1000 Mbit/s"),
}  # fmt: skip


def test_every_fact_is_read_from_the_tree(usual: Answer) -> None:
    environment = usual.environment
    assert environment.unread == {"supplies": "not there"}, "a BMC tells of these"
    assert environment.lines_not_understood == 0
    assert environment.idle_states == {"POLL": "enabled", "C6": "enabled"}
    assert environment.memory_gib == 15.62, "16384000 kB / 2^20"
    assert environment.drives is not None
    assert list(environment.drives) == ["sda"], "a loop device is no drive"
    assert environment.drives["sda"].model == "INTEL SSDSC2BB48"
    assert environment.drives["sda"].size == "480.1 GB", "937703088 sectors of 512 B"
    assert list(environment.nics or ()) == ["eth0"], "a bridge is no card"
    assert usual.host["name"] == "bench-1"
    assert usual.host["boot"] == "boot-1"


@pytest.mark.parametrize("fact", CHANGES)
def test_what_differs_is_named_and_nothing_else(
    fact: str, usual: Answer, changed: Callable[[Mapping[str, str | None]], Answer]
) -> None:
    changes, before, after = CHANGES[fact]
    listed = differences(usual.environment, changed(changes).environment)
    assert [(item.fact, item.a, item.b) for item in listed] == [(fact, before, after)]


def fields_of(fact: str) -> set[str]:
    """Return what a fact of the model has in each entry; a fact of one text has itself alone."""
    kinds = get_args(Environment.model_fields[fact].annotation)
    entries = [get_args(kind)[1] for kind in kinds if get_origin(kind) is dict]
    records = [entry for entry in entries if isinstance(entry, type) and issubclass(entry, Record)]
    return {f"{fact}/{field}" for entry in records for field in entry.model_fields} or {fact}


def test_every_fact_of_the_model_has_a_row() -> None:
    """Those of `BY_BMC` no file of the tree states: they have a test of their own."""
    keys = [[*key.split("/", 2), "", ""] for key in CHANGES]
    rows = {f"{fact}/{part}" if part else fact for fact, _, part, *_ in keys}
    assert {field for fact in COMPARED if fact != BY_BMC for field in fields_of(fact)} - rows == set()


def test_stolen_time_is_read(usual: Answer, changed: Callable[[Mapping[str, str | None]], Answer]) -> None:
    """10 of 1000 and 510 of 1000 ticks since the boot."""
    other = changed({"proc/stat": "cpu  400 0 60 30 0 0 0 510 0 0\n"}).environment
    assert (usual.environment.steal_pct, other.steal_pct) == (1, 51)


def test_cpus_that_do_not_agree_are_counted(changed: Callable[[Mapping[str, str | None]], Answer]) -> None:
    answer = changed(
        {f"{CPU}/cpu1/cpufreq/scaling_governor": "powersave\n", f"{CPU}/cpu1/cpuidle/state1/disable": "1\n"}
    )
    assert answer.environment.governor == "performance on 1, powersave on 1"
    assert (answer.environment.idle_states or {})["C6"] == "disabled on 1 of 2 CPUs"


def test_a_cap_that_is_not_in_force_says_so(changed: Callable[[Mapping[str, str | None]], Answer]) -> None:
    answer = changed({"sys/class/powercap/intel-rapl:0/enabled": "0\n"})
    assert answer.environment.power_caps == {"intel-rapl:0 package-0 long_term": "125 W, not in force"}


def test_no_secret_and_no_serial_number_is_kept_or_even_printed(tmp_path: Path, usual: Answer) -> None:
    stored = usual.environment.model_dump_json() + json.dumps(dict(usual.host))
    assert not [secret for secret in SECRETS if secret in stored]
    plant(tmp_path, {"proc/cmdline": "quiet\n"})
    assert not [line for line in printed(tmp_path) if any(secret in line for secret in SECRETS)]


@pytest.mark.parametrize(
    ("command_line", "words"),
    [
        ("mitigations=off quiet", ("mitigations=off", "quiet")),
        ("root=/dev/sda1 resume=UUID=1", ("root=(hidden)", "resume=(hidden)")),
        ('rd.iscsi.password="two words" ro', ("rd.iscsi.password=(hidden)", "ro")),
        ("url=https://user:word@192.0.2.1/", ("url=(hidden)",)),
        ("ifname=lan:53:52:41:4c:aa:01", ("ifname=(hidden)",)),
        ("quiet -- --token word", ("quiet",)),
        ('console="ttyS0,115200', ("console=ttyS0,115200",)),
    ],
)
def test_kernel_parameters_are_public(command_line: str, words: tuple[str, ...]) -> None:
    assert public_parameters(command_line) == words


def test_an_empty_machine_gives_a_reason_for_every_fact(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    environment = read_answer(printed(tmp_path)).environment
    missing = {fact for fact in FACTS if getattr(environment, fact) is None}
    assert missing == set(environment.unread)
    assert {"governor", "turbo", "power_caps", "bios_version"} <= missing
    assert environment.unread["governor"] == "not there"


def test_a_file_that_may_not_be_read_is_not_permitted() -> None:
    with TemporaryDirectory() as folder:  # those of pytest are closed to everybody but root, who may read every file
        root = Path(folder)
        root.chmod(0o755)
        plant(root, {})
        (root / "sys/class/dmi/id/bios_version").chmod(0)
        lines = printed(root, user=NOBODY if os.geteuid() == 0 else None)
    assert read_answer(lines).environment.unread == {"supplies": "not there", "bios_version": "not permitted"}


def test_an_answer_that_was_cut_off_says_so() -> None:
    environment = read_answer(["governor\t=\t2 performance"]).environment
    assert environment.governor == "performance"
    assert environment.unread["turbo"] == "no answer in time"


@pytest.mark.parametrize(
    ("line", "fact"),
    [
        ("governor\t=\tperformance", "governor"),
        ("max_clock\t=\t2 fast", "max_clock"),
        ("numa_nodes\t=\t3-1", "numa_nodes"),
        ("memory_gib\t=\t16 GB", "memory_gib"),
        ("steal_pct\t=\tcpu 1 2 3", "steal_pct"),
        ("turbo/off\t=\tmaybe", "turbo"),
        (f"kernel\t=\t{'x' * 500}", "kernel"),
    ],
)
def test_what_is_odd_is_not_taken(line: str, fact: str) -> None:
    environment = read_answer([line, "end\t=\t"]).environment
    assert getattr(environment, fact) is None
    assert environment.unread[fact] == "not understood"


def test_lines_that_state_nothing_are_counted() -> None:
    lines = ["Welcome to bench-1!", "no_such_fact\t=\t1", "kernel\t!\tbroken", "drives/a/b/c/d\t=\t1"]
    assert read_answer(lines).environment.lines_not_understood == len(lines)


KEYS = st.sampled_from(
    [*FACTS, "host", "end", "turbo/on", "idle_states/a/name", "idle_states/a/disabled", "drives/a/size"]
)
TEXTS = st.text(max_size=40) | st.from_regex(r"[0-9]{1,20}( [a-z0-9-]{1,9})?") | st.sampled_from(["not there", ""])


@settings(max_examples=examples(200))
@given(st.lists(st.text() | st.builds("{}\t{}\t{}".format, KEYS, st.sampled_from("=!?"), TEXTS), max_size=60))
def test_no_answer_makes_the_parser_fail(lines: list[str]) -> None:
    environment = read_answer(lines).environment
    assert Environment.model_validate_json(environment.model_dump_json()) == environment
    assert {fact for fact in FACTS if getattr(environment, fact) is None} == set(environment.unread)
    assert differences(environment, environment) == []


@pytest.mark.parametrize("shell", ["dash", "bash", "busybox"])
def test_every_shell_prints_the_same(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not here")
    plant(tmp_path, {})
    if shell == "busybox":
        (tmp_path / "bin/ash").symlink_to(shutil.which("busybox") or "")
        assert printed(tmp_path, str(tmp_path / "bin/ash")) == printed(tmp_path)
    else:
        assert printed(tmp_path, shell) == printed(tmp_path)


def test_two_chips_of_one_name_and_a_fan_by_hand(changed: Callable[[Mapping[str, str | None]], Answer]) -> None:
    second = {"sys/class/hwmon/hwmon5/name": "nct6779\n", "sys/class/hwmon/hwmon5/pwm1_enable": "2\n"}
    fans = changed(dict(second)).environment.fans
    assert fans == {
        "nct6779 pwm1": "automatic (5)", "nct6779 pwm2": "by hand", "nct6779 2 pwm1": "automatic (2)",
    }  # fmt: skip


def test_a_gpu_that_sleeps_is_named_and_not_woken_up(changed: Callable[[Mapping[str, str | None]], Answer]) -> None:
    asleep: dict[str, str | None] = {"sys/class/drm/card0/device/power/runtime_status": "suspended\n"}
    gpu = (changed(asleep).environment.gpus or {})["0000:c1:00.0"]
    assert (gpu.name, gpu.driver, gpu.power_cap, gpu.clock_limit) == ("1002:740F", "amdgpu", None, None)


def test_amd_gpus_are_read_where_there_is_no_nvidia_smi(changed: Callable[[Mapping[str, str | None]], Answer]) -> None:
    environment = changed({"bin/nvidia-smi": None}).environment
    assert list(environment.gpus or ()) == ["0000:c1:00.0"]
    assert "gpus" not in environment.unread


def test_supplies_come_from_the_bmc(usual: Answer) -> None:
    """A supply that lost its input during a run is a change, and a difference between two runs."""
    before = with_supplies(usual.environment, {"PS1": "Presence detected", "PS2": "Presence detected"})
    lost = {"PS1": "Presence detected", "PS2": "Presence detected, Power Supply AC lost"}
    after = with_supplies(usual.environment, lost)
    assert "supplies" not in before.unread
    assert [str(change) for change in differences(before, after)] == [
        "power supply PS2 (Presence detected against Presence detected, Power Supply AC lost)"
    ]
    assert with_supplies(usual.environment, {}) == usual.environment
    assert differences(usual.environment, before) == [], "what one side does not know"
