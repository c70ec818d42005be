"""Every page at the size of a laboratory: no violation of axe, nothing wider than its screen, no console error."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.generated_lab import store_lab

from .conftest import ROOT, WATTMARK, assert_well, browse, serving

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(1200)]
LOOKS = "middle", "narrow"
"""Where there is least room; colours do not depend on how much there is, and test_demo.py sees them."""
TOUR_S = 900
MLPERF = ROOT.parent / "shared/data/mlperf-power-v1.0"


def tour(data: Path, folder: Path) -> None:
    """Visit every page of a data folder."""
    with serving(data) as url:
        seen = browse("tour.mjs", url, str(folder), ",".join(LOOKS), timeout_s=TOUR_S)
    assert_well(seen)
    assert len(list(folder.glob("*.png"))) == len(LOOKS) * len(seen["pages"])


def test_ten_thousand_runs_of_twelve_servers(tmp_path: Path) -> None:
    assert store_lab(tmp_path / "data", servers=12, configurations=20, repeats=11, workloads=4) > 10_000
    tour(tmp_path / "data", tmp_path)


def test_published_results_of_machine_learning(tmp_path: Path) -> None:
    if not MLPERF.is_dir():
        pytest.skip(f"{MLPERF} is missing: the published results are not part of the repository")
    command = [str(WATTMARK), "import", "mlperf", str(MLPERF), "--data", str(tmp_path / "data")]
    subprocess.run(command, check=True, capture_output=True)
    tour(tmp_path / "data", tmp_path)
