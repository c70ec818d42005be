"""Nodes whose power logs are gone: the energy of the others is not that of the training."""

from __future__ import annotations

from pathlib import Path

import pytest
from wattmark.importers.bring_in import import_source
from wattmark.importers.mlperf_training.training import MLPERF_TRAINING
from wattmark.results.data_folder import Storage
from wattmark.results.evaluate import evaluate
from wattmark.results.result import Result


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
    assert "2 nodes have a power log, of 3" in result.notes[0]


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
