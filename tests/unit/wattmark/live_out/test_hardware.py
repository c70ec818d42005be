"""Which meters are a whole host, and which a part: no watt is in the same sum twice."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from wattmark.bench.bench import Bench
from wattmark.bench.load import parse_bench
from wattmark.bench.yaml_source import YamlSource
from wattmark.live_out.hardware import Hardware, hardware
from wattmark.live_out.live_meters import MeterNow
from wattmark.recording.live_channel import Role

BENCH = """\
schema: wattmark-bench/1
lab: Lab
servers:
  - id: r1
    title: Rack server
    access: {local: true}
    configurations:
      - {id: c, os: {name: Linux, kernel: "6.1"}, cpu: {model: CPU, sockets: 1}, psus: [{id: a}, {id: b}]}
meters:
"""
BOTH = '  - {id: wall, model: m, url: "modbus-tcp://192.0.2.1/1", feeds: [{server: r1, psus: [a, b]}]}\n'
A = '  - {id: left, model: m, url: "modbus-tcp://192.0.2.1/1", feeds: [{server: r1, psus: [a]}]}\n'
B = '  - {id: right, model: m, url: "modbus-tcp://192.0.2.1/2", feeds: [{server: r1, psus: [b]}]}\n'
AGAIN = (
    '  - {id: plug, model: m, url: "modbus-tcp://192.0.2.1/3", role: secondary, feeds: [{server: r1, psus: [a, b]}]}\n'
)
ROOM = '  - {id: room, model: m, url: "modbus-tcp://192.0.2.1/4"}\n'


def bench(*meters: str) -> Bench:
    return parse_bench(YamlSource("bench.yaml", BENCH + "".join(meters)), Path("bench.yaml"))


def shows(
    name: str,
    power_w: float | None,
    role: Role = "wall",
    servers: tuple[str, ...] = ("r1",),
    *,
    simulated: bool = False,
    since_ns: int = 5,
) -> MeterNow:
    return MeterNow(name, role, servers, simulated, power_w, "good", 0.5, 1000.0, since_ns, 0)


def by_name(items: list[Hardware]) -> dict[str, tuple[bool, float | None]]:
    return {str(item.attributes["hw.id"]): (item.whole, item.power_w) for item in items}


def test_a_meter_of_all_supplies_is_the_host_and_nothing_else() -> None:
    meters = [shows("wall", 300.0), shows("bmc", 280.0, "bmc"), shows("plug", 301.0, "secondary")]
    (host,) = hardware(meters, bench(BOTH, AGAIN))
    assert (host.whole, host.host, host.power_w, host.energy_j) == (True, "r1", 300.0, 1000.0)
    assert host.attributes == {
        "hw.id": "r1",
        "hw.name": "Rack server",
        "wattmark.meter": "wall",
        "wattmark.role": "wall",
        "wattmark.simulated": False,
    }


def test_two_meters_of_one_supply_each_are_the_host_together_and_parts_each() -> None:
    items = hardware([shows("left", 140.0, simulated=True), shows("right", 160.0, since_ns=3)], bench(A, B))
    assert by_name(items) == {"r1": (True, 300.0), "left": (False, 140.0), "right": (False, 160.0)}
    host, left, right = items
    assert (host.energy_j, host.since_ns, host.attributes["wattmark.simulated"]) == (2000.0, 3, True)
    assert left.attributes["hw.type"] == right.attributes["hw.type"] == "power_supply"
    assert left.attributes["hw.parent"] == "r1"


def test_the_host_has_no_power_while_one_of_its_meters_is_silent() -> None:
    items = hardware([shows("left", 140.0), shows("right", None)], bench(A, B))
    assert by_name(items) == {"r1": (True, None), "left": (False, 140.0), "right": (False, None)}


def test_a_meter_that_has_not_answered_yet_leaves_no_half_host() -> None:
    meters = [shows("left", 140.0), shows("bmc", 290.0, "bmc")]
    assert by_name(hardware(meters, bench(A, B))) == {"left": (False, 140.0)}


def test_where_no_meter_measures_all_of_it_the_bmc_is_the_host() -> None:
    meters = [shows("left", 140.0), shows("bmc", 290.0, "bmc")]
    assert by_name(hardware(meters, bench(A))) == {"r1": (True, 290.0), "left": (False, 140.0)}
    assert by_name(hardware(meters[1:], bench(ROOM))) == {"r1": (True, 290.0)}


@pytest.mark.parametrize("servers", [(), ("r1", "r2")])
def test_a_meter_of_no_server_or_of_several_is_a_part_of_none(servers: tuple[str, ...]) -> None:
    (circuit,) = hardware([shows("room", 900.0, servers=servers)], bench(ROOM))
    assert (circuit.whole, circuit.host, circuit.attributes["hw.type"]) == (False, None, "circuit")


def test_a_sum_is_as_good_as_its_worst_reading() -> None:
    left, right = shows("left", 140.0), replace(shows("right", 160.0), quality="frozen")
    assert [item.quality for item in hardware([left, right], bench(A, B))] == ["frozen", "good", "frozen"]


def test_a_secondary_meter_that_names_no_supply_leaves_the_host_whole() -> None:
    unnamed = '  - {id: plug, model: m, url: "modbus-tcp://192.0.2.1/3", role: secondary, feeds: [{server: r1}]}\n'
    items = hardware([shows("left", 140.0), shows("right", 160.0)], bench(A, B, unnamed))
    assert by_name(items)["r1"] == (True, 300.0)
