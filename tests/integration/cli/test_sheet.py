from __future__ import annotations

from pathlib import Path

from .conftest import rows


def test_sheets_name_what_is_missing(wattmark, data: Path) -> None:
    code, out, err = wattmark("sheet", "procurement", "--run", "4-4-1", "--data", data, "--format", "csv")
    assert code == 0, err
    idle, loaded = rows(out)
    assert (idle["state"], loaded["state"]) == ("idle", "loaded")
    assert idle["power_w"] == ""
    assert float(loaded["power_w"]) > 0
    assert "Time measured of at least 1200 s (it is 100 s); Apparent power; Power factor" in loaded["missing"]


def test_sheets_are_listed_and_an_unknown_one_is_wrong_input(wattmark, data: Path) -> None:
    _, out, _ = wattmark("sheet", "--format", "csv")
    assert [row["name"] for row in rows(out)] == ["eehpc", "mlperf-summary", "procurement"]
    code, out, err = wattmark("sheet", "none", "--data", data)
    assert (code, out) == (2, b"")
    assert "Sheets: eehpc, mlperf-summary, procurement." in err


def test_a_submission_takes_the_nodes_of_the_machine(wattmark, data: Path) -> None:
    code, out, err = wattmark("sheet", "eehpc", "--run", "4-4-1", "--nodes", "2", "--data", data, "--format", "csv")
    assert code == 0, err
    assert {row["key"]: row["number"] for row in rows(out)}["fraction"] == "50.0"
