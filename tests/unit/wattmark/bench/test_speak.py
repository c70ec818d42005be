"""What a bench may say about the gateway, and what it is told otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest
from wattmark.bench.bench import Bench
from wattmark.bench.load import parse_bench
from wattmark.bench.mistakes import BenchError
from wattmark.bench.speak import ENGINES, MODELS, Speak
from wattmark.bench.yaml_source import YamlSource
from wattmark.instruments.entries import instrument_mistakes, own_port_remarks, spoken_model_problem
from wattmark_drivers.catalogue import load_catalogue

BENCH = """\
schema: wattmark-bench/1
lab: Lab 1
servers:
  - {id: r1, access: {local: true}, configurations: [
      {id: c, cpu: {model: Xeon}, os: {name: Debian, kernel: "6.1"}, psus: [{id: psu1}, {id: psu2}]}]}
  - {id: r2, access: {local: true}, configurations: [
      {id: c, cpu: {model: Xeon}, os: {name: Debian, kernel: "6.1"}, psus: [{id: psu1}, {id: psu2}]}]}
  - {id: r3, access: {local: true}, configurations: [{id: c, cpu: {model: Xeon}, os: {name: Debian, kernel: "6.1"}}]}
meters:
  - {id: wall, model: eastron.sdm120, url: "modbus-tcp://192.0.2.1/1", feeds: [{server: r1, psus: [psu1]}]}
  - {id: second, model: eastron.sdm120, url: "modbus-tcp://192.0.2.1/2", feeds: [{server: r1, psus: [psu2]}]}
  - {id: half, model: eastron.sdm120, url: "modbus-tcp://192.0.2.1/3", feeds: [{server: r2, psus: [psu1]}]}
  - {id: spare, model: eastron.sdm120, url: "modbus-tcp://192.0.2.1/4", role: secondary, feeds: [{server: r1}]}
  - {id: both, model: eastron.sdm120, url: "modbus-tcp://192.0.2.1/5", role: secondary, feeds: [{server: r3}]}
