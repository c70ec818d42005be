"""Campaigns with real processes and the real store."""

from __future__ import annotations

import asyncio
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import pytest
from wattmark.bench.slot_ways import BOOT_FILE
from wattmark.campaigns.status import CampaignOut, OperatorRequest, ThroughputSoFar
from wattmark.core.errors import InputError, StoreError, WattmarkError
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.record import RunRecord, RunStatus
from wattmark_drivers.clock import SystemClock

PHASES = [PhaseName.IDLE, PhaseName.SETTLE, PhaseName.MEASURE, PhaseName.HOLD, PhaseName.COOL_DOWN]


async def test_every_configuration_is_prepared_and_measured(campaign: Any) -> None:
    out = await campaign.runner().run()
    assert (out.state, out.message) == ("complete", None)
    assert [(row.configuration, row.state, row.efficiency.value) for row in out.runs] == [
        ("two", "complete", 57.1),
        ("one", "complete", 57.1),
    ]
    assert out.remaining_s == 0
    for record, dimms in zip(campaign.records(), (2, 1), strict=True):
        assert (record.status, record.reason) == (RunStatus.COMPLETE, None)
        assert (record.server, record.workload, record.level, record.unit) == ("a", "ticker", "full load", "ticks")
        assert record.configuration_snapshot.dimm_count == dimms
        assert record.campaign_id == out.campaign_id
        assert record.meters == campaign.meters
        assert record.full_load_limit_pct == 95
    assert campaign.recorder.ended == [run_id for run_id, _, _ in campaign.recorder.began]
    assert {frozenset(sources) for _, _, sources in campaign.recorder.began} == {frozenset({"wall", "bmc", "host"})}


async def test_the_window_is_the_workloads_own_and_phases_follow_each_other(campaign: Any) -> None:
    await campaign.runner(configurations=("a/two",)).run()
    record = campaign.records()[0]
    idle, settle, measure, hold, cool_down = record.phases
    assert [phase.name for phase in record.phases] == PHASES
    assert (measure.begin_ns, measure.end_ns) == (record.window_begin_ns, record.window_end_ns)
    assert idle.end_ns == settle.begin_ns
    assert settle.end_ns == measure.begin_ns
    assert measure.end_ns <= hold.begin_ns < hold.end_ns == cool_down.begin_ns < cool_down.end_ns
    assert (hold.end_ns - hold.begin_ns) / 1e9 >= 0.2
    assert (idle.end_ns - idle.begin_ns) / 1e9 >= 0.1
    assert (measure.end_ns - measure.begin_ns) / 1e9 >= 1
    assert record.throughput[0].begin_ns == record.window_begin_ns
    assert record.throughput[-1].end_ns == record.window_end_ns
    assert {interval.amount for interval in record.throughput} == {5}


async def test_a_supply_that_loses_its_input_during_a_run_is_a_note(campaign: Any) -> None:
    """The BMC is asked before the first phase and after the last."""
    campaign.supplies = [{"PS2": "Presence detected"}, {"PS2": "Presence detected, Power Supply AC lost"}]
    await campaign.runner(configurations=("a/two",)).run()
    disclosure = campaign.records()[0].disclosure
    assert disclosure.environment.supplies == {"PS2": "Presence detected"}
    changed = "power supply PS2 from Presence detected to Presence detected, Power Supply AC lost"
    assert [note for note in disclosure.notes if changed in note]


async def test_a_run_discloses_what_a_reader_needs_to_repeat_it(campaign: Any) -> None:
    await campaign.runner(configurations=("a/two",), workloads=("openssl.rsa512-sign",)).run()
    record = campaign.records()[0]
    disclosure = record.disclosure
    assert disclosure.argv[:4] == ("openssl", "speed", "-seconds", "1")
    assert disclosure.program_version.startswith("OpenSSL ")
    host = disclosure.host
    assert all((host.wattmark, host.host, host.kernel, host.cpus))
    assert host.model == "HP ProLiant DL360 G5", "the bench file names it, whatever the firmware states"
    environment = disclosure.environment
    assert environment.kernel == host.kernel
    assert environment.cpus_online > 0
    assert set(environment.unread.values()) <= {"not there", "not permitted", "empty"}
    assert not [note for note in disclosure.notes if "environment" in note], "it is the same after the run"
    assert disclosure.window.begin.utc_ns == record.window_begin_ns
    assert disclosure.window.end.monotonic_ns > disclosure.window.begin.monotonic_ns
    assert disclosure.plan["seed"] == 1
    assert record.throughput[0].amount > 100
    assert record.level == f"{disclosure.host.cpus} processes"


