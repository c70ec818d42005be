"""A latency result, evaluated: its energy per query is mean power times window over queries."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from wattmark.cli.main import main
from wattmark.importers.bring_in import import_source
from wattmark.importers.mlperf.mlperf import MLPERF_INFERENCE
from wattmark.results.data_folder import open_storage
from wattmark.results.evaluate import evaluate

BEGIN = datetime(2021, 3, 3, 0, 54, 5, 983000, tzinfo=UTC)
FORM = "%m-%d-%Y %H:%M:%S.%f"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    # Krai rpi4coral-fan.off resnet50, MLPerf inference v1.0: window and LoadGen's figures; a constant 5.8342 W.
    run = tmp_path / "v1.0/closed/Krai/results/rpi4/resnet50/offline/performance/run_1"
    run.mkdir(parents=True)
    entries = {
        "effective_scenario": "SingleStream",
        "power_begin": "03-03-2021 00:54:05.983",
        "power_end": "03-03-2021 01:04:10.368",
        "result_validity": "VALID",
        "result_qps_with_loadgen_overhead": 1.69425,
        "result_mean_latency_ns": 590196558,
    }
    lines = [f":::MLLOG {json.dumps({'key': key, 'value': value})}\n" for key, value in entries.items()]
    (run / "mlperf_log_detail.txt").write_text("".join(lines))
    stamps = [(BEGIN + timedelta(seconds=second)).strftime(FORM)[:-3] for second in range(-9, 616)]
    (run / "spl.txt").write_text("".join(f"Time,{stamp},Watts,5.834200,Mark,s_testing\n" for stamp in stamps))
    return tmp_path / "v1.0"


def test_single_stream_gives_energy_per_query(tree: Path, tmp_path: Path) -> None:
    storage = open_storage(tmp_path / "data")
    try:
        (outcome,) = import_source(MLPERF_INFERENCE, tree, storage.samples, storage.runs)
        record = storage.runs.get(outcome.run_id or "")
        assert record is not None
        for rule in ("mlperf", "complete"):
            result = evaluate(record, storage.samples, rule)  # type: ignore[arg-type]
            assert result.power.value == pytest.approx(5.8342, rel=1e-9)
            assert result.energy_per_op.value == pytest.approx(5.8342 * 604.385 / 1024, rel=1e-6)
            assert result.efficiency_unit == "queries/J"
    finally:
        storage.close()
    assert any("folder is named offline" in note for note in outcome.notes)


def test_the_command_states_what_it_imports(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a certificate that comes later would change is then said as a new version, not silently."""
    monkeypatch.setattr(sys, "argv", ["wattmark", "import", "mlperf", str(tree), "--data", str(tmp_path / "data")])
    for _ in range(2):
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code in (None, 0)
    storage = open_storage(tmp_path / "data", read_only=True)
    try:
        (run,) = storage.runs.all()
        (issue,) = storage.issued.of(run.run_id)
        assert issue.issue.version == 1
        assert issue.result.power.value == pytest.approx(5.8342, rel=1e-9)
    finally:
        storage.close()
