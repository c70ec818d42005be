"""The bench of a machine that names one of everything that may not come in over HTTP."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from wattmark.bench.editing.bench_file import BenchFile
from wattmark.bench.editing.editor import BenchEditor
from wattmark.bench.editing.history import History
from wattmark.bench.editing.secret_files import SecretFiles
from wattmark.hosts.own_keys import OwnKeys
from wattmark.instruments.known_bench import check_bench

TEXT = """\
schema: wattmark-bench/1
lab: Lab
servers:
  - id: near
    access: {local: true}
    prepare: {command: [./fit, "{configuration}"]}
    configurations: [{id: c, cpu: {model: any}, os: {name: any, kernel: any}, firmware: {command: any}}]
  - id: far
    access: {ssh: {host: far.lab, user: bench, identity_file: far.key}}
    configurations: [{id: c, cpu: {model: any}, os: {name: any, kernel: any}}]
meters:
  - {id: wall, model: eastron.sdm120, url: "modbus-tcp://192.0.2.1/1", feeds: [{server: near}]}
  - {id: plug, model: tasmota.plug, url: "http://192.0.2.2/1", user: u, password_env: PLUG, feeds: [{server: far}]}
  - {id: pdu, model: apc.rpdu2outlet, url: "snmp://192.0.2.3/1?version=3", user: u, password_file: pdu,
     privacy_password_file: pdu2}
  - {id: past, model: replay.log, url: "replay:///srv/past.csv"}
bmcs:
  - {id: ipmi, server: near, host: 192.0.2.4, user: u, password_file: ipmi}
  - {id: red, server: far, url: "redfish://192.0.2.5?ca=/srv/ca.pem", user: u, password_env: RED}
workloads:
  - {uses: openssl.rsa512-sign, id: ours, with: {program: /opt/openssl, environment: {A: b}}}
  - {uses: fio.randwrite, id: disk, with: {parameters: {folder: /srv/disk, size: 1G}}}
  - {uses: gpu.matmul, id: gpu, with: {parameters: {python: /opt/torch/python}}}
  - {uses: pgbench.select-only, id: pg, with: {password_env: PG, parameters: {host: db.lab, scale: 5}}}
  - id: own
    title: Own
    unit: things
    command: [./own, "{size}", "{mode}"]
    setup: [[./own, prepare]]
    environment: {X: y}
    parameters:
      size: {help: Size, kind: size, default: 1G}
      mode: {help: Mode, kind: choice, choices: [a, b], default: a}
    parser: {kind: regex, pattern: '(?P<value>\\d+)', reports: total}
  - id: shop
    title: Shop
    unit: pages
    parameters: {host: {help: Host, kind: host, default: loads.lab}}
    hook: {begin: {url: "https://{host}/b"}, end: {url: "https://{host}/e"}, token_file: shop.token, ca_file: ca.pem}
    parser: {kind: json, pointer: /pages, reports: total}
plans:
  - {name: p, configurations: [near/c], workloads: [ours, disk]}
outputs:
  mqtt: {url: "mqtt://broker.lab:1883", user: u, password_file: mqtt}
  otel: {endpoint: "http://collector.lab:4318", token_file: otel}
speak:
  - {as: redfish, what: near, port: 8443, user: u, password_file: spoken, certificate_file: c.pem, key_file: k.pem}
  - {as: mqtt, what: wall, url: "mqtts://broker.lab/rack1", user: u, password_file: mqtt}
notify:
  - {id: phone, by: ntfy, url: "https://ntfy.lab/power", token_file: ntfy}
  - {id: chat, by: webhook, url_env: CHAT_URL, events: [alarm]}
  - {id: post, by: mail, to: [lab@example.org]}
"""
PORTS = ("/dev/ttyUSB0",)
DATA: dict[str, Any] = YAML(typ="safe", pure=True).load(TEXT)


@pytest.fixture
def machine_room(tmp_path: Path) -> BenchEditor:
    """The bench of a machine, with a serial adapter."""
    file = tmp_path / "bench.yaml"
    file.write_text(TEXT)
    secrets = SecretFiles(tmp_path / "data/secrets")
    return BenchEditor(
        BenchFile(file, must_exist=True),
        History(tmp_path / "history"),
        secrets,
        OwnKeys(tmp_path / "data/ssh"),
        check_bench,
        lambda: 1.0,
        lambda: PORTS,
    )


def changed(path: list[Any], value: Any) -> dict[str, Any]:
    """Give the bench with another value at a place; None takes it out."""
    data = copy.deepcopy(DATA)
    node = data
    for step in path[:-1]:
        node = node[step]
    if value is None:
        del node[path[-1]]
    else:
        node[path[-1]] = value
    return data


def text_of(data: dict[str, Any]) -> str:
    out = StringIO()
    YAML(typ="safe", pure=True).dump(data, out)
    return out.getvalue()


def put(room: BenchEditor, data: dict[str, Any]) -> None:
    room.prepare_text(text_of(data), room.version)


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Walk all places of the bench at which another value can stand."""
    if path:
        yield path
    if isinstance(node, dict | list):
        for step, value in node.items() if isinstance(node, dict) else enumerate(node):
            yield from places(value, (*path, step))