async def test_progress_names_run_phase_and_what_is_left(campaign: Any) -> None:
    await campaign.runner().run()
    phases = [shown for shown, _ in groupby((out.run_index, out.phase) for out in campaign.states if out.phase)]
    expected = [(index, name.value) for index in (0, 1) for name in PHASES]
    assert phases == expected
    settle = next(out for out in campaign.states if out.phase == "settle")
    assert settle.phase_end_s - settle.phase_begin_s == pytest.approx(0.1)
    left = [out.remaining_s for out in campaign.states]
    assert left[0] == pytest.approx(2 * 1.5)
    assert left == sorted(left, reverse=True)


async def test_the_prepare_command_gets_arguments_and_no_shell(campaign: Any) -> None:
    log = campaign.folder / "log"
    hook = campaign.folder / "hook"
    hook.write_text('#!/bin/sh\nfor word; do echo "[$word]"; done >>log\n')
    hook.chmod(0o700)
    words = '["./hook", "{server}", "n={dimm_count}", "{configuration}; touch injected", "$(touch injected)"]'
    out = await campaign.runner(prepare=f"{{command: {words}}}").run()
    assert out.state == "complete"
    assert log.read_text().splitlines() == [
        *("[a]", "[n=2]", "[two; touch injected]", "[$(touch injected)]"),
        *("[a]", "[n=1]", "[one; touch injected]", "[$(touch injected)]"),
    ]
    assert not (campaign.folder / "injected").exists()


async def test_a_failing_prepare_command_fails_its_runs_and_the_next_configuration_goes_on(campaign: Any) -> None:
    words = '[sh, -c, "test $0 = one || { echo slot B1 is stuck >&2; exit 4; }", "{configuration}"]'
    out = await campaign.runner(prepare=f"{{command: {words}}}", repeats=2).run()
    assert [row.state for row in out.runs] == ["failed", "failed", "complete", "complete"]
    assert out.runs[0].reason == (
        "The prepare command for a/two ended with status 4: slot B1 is stuck. Correct the command, or fix the problem "
        "on the server."
    )
    assert (out.state, out.message) == ("complete", "2 of 4 runs failed.")
    failed = campaign.records()[0]
    assert (failed.status, failed.reason, failed.phases) == (RunStatus.FAILED, out.runs[0].reason, ())


async def test_a_prepare_command_that_hangs_is_given_up(campaign: Any) -> None:
    out = await campaign.runner(prepare="{command: [sleep, '1000'], timeout_s: 0.2}").run()
    assert out.state == "failed"
    assert "sleep did not end within 0.2 s and was killed" in str(out.runs[0].reason)


async def test_manual_waits_for_the_operator_before_each_configuration(campaign: Any) -> None:
    runner = campaign.runner(prepare="manual")
    asked, requests = [], []

    def answer(out: CampaignOut) -> None:
        if out.state == "waiting-for-operator":
            asked.append(out.message)
            requests.append(out.request)
            asyncio.get_running_loop().call_later(0.05, runner.operator_ready)

    campaign.on_state = answer
    out = await runner.run()
    assert [row.state for row in out.runs] == ["complete"] * 2
    assert asked == [
        "Bring a to Two modules with A1, B1 fitted (2 FB-DIMM, 2 GiB), start it, then confirm.",
        "Bring a to One module with A1 fitted (1 FB-DIMM, 1 GiB), start it, then confirm.",
    ]
    assert requests == [
        OperatorRequest(server="a", configuration="two", hands="install"),
        OperatorRequest(server="a", configuration="one", hands="install", fitted="two"),
    ]
    assert all(state.request is None for state in campaign.states if state.state != "waiting-for-operator")
    assert [row.hands for row in out.runs] == ["install"] * 2


async def test_a_run_under_way_tells_its_phases_those_to_come_and_its_throughput(campaign: Any) -> None:
    runner = campaign.runner(configurations=("a/two",))
    throughput: list[ThroughputSoFar] = []

    def look(out: CampaignOut) -> None:
        throughput[:] = runner.throughput() or throughput

    campaign.on_state = look
    await runner.run()
    shown = [out.under_way[0] for out in campaign.states if out.under_way]
    for now in shown:
        assert [phase.name for phase in (*now.phases, *now.to_come)] == PHASES
        assert all(before.end_s == after.begin_s for before, after in pairwise(now.phases))
    assert {len(now.phases) for now in shown} == set(range(len(PHASES) + 1))
    assert [phase.expected_s for phase in shown[0].to_come] == [0.1, 0.1, 1, 0.2, 0.1]
    (progress,) = throughput
    (record,) = campaign.records()
    assert (progress.run_id, progress.unit) == (record.run_id, "ticks/s")
    assert progress.rates[0].begin_s == record.throughput[0].begin_ns / 1e9
    assert all(before.end_s == after.begin_s for before, after in pairwise(progress.rates))
    assert progress.rates[-1].end_s == record.throughput[-1].end_ns / 1e9, "what was reported stays until the run ends"
    assert [rate.rate for rate in progress.rates] == [pytest.approx(50, rel=0.4)] * len(progress.rates), (
        "5 ticks each 0.1 s"
    )


