"""Power settings of a tree of files: set, read back, undone; nothing of others is touched."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from wattmark.campaigns.power import control
from wattmark.campaigns.power.control import Machine, PowerControl, by_hand
from wattmark.campaigns.power.journal import FOLDER
from wattmark.campaigns.power.reading import VERSION, read_lines
from wattmark.core.errors import WattmarkError, WorkloadFailed
from wattmark.runs.power_settings import PowerSettings
from wattmark.workloads.local.local import LocalTrigger
from wattmark.workloads.parsers.printed_lines import CUT, LONGEST_LINE
from wattmark_drivers.clock import SystemClock

from tests.power_tree import CAP_0, CAP_1, CAPS, CPU, GPU, TREE, Pipe, plant_settings, serve, take, texts

SCRIPT = Path(__file__).parents[5] / "backend/wattmark/campaigns/power/settings.sh"
ALL = PowerSettings(
    governor="performance", energy_preference="power", turbo="off", smt="off", deepest_c_state="C1E", power_cap_w=125
)


class Bed:
    """A tree of files as this machine, and what controls it."""

    def __init__(self, folder: Path) -> None:
        self.root, self.data = folder / "tree", folder / "data"
        self.root.mkdir()
        self.data.mkdir()
        self.machine = Machine("a", "Server A", "this machine", LocalTrigger(SystemClock(), folder))
        self.power = PowerControl(self.data, SystemClock(), str(self.root))

    def write(self, name: str, text: str) -> None:
        (self.root / name).write_text(f"{text}\n")

    def read(self, name: str) -> str:
        return (self.root / name).read_text().strip()

    def journals(self) -> list[str]:
        return sorted(file.name for file in (self.data / FOLDER).glob("*"))

    async def set_up(self, settings: PowerSettings) -> None:
        await self.power.set_up(self.machine, settings, "run 1 of campaign c")


@pytest.fixture
def bed(tmp_path: Path) -> Bed:
    bed = Bed(tmp_path)
    plant_settings(bed.root)
    return bed


async def test_all_settings_are_made_and_undone_as_they_were_on_each_cpu(bed: Bed) -> None:
    before = texts(bed.root)
    await bed.set_up(ALL)
    now = texts(bed.root)
    assert {name: text for name, text in now.items() if text != before[name]} == {
        f"{CPU}/smt/control": "off",
        f"{CPU}/cpufreq/policy0/scaling_governor": "performance",
        f"{CPU}/cpufreq/policy0/energy_performance_preference": "power",
        f"{CPU}/cpufreq/policy1/energy_performance_preference": "power",
        f"{CPU}/intel_pstate/no_turbo": "1",
        f"{CPU}/cpu0/cpuidle/state2/disable": "1",
        f"{CPU}/cpu1/cpuidle/state2/disable": "1",
        CAP_0: "125000000",
        CAP_1: "125000000",
    }
    assert bed.journals() == ["a.json"]
    assert await bed.power.restore(bed.machine) == []
    assert texts(bed.root) == before
    assert bed.journals() == []


async def test_what_is_as_wanted_needs_no_right_and_leaves_no_journal(bed: Bed) -> None:
    await bed.set_up(PowerSettings(turbo="on"))
    assert bed.journals() == []


async def test_the_next_run_first_undoes_what_the_one_before_left(bed: Bed) -> None:
    before = texts(bed.root)
    await bed.set_up(PowerSettings(turbo="off"))
    await bed.set_up(PowerSettings(power_cap_w=100))
    assert bed.read(f"{CPU}/intel_pstate/no_turbo") == "0"
    await bed.power.restore(bed.machine)
    assert texts(bed.root) == before


async def test_what_somebody_else_set_meanwhile_stays_and_is_told(bed: Bed) -> None:
    await bed.set_up(PowerSettings(turbo="off", power_cap_w=125))
    bed.write(CAP_1, "90000000")
    told = await bed.power.restore(bed.machine)
    assert told == [
        "Changed by somebody else and left as it is: the power cap of package intel-rapl:1 is 90 W (before the run "
        "140 W, for it 125 W)."
    ]
    assert (bed.read(CAP_0), bed.read(CAP_1)) == ("150000000", "90000000")
    assert bed.read(f"{CPU}/intel_pstate/no_turbo") == "0"
    assert bed.journals() == []


async def test_after_a_reboot_only_what_is_still_as_set_goes_back(bed: Bed) -> None:
    await bed.set_up(PowerSettings(turbo="off", power_cap_w=125))
    bed.write("proc/sys/kernel/random/boot_id", "boot-2")
    bed.write(CAP_0, "165000000")
    bed.write(f"{CPU}/intel_pstate/no_turbo", "0")
    told = await bed.power.restore(bed.machine)
    assert told == [
        "Changed since a reboot and left as it is: the power cap of package intel-rapl:0 is 165 W (before the run "
        "150 W, for it 125 W)."
    ]
    assert (bed.read(CAP_0), bed.read(CAP_1)) == ("165000000", "140000000")


@pytest.mark.parametrize("vanished", [CAP_0, f"{CPU}/intel_pstate/no_turbo"])
async def test_a_setting_that_is_gone_since_a_reboot_is_undone(bed: Bed, vanished: str) -> None:
    """sysfs keeps nothing: another boot has what firmware and drivers set, also where the driver is not loaded."""
    await bed.set_up(PowerSettings(turbo="off", power_cap_w=125))
    bed.write("proc/sys/kernel/random/boot_id", "boot-2")
    bed.write(f"{CPU}/intel_pstate/no_turbo", "0")
    bed.write(CAP_0, "150000000")
    bed.write(CAP_1, "140000000")
    (bed.root / vanished).unlink()
    if vanished == CAP_0:
        (bed.root / CAP_0).with_name("name").unlink()
    name = "power cap of package intel-rapl:0" if vanished == CAP_0 else "turbo"
    (told,) = await bed.power.restore(bed.machine)
    assert told.startswith(f"Undone by a reboot, and not there since: the {name}")
    assert bed.journals() == []


async def test_a_setting_that_is_gone_within_a_boot_keeps_its_journal(bed: Bed) -> None:
    await bed.set_up(PowerSettings(turbo="off"))
    (bed.root / f"{CPU}/intel_pstate/no_turbo").unlink()
    with pytest.raises(WorkloadFailed, match="The turbo cannot be read there any more"):
        await bed.power.restore(bed.machine)
    assert bed.journals() == ["a.json"]


def test_the_script_states_the_version_that_is_needed(bed: Bed) -> None:
    printed = subprocess.run(["sh", SCRIPT, bed.root], capture_output=True, text=True, check=True).stdout
    assert printed.splitlines()[0] == f"value\tversion\t{VERSION}\t-"


async def test_an_old_copy_of_the_script_is_named_with_what_replaces_it(bed: Bed, tmp_path: Path) -> None:
    """The first version printed one number for the limits of a cap, and none of itself; it still undoes settings."""
    copy = tmp_path / "wattmark-power-settings"
    lines = [line for line in SCRIPT.read_text().splitlines() if "version" not in line or line.startswith("#")]
    of_two, of_one = 'cap\\t%s %s\\t%s\\n\' "${least:-0}"', "cap\\t%s\\t%s\\n'"
    copy.write_text("\n".join(lines).replace(of_two, of_one))
    old = replace(bed.machine, command=("sh", str(copy)))
    with pytest.raises(WorkloadFailed) as failed:
        await bed.power.set_up(old, PowerSettings(power_cap_w=125), "run 1 of campaign c")
    assert failed.value.cause == (
        f"{copy} on Server A is an old copy of the settings script; this wattmark needs version {VERSION}."
    )
    assert f"`install -m 755 settings.sh {copy}`" in failed.value.remedy
    assert bed.journals() == []
    before = texts(bed.root)
    await bed.set_up(PowerSettings(power_cap_w=125))
    await bed.power.restore(old)
    assert texts(bed.root) == before


async def test_a_preference_that_the_governor_moved_goes_back_with_it(bed: Bed) -> None:
    """The kernel sets the preference of a policy to performance along with that governor."""
    before = texts(bed.root)
    await bed.set_up(PowerSettings(governor="performance"))
    bed.write(f"{CPU}/cpufreq/policy0/energy_performance_preference", "performance")
    (entry,) = (bed.power.journal.read("a"),)
    assert entry is not None
    bed.power.journal.write(entry.changed(after=None))  # as of a wattmark that was killed before it had read back
    assert await bed.power.restore(bed.machine) == []
    assert texts(bed.root) == before


async def test_a_preference_that_somebody_set_during_the_run_stays(bed: Bed) -> None:
    await bed.set_up(PowerSettings(governor="performance"))
    bed.write(f"{CPU}/cpufreq/policy0/energy_performance_preference", "power")
    await bed.power.restore(bed.machine)
    assert bed.read(f"{CPU}/cpufreq/policy0/energy_performance_preference") == "power"
    assert bed.read(f"{CPU}/cpufreq/policy0/scaling_governor") == "powersave"


@pytest.mark.parametrize(
    ("changes", "settings", "words"),
    [
        ({}, PowerSettings(governor="ondemand"), "there are performance, powersave"),
        ({}, PowerSettings(energy_preference="eco"), "there are default, performance, balance_power, power"),
        ({}, PowerSettings(deepest_c_state="C10"), "CPU 0 has no C-state C10: there are POLL, C1E, C6"),
        ({}, PowerSettings(power_cap_w=170), "cannot be 170 W: it is at most 165 W"),
        (
            {},
            PowerSettings(power_cap_w=16),
            "package intel-rapl:0 cannot be 16 W: it is at least 16.5 W; it states no lowest, and with less",
        ),
        (
            {f"{CAPS}/intel-rapl:{n}/constraint_0_min_power_uw": "70000000" for n in range(2)},
            PowerSettings(power_cap_w=69),
            "package intel-rapl:0 cannot be 69 W: it is at least 70 W.",
        ),
        (
            {f"{CAPS}/intel-rapl:{n}/constraint_0_max_power_uw": "0" for n in range(2)},
            PowerSettings(power_cap_w=4),
            "it is at least 5 W; it states no lowest",
        ),
        ({}, PowerSettings(gpu_power_cap_w=300), "no NVIDIA GPU"),
        ({f"{CPU}/smt/control": "notsupported"}, PowerSettings(smt="off"), "its kernel states notsupported"),
        ({f"{CPU}/intel_pstate/no_turbo": None}, PowerSettings(turbo="off"), "no switch for turbo"),
        ({f"{CAPS}/intel-rapl:{n}/name": "psys" for n in range(2)}, PowerSettings(power_cap_w=100), "(RAPL)"),
    ],
)
async def test_what_a_server_does_not_have_is_refused_before_anything_is_set(
    tmp_path: Path, changes: dict[str, str | None], settings: PowerSettings, words: str
) -> None:
    bed = Bed(tmp_path)
    plant_settings(bed.root, changes)
    before = texts(bed.root)
    with pytest.raises(WorkloadFailed) as refused:
        await bed.set_up(settings)
    assert words in str(refused.value)
    assert texts(bed.root) == before
    assert bed.journals() == []


async def test_a_limit_that_a_kernel_clamps_is_refused_with_what_it_took(bed: Bed) -> None:
    clamping = Pipe(bed.root / CAP_1, serve("140000000"), take, serve("120000000"))
    with pytest.raises(
        WorkloadFailed, match="The power cap of package intel-rapl:1 is 120 W instead of 125 W on Server A"
    ):
        await bed.set_up(PowerSettings(power_cap_w=125))
    clamping.end("120000000")
    assert await bed.power.restore(bed.machine) == []
    assert (bed.read(CAP_0), bed.read(CAP_1)) == ("150000000", "140000000")


async def test_a_cap_is_kept_in_steps_of_an_eighth_of_a_watt(bed: Bed) -> None:
    await bed.set_up(PowerSettings(power_cap_w=100.3))
    bed.write(CAP_0, "100250000")
    assert await bed.power.restore(bed.machine) == []
    assert bed.read(CAP_0) == "150000000"


async def test_a_cap_that_was_not_in_force_is_put_into_force_and_out_again(bed: Bed) -> None:
    bed.write(f"{CAPS}/intel-rapl:0/enabled", "0")
    await bed.set_up(PowerSettings(power_cap_w=100))
    assert bed.read(f"{CAPS}/intel-rapl:0/enabled") == "1"
    await bed.power.restore(bed.machine)
    assert bed.read(f"{CAPS}/intel-rapl:0/enabled") == "0"


async def test_boost_is_switched_where_turbo_is_not(tmp_path: Path) -> None:
    bed = Bed(tmp_path)
    plant_settings(bed.root, {f"{CPU}/intel_pstate/no_turbo": None, f"{CPU}/cpufreq/boost": "1"})
    await bed.set_up(PowerSettings(turbo="off"))
    assert bed.read(f"{CPU}/cpufreq/boost") == "0"
    await bed.power.restore(bed.machine)
    assert bed.read(f"{CPU}/cpufreq/boost") == "1"


KERNEL = """#!/bin/sh
# A kernel whose CPUs 2 and 3 are there while SMT is on. A policy keeps its governor while its CPU is offline
# (Documentation/admin-guide/pm/cpufreq.rst), and the governor performance holds the energy preference
# (Documentation/admin-guide/pm/intel_pstate.rst).
root=$1
shift
cpus=$root/sys/devices/system/cpu
while [ $# -ge 3 ]; do
	for name in $3; do
		governor=
		[ "$1" != energy_preference ] || read -r governor <$cpus/cpufreq/policy$name/scaling_governor
		if [ "$governor" = performance ] && [ "$2" != performance ]; then
			printf 'refused\\tenergy_preference\\t%s\\trefused\\tenergy_performance_preference\\n' "$name"
			continue
		fi
		if [ -e "$root/no-right" ] && [ "$1:$name" = governor:2 ]; then
			printf 'refused\\tgovernor\\t2\\tnot permitted\\tscaling_governor\\n'
			rm "$root/no-right"
			continue
		fi
		sh SCRIPT "$root" "$1" "$2" "$name" | grep '^refused'
		case $1:$2 in
		governor:performance) echo performance >$cpus/cpufreq/policy$name/energy_performance_preference ;;
		smt:on) mv "$root"/offline/policy* $cpus/cpufreq/; mv "$root"/offline/cpu* $cpus/ ;;
		smt:off) mv $cpus/cpufreq/policy[23] "$root"/offline/; mv $cpus/cpu[23] "$root"/offline/ ;;
		esac
	done
	shift 3
