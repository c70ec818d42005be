"""Nodes whose power logs are gone: the energy of the others is not that of the training."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from math import sin
from pathlib import Path

import pytest
from wattmark.importers.bring_in import import_source
from wattmark.importers.importer import Choices
from wattmark.importers.mlperf_training.training import MLPERF_TRAINING
from wattmark.importers.mlperf_training.training_audit import audit_training
from wattmark.results.data_folder import Storage
from wattmark.results.evaluate import evaluate
from wattmark.results.result import Result

from .conftest import START_MS, event, power_log


def result_of(folder: Path, storage: Storage) -> Result:
    """Import a submission and evaluate its first run."""
    first = import_source(MLPERF_TRAINING, folder, storage.samples, storage.runs)[0]
    assert first.error is None
    run = storage.runs.get(first.run_id or "")
    assert run is not None
    return evaluate(run, storage.samples)


def outcome(result: Result) -> str:
    (verdict,) = (verdict for verdict in result.verdicts if verdict.rule == "import-power-logs")
    return verdict.outcome


@pytest.mark.parametrize("gone", ["node_0.txt", "node_1.txt", "node_2.txt"])
def test_a_node_whose_power_log_is_gone_leaves_no_figure(gone: str, submission, storage: Storage) -> None:
    """Three nodes of one power each: without one the energy would be a third too small."""
    folder = submission(nodes=3, runs=2)
    (folder / "power/result_0" / gone).unlink()
    result = result_of(folder, storage)
    assert outcome(result) == "fail"
    assert result.power is result.efficiency is None
    assert "2 nodes have a power log of their own, of 3" in result.notes[0]


def test_nodes_that_the_system_states_and_no_run_has(submission, storage: Storage) -> None:
    folder = submission(nodes=2, runs=1)
    system = folder.parents[2] / "systems/1xTest.json"
    system.write_text('{"submitter": "Lab", "system_name": "Test", "number_of_nodes": "3"}')
    result = result_of(folder, storage)
    assert outcome(result) == "fail"


def test_nodes_of_which_nobody_states_a_number_are_not_checked(submission, storage: Storage) -> None:
    result = result_of(submission(nodes=2), storage)
    assert outcome(result) == "not-checked"
    assert result.power is not None


def change(log: Path, pattern: str, value: str) -> None:
    log.write_text(re.sub(pattern, value, log.read_text()))


def rules(result: Result) -> set[str]:
    return {verdict.rule for verdict in result.verdicts if verdict.outcome == "fail"}


def test_a_node_with_the_readings_of_another_is_no_second_measurement(submission, storage: Storage) -> None:
    """One meter of 3 kW, read as two nodes, would be 6 kW."""
    folder = submission(nodes=2, runs=1)
    first, second = (folder / f"power/result_0/node_{number}.txt" for number in range(2))
    second.write_text(first.read_text() + "\n")
    result = result_of(folder, storage)
    assert rules(result) >= {"import-same-log", "import-power-logs"}
    assert result.power is None


def test_a_node_whose_meter_shows_nothing_leaves_no_figure(submission, storage: Storage) -> None:
    folder = submission(nodes=2, runs=1)
    change(folder / "power/result_0/node_1.txt", r'("power_reading", "value": )[0-9.]+', r"\g<1>0")
    result = result_of(folder, storage)
    assert rules(result) >= {"import-no-power", "import-power-logs"}
    assert result.power is None


@pytest.mark.parametrize("name", ["node-1.txt", "node_1.log", "switch_0.txt"])
def test_files_beside_the_logs_that_no_name_explains_are_named(name: str, submission, storage: Storage) -> None:
    folder = submission(nodes=2, runs=1)
    (folder / "power/result_0/node_1.txt").rename(folder / "power/result_0" / name)
    (verdict,) = (verdict for verdict in result_of(folder, storage).verdicts if verdict.rule == "import-other-files")
    assert (verdict.outcome, name in verdict.text) == ("fail", True)


def test_a_result_without_power_logs_is_counted(submission) -> None:
    folder = submission(runs=4)
    shutil.rmtree(folder / "power/result_2")
    (audit,) = audit_training(folder, Choices())
    (finding,) = (finding for finding in audit.findings if finding.rule == "power-logs")
    assert "1 of 4 runs have no power logs" in finding.text


@pytest.mark.parametrize(
    ("pattern", "value", "says"),
    [
        (r'"time_ms": (\d+)\d{3}', r'"time_ms": \1', "before the year 2000.*milliseconds"),
        (
            r'"power_reading", "value": (\S+),',
            r'"power_reading", "value": {"value": \1, "unit": "mW"},',
            "its unit is 'mW'",
        ),
        (r'("power_reading", .*"metadata": )""', r'\1{"unit": "J"}', "its unit is 'J'"),
    ],
)
def test_other_units_than_those_of_the_format_are_refused(
    pattern: str, value: str, says: str, submission, storage: Storage
) -> None:
    folder = submission(runs=1)
    for log in folder.rglob("*.txt"):
        change(log, pattern, value)
    (outcome,) = import_source(MLPERF_TRAINING, folder, storage.samples, storage.runs)
    assert re.search(says, str(outcome.error))


@pytest.mark.parametrize(
    ("log", "key", "values", "says"),
    [
        ("node_0.txt", "conversion_eff", (1.1, 0.5), "conversion_eff is 1.1 before and 0.5 here"),
        ("sw_0.txt", "interconnect_power_est", (500, 900), "interconnect_power_est is 500 before and 900 here"),
        ("sw_0.txt", "interconnect_power_est", (-500,), "-500 W is not a power that a switch takes"),
    ],
)
def test_what_a_log_states_for_all_its_readings_is_one_possible_value(
    log: str, key: str, values: tuple[float, ...], says: str, submission, storage: Storage
) -> None:
    folder = submission(runs=1)
    with (folder / "power/result_0" / log).open("a") as file:
        file.writelines(event(START_MS, key, value) for value in values)
    (outcome,) = import_source(MLPERF_TRAINING, folder, storage.samples, storage.runs)
    assert says in str(outcome.error)


def test_a_log_of_another_hour_is_silent_for_the_whole_of_the_timed_part(submission, storage: Storage) -> None:
    folder = submission(runs=1)
    log = folder / "power/result_0/node_0.txt"
    log.write_text(re.sub(r'"time_ms": (\d+)', lambda time: f'"time_ms": {int(time[1]) + 3_600_000}', log.read_text()))
    (verdict,) = (verdict for verdict in result_of(folder, storage).verdicts if verdict.rule == "import-silent-meter")
    assert "silent for 60.0 s of 60 s" in verdict.text


def noisy(seed: int, shift_ms: int = 0, factor: float = 1.0) -> list[tuple[int, float]]:
    """Return readings of a node of 3 kW, one a second."""
    return [(1000 * i + shift_ms, round(factor * (3000 + 40 * sin(seed + i * (seed + 1))), 4)) for i in range(100)]


def states(folder: Path, nodes: int) -> None:
    system = folder.parents[2] / "systems/1xTest.json"
    system.write_text(f'{{"submitter": "Lab", "system_name": "Test", "number_of_nodes": "{nodes}"}}')


@pytest.mark.parametrize(
    ("logs", "nodes", "rule", "named"),
    [
        (
            [noisy(1), noisy(2), [(ms, a + b) for (ms, a), (_, b) in zip(noisy(1), noisy(2), strict=True)]],
            2,
            "import-counted-twice",
            "node_2 holds the power of all other nodes together",
        ),
        ([noisy(1), noisy(1, shift_ms=1)], 2, "import-same-log", "1 nodes have the readings of another node"),
        ([noisy(1), noisy(2, factor=1e-3)], 2, "import-other-unit", "The power of node_1 is less than a 200th"),
        ([noisy(1), noisy(2)], 1, "import-power-logs", "states 1 nodes, and 2 have a power log"),
    ],
    ids=["a total beside its nodes", "a copy 1 ms later", "kW", "a node more than stated"],
)
def test_logs_that_are_no_measurement_of_a_node_leave_no_figure(
    logs: list[list[tuple[int, float]]], nodes: int, rule: str, named: str, submission, storage: Storage
) -> None:
    folder = submission(nodes=len(logs), runs=1)
    states(folder, nodes)
    for number, readings in enumerate(logs):
        (folder / f"power/result_0/node_{number}.txt").write_text(power_log(readings))
    result = result_of(folder, storage)
    assert rules(result) >= {rule, "import-power-logs"}
    assert any(named in verdict.text for verdict in result.verdicts)
    assert result.power is result.efficiency is None


def test_nodes_as_the_description_states_them_have_a_figure(submission, storage: Storage) -> None:
    folder = submission(nodes=3, runs=1)
    states(folder, 3)
    for number in range(3):
        (folder / f"power/result_0/node_{number}.txt").write_text(power_log(noisy(number)))
    assert result_of(folder, storage).power is not None


@pytest.mark.parametrize(
    ("changed", "lost_s"),
    [
        (lambda second, watts: None if second in (30, 40, 50) else watts, 3.0),
        (lambda second, watts: 0.0 if second % 10 == 0 else watts, 6.0),
    ],
    ids=["single readings missing", "readings of 0 W"],
)
def test_readings_that_are_missing_one_by_one_are_counted(
    changed: Callable[[int, float], float | None], lost_s: float, submission, storage: Storage
) -> None:
    """The timed part is from 20 s to 80 s, with a reading every second."""
    folder = submission(runs=1)
    readings = [(ms, watts) for ms, w in noisy(1) if (watts := changed(ms // 1000, w)) is not None]
    (folder / "power/result_0/node_0.txt").write_text(power_log(readings))
    result = result_of(folder, storage)
    (verdict,) = (verdict for verdict in result.verdicts if verdict.rule == "import-silent-meter")
    assert verdict.value == pytest.approx(lost_s, abs=1.01)
    assert f"gave no good reading for {verdict.value:.1f} s of 60 s" in verdict.text
    (withheld,) = result.withheld
    assert "is usual in this log" in withheld.text
    assert withheld.text.endswith("get the complete log.")


def test_a_run_with_the_readings_of_an_earlier_one_is_said(submission, storage: Storage) -> None:
    """A second run, an hour later, with the power log of the first at shifted stamps."""
    folder = submission(runs=2)
    (folder / "power/result_0/node_0.txt").write_text(power_log(noisy(1)))
    later = re.compile(r'"time_ms": (\d+)')
    for name, text in (
        ("power/result_1/node_0.txt", power_log(noisy(1))),
        ("result_1.txt", (folder / "result_1.txt").read_text()),
    ):
        (folder / name).write_text(later.sub(lambda time: f'"time_ms": {int(time[1]) + 3_600_000}', text))
    runs = [
        storage.runs.get(outcome.run_id or "")
        for outcome in import_source(MLPERF_TRAINING, folder, storage.samples, storage.runs)
    ]
    failed = [{v.rule for v in run.evidence if v.outcome == "fail"} if run else set() for run in runs]
    assert ["import-repeated-log" in rules for rules in failed] == [False, True]
