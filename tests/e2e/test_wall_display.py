"""The wall display of a lab in a browser: every server with its watts, and one of them alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .conftest import assert_well, browse, serving

pytestmark = pytest.mark.e2e
BENCH = """
schema: wattmark-bench/1
lab: Display
servers:
  - &left
    id: left
    title: Left
    access: {local: true}
    configurations: [{id: c, cpu: {model: any}, os: {name: any, kernel: any}}]
  - {<<: *left, id: right, title: Right}
  - {<<: *left, id: bare, title: Bare}
meters:
  - {id: em-left, model: carlogavazzi.em24e1, url: "simulated://", feeds: [{server: left}]}
  - {id: em-right, model: carlogavazzi.em24e1, url: "simulated://", feeds: [{server: right}]}
"""


def test_every_server_is_in_sight_with_its_watts_marked_and_one_fills_the_screen(tmp_path: Path) -> None:
    bench = tmp_path / "bench.yaml"
    bench.write_text(BENCH)
    with serving(tmp_path / "data", "--bench", str(bench)) as url:
        seen = browse("wall_display.mjs", url, str(tmp_path))
    assert_well(seen)
    left, right, bare = seen["all"]
    for tile in (left, right):
        assert re.search(r"\d\s*W", tile)
        assert "simulated" in tile
    assert "no reference meter" in bare
    assert not re.search(r"\d\s*W", bare)
    assert (seen["address"], bool(re.search(r"\d\s*W", seen["one"]))) == ("?server=left", True)
