from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from wattmark.bench.bench import Bench
from wattmark.bench.load import parse_bench
from wattmark.bench.yaml_source import YamlSource

BENCH = """
schema: wattmark-bench/1
lab: Test
servers:
  - id: a
    access: {local: true}
    prepare: manual
    configurations:
      - &two
        id: two
        cpu: {model: Xeon 5160}
        os: {name: Debian, kernel: "6"}
        memory: {slots: {A1: &dimm {type: FB-DIMM, capacity_gib: 1}, B1: *dimm, C1: }}
        psus: [{id: p1}, {id: p2, powered: false}]
      - {<<: *two, id: one, memory: {slots: {A1: *dimm}}}
      - {<<: *two, id: bare, memory: null}
meters:
  - {id: m, model: x.y, url: "sim:m", feeds: [{server: a, psus: [p1]}]}
workloads:
  - {id: fixed, title: Fixed, unit: ops, command: ["true"],
     parser: {kind: regex, pattern: "(?P<value>.)", reports: interval-rate}, warm_up_s: 7}
plans:
  - {name: plan, configurations: [a/two, a/one], workloads: [openssl.rsa512-sign, openssl.rsa512-verify],
     levels: [1, all], repeats: 2, order: as-listed, idle_s: 10, settle_s: 20, measure_s: 30, hold_s: 0, cool_down_s: 5}
"""


@pytest.fixture
def make_bench() -> Callable[..., Bench]:
    """The bench above with changes to its plan and pieces of its text replaced."""

    def make(*replacements: tuple[str, str], **plan: Any) -> Bench:
        text = BENCH
        for old, new in replacements:
            assert old in text
            text = text.replace(old, new)
        source = YamlSource("bench.yaml", text)
        source.data["plans"][0].update(plan)
        return parse_bench(source, Path("bench.yaml"))

    return make
