from __future__ import annotations

import pytest
from wattmark.audits.audit import Audit
from wattmark.audits.audit_plots import audits_plot, run_plot
from wattmark.audits.audit_table import audits_table, runs_table
from wattmark.importers.importer import Choices
from wattmark.importers.mlperf_training.training_audit import audit_training

from .conftest import IDLE_WORK_IDLE, START_MS, Submission, event


def audited(submission: Submission, **changes: object) -> Audit:
    (audit,) = audit_training(submission(**changes), Choices())
    return audit


def rules(audit: Audit) -> set[str]:
    return {finding.rule for finding in audit.all_findings}


def test_the_rule_averages_the_whole_log_and_the_window_does_not(submission: Submission) -> None:
    """Run 1 of 3 is the middle one: 2.2 kW + 1 W x 60 s by the rule, 3 kW + 1 W over the timed part."""
    audit = audited(submission, ends_ms=(79_000, 80_000, 81_000))
    assert [run.counted for run in audit.runs] == [False, True, False]
    assert audit.by_rule == pytest.approx(2201 * 60 / 1e3)
    assert audit.over_window == pytest.approx(3001 * 60 / 1e3)
    assert audit.difference_pct == pytest.approx(100 * (2201 / 3001 - 1))
    assert "26.7 % less" in audit.sentence
    assert "window" in rules(audit)


def test_before_inside_and_after_are_counted(submission: Submission) -> None:
    run = audited(submission).runs[0]
    assert (run.before.readings, run.before.mean_w) == (9, 1000)
    assert run.inside.readings == 31
    assert (run.after.readings, run.after.mean_w) == (10, 1000)


def test_switches_conversion_and_scaling_enter_both_figures_and_are_named(submission: Submission) -> None:
    audit = audited(submission, runs=3, nodes=2, conversion=1.1, switch_w=500.0, scaling=1.02)
    assert audit.by_rule == pytest.approx((1.1 * (2 * 2201 + 0.25) + 500) * 60 / 1e3 * 1.02)
    assert audit.over_window == pytest.approx((1.1 * (2 * 3001 + 0.25) + 500) * 60 / 1e3 * 1.02)
    assert rules(audit) >= {"scaled-power", "estimated-power", "scaled-figure"}


def test_runs_that_did_not_converge_count_among_the_slowest(submission: Submission) -> None:
    """unet3d drops four at either end: of nine runs the fifth remains; bert without two converged runs has no score."""
    times = [80_000 + 100 * number for number in range(9)]
    audit = audited(submission, runs=9, benchmark="unet3d", ends_ms=times)
    assert [run.counted for run in audit.runs] == [number == 4 for number in range(9)]


def test_without_enough_converged_runs_there_is_no_score(submission: Submission) -> None:
    audit = audited(submission, runs=3, status="aborted")
    assert audit.by_rule is None
    assert audit.sentence == "There are too few converged runs for a score."


def test_a_silent_meter_is_named_with_its_seconds(submission: Submission) -> None:
    """Readings from 40 s to 60 s are missing: 20 s without a reading, 18 s more than the update interval."""
    readings = [(ms, watts) for ms, watts in IDLE_WORK_IDLE if not 42_000 <= ms <= 58_000]
    audit = audited(submission, readings=readings)
    (finding,) = (finding for finding in audit.runs[0].findings if finding.rule == "silent-meter")
    assert finding.value == pytest.approx(18.0)
    assert audit.runs[0].refused is not None
    assert (audit.runs[0].gaps[0].begin_s, audit.runs[0].gaps[0].end_s) == (20.0, 40.0)


def test_stamps_cut_to_whole_seconds_are_no_silence(submission: Submission) -> None:
    """As in v4.1 of Dell: a reading each 1.075 s whose stamps lose their decimals, 317 of them in 341 s."""
    readings = [(int(1.075 * index + 0.45 * (index % 2)) * 1000, 3000.0) for index in range(1, 318)]
    audit = audited(submission, readings=readings, ends_ms=(330_000, 330_000, 330_000))
    assert not rules(audit) & {"silent-meter", "clock-steps"}
    assert all(run.refused is None and run.gaps == () for run in audit.runs)
    (noted,) = (finding for finding in audit.runs[0].findings if finding.rule == "cut-stamps")
    assert noted.severity == "notes"
    assert audit.over_window == pytest.approx(3001 * 310 / 1e3, rel=1e-6)


def test_what_stands_beside_a_figure_does_not_deny_it(submission: Submission) -> None:
    readings = [(ms, watts) for ms, watts in IDLE_WORK_IDLE if not 42_000 <= ms <= 58_000]
    audit = audited(submission, readings=readings)
    (finding,) = (finding for finding in audit.findings if finding.rule == "silent-meter")
    assert audit.over_window is not None
    assert "gives no figure" not in finding.text


def test_a_log_that_is_silent_from_its_start_is_named(submission: Submission) -> None:
    """The first reading comes 60 s after the start of the log, 40 s into the timed part: 38 s beyond the interval."""
    audit = audited(submission, readings=[(ms, watts) for ms, watts in IDLE_WORK_IDLE if ms >= 60_000])
    (finding,) = (finding for finding in audit.runs[0].findings if finding.rule == "silent-meter")
    assert finding.value == pytest.approx(38.0)
    assert (audit.runs[0].gaps[0].begin_s, audit.runs[0].gaps[0].end_s) == (-20.0, 40.0)


def test_readings_of_a_switch_without_an_estimate_count_nothing_by_the_rule(submission: Submission) -> None:
    """mlcommons/logging, _compute_power_sw: without interconnect_power_est a switch counts 0 J."""
    folder = submission(runs=3)
    for log in folder.glob("power/*"):
        (log / "sw_0.txt").write_text(event(START_MS, "power_reading", 700) + event(START_MS, "power_reading", 500))
    (audit,) = audit_training(folder, Choices())
    assert audit.by_rule == pytest.approx(2201 * 60 / 1e3)
    (finding,) = (finding for finding in audit.runs[0].findings if finding.rule == "switch-left-out")
    assert finding.value == pytest.approx(100 * 600 / 3600)
    assert "2 readings, 600 W or 36 kJ together" in finding.text


def test_the_same_log_counted_twice_is_named(submission: Submission) -> None:
    folder = submission(runs=2)
    first, second = (folder / f"power/result_{number}/node_0.txt" for number in range(2))
    second.write_bytes(first.read_bytes())
    (audit,) = audit_training(folder, Choices())
    assert "same-log" in {finding.rule for finding in audit.findings}


def test_tables_and_figures_of_an_audit(submission: Submission) -> None:
    audit = audited(submission)
    table = audits_table([audit])
    assert table.rows[0][0] == "bert on 1xTest"
    assert len(runs_table(audit).rows) == 3
    assert audits_plot([audit]).names == ("bert on 1xTest",)
    assert run_plot(audit, audit.runs[0]).span == (0.0, 60.0)


def test_an_audit_reads_back_as_it_was_stored(submission: Submission) -> None:
    audit = audited(submission, nodes=2)
    assert Audit.model_validate(audit.model_dump(mode="json")) == audit
