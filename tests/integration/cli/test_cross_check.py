"""`wattmark cross-check`, its table, its figure and its part of the report, on runs with a planted difference."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from wattmark.results.data_folder import open_storage

from tests.integration.two_meters import store_run


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose plug reads 1 % high, and one whose plug reads 12 % high."""
    folder = tmp_path_factory.mktemp("data")
    storage = open_storage(folder)
    store_run(storage, "near", 300.0, gain=1.01)
    store_run(storage, "off", 300.0, gain=1.12, begin_ns=1_790_001_000 * 10**9)
    storage.close()
    return folder


def test_the_planted_difference_and_gain_are_in_the_table(wattmark, data: Path) -> None:
    code, out, _ = wattmark("cross-check", "near", "--data", data, "--format", "json")
    assert code == 0
    (row,) = json.loads(out)["rows"]
    assert (row["source"], row["outcome"]) == ("plug", "pass")
    assert abs(row["difference_pct"] - 1.0) <= row["difference_U95_pct"]
    assert abs(row["gain"] - 1 / 1.01) <= row["gain_U95"]
    assert 2.0 < row["limit_pct"] < 3.0


def test_a_source_beyond_its_limit_ends_the_command_with_1(wattmark, data: Path) -> None:
    code, out, _ = wattmark("cross-check", "off", "--data", data, "--format", "md")
    assert code == 1
    assert "plug 12 % high, beyond" in out.decode()


def test_report_and_figure_show_the_cross_check(wattmark, data: Path, tmp_path: Path) -> None:
    code, _, err = wattmark("figure", "cross-check", "--run", "off", "--data", data, "-o", tmp_path / "x.svg")
    assert code == 0
    assert "plug 12 % high" in err
    code, _, _ = wattmark("report", "--data", data, "-o", tmp_path / "r.html")
    assert code == 0
    report = (tmp_path / "r.html").read_text()
    assert "Cross-check of the power of run near" in report
    assert "plug 1 % high, within" in report
