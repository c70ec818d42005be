"""A workload is made in the browser from what its program prints, and one that ships is tried there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from wattmark.bench.load import load_bench

from .conftest import assert_well, browse, serving

pytestmark = pytest.mark.e2e

BENCH = "schema: wattmark-bench/1\nlab: Lab\n"
OUTPUT = """Complete requests:      1000
Failed requests:        0
Requests per second:    5417.20 [#/sec] (mean)
"""


def test_a_workload_is_made_of_its_output_and_another_one_tried(tmp_path: Path) -> None:
    data, pictures = tmp_path / "data", tmp_path / "pictures"
    for folder in (data, pictures):
        folder.mkdir()
    (data / "bench.yaml").write_text(BENCH)
    with serving(data) as url:
        seen: dict[str, Any] = browse("workloads.mjs", url, str(pictures), OUTPUT)
    assert_well(seen)
    bench = tmp_path / "bench.yaml"
    bench.write_text(BENCH + seen["entry"] + "\n")
    declared = load_bench(bench).workload_declarations()["my-ab"]
    assert declared.command == ("ab", "-n", "1000", "http://127.0.0.1/")
    assert re.fullmatch(r"[\d\s.]+\ssigns/s at \d+ process(es)? over [\d.]+\ss\..*", seen["tried"].split("\n")[0])
