"""A plan built in the browser on a bench of simulated meters: mended, previewed, saved, started, stopped, merged."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from wattmark.cli.demo.bench_file import Naming, Timing, write_bench
from wattmark.cli.demo.lab import spec
from wattmark_drivers.simulators.simulated_lab import SimulatedLab

from .conftest import assert_well, browse, serving

pytestmark = pytest.mark.e2e


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """Serve the bench of the demo without its campaign."""
    with SimulatedLab(spec(seed=3)) as lab:
        bench = write_bench(tmp_path, lab, Timing(), seed=3, naming=Naming())
        with serving(tmp_path / "data", "--bench", str(bench)) as address:
            yield address


def test_a_plan_from_nothing_to_a_stopped_campaign_and_back(url: str, tmp_path: Path) -> None:
    seen: dict[str, Any] = browse("plans.mjs", url, str(tmp_path / "pictures"))
    assert "two words" in seen["wrongName"], "the mistake stands at its field"
    assert "Fix the fields" in seen["withheld"]
    assert "Differences are tested from 3 repeats on; the plan has 1." in seen["expected"]
    assert "Steadiness cannot be judged over 20 s" in seen["expected"]
    assert seen["loads"] == "openssl.rsa1024-sign: each level of its sweep, and all CPUs."
    assert (seen["kept"], seen["stayed"], seen["before"]) == ("20 s", "/plans/new", None)
    assert "+  - name: quick" in seen["diff"]
    assert seen["saved"] == {
        "name": "quick",
        "configurations": ["fbserver/fbdimm-2", "fbserver/fbdimm-8"],
        "workloads": ["openssl.rsa1024-sign"],
        "repeats": 1,
        "measure_s": 20,
        "settle_s": 1,
        "idle_s": 1,
    }, "what was left at its default is not written"
    assert re.search(r"\d\sW", seen["strip"])
    assert "2 runs" in seen["strip"]
    assert (seen["campaign"]["state"], seen["campaign"]["plan"]) == ("aborted", "quick")
    assert sorted(run["configuration"] for run in seen["campaign"]["runs"]) == ["fbdimm-2", "fbdimm-8"]
    assert seen["merged"] == ["Mine", "Another lab", True], "a change elsewhere in the bench is no conflict"
    assert "Mine again" in seen["conflict"]
    assert seen["theirs"] == "2"
    assert seen["renamed"] == [None, 2]
    assert (seen["deleted"], seen["back"]) == (None, 2)
    assert_well(seen, refused="409|422")