done
exec sh SCRIPT "$root"
"""
OFFLINE = {
    **{
        f"offline/policy{n}/{name}": text
        for n in (2, 3)
        for name, text in {
            "scaling_available_governors": "performance powersave",
            "scaling_governor": "powersave",
            "energy_performance_available_preferences": "default performance balance_power power",
            "energy_performance_preference": "power",
        }.items()
    },
    **{f"offline/cpu{n}/cpuidle/state{s}/name": name for n in (2, 3) for s, name in enumerate(("POLL", "C1E", "C6"))},
    **{f"offline/cpu{n}/cpuidle/state{s}/disable": "0" for n in (2, 3) for s in range(3)},
}


@pytest.fixture
def threads(tmp_path: Path) -> Bed:
    """A machine that runs without SMT."""
    bed = Bed(tmp_path)
    plant_settings(bed.root, {**OFFLINE, f"{CPU}/smt/control": "off"})
    kernel = tmp_path / "kernel"
    kernel.write_text(KERNEL.replace("SCRIPT", str(SCRIPT)))
    kernel.chmod(0o755)
    bed.machine = Machine("a", "Server A", "this machine", bed.machine.trigger, (str(kernel),))
    return bed


async def test_cpus_that_smt_brings_are_set_and_are_as_before_when_they_go(threads: Bed) -> None:
    before = texts(threads.root)
    await threads.set_up(PowerSettings(smt="on", governor="performance", deepest_c_state="C1E"))
    assert [threads.read(f"{CPU}/cpufreq/policy{n}/scaling_governor") for n in range(4)] == ["performance"] * 4
    assert [threads.read(f"{CPU}/cpu{n}/cpuidle/state2/disable") for n in range(4)] == ["1"] * 4
    assert await threads.power.restore(threads.machine) == []
    assert texts(threads.root) == before
    assert threads.journals() == []


async def test_cpus_that_smt_brings_may_get_their_rights_a_moment_later(threads: Bed) -> None:
    """The rule of udev that is shipped runs after the CPU is online, and the kernel does not wait for it."""
    before = texts(threads.root)
    threads.write("no-right", "")
    await threads.set_up(PowerSettings(smt="on", governor="performance"))
    assert threads.read(f"{CPU}/cpufreq/policy2/scaling_governor") == "performance"
    await threads.power.restore(threads.machine)
    assert texts(threads.root) == before


async def test_cpus_that_smt_brought_are_as_before_after_a_kill(threads: Bed) -> None:
    """Killed right after the governors were written: nothing was read back."""
    before = texts(threads.root)
    await threads.set_up(PowerSettings(smt="on", governor="performance"))
    entry = threads.power.journal.read("a")
    assert entry is not None
    threads.power.journal.write(entry.changed(verified=False, after=None))
    assert await PowerControl(threads.data, SystemClock(), str(threads.root)).restore(threads.machine) == []
    assert texts(threads.root) == before


async def test_settings_that_somebody_changes_during_a_run_are_named(bed: Bed) -> None:
    settings = PowerSettings(turbo="on", power_cap_w=125, deepest_c_state="C1E")
    await bed.set_up(settings)
    assert await bed.power.differences(bed.machine, settings) == []
    bed.write(f"{CPU}/intel_pstate/no_turbo", "1")
    bed.write(CAP_1, "90000000")
    bed.write(f"{CPU}/cpu1/cpuidle/state2/disable", "0")
    assert await bed.power.differences(bed.machine, settings) == [
        "The turbo is off instead of on.",
        "The C-state 2 of CPU 1 is enabled instead of disabled.",
        "The power cap of package intel-rapl:1 is 90 W instead of 125 W.",
    ]
    (bed.root / CAP_0).parent.rename(bed.root / "away")
    (bed.root / CAP_1).parent.rename(bed.root / "away-too")
    assert await bed.power.differences(bed.machine, settings) == [
        "The server has no power limit of its CPU packages that can be set (RAPL)."
    ]


async def test_what_is_set_back_by_hand_is_said_in_watts_and_not_without_end(bed: Bed) -> None:
    for cpu in range(2, 8):
        for state, name in enumerate(("POLL", "C1E", "C6")):
            folder = bed.root / f"{CPU}/cpu{cpu}/cpuidle/state{state}"
            folder.mkdir(parents=True)
            (folder / "name").write_text(f"{name}\n")
            (folder / "disable").write_text("0\n")
    await bed.set_up(ALL)
    entry = bed.power.journal.read("a")
    assert entry is not None
    assert by_hand(entry) == (
        "power cap of package intel-rapl:0: 150 W; power cap of package intel-rapl:1: 140 W; C-state 2 of CPUs 0, 1, "
        "2, and 5 more: enabled; and 5 more"
    )


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("sleep 60", "did not report the power settings within 0.5 s"),
        ("exit 3", "did not report all power settings (exit status 3)"),
        ("echo 'value\tsmt\ton\t-'", "did not report all power settings (exit status 0)"),
    ],
)
async def test_why_a_server_did_not_report_is_said(
    bed: Bed, monkeypatch: pytest.MonkeyPatch, script: str, words: str
) -> None:
    monkeypatch.setattr(control, "TIMEOUT_S", 0.5)
    monkeypatch.setattr(control, "_script", lambda: script)
    with pytest.raises(WorkloadFailed) as failed:
        await bed.set_up(PowerSettings(turbo="off"))
    assert f"Server A {words}." in str(failed.value)


async def test_the_same_name_elsewhere_is_another_machine(bed: Bed) -> None:
    await bed.set_up(PowerSettings(turbo="off"))
    elsewhere = Machine("a", "Server A", "root@10.0.0.9:22", bed.machine.trigger)
    with pytest.raises(WattmarkError, match=r"back by hand \(turbo: on\)"):
        await bed.power.restore(elsewhere)
    assert bed.journals() == ["a.json"]


async def test_a_machine_under_another_name_still_has_its_settings(bed: Bed) -> None:
    await bed.set_up(PowerSettings(turbo="off"))
    renamed = Machine("b", "Server B", bed.machine.address, bed.machine.trigger)
    with pytest.raises(
        WorkloadFailed, match=r"Server a still has turbo off of run 1 .* and Server B is the same machine"
    ):
        await bed.power.set_up(renamed, PowerSettings(), "run 1 of campaign d")
    await bed.power.restore(bed.machine)
    await bed.power.set_up(renamed, PowerSettings(), "run 1 of campaign d")


def answer(root: Path, *changes: str, path: str = "/usr/bin:/bin", user: int | None = None) -> Sequence[str]:
    other = {} if user is None else {"user": user, "group": user, "extra_groups": ()}
    done = subprocess.run(
        ["sh", str(SCRIPT), str(root), *changes], capture_output=True, check=True, env={"PATH": path}, **other
    )
    assert done.stderr == b""
    return done.stdout.decode().splitlines()


def test_settings_of_many_processors_fit_into_lines(tmp_path: Path) -> None:
    """Two EPYC 9754 have 512 CPUs with three states each; a line holds 8,192 bytes."""
    for cpu in range(512):
        for state in range(3):
            folder = tmp_path / f"{CPU}/cpu{cpu}/cpuidle/state{state}"
            folder.mkdir(parents=True)
            (folder / "disable").write_text("0\n")
    lines = answer(tmp_path)
    assert max(map(len, lines)) < LONGEST_LINE
    assert len(read_lines(lines).of("idle_state")) == 512 * 3


def test_after_a_line_that_was_cut_the_answer_is_not_whole() -> None:
    assert read_lines(["value\tsmt\ton\t-", "end"]).ended
    assert not read_lines([f"value\tidle_state\t0\t0.1 0.2{CUT}", "end"]).ended


def test_a_gpu_is_capped_by_nvidia_smi_within_its_range(tmp_path: Path) -> None:
    plant_settings(tmp_path, GPU)
    path = f"{tmp_path}/bin:/usr/bin:/bin"
    lines = answer(tmp_path, "gpu_cap", "300", "0", path=path)
    assert read_lines(lines).values["gpu_cap", "0"] == "300.00"
    assert read_lines(lines).choices["gpu_cap", "0"] == "200.00 350.00"
    (refused,) = read_lines(answer(tmp_path, "gpu_cap", "260", "0", path=path)).refused
    assert (refused.why, refused.file) == ("not permitted", "nvidia-smi")


def test_who_may_not_write_is_told_the_file() -> None:
    """Root may write every file, so it asks as somebody else, in a tree that everybody reaches."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        root.chmod(0o755)
        plant_settings(root)
        (root / CPU / "intel_pstate/no_turbo").chmod(0o444)
        user = 65534 if os.getuid() == 0 else None
        (refused,) = read_lines(answer(root, "no_turbo", "1", "-", user=user)).refused
        assert (refused.why, refused.file) == ("not permitted", f"{root}/{CPU}/intel_pstate/no_turbo")


