from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark.core.errors import InputError
from wattmark.importers.bring_in import import_source, preview_source
from wattmark.importers.kinds import importer_of
from wattmark.importers.mlperf_training.power_log import read_node
from wattmark.importers.mlperf_training.training import MLPERF_TRAINING
from wattmark.importers.text_lines import TextLines
from wattmark.importers.unread import Unread
from wattmark.results.data_folder import Storage
from wattmark.runs.record import RunStatus
from wattmark_drivers.reading import Quality

from .conftest import IDLE_WORK_IDLE, START_MS, Submission, event, power_log, result_log


def imported(folder: Path, storage: Storage) -> list[str]:
    outcomes = import_source(MLPERF_TRAINING, folder, storage.samples, storage.runs)
    assert [outcome.error for outcome in outcomes] == [None] * len(outcomes)
    return [outcome.run_id or "" for outcome in outcomes]


def test_a_training_becomes_a_run_with_the_readings_of_every_node(submission: Submission, storage: Storage) -> None:
    (run_id,) = imported(submission(runs=1, nodes=2), storage)
    run = storage.runs.get(run_id)
    assert run is not None
    assert (run.server, run.configuration, run.workload) == ("1xTest", "lab-closed-v4.0", "mlperf-training.bert")
    assert run.submission == "Lab v4.0"
    assert run.status is RunStatus.COMPLETE
    assert run.stated_energy_operations == 1
    assert run.window_begin_ns == (START_MS + 20_000) * 10**6
    assert run.window_end_ns == (START_MS + 80_000) * 10**6
    assert [meter.name for meter in run.meters] == ["node_0", "node_1"]
    assert {meter.period_s for meter in run.meters} == {2.0}
    series = storage.samples.list_series(run_id)
    assert [s.key.source for s in series] == ["node_0", "node_1"]
    samples = storage.samples.read(series[0].id)
    assert samples.t_ns.tolist() == [(START_MS + ms) * 10**6 for ms, _ in IDLE_WORK_IDLE]
    assert samples.value.tolist() == [watts for _, watts in IDLE_WORK_IDLE]


def test_the_same_files_again_replace_the_run(submission: Submission, storage: Storage) -> None:
    folder = submission()
    assert imported(folder, storage) == imported(folder, storage)
    assert storage.runs.count() == 3


def test_a_submission_is_recognised_and_previewed_without_storing(submission: Submission, storage: Storage) -> None:
    folder = submission(runs=2)
    assert importer_of("auto", folder) is MLPERF_TRAINING
    previews = list(preview_source(MLPERF_TRAINING, folder, storage.runs))
    assert [preview.samples for preview in previews] == [len(IDLE_WORK_IDLE)] * 2
    assert [preview.error for preview in previews] == [None, None]
    assert storage.runs.count() == 0


def test_a_run_that_did_not_converge_is_a_failed_run(submission: Submission, storage: Storage) -> None:
    (run_id,) = imported(submission(runs=1, status="aborted"), storage)
    run = storage.runs.get(run_id)
    assert run is not None
    assert run.status is RunStatus.FAILED


def test_readings_below_0_are_stored_as_invalid_and_those_out_of_order_in_order(
    submission: Submission, storage: Storage
) -> None:
    readings = [*IDLE_WORK_IDLE[:20], (45_000, -9.0), (44_500, 3000.0), *IDLE_WORK_IDLE[20:]]
    (run_id,) = imported(submission(runs=1, readings=readings), storage)
    (series,) = storage.samples.list_series(run_id)
    samples = storage.samples.read(series.id)
    assert np.all(np.diff(samples.t_ns) >= 0)
    assert samples.value[samples.quality == Quality.INVALID].tolist() == [-9.0]
    run = storage.runs.get(run_id)
    assert run is not None
    assert {verdict.rule for verdict in run.evidence} >= {"import-bad-readings", "import-clock-steps"}


def test_lines_that_are_not_understood_are_reported_with_file_and_line(
    submission: Submission, storage: Storage
) -> None:
    folder = submission(runs=1)
    log = folder / "power/result_0/node_0.txt"
    log.write_text(f"{log.read_text()}:::MLLOG {{torn\nwhat is this\n")
    (outcome,) = import_source(MLPERF_TRAINING, folder, storage.samples, storage.runs)
    assert outcome.unread.count == 2
    line = outcome.unread.first[1]
    assert (line.line, line.text) == (len(IDLE_WORK_IDLE) + 4, "what is this")
    assert line.file.endswith("power/result_0/node_0.txt")


@pytest.mark.parametrize("value", ["NaN", "1e308", "Infinity", '"much"', "true", "null", "9" * 400])
def test_a_reading_that_is_no_power_refuses_the_run_by_file_and_line(
    submission: Submission, storage: Storage, value: str
) -> None:
    folder = submission(runs=1)
    log = folder / "power/result_0/node_0.txt"
    bad = event(START_MS + 101_000, "power_reading", 0).replace('"value": 0', f'"value": {value}')
    log.write_text(log.read_text() + bad)
    (outcome,) = import_source(MLPERF_TRAINING, folder, storage.samples, storage.runs)
    text = str(outcome.error or outcome.unread.first)
    assert "node_0.txt" in text
    assert outcome.run_id is None or outcome.unread.count == 1


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda folder: (folder / "result_0.txt").write_text("nothing\n"), "run_start"),
        (
            lambda folder: (folder / "result_0.txt").write_text(result_log(80_000, 20_000)),
            "run_start before a run_stop",
        ),
        (lambda folder: (folder / "power/result_0/node_0.txt").unlink(), "node_*.txt"),
        (lambda folder: (folder / "power/result_0/node_0.txt").write_text(""), "power_measurement_start"),
        (lambda folder: (folder / "power/result_0/node_0.txt").write_text(power_log([])), "no reading"),
    ],
)
def test_a_broken_run_is_refused_by_what_is_missing(
    submission: Submission, storage: Storage, change: object, named: str
) -> None:
    folder = submission(runs=1)
    assert callable(change)
    change(folder)
    (outcome,) = import_source(MLPERF_TRAINING, folder, storage.samples, storage.runs)
    assert named in str(outcome.error)
    assert storage.runs.count() == 0


def test_a_folder_without_power_logs_is_refused(tmp_path: Path, storage: Storage) -> None:
    with pytest.raises(InputError, match="no MLPerf Training result"):
        import_source(MLPERF_TRAINING, tmp_path, storage.samples, storage.runs)


@given(text=st.one_of(st.binary(max_size=400), st.text(max_size=400).map(lambda t: t.encode("utf-8", "replace"))))
def test_any_bytes_are_a_log_or_a_named_refusal(tmp_path_factory: pytest.TempPathFactory, text: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzzed.txt"
    path.write_bytes(event(START_MS, "power_measurement_start", "null").encode() + b":::MLLOG " + text)
    refused, watts = "", np.zeros(0)
    try:
        watts = read_node(TextLines(path, "node_0.txt"), Unread()).power_w
    except InputError as error:
        refused = str(error)
    assert np.isfinite(watts).all()
    assert len(watts) or "node_0.txt" in refused
    assert "\n" not in refused