"""


def bench(*entries: str) -> Bench:
    lines = "".join(f"  - {entry}\n" for entry in entries)
    return parse_bench(YamlSource("bench.yaml", f"{BENCH}speak:\n{lines}"), Path("bench.yaml"))


def mistakes(*entries: str) -> str:
    with pytest.raises(BenchError) as caught:
        bench(*entries)
    return str(caught.value)


def test_nothing_is_open_unless_the_bench_says_so() -> None:
    assert parse_bench(YamlSource("bench.yaml", BENCH), Path("bench.yaml")).speak == ()


def test_an_entry_that_says_the_least_is_on_loopback() -> None:
    (entry,) = bench("{as: modbus-tcp, what: wall, port: 5020}").speak
    assert (entry.address, entry.open_beyond, entry.corrected, entry.most_clients) == ("127.0.0.1", False, False, 64)


@pytest.mark.parametrize("what", ["r1", "wall", "spare"])
def test_a_server_is_spoken_by_its_wall_meters_and_a_meter_by_itself(what: str) -> None:
    spoken = bench(f"{{as: scpi, what: {what}, port: 5025}}")
    sources = [meter.id for meter in spoken.sources_of(spoken.speak[0])]
    assert sources == {"r1": ["wall", "second"], "wall": ["wall"], "spare": ["spare"]}[what]


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("{as: modbus-tcp, what: wal, port: 5020}", "did you mean wall"),
        ("{as: modbus-tcp, what: r9, port: 5020}", "not a known server or meter"),
        ("{as: modbus-tcp, what: r2, port: 5020}", "No wall meter measures psu2 of r2/c"),
        ("{as: modbus-tcp, what: r3, port: 5020}", "No wall meter measures r3"),
        ("{as: modbus-tcp, what: wall}", "port, where others ask"),
        ("{as: modbus-tcp, what: wall, port: 502}", "a port from 1024 on: those below are reserved for root"),
        ("{as: modbus-tcp, what: wall, port: 70000}", "65535"),
        ("{as: modbus, what: wall, port: 5020}", "modbus-tcp"),
        ("{as: modbus-tcp, what: wall, port: 5020, address: lab.example}", "an IPv4 address of this machine"),
        ("{as: snmp, what: wall, port: 5161, address: '::1'}", "IPv6 is not spoken"),
        ("{as: modbus-tcp, what: wall, port: 5020, address: 192.0.2.300}", "an IPv4 address of this machine"),
        ("{as: modbus-tcp, what: wall, port: 5020, password_env: A}", "modbus-tcp has no log-in"),
        ("{as: scpi, what: wall, port: 5025, user: u}", "scpi has no log-in"),
        ("{as: snmp, what: r1, port: 5161, address: 0.0.0.0}", "0.0.0.0 is open to other machines"),
        ("{as: snmp, what: wall, port: 5161, address: 192.0.2.9}", "192.0.2.9 is open to other machines"),
        ("{as: snmp, what: wall, port: 5161, address: 192.0.2.9, password_env: A}", "user, so that version 3"),
        ("{as: redfish, what: wall, port: 8443, address: 0.0.0.0, user: u, password_env: A}", "unencrypted: true"),
        ('{as: mqtt, what: wall, url: "mqtt://b.lab/t", user: u, password_env: A}', "mqtts:// in url"),
        ("{as: ipmi, what: r1, port: 5623}", "ipmi has no way in without a log-in"),
        ("{as: redfish, what: r1, port: 8443, user: u}", "the password of its user"),
        ("{as: redfish, what: r1, port: 8443, password_env: A}", "redfish has no way in without a log-in"),
        ("{as: snmp, what: wall, port: 5161, password_env: A, password_file: b}", "at most one of password_env"),
        (
            "{as: redfish, what: r1, port: 8443, user: u, password_env: A, key_file: k.pem}",
            "both of certificate_file and key_file",
        ),
        ("{as: scpi, what: wall, port: 5025, certificate_file: c.pem, key_file: k.pem}", "scpi has no TLS here"),
        ("{as: mqtt, what: wall}", "the broker and the topic"),
        ('{as: mqtt, what: wall, url: "mqtt://b.lab/t", port: 1883}', "a client of the broker in url"),
        ('{as: mqtt, what: wall, url: "mqtt://u:p@b.lab/t"}', "an address without user or password"),
        ('{as: mqtt, what: wall, url: "mqtt://b.lab/a/%23"}', "this one has a topic with a wildcard"),
        ('{as: scpi, what: wall, port: 5025, url: "mqtt://b.lab/t"}', "they belong to mqtt"),
        ("{as: scpi, what: wall, port: 5025, period_s: 5}", "they belong to mqtt"),
        ("{as: scpi, what: wall, port: 5025, most_clients: 0}", "most_clients"),
        ("{as: scpi, what: wall, port: 5025, password: word}", "must not contain secrets"),
    ],
)
def test_what_is_wrong_is_named(entry: str, words: str) -> None:
    assert words in mistakes(entry)


@pytest.mark.parametrize(
    "entry",
    [
        "{as: redfish, what: wall, port: 8443, address: 0.0.0.0, user: u, password_env: A, unencrypted: true}",
        "{as: redfish, what: wall, port: 8443, address: 0.0.0.0, user: u, password_env: A, "
        "certificate_file: c.pem, key_file: k.pem}",
        "{as: redfish, what: wall, port: 8443, user: u, password_env: A}",
        "{as: snmp, what: wall, port: 5161, address: 192.0.2.9, user: u, password_env: A}",
        "{as: ipmi, what: wall, port: 5623, address: 192.0.2.9, user: u, password_env: A}",
        '{as: mqtt, what: wall, url: "mqtts://b.lab/t", user: u, password_env: A}',
        '{as: mqtt, what: wall, url: "mqtt://127.0.0.1/t", user: u, password_env: A}',
        '{as: mqtt, what: wall, url: "mqtt://b.lab/t"}',
    ],
)
def test_a_password_leaves_this_machine_encrypted_or_as_the_bench_says(entry: str) -> None:
    assert bench(entry).speak


@pytest.mark.parametrize(("protocol", "clash"), [("modbus-tcp", True), ("snmp", False)])
def test_the_port_of_the_service_is_named_at_the_check(protocol: str, clash: bool) -> None:
    remarks = own_port_remarks(bench(f"{{as: {protocol}, what: wall, port: 8400}}"), 8400)
    assert [("Port 8400 is that of the service itself." in remark) for remark in remarks] == [True] * clash


@pytest.mark.parametrize(
    ("first", "second", "clash"),
    [
        ("as: modbus-tcp, what: wall, port: 5020", "as: scpi, what: second, port: 5020", True),
        ("as: modbus-tcp, what: wall, port: 5020", "as: scpi, what: second, port: 5020, address: 0.0.0.0", True),
        ("as: modbus-tcp, what: wall, port: 5020", "as: scpi, what: second, port: 5020, address: 127.0.0.2", False),
        ("as: modbus-tcp, what: wall, port: 5020", "as: snmp, what: second, port: 5020", False),
        ("as: modbus-tcp, what: wall, port: 5020", "as: scpi, what: second, port: 5021", False),
    ],
)
def test_two_entries_do_not_share_a_port(first: str, second: str, clash: bool) -> None:
    entries = [f"{{{entry}}}" for entry in (first, second)]
    if clash:
        assert "found 5020, the port of modbus-tcp for wall already" in mistakes(*entries)
    else:
        assert len(bench(*entries).speak) == 2


def test_two_devices_do_not_share_a_topic() -> None:
    entry = '{{as: mqtt, what: {}, url: "mqtt://b.lab/rack1"}}'
    assert "a topic of its own" in mistakes(entry.format("wall"), entry.format("second"))


def test_a_name_of_a_server_and_of_a_meter_is_not_guessed() -> None:
    text = BENCH.replace("id: spare", "id: r1") + "speak:\n  - {as: scpi, what: r1, port: 5025}\n"
    with pytest.raises(BenchError) as caught:
        parse_bench(YamlSource("bench.yaml", text), Path("bench.yaml"))
    assert "names a server and a meter" in str(caught.value)


@pytest.mark.parametrize("protocol", [name for name in ENGINES if name != "ptdaemon"])
def test_every_protocol_has_a_usual_model_that_is_read_by_it(protocol: str) -> None:
    assert load_catalogue()[MODELS[protocol]].protocol.engine == ENGINES[protocol]  # type: ignore[index]


@pytest.mark.parametrize(
    ("model", "words"), [("eastron.sdm120", None), ("yokogawa.wt310e", "not a model that is read")]
)
def test_a_model_belongs_to_its_protocol(model: str, words: str | None) -> None:
    spoken = bench(f"{{as: modbus-tcp, what: wall, port: 5020, model: {model}}}")
    problem = spoken_model_problem(spoken.speak[0])
    assert (problem is None) if words is None else (problem is not None and words in problem)
    paths = [mistake.path for mistake in instrument_mistakes(spoken) if mistake.path[0] == "speak"]
    assert paths == ([] if words is None else [("speak", 0, "model")])


def test_the_address_decides_who_can_reach_it() -> None:
    entry = {"as": "scpi", "what": "wall", "port": 5025}
    reach = {a: Speak.model_validate({**entry, "address": a}).open_beyond for a in ("127.0.0.9", "0.0.0.0", "10.0.0.1")}
    assert reach == {"127.0.0.9": False, "0.0.0.0": True, "10.0.0.1": True}
