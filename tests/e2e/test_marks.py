"""Every page with simulated, not traceable and withheld data on it: no watts without their mark in sight."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from wattmark.results.data_folder import open_storage

from tests.marked_lab import FULL, LOOSE, LOST, SIMULATED, WORKLOAD, run_ids, store_marked_lab

from ..integration.ports import free_port
from .conftest import assert_well, browse, serving

pytestmark = pytest.mark.e2e
WITHHELD = "readings are missing|no power: 16 s lost"
BENCH = """
schema: wattmark-bench/1
lab: Marked lab
servers:
  - id: sim-1
    title: Simulated server
    access: {local: true}
    configurations:
      - id: dimms-8
        cpu: {model: Xeon, sockets: 1, cores: 8, threads: 8}
        memory: {slots: {A1: {type: RDIMM, capacity_gib: 16}}}
        psus: [{id: psu1}]
        os: {name: Debian 12, kernel: "6.1"}
meters:
  - {id: em24, model: carlogavazzi.em24e1, url: "simulated://", feeds: [{server: sim-1}]}
"""


def test_no_page_shows_watts_without_their_mark(tmp_path: Path) -> None:
    data, bench = tmp_path / "data", tmp_path / "bench.yaml"
    bench.write_text(f"{BENCH}speak: [{{as: modbus-tcp, what: em24, port: {free_port()}}}]\n")
    store_marked_lab(data)
    storage = open_storage(data, read_only=True)
    kinds = {
        server: {"server": server, "mark": mark, "run": run_ids(storage, server)[0], "workload": WORKLOAD,
                 "level": FULL, "live": server == SIMULATED}
        for server, mark in ((SIMULATED, "simulated"), (LOOSE, "not traceable"), (LOST, WITHHELD))
    }  # fmt: skip
    storage.close()
    with serving(data, "--bench", str(bench)) as url:
        seen = browse("marks.mjs", url, json.dumps(kinds), timeout_s=600)
    assert_well(seen)
    pages = seen["pages"]
    unmarked = [path for path, page in pages.items() if page["main"]["watts"] and not page["main"]["marked"]]
    assert not unmarked, "\n".join(unmarked)
    bars = {path: page["bar"] for path, page in pages.items() if path.startswith("simulated")}
    assert [path for path, bar in bars.items() if bar["watts"] and not bar["marked"]] == []
    assert sum(page["main"]["watts"] for page in pages.values()) > 10, "the walk sees figures"
