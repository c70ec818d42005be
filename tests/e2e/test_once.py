"""`wattmark demo --once --json`: the whole main job without a browser, as a script would run it."""

from __future__ import annotations

import json
import math
import subprocess
import time
from pathlib import Path
from statistics import geometric_mean

import pytest
from scipy import special

from .conftest import WATTMARK

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(420)]
LIMIT_S = 240
"""The demo must end within four minutes."""


def test_the_demo_runs_once_and_finds_what_was_planted(tmp_path: Path) -> None:
    command = [str(WATTMARK), "demo", "--once", "--json", "--data", str(tmp_path)]
    began = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, timeout=400, check=False)
    assert done.returncode == 0, done.stderr
    assert time.monotonic() - began < LIMIT_S
    found = json.loads(done.stdout)
    assert found["problems"] == []
    assert [result["status"] for result in found["results"]] == ["complete"] * 9
    assert all(result["simulated"] for result in found["results"])

    slope, planted = found["memory"]["watts_per_dimm"], found["planted"]["watts_per_dimm_wall"]
    dof = slope["dof"] or math.inf
    factor = 3.29 if math.isinf(dof) else float(special.stdtrit(dof, 0.9995))
    assert abs(slope["value"] - planted) <= factor * slope["u"], found["memory"]
    assert 0.5 < planted - found["planted"]["watts_per_dimm_dc"] < 2.5, "the supply's loss stands between DC and wall"

    watts = {count: [r["power_w"] for r in found["results"] if r["dimm_count"] == count] for count in (2, 4, 8)}
    assert max(watts[2]) < min(watts[4])
    assert max(watts[4]) < min(watts[8])
    disturbed = [
        v for r in found["results"] for v in r["verdicts"] if v["rule"] == "undisturbed" and v["outcome"] == "fail"
    ]
    if not disturbed:
        work = {n: geometric_mean(r["efficiency"] for r in found["results"] if r["dimm_count"] == n) for n in (2, 4, 8)}
        assert work[2] > work[8]
