"""`wattmark archive --parquet` beside a service that records: what it says, and how it ends."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import duckdb
from wattmark.results.data_folder import open_storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer
from wattmark.runs.record import RunStatus
from wattmark_drivers.clock import SystemClock

from .conftest import store_run


def test_finished_runs_are_added_while_another_one_records(wattmark, data: Path, tmp_path: Path) -> None:
    folder, cold = tmp_path / "data", tmp_path / "cold"
    shutil.copytree(data, folder)
    storage = open_storage(folder)
    issuer = Issuer(storage, Evaluations(storage), SystemClock())
    for run in storage.runs.all():
        issuer.first(run)
    store_run(storage, 8, 4, 9)
    recording = storage.runs.get("8-4-9")
    storage.runs.put(recording.model_copy(update={"status": RunStatus.RUNNING}))
    arguments = ("archive", "--parquet", cold, "--data", folder, "--lab", "North")
    code, out, err = wattmark(*arguments, "--all", "--verify", "--json")
    assert code == 0, out + err.encode()
    said = json.loads(out)
    assert (len(said["new"]), said["verified"]["differing"]) == (15, {})
    assert said["samples"] == said["verified"]["samples"] == 15 * 121
    code, out, err = wattmark(*arguments, "--all")
    assert (code, out.decode()) == (0, f"{cold}: 0 runs added, 0 replaced, 15 unchanged; 0 samples, 0.0 MB\n")
    code, _, err = wattmark(*arguments, "8-4-9")
    assert (code, "is recording" in err) == (1, True)
    storage.close()
    sql = f"SELECT dimm_count, count(*) FROM '{cold}/result/**/*.parquet' GROUP BY 1 ORDER BY 1"
    assert duckdb.sql(sql).fetchall() == [(2, 3), (4, 9), (8, 3)]


def test_options_that_do_not_go_together_are_refused(wattmark, data: Path, tmp_path: Path) -> None:
    for options in ((), ("-o", tmp_path / "a.zip", "--parquet", tmp_path), ("--parquet", tmp_path, "--with-notes"),
                    ("-o", tmp_path / "a.zip", "--verify")):  # fmt: skip
        code, _, err = wattmark("archive", "--all", "--data", data, *options)
        assert code == 2, err
    assert list(tmp_path.iterdir()) == []
