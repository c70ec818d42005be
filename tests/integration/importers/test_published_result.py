"""One published MLPerf Power result that lies in the repository, read whole; its README says where it comes from."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest
from wattmark.importers.bring_in import import_source
from wattmark.importers.mlperf.mlperf import MLPERF_INFERENCE
from wattmark.results.data_folder import open_storage
from wattmark.results.issued.evaluations import Evaluations

TREE = Path(__file__).parents[2] / "unit/wattmark/analysis/mlperf_r7525"
DETAIL = "run_1/mlperf_log_detail.txt"


def sha1(path: Path) -> str:
    return hashlib.sha1(path.read_bytes(), usedforsecurity=False).hexdigest()


def renewed(folder: Path) -> Path:
    """Copy the result, with the digest of its detail log as it lies here: paths of the submitter's machine are out."""
    shutil.copytree(TREE, folder, copy_function=shutil.copyfile)
    (performance,) = folder.glob("closed/*/results/*/*/*/performance")
    client, server = performance / "power/client.json", performance / "power/server.json"
    for file, path, digest in (
        (client, DETAIL, DETAIL),
        (server, DETAIL, DETAIL),
        (server, *["power/client.json"] * 2),
    ):
        session = json.loads(file.read_text())
        session["results"][path] = sha1(performance / digest)
        file.write_text(json.dumps(session))
    return folder


def test_a_detail_log_that_is_not_the_recorded_one_gives_no_figure(tmp_path: Path) -> None:
    storage = open_storage(tmp_path)
    try:
        (outcome,) = import_source(MLPERF_INFERENCE, TREE, storage.samples, storage.runs)
        result = Evaluations(storage).result(storage.runs.get(outcome.run_id or ""), "mlperf")
    finally:
        storage.close()
    assert result.power is result.efficiency is result.throughput is None
    assert f"Changed since the session recorded them: {DETAIL}" in result.notes[0]


def test_r7525_offline_by_the_rule_of_the_benchmark(tmp_path: Path) -> None:
    """Computed from the same log by others: 1101.2828341 W over 868 readings; 93371.4 samples/s stated by LoadGen."""
    storage = open_storage(tmp_path / "data")
    try:
        (outcome,) = import_source(MLPERF_INFERENCE, renewed(tmp_path / "tree"), storage.samples, storage.runs)
        assert outcome.error is None
        run = storage.runs.get(outcome.run_id or "")
        assert run is not None
        assert (run.level, run.meters[0].name) == ("Offline", "YokogawaWT210")
        # its clock ran on local time of Texas in summer: 21:29 is 02:29 UTC of the day after
        assert run.window_begin_ns == 1616120971_830_000_000
        assert run.configuration_snapshot.title == "Dell EMC PowerEdge R7525 (3x A100-PCIe-40GB)"
        result = Evaluations(storage).result(run, "mlperf")
    finally:
        storage.close()
    assert result.samples == 868
    assert result.power.value == pytest.approx(1101.2828341013824, rel=1e-9)
    # work is what LoadGen counted, one query of 81 048 000 samples, over the 868.017 s between its marks
    assert result.throughput.value == pytest.approx(81048000 / 868.017, rel=1e-12)
    assert result.efficiency.value == pytest.approx(81048000 / 868.017 / 1101.2828341013824, rel=1e-9)
    stated = {figure.name: figure.value for figure in result.source_figures}
    assert stated["result_samples_per_second"] == 93371.4
    assert stated["result_samples_per_second per joule"] == pytest.approx(84.784214, rel=1e-7)
    # logs of the daemon and of the ranging pass do not lie here
    failed = [
        verdict for verdict in result.verdicts if verdict.rule.startswith("import-") and verdict.outcome == "fail"
    ]
    assert [verdict.rule for verdict in failed] == ["import-session-files"]
    assert "power/ptd_logs.txt" in failed[0].text
    # the analyser's limits of error are not in the log, and no calibration date either
    assert result.power.U95 is None
    assert not result.traceable
    assert any("no_cal_date" in note for note in outcome.notes)