ZONES = {
    f"{CAPS}/{zone}/{name}": text
    for zone, domain in {"intel-rapl:2": "psys", "intel-rapl-mmio:0": "package-0", "dtpm:0": "package-0"}.items()
    for name, text in {
        "name": domain,
        "enabled": "0",
        "constraint_0_name": "long_term",
        "constraint_0_power_limit_uw": "200000000",
    }.items()
}
"""What the kernel's powercap documentation lists beside packages: the platform, registers in memory, other types."""


def test_only_packages_are_listed(tmp_path: Path) -> None:
    plant_settings(tmp_path, {**ZONES, f"{CPU}/cpufreq/policy7x/scaling_governor": "powersave"})
    reading = read_lines(answer(tmp_path))
    assert list(reading.of("cap")) == list(reading.of("cap_enabled")) == ["intel-rapl:0", "intel-rapl:1"]
    assert list(reading.of("governor")) == ["0", "1"]


@pytest.mark.parametrize(
    ("selector", "value", "instance"),
    [
        ("cap", "1", "intel-rapl:2"),
        ("cap_enabled", "1", "intel-rapl:2"),
        ("cap", "1", "intel-rapl:0:0"),
        ("cap", "1", "intel-rapl-mmio:0"),
        ("cap", "1", "dtpm:0"),
        ("cap", "1e6", "intel-rapl:0"),
        ("smt", "forceoff", "-"),
        ("smt", "off", "0"),
        ("no_turbo", "2", "-"),
        ("no_turbo", "1", "0"),
        ("idle_state", "1", "0"),
        ("idle_state", "1", "0.1.2"),
        ("governor", "performance", "7x"),
        ("boot", "x", "-"),
        ("gpu_cap", "1e2", "0"),
        ("cap", "1", "../../../../etc"),
        ("cap", "1", "a/b"),
        ("governor", "x;touch /tmp/x", "0"),
        ("governor", "-x", "0"),
        ("gpu_cap", "1", "0x"),
        ("rm", "1", "0"),
    ],
)
def test_the_script_writes_nothing_but_its_own_files(tmp_path: Path, selector: str, value: str, instance: str) -> None:
    plant_settings(tmp_path, {**GPU, **ZONES, f"{CPU}/cpufreq/policy7x/scaling_governor": "powersave"})
    before = texts(tmp_path)
    read_lines(answer(tmp_path, selector, value, instance, path=f"{tmp_path}/bin:/usr/bin:/bin"))
    assert texts(tmp_path) == before