async def operator_messages(campaign: Any, how: str, **plan: Any) -> list[str]:
    """Run a plan, confirm whatever the operator is asked for, and list that."""
    runner = campaign.runner(configurations=("a/two",), repeats=3, between_repeats=how, **plan)
    asked = []

    def answer(out: CampaignOut) -> None:
        if out.state == "waiting-for-operator":
            asked.append(out.message)
            asyncio.get_running_loop().call_later(0.05, runner.operator_ready)

    campaign.on_state = answer
    assert [row.state for row in (await runner.run()).runs] == ["complete"] * 3
    return asked


async def test_the_operator_seats_the_modules_anew_between_repeats(campaign: Any) -> None:
    asked = await operator_messages(campaign, "re-seat")
    assert asked == [
        "Switch a off, remove and re-install its modules (Two modules), start it, then confirm."
    ] * 2  # fmt: skip
    assert len({run.disclosure.installation for run in campaign.records()}) == 3


async def test_a_reboot_between_repeats_leaves_the_installation(campaign: Any) -> None:
    asked = await operator_messages(campaign, "reboot")
    assert asked == ["Reboot a (Two modules) for its next repeat, then confirm."] * 2
    assert len({run.disclosure.installation for run in campaign.records()}) == 1


async def test_an_installation_lasts_until_another_one_is_fitted(campaign: Any) -> None:
    """Two campaigns on the same modules share it; another configuration in between ends it."""
    assert await operator_messages(campaign, "nothing") == []
    for configurations in (("a/two",), ("a/one",), ("a/two",)):
        await campaign.runner(configurations=configurations).run()
    runs = sorted(campaign.runs.all(), key=lambda run: run.created_ns)
    names = [run.disclosure.installation for run in runs]
    assert [names.index(name) for name in names] == [0, 0, 0, 0, 4, 5]
    assert {run.disclosure.host.boot_id for run in runs} == {Path(BOOT_FILE).read_text().strip()}


async def test_runs_disclose_who_recorded_them(campaign: Any) -> None:
    for _ in range(2):
        await campaign.runner(configurations=("a/two",)).run()
    recorders = [run.disclosure.recorded_by for run in campaign.runs.all()]
    assert recorders[0] == recorders[1]
    assert (recorders[0].lab, len(recorders[0].appliance), len(recorders[0].bench)) == ("Test", 16, 12)


async def test_a_failing_load_is_recorded_and_the_campaign_goes_on(campaign: Any) -> None:
    # Settling starts the load for the first time, measuring for the second: that is when it breaks.
    starts = campaign.folder / "starts"
    script = (
        f"import os, sys, time; open({str(starts)!r}, 'a').write('x'); "
        f"sys.exit('out of memory') if os.path.getsize({str(starts)!r}) == 2 else None; "
        "[(print('5 ticks', flush=True), time.sleep(0.1)) for _ in range(10000)]"
    )
    out = await campaign.runner(script=script).run()
    assert [row.state for row in out.runs] == ["failed", "complete"]
    assert "ended with exit status 1: out of memory." in str(out.runs[0].reason)
    failed = campaign.records()[0]
    assert (failed.status, failed.reason) == (RunStatus.FAILED, out.runs[0].reason)
    assert [phase.name for phase in failed.phases] == [PhaseName.IDLE, PhaseName.SETTLE]
    assert failed.phases[-1].end_ns is not None
    assert len(campaign.recorder.ended) == 2


async def test_a_wall_meter_lost_in_the_window_fails_the_run(campaign: Any) -> None:
    def lose(out: CampaignOut) -> None:
        if out.phase == "measure":
            campaign.recorder.gaps.append("wall did not answer for 2.0 s from 03:04:05 UTC: no answer.")

    campaign.on_state = lose
    out = await campaign.runner(configurations=("a/two",), repeat_failed=0).run()
    assert (out.state, out.runs[0].state) == ("failed", "failed")
    assert out.runs[0].reason == "wall did not answer for 2.0 s from 03:04:05 UTC: no answer."
    assert campaign.records()[0].throughput


