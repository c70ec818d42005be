"""Stopping: in every phase, with loads that do not want to end, and by the death of wattmark itself."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from wattmark.campaigns.status import CampaignOut
from wattmark.results.data_folder import open_storage
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.record import RunStatus
from wattmark.workloads.local.local import LocalTrigger
from wattmark_drivers.clock import SystemClock

STUBBORN = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
    "[(print('5 ticks', flush=True), time.sleep(0.1)) for _ in range(10000)]"
)
LONG = {
    "idle": {"idle_s": 60},
    "settle": {"settle_s": 60},
    "measure": {"measure_s": 60},
    "hold": {"hold_s": 60},
    "cool-down": {"cool_down_s": 60},
}


@pytest.mark.parametrize("phase", LONG)
async def test_a_stop_ends_the_load_and_the_campaign_in_any_phase(campaign: Any, phase: str) -> None:
    runner = campaign.runner(script=STUBBORN, **LONG[phase])

    def stop(out: CampaignOut) -> None:
        if out.phase == phase:
            asyncio.get_running_loop().call_later(0.1, runner.stop)

    campaign.on_state = stop
    out = await asyncio.wait_for(runner.run(), 20)
    assert (out.state, out.message) == ("aborted", "Stopped by the operator.")
    assert [row.state for row in out.runs] == ["aborted", "planned"]
    assert out.runs[0].reason == f"Stopped in phase {phase}; the load was stopped."
    assert "stopping" in [state.state for state in campaign.states]
    (record,) = campaign.records()
    assert (record.status, record.reason) == (RunStatus.ABORTED, out.runs[0].reason)
    assert record.phases[-1].name.value == phase
    assert all(phase.end_ns for phase in record.phases)
    assert campaign.loads() == []
    assert campaign.recorder.ended == [record.run_id]


async def test_a_stop_while_waiting_for_the_operator(campaign: Any) -> None:
    runner = campaign.runner(prepare="manual")

    def stop(out: CampaignOut) -> None:
        if out.state == "waiting-for-operator":
            asyncio.get_running_loop().call_soon(runner.stop)

    campaign.on_state = stop
    out = await asyncio.wait_for(runner.run(), 10)
    assert (out.state, [row.state for row in out.runs]) == ("aborted", ["planned", "planned"])
    assert campaign.records() == []


async def test_a_stop_while_preparing_ends_the_command(campaign: Any) -> None:
    script = 'echo $$ >"$0"; sleep 1000 & echo $! >>"$0"; wait'
    runner = campaign.runner(prepare=f"{{command: [sh, -c, '{script}', pids]}}")
    task = asyncio.create_task(runner.run())
    pids = campaign.folder / "pids"
    while not pids.exists() or len(pids.read_text().split()) < 2:
        await asyncio.sleep(0.01)
    runner.stop()
    assert (await asyncio.wait_for(task, 10)).state == "aborted"
    # A zombie that nobody has collected yet has a number but no command line.
    assert not any(_command_line(pid) for pid in pids.read_text().split())


def _command_line(pid: str) -> bytes:
    try:
        return (Path("/proc") / pid / "cmdline").read_bytes()
    except OSError:
        return b""


async def test_a_stop_before_the_start_runs_nothing(campaign: Any) -> None:
    runner = campaign.runner()
    runner.stop()
    out = await runner.run()
    assert (out.state, campaign.records()) == ("aborted", [])


async def test_cancelling_the_task_ends_the_load_too(campaign: Any) -> None:
    runner = campaign.runner(measure_s=60)
    task = asyncio.create_task(runner.run())
    while not (campaign.states and campaign.states[-1].phase == "measure"):
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert campaign.loads() == []
    (record,) = campaign.records()
    assert record.status is RunStatus.ABORTED
    assert campaign.states[-1].state == "aborted"


KILLED = """
import asyncio, os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from conftest import Campaign
from wattmark.results.data_folder import open_storage

async def main():
    folder = Path(sys.argv[2])
    campaign = Campaign(folder, open_storage(folder / "data").runs)
    campaign.on_state = lambda out: print(out.phase, campaign.label, flush=True)
    silent = "import time; print('5 ticks', flush=True); time.sleep(1000)"  # one that does not notice a closed pipe
    await campaign.runner(script=silent, measure_s=60).run()

asyncio.run(main())
"""


async def test_a_killed_campaign_is_found_interrupted_with_its_phases_and_its_load_is_cleared(
    campaign: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "killed"
    folder.mkdir()
    argv = [sys.executable, "-c", KILLED, str(Path(__file__).parent), str(folder)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            phase, _, campaign.label = line.strip().partition(" ")
            if phase == "measure":
                break
        await asyncio.sleep(0.3)
        process.send_signal(signal.SIGKILL)
    storage = open_storage(folder / "data")
    try:
        (run_id,) = storage.runs.mark_interrupted()
        record = storage.runs.get(run_id)
    finally:
        storage.close()
    assert record.status is RunStatus.INTERRUPTED
    assert [phase.name for phase in record.phases] == [PhaseName.IDLE, PhaseName.SETTLE, PhaseName.MEASURE]
    assert record.phases[-1].end_ns is None
    label, campaign.label = campaign.label, "of the next campaign"
    await campaign.runner(configurations=("a/two",)).run()
    campaign.label = label
    assert campaign.loads() == []


async def test_what_a_dead_owner_left_is_cleared_though_another_process_has_its_number(tmp_path: Path) -> None:
    """A number alone does not name an owner: it is used again, after a reboot most of all."""
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    own, former = f"{os.getpid()}-{fields[19]}-x", f"{os.getpid()}-1-x"
    left, own_process = (
        subprocess.Popen(
            ["sleep", "1000"], env={"WATTMARK_LOAD": marker, "PATH": os.environ["PATH"]}, start_new_session=True
        )
        for marker in (former, own)
    )
    try:
        await LocalTrigger(SystemClock(), tmp_path).clear()
        assert left.wait(10) == -signal.SIGKILL
        assert own_process.poll() is None
    finally:
        own_process.kill()
        own_process.wait()
