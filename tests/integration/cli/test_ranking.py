"""Why a run is not ranked, and a person's choice, on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from wattmark.results.data_folder import open_storage

from .conftest import store_run

CHOICE = ["--rule", "frozen", "--by", "K. Berg", "--reason", "A bench supply feeds it."]


@pytest.fixture
def spoilt(tmp_path: Path) -> Path:
    """Two configurations with three runs each; the meter of one run stands still."""
    storage = open_storage(tmp_path)
    for dimms in (2, 4):
        for repeat in range(3):
            store_run(storage, dimms, 1, repeat)
    series = storage.samples.list_series("2-1-0")[0]
    samples = storage.samples.read(series.id)
    samples.value[:] = 240.0
    storage.samples.delete_run("2-1-0")
    storage.samples.append([(storage.samples.series(series.key).id, samples)])
    storage.close()
    return tmp_path


def test_a_run_is_shown_included_and_excluded(wattmark, spoilt: Path) -> None:
    code, out, _ = wattmark("ranking", "show", "2-1-0", "--data", spoilt)
    assert code == 0
    assert b"work per second: ranked\nwork per joule: not ranked. The reading never changed (rule frozen). " in out
    assert b"Rules that can be overridden: frozen" in out
    code, out, _ = wattmark("ranking", "include", "2-1-0", *CHOICE, "--data", spoilt)
    assert code == 0
    assert b"2-1-0: override of K. Berg for frozen.\nwork per second: ranked\nwork per joule: ranked\n" in out
    _, out, _ = wattmark("ranking", "show", "2-1-0", "--data", spoilt, "--json")
    shown = json.loads(out)
    assert [group["ranked"] for group in shown["ranking"]] == [True, True, True]
    assert "K. Berg" in shown["ranking"][1]["inclusion"]
    _, out, _ = wattmark("compare", "--data", spoilt, "--format", "csv")
    assert b"Ranked by override of K. Berg although rule frozen failed" in out
    _, out, _ = wattmark("results", "--data", spoilt, "--format", "json")
    chosen = {result["run_id"]: result["inclusion"] for result in json.loads(out)["results"]}
    assert [run_id for run_id, inclusion in chosen.items() if inclusion] == ["2-1-0"]
    _, out, _ = wattmark("audit", "--data", spoilt)
    assert b"ranking include" in out
    code, out, _ = wattmark("ranking", "exclude", "2-1-0", "--data", spoilt)
    assert code == 0
    _, out, _ = wattmark("compare", "--data", spoilt, "--format", "csv")
    assert b"K. Berg" not in out
    assert b"the reading never changed (rule frozen)" in out


@pytest.mark.parametrize(
    ("run", "change", "words"),
    [
        ("4-1-0", (), "did not fail in run 4-1-0"),
        ("2-1-0", ("--by", " "), "is not valid"),
        ("none", (), "There is no run"),
    ],
)
def test_what_cannot_be_chosen_is_refused(
    wattmark, spoilt: Path, run: str, change: tuple[str, ...], words: str
) -> None:
    code, _, err = wattmark("ranking", "include", run, *CHOICE, *change, "--data", spoilt)
    assert code != 0
    assert words in err
