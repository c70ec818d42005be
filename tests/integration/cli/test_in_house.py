"""`wattmark certificate in-house`: preview, file, register, and refusals with their reasons."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from wattmark.results.data_folder import open_storage

from tests.integration.two_meters import BEGIN_NS, S, store_run

ORDER = (
    "certificate", "in-house", "plug", "--reference", "analyser", "--due", "2027-03-01", "--lab", "Example Lab",
    "--by", "K. Berg",
)  # fmt: skip


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Four steps of a load; a campaign of one step only."""
    folder = tmp_path / "data"
    storage = open_storage(folder)
    for k, load_w in enumerate((120.0, 180.0, 240.0, 300.0)):
        store_run(storage, f"r{k}", load_w, begin_ns=BEGIN_NS + k * 400 * S, gain=1.03, offset_w=1.5, seed=k)
    store_run(storage, "one", 300.0, begin_ns=BEGIN_NS + 4000 * S, gain=1.03, offset_w=1.5, campaign_id="short")
    storage.close()
    return folder


def test_preview_adds_nothing_and_the_order_adds_the_certificate(wattmark, data: Path, tmp_path: Path) -> None:
    file = tmp_path / "plug.json"
    code, out, _ = wattmark(*ORDER, "--campaign", "stepped", "--preview", "-o", file, "--data", data)
    assert code == 0
    assert "In-house certificate IH-PLUG-5-2026" in out.decode()
    assert json.loads(file.read_text())["in_house"] is True
    code, out, _ = wattmark("certificate", "list", "--data", data, "--json")
    assert json.loads(out)["certificates"] == []
    code, _, err = wattmark(*ORDER, "--campaign", "stepped", "--data", data)
    assert code == 0
    assert "is in the register" in err
    assert "not traceable" in err
    code, out, _ = wattmark("certificate", "list", "--data", data, "--json")
    (listed,) = json.loads(out)["certificates"]
    assert (listed["serial"], listed["in_house"], listed["traceable"]) == ("PLUG-5", True, False)


def test_a_comparison_of_too_few_steps_ends_with_1_and_says_why(wattmark, data: Path) -> None:
    code, _, err = wattmark(*ORDER, "--campaign", "short", "--data", data)
    assert code == 1
    assert "2 distinct powers; at least 5 are needed" in err
