from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from wattmark.bench.bench import Bench
from wattmark.bench.load import load_bench
from wattmark.bench.mistakes import BenchError
from wattmark.bench.out import ModelFacts, Pace, bench_out
from wattmark.bench.server import PrepareCommand
from wattmark.core.errors import InputError


@pytest.fixture
def bench(edited: Callable[[str, str], Path]) -> Bench:
    return load_bench(
        edited("lab: Power lab", "lab: Our lab"), known_models=lambda: ("eastron.sdm630", "eastron.sdm120")
    )


def test_the_dimm_count_is_counted_from_the_slots(bench: Bench) -> None:
    server = bench.server("s5000")
    assert [configuration.dimm_count for configuration in server.configurations] == [2, 4, 8]
    assert [configuration.memory_gib for configuration in server.configurations] == [2, 4, 8]
    assert {configuration.memory_type for configuration in server.configurations} == {"FB-DIMM"}


def test_a_dimm_count_cannot_be_typed(edited: Callable[[str, str], Path]) -> None:
    with pytest.raises(InputError, match="dimm_count: unknown key"):
        load_bench(edited("title: 2 FB-DIMMs", "dimm_count: 9"))


def test_merged_configurations_keep_their_own_memory_and_share_the_rest(bench: Bench) -> None:
    two, four, _ = bench.server("s5000").configurations
    assert four.cpu == two.cpu
    assert four.powered_psus == frozenset({"psu1"})
    assert set(four.memory.modules) == {"A1", "B1", "C1", "D1"}


def test_an_empty_slot_is_no_module(bench: Bench) -> None:
    memory = bench.configuration("s5000/fbdimm-2")[1].memory
    assert set(memory.slots) == {"A1", "B1", "A2", "B2"}
    assert set(memory.modules) == {"A1", "B1"}
    assert [memory.channel(slot) for slot in memory.slots] == ["A", "B", "A", "B"]


def test_persistent_memory_is_in_a_slot_and_no_dimm(edited: Callable[[str, str], Path]) -> None:
    bench = load_bench(edited("            A2:\n", "            A2: {type: PMem, capacity_gib: 126.375}\n"))
    configuration = bench.configuration("s5000/fbdimm-2")[1]
    assert set(configuration.memory.modules) == {"A1", "A2", "B1"}
    assert (configuration.dimm_count, configuration.memory_gib, configuration.memory_type) == (2, 2.0, "FB-DIMM")


def test_a_workload_of_the_catalogue_can_be_adapted_under_its_own_name(bench: Bench) -> None:
    adapted = bench.workload("rsa1024-sign-long-slices")
    assert adapted.slice_s == 20
    assert bench.workload("openssl.rsa1024-sign").slice_s == 5
    assert adapted.command == bench.workload("openssl.rsa1024-sign").command


def test_another_program_replaces_the_first_argument_and_that_of_version(
    edited: Callable[[str, str], Path],
) -> None:
    bench = load_bench(edited("with: {slice_s: 20}", "with: {program: /opt/openssl/bin/openssl}"))
    adapted = bench.workload("rsa1024-sign-long-slices")
    assert adapted.command[:2] == ("/opt/openssl/bin/openssl", "speed")
    assert adapted.version == ("/opt/openssl/bin/openssl", "version")


def test_a_wrong_name_brings_the_close_ones(bench: Bench) -> None:
    with pytest.raises(InputError, match="no plan 'fbdim'; did you mean fbdimm"):
        bench.plan("fbdim")
    with pytest.raises(InputError, match="no server 'x4100'; known: s5000"):
        bench.server("x4100")


def test_prepare_may_be_a_word_or_a_command(edited: Callable[[str, str], Path]) -> None:
    path = edited("prepare: manual", 'prepare: {command: [./set, "{dimm_count}"], timeout_s: 9}')
    assert load_bench(path).server("s5000").prepare == PrepareCommand(command=("./set", "{dimm_count}"), timeout_s=9)


