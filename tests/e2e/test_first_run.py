"""The first minutes of a new user: an empty data folder, a meter at an address, a server under test."""

from __future__ import annotations

import csv
import io
import re
import subprocess
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from wattmark_drivers.simulators.simulated_lab import SimulatedLab

from .conftest import ROOT, assert_well, browse, serving

pytestmark = pytest.mark.e2e
IDLE_W = 120.0
SPEC: dict[str, Any] = {
    "seed": 1,
    "servers": {"sut": {"idle_w": IDLE_W, "dynamic_w": 160.0, "dimms": 4, "psu": {"rated_w": 1000}}},
    "devices": {"meter": {"model": "carlogavazzi.em24e1", "measures": ["sut"]}},
}


LONGEST_WALK_S = 180
"""Four runs of a few seconds, and the pages between them."""
ARTICLE = r"""\documentclass[10pt,a4paper]{article}
\usepackage{array,booktabs,longtable,siunitx}
\begin{document}
%s
\end{document}
"""


def compile_on_a_page(table: str, folder: Path) -> None:
    """Compile a table twice, as longtable needs it; it must be one page, and no wider than its text."""
    (folder / "article.tex").write_text(ARTICLE % table, encoding="utf-8")
    for _ in range(2):
        done = subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "article.tex"],
            cwd=folder, capture_output=True, text=True, errors="replace", timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-3000:]
    assert "Overfull" not in done.stdout
    assert "(1 page," in done.stdout


@pytest.fixture
def modbus_port() -> Iterator[int]:
    """A simulated energy meter that speaks Modbus TCP."""
    with SimulatedLab(SPEC) as lab:
        port = urlsplit(str(lab.devices["meter"].url)).port
        assert port
        yield port


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """Serve an empty data folder."""
    with serving(tmp_path / "data") as address:
        yield address


def test_a_new_user_connects_a_meter_and_describes_a_server(url: str, modbus_port: int, tmp_path: Path) -> None:
    seen = browse("first_run.mjs", url, str(tmp_path / "pictures"), str(modbus_port))
    assert "sign-in" in seen["everybody"], "the first page says who may do what, and what changes it"
    assert f"modbus-tcp://127.0.0.1:{modbus_port}" in seen["address"]
    assert "1 to 65535" in seen["wrongPort"], "the mistake stands at its field"
    assert "greater than 0" in seen["wrongPeriod"]
    assert seen["kept"] == str(modbus_port), "a reload lost what was typed"
    watts = float(re.search(r"([\d.]+)\sW", seen["tried"])[1])  # type: ignore[index]
    assert IDLE_W < watts < 500, seen["tried"]
    assert "Pass" in seen["verdicts"]
    assert "simulated" in seen["live"]

    slots = seen["server"]["configurations"][0]["memory"]["slots"]
    assert seen["uneven"]
    assert "A1" in seen["said"], "a move by keys is announced"
    assert sorted(name for name, module in slots.items() if module) == ["A1", "B1", "C1", "D2"]
    assert {module["type"] for module in slots.values() if module} == {"FB-DIMM"}
    assert seen["noKernel"] == "Fill in this field."
    assert seen["feeds"] == [{"server": "test-server"}]

    assert "wall will measure nothing" in seen["lost"], "what goes with a server is named before it goes"
    assert seen["cancelled"] == ["test-server"]
    assert seen["alone"]["servers"] == []
    assert seen["alone"]["meters"][0]["feeds"] == []
    assert seen["together"]["servers"] == [seen["server"]]
    assert seen["together"]["meters"][0]["feeds"] == seen["feeds"]
    assert (seen["without"], seen["back"]) == ([], ["wall"])
    assert_well(seen, refused="422")


def test_from_an_empty_folder_to_a_published_comparison_in_seven_clicks_and_one_per_fitting(
    url: str, tmp_path: Path
) -> None:
    seen = browse("walk.mjs", url, str(tmp_path / "pictures"))
    assert_well(seen, refused="422")
    walk = (ROOT / "backend/docs/guide/first-walk.md").read_text()
    assert seen["clicks"] == re.findall(r"^\| \d+ .*?\*\*(.+?)\*\*", walk, re.M), "the guide counts other clicks"
    assert len(seen["clicks"]) == 7 + len(seen["boards"])

    first, *others = boards = seen["boards"]
    assert sorted(board["filled"] for board in boards) == [4, 4, 8, 8]
    assert all(board["filled"] != after["filled"] for board, after in pairwise(boards)), "measured in turns"
    assert first["fit"] == 0, "nothing is marked while it is not known what is fitted"
    for board in others:
        assert board["fit"] == (4 if board["filled"] == 8 else 0), "the slots to fill are marked"
        step = (
            r"Fit 4 × 1\sGiB FB-DIMM: A2, B2, C2, D2\." if board["filled"] == 8 else "Remove 4 modules: A2, B2, C2, D2."
        )
        assert any(re.fullmatch(step, shown) for shown in board["steps"]), board
    (server,) = seen["bench"]["servers"]
    modules = [[module for module in c["memory"]["slots"].values() if module] for c in server["configurations"]]
    assert [len(fitted) for fitted in modules] == [4, 8]
    assert server["prepare"] == "manual"
    assert seen["bench"]["meters"][0]["feeds"] == [{"server": server["id"]}]
    rows = list(csv.DictReader(io.StringIO(seen["file"]["text"])))
    own = {row["configuration"]: row for row in rows if row["server"] == server["id"]}
    assert own.keys() == {c["id"] for c in server["configurations"]}
    assert {row["kind"] for row in own.values()} == {"simulated"}
    assert seen["bench"]["meters"][0]["url"] == "simulated://"
    assert seen["seconds"] < LONGEST_WALK_S
    compile_on_a_page(seen["latex"]["text"], tmp_path)
