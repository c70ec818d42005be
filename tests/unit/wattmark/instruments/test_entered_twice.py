"""Two wall meters that are one device would double the power of what they feed."""

from __future__ import annotations

from pathlib import Path

import pytest
from wattmark.bench.mistakes import BenchError
from wattmark.instruments.entries import entered_twice
from wattmark.instruments.known_bench import load_known_bench

BENCH = """
schema: wattmark-bench/1
lab: l
servers:
  - id: s
    access: {{local: true}}
    configurations:
      - id: c
        cpu: {{model: any}}
        os: {{name: any, kernel: any}}
        psus: [{{id: psu1, rated_w: 600}}, {{id: psu2, rated_w: 600}}]
meters:
  - {{id: m1, {first}, feeds: [{{server: s, psus: [psu1]}}]}}
  - {{id: m2, {second}, feeds: [{{server: s, psus: [psu2]}}]}}
"""
SDM630 = "model: eastron.sdm630, url: 'modbus-tcp://192.0.2.1:502/1'"
PDU = "model: apc.rpdu2, url: 'snmp://192.0.2.2/1'"


def load(tmp_path: Path, first: str, second: str) -> None:
    (tmp_path / "bench.yaml").write_text(BENCH.format(first=first, second=second))
    assert list(entered_twice(load_known_bench(tmp_path / "bench.yaml"))) == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (SDM630, SDM630),
        (SDM630, "model: eastron.sdm630, url: 'modbus-tcp://192.0.2.1'"),
        (SDM630, "model: eastron.sdm72v2, url: 'modbus-tcp://192.0.2.1/1'"),
        ("model: shelly.pro4pm, url: 'http://plug/1'", "model: shelly.pro4pm, url: 'http://PLUG:80/1'"),
        (PDU, "model: apc.rpdu2, url: 'snmp://192.0.2.2'"),
    ],
)
def test_one_device_in_two_entries_is_refused(tmp_path: Path, first: str, second: str) -> None:
    with pytest.raises(BenchError, match="the device of the meter m1, whose power would count twice"):
        load(tmp_path, first, second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (SDM630, "model: eastron.sdm630, url: 'modbus-tcp://192.0.2.1:502/2'"),
        (SDM630, f"role: secondary, {SDM630}"),
        ("model: shelly.pro4pm, url: 'http://plug/1'", "model: shelly.pro4pm, url: 'http://plug/2'"),
        (PDU, "model: apc.rpdu2outlet, url: 'snmp://192.0.2.2/1'"),
        ("model: eastron.sdm120, url: 'simulated://'", "model: eastron.sdm120, url: 'simulated://'"),
        ("model: replay.log, url: 'replay:///a.csv'", "model: replay.log, url: 'replay:///a.csv'"),
    ],
)
def test_two_devices_or_outlets_are_two_meters(tmp_path: Path, first: str, second: str) -> None:
    load(tmp_path, first, second)