def test_the_view_names_who_measures_what(bench: Bench) -> None:
    out = bench_out(bench, [], lambda model: ModelFacts(title=f"title of {model}"), lambda _: Pace(0.25, 0.2))
    assert out.lab == "Our lab, room 2"
    assert [(meter.id, meter.role, meter.server, meter.feeds) for meter in out.meters] == [
        ("rack-l1", "wall", "s5000", ["s5000/psu1"]),
        ("outlet-2", "wall", "s5000", ["s5000/psu2"]),
        ("s5000-bmc", "bmc", "s5000", []),
    ]
    assert out.meters[0].title == "title of eastron.sdm630"
    assert out.meters[2].indicative
    assert [(meter.period_s, meter.averaging_s) for meter in out.meters] == [(0.25, 0.2), (0.25, 0.2), (2.0, None)]
    assert out.servers[0].configurations[0].psus == ["psu1 600 W", "psu2 600 W (not powered)"]
    assert [module.type for module in out.servers[0].configurations[0].modules] == ["FB-DIMM", "FB-DIMM", None, None]


def test_two_wall_meters_may_share_a_server_when_one_is_a_secondary_meter(edited: Callable[[str, str], Path]) -> None:
    bench = load_bench(
        edited("feeds: [{server: s5000, psus: [psu2]}]", "feeds: [{server: s5000}]\n    role: secondary")
    )
    assert [meter.role for meter in bench.meters_of("s5000")] == ["wall", "secondary"]


COSTS = "lab: Power lab\ncosts: {currency: EUR, tariff_per_kwh: 0.3, pue: 1.4, life_years: 4}\n#"


def test_every_configuration_is_run_under_the_costs_of_the_bench(edited: Callable[[str, str], Path]) -> None:
    bench = load_bench(edited("lab: Power lab", COSTS))
    costs = [configuration.costs for configuration in bench.server("s5000").configurations]
    assert [(cost.tariff_per_kwh, cost.pue) for cost in costs if cost] == [(0.3, 1.4)] * 3


def test_costs_in_another_currency_than_the_price_are_refused(edited: Callable[[str, str], Path]) -> None:
    with pytest.raises(InputError, match="costs in the same currency as the price of s5000/fbdimm-2: EUR"):
        load_bench(edited("lab: Power lab", COSTS.replace("EUR", "USD")))


def test_without_costs_there_are_none(bench: Bench) -> None:
    assert all(configuration.costs is None for configuration in bench.server("s5000").configurations)


DISKS = '        disks: ["WD Raptor 36 GB SATA", "WD Raptor 36 GB SATA"]\n'


@pytest.mark.parametrize(
    ("written", "kinds"),
    [
        ("{kind: Drives, model: a, count: 2}, {kind: drive, model: b, count: 1}", ["drive", "drive"]),
        ("{kind: gpu, model: a, count: 2}, {kind: GPUs, model: b, count: 0}", ["GPU", "GPU"]),
        ("{kind: NIC, model: a, count: 2}, {kind: Network Cards, model: b, count: 1}", ["network card"] * 2),
    ],
)
def test_two_spellings_of_a_kind_of_part_are_one(
    edited: Callable[[str, str], Path], written: str, kinds: list[str]
) -> None:
    bench = load_bench(edited(DISKS, f"        parts: [{written}]\n"))
    assert [part.kind for part in bench.servers[0].configurations[0].parts] == kinds


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("{kind: Drives, model: a, count: 2}, {kind: drive, model: a, count: 1}", "one entry for all of a (drive)"),
        ("{kind: DIMMs, model: a, count: 2}", "another kind of part: 'DIMM' is declared in memory (slots)"),
        ("{kind: Power supplies, model: a, count: 2}", "'power supply' is declared in psus"),
    ],
)
def test_a_message_on_parts_names_the_kind_that_it_was_read_as(
    edited: Callable[[str, str], Path], written: str, said: str
) -> None:
    with pytest.raises(BenchError, match=re.escape(said)):
        load_bench(edited(DISKS, f"        parts: [{written}]\n"))
