"""Every page at the size of a laboratory: no violation of axe, nothing wider than its screen, no console error."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.generated_lab import store_lab

from .conftest import ROOT, WATTMARK, assert_well, browse, serving

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(1200)]
LOOKS = 4
TOUR_S = 900
MLPERF = ROOT.parent / "shared/data/mlperf-power-v1.0"


def tour(data: Path, folder: Path, *pages: str) -> None:
    """Visit the pages of a data folder in every look."""
    with serving(data) as url:
        seen = browse("tour.mjs", url, str(folder), *([",".join(pages)] if pages else []), timeout_s=TOUR_S)
    assert_well(seen)
    assert len(list(folder.glob("*.png"))) == LOOKS * len(seen["pages"])


def test_twelve_servers_of_twenty_configurations(tmp_path: Path) -> None:
    assert store_lab(tmp_path / "data", servers=12, configurations=20, repeats=9) == 2064
    tour(tmp_path / "data", tmp_path)


def test_ten_thousand_runs(tmp_path: Path) -> None:
    assert store_lab(tmp_path / "data", servers=12, configurations=20, repeats=11, workloads=4) > 10_000
    tour(tmp_path / "data", tmp_path, "runs", "compare", "export")


def test_published_results_of_machine_learning(tmp_path: Path) -> None:
    if not MLPERF.is_dir():
        pytest.skip(f"{MLPERF} is missing: the published results are not part of the repository")
    command = [str(WATTMARK), "import", "mlperf", str(MLPERF), "--data", str(tmp_path / "data")]
    subprocess.run(command, check=True, capture_output=True)
    tour(tmp_path / "data", tmp_path)
