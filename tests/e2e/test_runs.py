"""Runs kept in order by a person: tags, notes, trash and undo by keys, samples to take away, sweeps, exports."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .conftest import assert_well, browse, serving
from .sweep import RATES, store_sweep

pytestmark = pytest.mark.e2e


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """Serve a folder with a sweep of four levels."""
    store_sweep(tmp_path)
    with serving(tmp_path) as address:
        yield address


def test_runs_are_tagged_found_deleted_brought_back_and_taken_away(url: str) -> None:
    seen = browse("runs.mjs", url)
    assert_well(seen)
    assert seen["all"] == len(RATES)
    assert "tag=winter" in seen["address"]
    assert "sort=created" in seen["address"]
    assert seen["trashed"] == 1
    assert seen["samples"].startswith("time [ns since 1970 UTC],time [ISO 8601 UTC],source")
    assert seen["sample_rows"] == 71
    assert "span=" in seen["span"]["dragged"]
    assert "from=" not in seen["span"]["dragged"]
    meter, mean, energy, least, most, _, readings, missing = seen["span"]["cells"]
    assert (meter, readings, missing) == ("wall", "9", "none")
    assert mean.startswith("200.5 ± ")
    assert energy.startswith("2.005 ± ")
    assert (least, most) == ("200.0\N{NO-BREAK SPACE}W", "201.0\N{NO-BREAK SPACE}W")
    assert seen["span"]["pressed"] == "false"
    assert seen["overlay"]["address"].count(",") + seen["overlay"]["address"].count("%2C") == 1
    assert [lane.split()[0] for lane in seen["overlay"]["lanes"]] == ["Power", "Difference", "Throughput"]
    assert "highest so far" in seen["sweep"]
    assert "knee" in seen["sweep"]
    assert seen["exported"].splitlines()[0].startswith("run_id")
