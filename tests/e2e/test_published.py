"""Published results of others in a browser: on Compare, over the years, over load levels, over DIMM counts."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from .conftest import ROOT, WATTMARK, assert_well, browse, serving

pytestmark = pytest.mark.e2e
TEXTS = ROOT.parent / "shared/data/specpower"


def test_imported_results_stand_beside_the_library(tmp_path: Path) -> None:
    if not TEXTS.is_dir():
        pytest.skip(f"{TEXTS} is missing: the published results are not part of the repository")
    command = [str(WATTMARK), "import", "specpower", str(TEXTS), "--data", str(tmp_path / "data")]
    subprocess.run(command, check=True, capture_output=True)
    with serving(tmp_path / "data") as url:
        seen = browse("published.mjs", url, str(tmp_path), timeout_s=300)
    assert_well(seen)
    count = len(list(TEXTS.glob("*.txt")))
    assert seen["all"] == f"{count} configurations"
    assert seen["headline"].startswith("Published figures only")
    assert seen["years"].startswith(f"{count} published results over the years.")
    assert seen["fbDimm"].endswith(f"of {count} configurations")
    cells = seen["netra"].split()
    assert {"77", "100"} <= set(cells), "idle share 174 W of 226 W, best at full load"
    assert "12.9" in seen["perDimm"]
    assert "10.1 to 15.6" in seen["perDimm"]
    assert "no interval" in seen["levels"]
    assert seen["pdf"] == "%PDF-"
    assert seen["listed"] == 3, "Sun Netra X4250, numbers 00128, 00144 and 00145"
    assert {"2008-07-01", "2009-03-30"} <= set(seen["first"].split()), "Jul-2008 and Mar 30, 2009 in its text"
