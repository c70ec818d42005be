"""Every workload of the five articles can be run today, or says why not."""

from __future__ import annotations

from pathlib import Path

import pytest
from ruamel.yaml import YAML
from wattmark.workloads.catalogue import load_catalogue
from wattmark.workloads.seeds import published_only

SEEDS = Path(__file__).parents[5] / "shared" / "data" / "seed_catalogue.yaml"


def test_every_published_workload_has_a_counterpart_or_a_reason() -> None:
    if not SEEDS.is_file():
        pytest.skip("../shared is not there")
    published = [item["id"] for item in YAML(typ="safe", pure=True).load(SEEDS)["workloads"]]
    assert published
    live = {name for item in load_catalogue().values() for name in item.stands_for}
    assert [name for name in published if (name in live) == (name in published_only())] == []


def test_nothing_is_both_live_and_in_print_only() -> None:
    live = {name for item in load_catalogue().values() for name in item.stands_for}
    assert live.isdisjoint(published_only())
    assert all(item.reason for item in published_only().values())
