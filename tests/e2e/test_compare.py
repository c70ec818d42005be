"""Compare with more configurations than fit a screen: found, narrowed, pinned, compared, and shared by address."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.generated_lab import store_lab

from .conftest import assert_well, browse, serving

pytestmark = pytest.mark.e2e
SERVERS, CONFIGURATIONS, REPEATS, WORKLOADS = 4, 8, 3, 2


def test_many_configurations_are_narrowed_pinned_and_compared(tmp_path: Path) -> None:
    store_lab(tmp_path / "data", SERVERS, CONFIGURATIONS, REPEATS, WORKLOADS)
    with serving(tmp_path / "data") as url:
        seen = browse("compare.mjs", url, str(tmp_path), timeout_s=480)
    assert_well(seen)
    first = seen["first"]
    measured = [name for name in first["names"] if name.startswith("node-0")]
    assert len(measured) == SERVERS * CONFIGURATIONS, "every row names its server"
    assert first["shown"] == f"{len(first['names'])} configurations", "and the others are published"
    assert "share the first place in work per joule" in first["headline"]
    assert "not ranked: no ±" in first["figure"], "what is not ranked is drawn, with its reason"

    narrowed = seen["narrowed"]
    assert narrowed["shown"] == f"{CONFIGURATIONS + 1} of {first['shown']}"
    assert narrowed["query"]["server"] == "node-02"
    best = measured[0].partition(" · ")[0]
    assert {name.partition(" · ")[0] for name in narrowed["names"]} == {best, "node-02"}, (
        "the baseline, the best, stays"
    )
    base = seen["base"]
    assert base["query"]["baseline"].startswith("node-02/")
    assert base["query"]["pin"].startswith("node-02/")
    assert "On the Pareto front: node-" in seen["trade"]
    assert "±" in seen["matrix"]
    assert seen["again"] == {**base["query"], "figure": "workloads", "table": "matrix"}
    assert seen["runs"]["count"] == REPEATS
    assert seen["runs"]["query"]["configuration"].startswith("node-02/")
