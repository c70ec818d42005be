"""Golden texts: what a person reads who made one mistake in the example bench file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from wattmark.bench.load import load_bench
from wattmark.bench.mistakes import BenchError

MODELS = ("eastron.sdm120", "eastron.sdm630", "wattsup.pro")

MISTAKES = [
    ("cores: 4", "cores: four", "19: servers[0].configurations[0].cpu.cores: found 'four'; allowed: a whole number"),
    (
        "cores: 4",
        "cores: 1",
        "19: servers[0].configurations[0].cpu: needs at least as many cores (of all sockets together) as sockets",
    ),
    (
        "type: FB-DIMM",
        "type: FBDIMM",
        "25: servers[0].configurations[0].memory.slots.A1.type: found 'FBDIMM'; "
        "allowed: 'FB-DIMM', 'RDIMM', 'UDIMM', 'LRDIMM', 'SO-DIMM', 'CXL' or 'PMem'",
    ),
    (
        "type: FB-DIMM",
        "typ: FB-DIMM",
        "25: servers[0].configurations[0].memory.slots.A1.typ: unknown key; did you mean type? "
        "allowed: type, capacity_gib, speed_mts, ranks, vendor, part, ecc, channel",
    ),
    (
        "channels: 4",
        "channels: 1",
        "20: servers[0].configurations[0].memory: needs slots on at most 1 channels, not on A, B",
    ),
    (
        'kernel: "6.1"',
        "kernel: 6.1",
        "35: servers[0].configurations[0].os.kernel: found 6.1; allowed: a valid string (put it in quotes)",
    ),
    ("access: {local: true}", "access: 8", "10: servers[0].access: found 8; allowed: a map of local, ssh"),
    ("levels: [all]", "levels: 2", "91: plans[0].levels: found 2; allowed: a list"),
    (
        "prepare: manual",
        "sudo_dmidecode: true",
        "7: servers[0]: needs ssh access for sudo_dmidecode; on this machine wattmark-inventory.service reads the "
        "memory slots",
    ),
    ("prepare: manual", "prepare: manul", "14: servers[0].prepare: found 'manul'; allowed: 'manual'"),
    (
        "prepare: manual",
        "prepare: {comand: [x]}",
        "14: servers[0].prepare.comand: unknown key; did you mean command? allowed: command, timeout_s",
    ),
    (
        "prepare: manual",
        'prepare: {command: [x, "{sever}"]}',
        "14: servers[0].prepare.command[1]: found '{sever}'; "
        "allowed: the placeholders {server}, {configuration}, {dimm_count}",
    ),
    (
        "access: {local: true}",
        "access: {shh: x}",
        "10: servers[0].access.shh: unknown key; did you mean ssh? allowed: local, ssh",
    ),
    (
        "access: {local: true}",
        "access: {}",
        "10: servers[0].access: needs either local: true or ssh: {host, user, ...}",
    ),
    (
        "lab: Power",
        "lub: Power",
        "4: lub: unknown key; did you mean lab? "
        "allowed: schema, lab, servers, meters, bmcs, workloads, plans, schedule, costs, outputs, speak, notify",
    ),
    ("wattmark-bench/1", "wattmark-bench/2", "3: schema: found 'wattmark-bench/2'; allowed: 'wattmark-bench/1'"),
    (
        "model: eastron.sdm630",
        "model: eastron.sdm639",
        "55: meters[0].model: found 'eastron.sdm639', which is not a known meter model; did you mean eastron.sdm630 or "
        "eastron.sdm120",
    ),
    (
        "modbus-tcp://",
        "modbus-tcp://me:secret@",
        "56: meters[0].url: found 'modbus-tcp://***@192.0.2.10:502/1'; allowed: an address without user or password",
    ),
    (
        "server: s5000, psus: [psu1]",
        "server: s500, psus: [psu1]",
        "57: meters[0].feeds[0].server: found 's500', which is not a known server; did you mean s5000",
    ),
    (
        "psus: [psu2]",
        "psus: [psu1]",
        "63: meters[1].feeds[0]: PSU psu1 of s5000 is already measured by rack-l1 and would count twice; name the "
        "measured psus or set role: secondary",
    ),
    (
        "psus: [psu2]",
        "psus: [psu3]",
        "63: meters[1].feeds[0].psus[0]: found 'psu3', which is not a known PSU of that server; did you mean psu2 or "
        "psu1",
    ),
    (
        "password_env: S5000_BMC_PASSWORD",
        "password: hunter2",
        "69: bmcs[0].password: the bench file must not contain secrets; name a variable (password_env) or a file "
        "(password_file)",
    ),
    (
        ", password_env: S5000_BMC_PASSWORD",
        "",
        "69: bmcs[0]: needs exactly one of password_env (name of a variable) and password_file (path)",
    ),
    (
        "id: s5000-bmc",
        "id: host",
        "69: bmcs[0].id: found 'host', which names the operating system's own series; choose another id",
    ),
    (
        "id: outlet-2",
        "id: rack-l1",
        "60: meters[1].id: found 'rack-l1', which names another meter or BMC already; choose another id",
    ),
    (
        "uses: openssl.rsa1024-sign",
        "uses: openssl.rsa1023-sign",
        "73: workloads[0].uses: found 'openssl.rsa1023-sign', which is not a known workload of the catalogue; did you "
        "mean openssl.rsa1024-sign or openssl.rsa512-sign or openssl.rsa4096-sign",
    ),
    (
        "with: {slice_s: 20}",
        "with: {slices: 20}",
        "75: workloads[0].with.slices: unknown key; did you mean slice_s? "
        "allowed: program, slice_s, timeout_s, environment, parameters, password_env",
    ),
    (
        "kind: regex",
        "kind: regx",
        "83: workloads[1].parser: kind is 'regx'; allowed: "
        "'openssl-rsa', 'openssl-evp', 'loadgen', 'llm', 'regex', 'json', 'markers'",
    ),
    ("?P<value>", "", "83: workloads[1].parser: needs a pattern with the group (?P<value>...)"),
    (
        "s5000/fbdimm-2, s5000",
        "s5000/fbdim-2, s5000",
        "89: plans[0].configurations[0]: found 's5000/fbdim-2', which is not a known server/configuration; did you "
        "mean s5000/fbdimm-2 or s5000/fbdimm-8 or s5000/fbdimm-4",
    ),
    (
        "levels: [1, all]",
        "levels: [0, all]",
        "103: plans[1].levels[0]: found 0; allowed: a whole number from 1, all (one per CPU), "
        "or sweep (the levels that the workload declares)",
    ),
    ("levels: [all]", "levels: []", "91: plans[0].levels: found an empty list; allowed: at least 1"),
    (
        "levels: [all]",
        "sync_pulses_s: [3, 4]",
        "91: plans[0].sync_pulses_s: found a list of 2; allowed: at least 3",
    ),
    ("measure_s: 240", "measure_s: .nan", "97: plans[0].measure_s: found nan; allowed: a finite number"),
    ("repeats: 3", "repeats: 2.5", "92: plans[0].repeats: found 2.5; allowed: a whole number"),
]


@pytest.mark.parametrize(("old", "new", "expected"), MISTAKES, ids=[new or old for old, new, _ in MISTAKES])
def test_one_mistake_names_file_line_found_and_allowed(
    edited: Callable[[str, str], Path], old: str, new: str, expected: str
) -> None:
    path = edited(old, new)
    with pytest.raises(BenchError) as caught:
        load_bench(path, known_models=lambda: MODELS)
    assert caught.value.mistakes[0].rstrip("?") == f"{path}:{expected}"
    assert caught.value.exit_code == 2
    assert "\n" not in str(caught.value)
    assert "wattmark bench check" in caught.value.remedy


def test_a_mistake_that_aliases_repeat_is_told_once(edited: Callable[[str, str], Path]) -> None:
    with pytest.raises(BenchError) as caught:
        load_bench(edited("type: FB-DIMM", "type: FBDIMM"))
    assert len(caught.value.mistakes) == 1


def test_all_mistakes_are_told_in_the_order_of_the_file(edited: Callable[[str, str], Path]) -> None:
    path = edited("cores: 4", "cores: four")
    path.write_text(path.read_text().replace("idle_s: 60", "idle_s: -1"))
    with pytest.raises(BenchError) as caught:
        load_bench(path)
    assert [mistake.split(": ")[1] for mistake in caught.value.mistakes] == [
        "servers[0].configurations[0].cpu.cores",
        "plans[0].idle_s",
    ]
    assert caught.value.cause.endswith("(and 1 more).")


def test_no_secret_is_repeated_in_a_message(edited: Callable[[str, str], Path]) -> None:
    for secret in ("password: hunter2", "passwort: hunter2", "token: hunter2"):
        with pytest.raises(BenchError) as caught:
            load_bench(edited("password_env: S5000_BMC_PASSWORD", secret))
        assert "hunter2" not in " ".join(caught.value.mistakes)


@pytest.mark.parametrize(("text", "shape"), [("- a\n", "a list of 1"), ("", "nothing"), ("root:x:0\n", "'root:x:0'")])
def test_a_file_that_is_no_map_is_told_what_a_bench_file_holds(tmp_path: Path, text: str, shape: str) -> None:
    path = tmp_path / "lab.yaml"
    path.write_text(text)
    with pytest.raises(BenchError) as caught:
        load_bench(path)
    keys = "schema, lab, servers, meters, bmcs, workloads, plans, schedule, costs, outputs, speak, notify"
    allowed = f"a map of {keys}"
    assert caught.value.mistakes == (f"{path}:1: found {shape}; allowed: {allowed}",)
