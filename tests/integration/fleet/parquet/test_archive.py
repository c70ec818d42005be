"""Runs as Parquet, read by others: every bit of the samples, every issued version, and nothing twice."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import numpy as np
import polars
import pytest
from wattmark.core.errors import InputError, StoreError, WattmarkError
from wattmark.fleet.clickhouse.tables import RESULT, RUN, SAMPLE
from wattmark.fleet.dossiers.dossier import read_dossier
from wattmark.fleet.parquet import archive
from wattmark.fleet.parquet.target import Folder, failing
from wattmark.results.result import Result
from wattmark.runs.disclosure import Disclosure, ThinnedSamples

from ...disks import fill_up, small_disk  # noqa: F401 - a fixture
from ...traceability.conftest import Lab
from .conftest import NOW_NS, ODD, QUALITY, STAMPS, U_STAMPS, VALUES, add, ask, compare, names

READ_BACK = "SELECT t_ns, repeat, value, quality, u_t_s FROM sample WHERE run = '{}' AND part = 0 AND source = 'wall'"


def test_samples_come_back_bit_for_bit_with_their_series(lab: Lab, tmp_path: Path) -> None:
    folder = tmp_path / "cold"
    added = add(lab, folder)
    assert sorted(added.new) == sorted(["r1", "r2", ODD, "plain"])
    frame = polars.scan_parquet(folder / "sample").filter(polars.col("run") == ODD).collect()
    assert frame["source"].to_list() == ["bmc"] * 5 + ["wall"] * 10
    assert frame["part"].to_list() == [0] * 10 + [1] * 5
    odd = frame.filter((polars.col("source") == "wall") & (polars.col("part") == 0))
    for name, expected in (("t_ns", STAMPS), ("value", VALUES), ("quality", QUALITY), ("u_t_s", U_STAMPS)):
        assert odd[name].to_numpy().tobytes() == expected.tobytes()
    assert odd["repeat"].to_list() == [0, 0, 1, 2, 0]
    assert odd["t"].dt.epoch("us").to_list() == (STAMPS // 1000).tolist()
    assert set(frame["lab"]) == {"North"}
    assert (set(frame["server"]), set(frame["unit"]), set(frame["quantity"])) == ({"node 1"}, {"W"}, {"power"})
    there = np.array([row[2] for row in ask(folder, READ_BACK.format(ODD))])
    assert there.tobytes() == VALUES.tobytes()
    assert compare(lab, folder).differing == {}


def test_columns_are_those_of_the_tables_of_a_fleet(lab: Lab, tmp_path: Path) -> None:
    add(lab, tmp_path / "cold")
    for table, declared in (("sample", SAMPLE), ("run", RUN), ("result", RESULT), ("result_version", RESULT)):
        columns = [row[0] for row in ask(tmp_path / "cold", f"DESCRIBE {table}")]
        own = [column.name for column in declared.columns]
        assert columns[: len(own)] == own
        assert columns[len(own) :] == (["t", "unit", "quantity", "month"] if table == "sample" else ["month"])


def test_results_are_those_issued_and_records_read_back(lab: Lab, tmp_path: Path) -> None:
    folder = tmp_path / "cold"
    add(lab, folder)
    issued = {run: lab.storage.issued.of(run) for run in ("r1", "r2")}
    rows = ask(folder, "SELECT run, version, document, written_ns FROM result_version ORDER BY run, version")
    assert [(run, number, Result.model_validate_json(text), ns) for run, number, text, ns in rows] == [
        (run, version.issue.version, version.result, version.issue.issued_ns)
        for run, versions in issued.items()
        for version in versions
    ]
    now = ask(folder, "SELECT run, version, power, power_U95, written_ns FROM result ORDER BY run")
    last = [versions[-1] for versions in issued.values()]
    assert now == [
        (of.result.run_id, of.issue.version, of.result.power.value, of.result.power.U95, NOW_NS) for of in last
    ]
    assert [version for _, version, *_ in now] == [2, 1]
    ((record, status, month),) = ask(folder, "SELECT record, status, month FROM run WHERE run = 'r1'")
    assert read_dossier(record.encode(), "r1").record == lab.storage.runs.get("r1")
    assert (status, month) == ("complete", "2025-06")


def test_adding_again_writes_nothing_and_a_result_issued_anew_replaces_its_rows_only(lab: Lab, tmp_path: Path) -> None:
    folder = tmp_path / "cold"
    add(lab, folder)
    before = {path: path.stat().st_ino for path in folder.rglob("*.parquet")}
    again = add(lab, folder)
    assert (again.new, again.replaced, len(again.unchanged), again.samples) == ([], [], 4, 0)
    assert {path: path.stat().st_ino for path in folder.rglob("*.parquet")} == before
    lab.reissued("r2")
    changed = add(lab, folder)
    assert (changed.new, changed.replaced, changed.samples) == ([], ["r2"], 0)
    assert ask(folder, "SELECT run, version FROM result ORDER BY run") == [("r1", 2), ("r2", 2)]
    assert ask(folder, "SELECT count(*) FROM result_version") == [(4,)]
    rewritten = {path for path, inode in before.items() if path.stat().st_ino != inode}
    assert {path.relative_to(folder).parts[0] for path in rewritten} == {"run", "result", "result_version"}


def test_a_lab_that_is_renamed_takes_its_runs_along(lab: Lab, tmp_path: Path) -> None:
    folder = tmp_path / "cold"
    add(lab, folder)
    assert len(add(lab, folder, name="Süd/1 = x").replaced) == 4
    for table in ("sample", "run", "result", "result_version"):
        assert ask(folder, f"SELECT DISTINCT lab FROM {table}") == [("Süd/1 = x",)]
    assert not [name for name in names(folder) if "lab=North" in name]
    assert compare(lab, folder, name="Süd/1 = x").differing == {}


def test_another_data_folder_with_the_same_run_does_not_add_it_again(lab: Lab, tmp_path: Path) -> None:
    add(lab, tmp_path / "cold", "r1")
    other = Lab(tmp_path / "other")
    other.measure("a0", day="2025-06-01")
    other.measure("r1", noise_w=0.4)
    added = add(other, tmp_path / "cold")
    assert (added.new, added.elsewhere) == (["a0"], ["r1"])
    assert ask(tmp_path / "cold", "SELECT run FROM run ORDER BY run") == [("a0",), ("r1",)]
    other.storage.close()


def test_folders_that_never_recorded_keep_their_runs_where_two_labs_imported_the_same(tmp_path: Path) -> None:
    for name in ("North", "South"):
        lab = Lab(tmp_path / name)
        lab.measure("imported-1")
        assert add(lab, tmp_path / "cold", name=name).new == ["imported-1"]
        assert add(lab, tmp_path / "cold", name=name).unchanged == ["imported-1"]
        lab.storage.close()
    assert ask(tmp_path / "cold", "SELECT lab, run FROM run ORDER BY lab") == [
        ("North", "imported-1"), ("South", "imported-1"),
    ]  # fmt: skip
    assert len(list(tmp_path.glob("cold/sample/*/*/*.parquet"))) == 2


class Failing(Folder):
    """A folder that takes some files, and then no more."""

    def __init__(self, folder: Path, takes: int) -> None:
        super().__init__(folder)
        self.takes = takes

    def publish(self, written: Path, path: str) -> None:
        self.takes -= 1
        if self.takes < 0:
            raise OSError(errno.EIO, "unplugged")
        super().publish(written, path)


@pytest.mark.parametrize("takes", [1, 4, 8])
def test_what_is_interrupted_is_readable_and_is_completed_the_next_time(lab: Lab, tmp_path: Path, takes: int) -> None:
    folder = tmp_path / "cold"
    with pytest.raises(OSError, match="unplugged"):
        add(lab, Failing(folder, takes))
    assert len(names(folder)) == takes
    for path in folder.rglob("*.parquet"):
        polars.read_parquet(path)
    add(lab, folder)
    assert compare(lab, folder).differing == {}
    assert ask(folder, "SELECT count(*), count(DISTINCT run) FROM run") == [(4, 4)]
    assert ask(folder, "SELECT count(*) FROM result") == [(2,)]


def test_samples_that_were_thinned_since_do_not_replace_the_raw_ones(lab: Lab, tmp_path: Path) -> None:
    folder = tmp_path / "cold"
    add(lab, folder)
    raw = ask(folder, "SELECT count(*) FROM sample WHERE run = 'r1'")
    run = lab.storage.runs.get("r1")
    thinned = ThinnedSamples(on="2026-01-01", software="test")
    lab.storage.samples.delete_run("r1")
    lab.storage.runs.put(run.model_copy(update={"disclosure": Disclosure(thinned=thinned)}))
    assert add(lab, folder).replaced == ["r1"]
    assert ask(folder, "SELECT count(*) FROM sample WHERE run = 'r1'") == raw
    assert '"software":"test"' in ask(folder, "SELECT record FROM run WHERE run = 'r1'")[0][0]
    assert compare(lab, folder).thinned == ["r1"]


def test_verifying_finds_a_bit_that_is_wrong_and_a_file_that_is_lost(lab: Lab, tmp_path: Path) -> None:
    folder = tmp_path / "cold"
    add(lab, folder)
    (path,) = folder.glob("sample/*/*/r1.parquet")
    frame = polars.read_parquet(path, hive_partitioning=False)
    frame.with_columns(value=frame["value"] + 1e-9).write_parquet(path)
    (folder / "sample/lab=North/month=2025-06/r2.parquet").unlink()
    differing = compare(lab, folder).differing
    n = frame.height
    assert differing == {"r1": f"samples differ ({n} samples there, {n} here)", "r2": f"0 samples there, {n} here"}
    assert add(lab, folder).samples == n
    assert set(compare(lab, folder).differing) == {"r1"}


def test_a_damaged_table_is_named(lab: Lab, tmp_path: Path) -> None:
    folder = tmp_path / "cold"
    add(lab, folder)
    (path,) = folder.glob("run/*/month=2025-06/*.parquet")
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2] + b"\0" * 40 + content[len(content) // 2 + 40 :])
    with pytest.raises(InputError, match=path.name):
        add(lab, folder)


def test_what_is_no_archive_is_left_alone(lab: Lab, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.tex").write_text("mine")
    with pytest.raises(InputError, match=r"contains something else \(thesis\.tex\)"):
        add(lab, other)
    assert names(other) == {"thesis.tex"}
    with pytest.raises(InputError, match="is not a folder"):
        add(lab, other / "thesis.tex")
    newer = tmp_path / "newer"
    newer.mkdir()
    (newer / "_wattmark.json").write_text(json.dumps({"format": "wattmark-parquet/9"}))
    with pytest.raises(InputError, match="another kind"):
        add(lab, newer)


def test_a_full_disk_is_one_line_and_leaves_no_half_file(lab: Lab, small_disk: Path) -> None:  # noqa: F811
    folder = small_disk / "cold"
    add(lab, folder, "r1")
    fill_up(small_disk)
    with pytest.raises(WattmarkError, match=r"disk of .* is full"):
        add(lab, folder)
    assert compare(lab, folder).same == ["r1"]


@pytest.mark.parametrize(
    ("number", "cause", "remedy"),
    [
        (errno.ENOSPC, "The disk of /cold is full.", "Free some space"),
        (errno.EDQUOT, "The disk of /cold is full.", "Free some space"),
        (errno.EACCES, "/cold cannot be written: Permission denied.", "Change its permissions"),
        (errno.EROFS, "/cold cannot be written: Read-only file system.", "Change its permissions"),
        (errno.EIO, "/cold cannot be used: Input/output error.", "Choose another folder"),
    ],
)
def test_what_a_folder_refuses_has_a_cause_and_a_remedy(number: int, cause: str, remedy: str) -> None:
    with pytest.raises(WattmarkError) as refused, failing("/cold"):
        raise OSError(number, os.strerror(number))
    assert refused.value.cause == cause
    assert refused.value.remedy.startswith(remedy)


def test_many_runs_are_written_some_at_a_time(lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "AT_A_TIME", 1)
    assert len(add(lab, tmp_path / "cold").new) == 4
    assert ask(tmp_path / "cold", "SELECT run, version FROM result ORDER BY run") == [("r1", 2), ("r2", 1)]
    assert ask(tmp_path / "cold", "SELECT count(*) FROM run") == [(4,)]
    assert len(add(lab, tmp_path / "cold").unchanged) == 4


def test_a_damaged_run_is_left_out_and_the_others_are_added(lab: Lab, tmp_path: Path) -> None:
    lab.tamper("UPDATE chunk_data SET v = zeroblob(7)")
    lost: dict[str, str] = {}
    added = add(lab, tmp_path / "cold", leave_out=lambda run, error: lost.update({run.run_id: error.cause}))
    assert set(lost) == {ODD}
    assert sorted(added.new) == ["plain", "r1", "r2"]
    with pytest.raises(StoreError):
        add(lab, tmp_path / "cold")