def test_under_sudo_no_other_tree_is_touched(tmp_path: Path) -> None:
    plant_settings(tmp_path)
    done = subprocess.run(
        ["sh", str(SCRIPT), str(tmp_path), "no_turbo", "1", "-"],
        env={"PATH": "/usr/bin:/bin", "SUDO_UID": "1000"},
        capture_output=True,
    )
    assert (done.returncode, done.stdout) == (1, b"")
    assert texts(tmp_path) == {name: text.strip() for name, text in TREE.items()}


def test_the_rights_that_are_shipped_are_for_every_file_that_the_script_writes() -> None:
    lines = (SCRIPT.parents[4] / "docker/systemd/power-settings.tmpfiles").read_text().splitlines()
    allowed = [line.split()[1] for line in lines if line.startswith("z ")]
    written = re.findall(r"^\t\w+\) file=(\S+) ;;$", SCRIPT.read_text(), re.MULTILINE)
    samples = {
        "$cpus": "/sys/devices/system/cpu",
        "$caps/$2": "/sys/devices/virtual/powercap/intel-rapl/intel-rapl:0",
        "${2%.*}": "3",
        "${2#*.}": "1",
        "$2": "0",
    }
    for name, sample in samples.items():
        written = [file.replace(name, sample) for file in written]
    assert len(written) == 9
    assert [file for file in written if not any(fnmatchcase(file, pattern) for pattern in allowed)] == []
    assert [pattern for pattern in allowed if not any(fnmatchcase(file, pattern) for file in written)] == []