async def test_a_run_that_a_lost_meter_spoilt_is_repeated_and_kept(campaign: Any) -> None:
    gaps = iter(["wall did not answer for 2.0 s from 03:04:05 UTC: no answer."])

    def lose(out: CampaignOut) -> None:
        if out.phase == "measure":
            campaign.recorder.gaps.extend(gaps)

    campaign.on_state = lose
    out = await campaign.runner(configurations=("a/two",)).run()
    assert (out.state, out.runs[0].state, out.runs[0].reason) == ("complete", "complete", None)
    spoilt, repeated = campaign.records()
    assert [(record.attempt, record.status) for record in (spoilt, repeated)] == [
        (1, RunStatus.FAILED),
        (2, RunStatus.COMPLETE),
    ]
    (earlier,) = out.runs[0].earlier
    assert (earlier.run_id, earlier.reason) == (
        spoilt.run_id,
        "wall did not answer for 2.0 s from 03:04:05 UTC: no answer.",
    )
    assert out.runs[0].run_id == repeated.run_id


async def test_a_meter_that_stays_lost_is_given_up(campaign: Any) -> None:
    def lose(out: CampaignOut) -> None:
        if out.phase == "measure":
            campaign.recorder.gaps.append(f"wall was lost, {len(campaign.recorder.gaps)}.")

    campaign.on_state = lose
    out = await campaign.runner(configurations=("a/two",), repeat_failed=2).run()
    assert (out.state, out.runs[0].state, len(out.runs[0].earlier)) == ("failed", "failed", 2)
    assert [record.attempt for record in campaign.records()] == [1, 2, 3]


async def test_a_meter_lost_before_the_window_and_a_lost_bmc_do_not_fail_it(campaign: Any) -> None:
    def lose(out: CampaignOut) -> None:
        if out.phase == "idle":
            campaign.recorder.gaps.append("wall did not answer for 0.1 s from 03:04:05 UTC: no answer.")
        if out.phase == "measure" and len(campaign.recorder.gaps) == 1:
            campaign.recorder.gaps.append("bmc did not answer for 0.1 s from 03:04:06 UTC: no answer.")

    campaign.on_state = lose
    out = await campaign.runner(configurations=("a/two",)).run()
    assert out.runs[0].state == "complete"
    assert campaign.records()[0].disclosure.recording_problems == (
        "bmc did not answer for 0.1 s from 03:04:06 UTC: no answer.",
    )


async def test_samples_that_cannot_be_written_fail_the_run(campaign: Any) -> None:
    async def end(run_id: str) -> None:
        raise StoreError("The disk is full.", "Free some space.")

    campaign.recorder.end = end
    out = await campaign.runner(configurations=("a/two",)).run()
    assert (out.runs[0].state, out.runs[0].reason) == ("failed", "The disk is full. Free some space.")


async def test_records_that_cannot_be_written_end_the_campaign_and_the_load(campaign: Any) -> None:
    class Full:
        def all(self) -> list[RunRecord]:
            return []

        def documents(self, kind: str) -> dict[str, dict[str, Any]]:
            return {}

        def put(self, run: RunRecord) -> None:
            if any(phase.name is PhaseName.MEASURE for phase in run.phases):
                raise StoreError("The disk is full.", "Free some space.")

        def put_document(self, kind: str, name: str, document: dict[str, Any]) -> None:
            pass

    campaign.runs = Full()
    with pytest.raises(StoreError, match="The disk is full"):
        await campaign.runner().run()
    assert campaign.loads() == []
    assert len(campaign.recorder.ended) == 1


async def test_a_result_that_cannot_be_computed_is_said_and_the_run_stays(campaign: Any) -> None:
    def evaluate(run_id: str) -> Any:
        raise WattmarkError("No samples.", "Look at the meter.")

    campaign.evaluate = evaluate
    out = await campaign.runner(configurations=("a/two",)).run()
    assert (out.runs[0].state, out.runs[0].reason) == ("complete", "No samples. Look at the meter.")


class SteppingClock(SystemClock):
    """A UTC clock that somebody sets while the load runs."""

    step_ns = 0

    def utc_ns(self) -> int:
        return super().utc_ns() + self.step_ns


async def test_a_clock_that_is_set_in_the_window_fails_the_run(campaign: Any) -> None:
    clock = SteppingClock()

    def step(out: CampaignOut) -> None:
        if out.phase == "measure":
            clock.step_ns = -3_600_000_000_000

    campaign.on_state = step
    out = await campaign.runner(configurations=("a/two",), clock=clock, repeat_failed=0).run()
    assert out.runs[0].state == "failed"
    assert str(out.runs[0].reason).startswith("The system clock was changed by -3600.0")


async def test_a_plan_that_cannot_start_says_why_and_starts_nothing(campaign: Any) -> None:
    with pytest.raises(InputError, match="No wall meter measures a"):
        await campaign.runner(("feeds: [{server: a}]", "feeds: [{server: a}], role: secondary")).run()
    assert campaign.records() == []
    assert campaign.states == []
