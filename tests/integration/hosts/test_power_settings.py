"""Power settings of a server that is reached over SSH, by the same script as here."""

from __future__ import annotations

from pathlib import Path

from wattmark.campaigns.power.control import Machine, PowerControl
from wattmark.runs.power_settings import PowerSettings
from wattmark.workloads.ssh.trigger import SshTrigger
from wattmark_drivers.clock import SystemClock

from tests.power_tree import CAP_0, CPU, plant_settings, texts


async def test_settings_are_made_and_undone_elsewhere_as_here(
    trigger: SshTrigger, clock: SystemClock, tmp_path: Path
) -> None:
    root = tmp_path / "tree"
    plant_settings(root)
    before = texts(root)
    power = PowerControl(tmp_path, clock, str(root))
    machine = Machine("b", "Server B", trigger.label, trigger)
    await power.set_up(machine, PowerSettings(governor="performance", deepest_c_state="POLL", power_cap_w=90), "a run")
    now = texts(root)
    assert now[CAP_0] == "90000000"
    assert now[f"{CPU}/cpufreq/policy0/scaling_governor"] == "performance"
    assert [now[f"{CPU}/cpu1/cpuidle/state{n}/disable"] for n in range(3)] == ["0", "1", "1"]
    assert await power.restore(machine) == []
    assert texts(root) == before


async def test_a_command_of_the_server_does_it_with_its_own_rights(
    trigger: SshTrigger, clock: SystemClock, tmp_path: Path
) -> None:
    """The command stands for sudo with the script: it has a root of its own, whatever it is given."""
    root, script = tmp_path / "tree", Path(__file__).parents[3] / "backend/wattmark/campaigns/power/settings.sh"
    plant_settings(root)
    before = texts(root)
    command = tmp_path / "helper"
    command.write_text(f'#!/bin/sh\nshift\nexec sh {script} {root} "$@"\n')
    command.chmod(0o755)
    power = PowerControl(tmp_path, clock)
    machine = Machine("b", "Server B", trigger.label, trigger, (str(command),))
    await power.set_up(machine, PowerSettings(turbo="off"), "a run")
    assert texts(root)[f"{CPU}/intel_pstate/no_turbo"] == "1"
    await power.restore(machine)
    assert texts(root) == before
