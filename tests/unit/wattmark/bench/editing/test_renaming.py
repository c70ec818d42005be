"""A server or a configuration that is renamed takes along whatever names it, in one change that can be taken back."""

from __future__ import annotations

from pathlib import Path

import pytest
from wattmark.bench.editing.bench_file import BenchFile
from wattmark.bench.editing.editor import BenchEditor
from wattmark.bench.editing.history import History
from wattmark.bench.editing.plain import EntryPlace, put_entry
from wattmark.bench.editing.secret_files import SecretFiles
from wattmark.bench.load import parse_bench
from wattmark.hosts.own_keys import OwnKeys

TEXT = """\
schema: wattmark-bench/1
lab: Lab
servers:
  - id: s
    access: {local: true}
    configurations: [{id: c, cpu: {model: any}, os: {name: any, kernel: any}}]
  - id: s2
    access: {local: true}
    configurations: [{id: c, cpu: {model: any}, os: {name: any, kernel: any}}]
meters:
  - {id: m, model: x.y, url: "modbus-tcp://192.0.2.1/1", feeds: [{server: s}]}   # the left one
  - {id: m2, model: x.y, url: "modbus-tcp://192.0.2.2/1", feeds: [{server: s2}]}
bmcs:
  - {id: b, server: s, host: 192.0.2.3, user: u, password_env: P}
plans:
  - name: p
    # Both.
    configurations: [s/c, s2/c]
    workloads: [openssl.rsa512-sign]
    levels: [1, 2]
    exclude: [{configuration: s/c, level: 2}]
  - {name: q, configurations: [s2/c], workloads: [openssl.rsa512-sign]}
"""
RENAMES = {
    "server": (
        EntryPlace("servers", "s"),
        "Changed the server s, now n; the meter m, the BMC b and the plan p follow.",
        {"id: s\n": "id: n\n", "server: s}": "server: n}", "server: s,": "server: n,", "s/c, s2": "n/c, s2"}
        | {"configuration: s/c": "configuration: n/c"},
    ),
    "configuration": (
        EntryPlace("configurations", "c", "s2"),
        "Changed the configuration s2/c, now n; the plan p and the plan q follow.",
        {"[s/c, s2/c]": "[s/c, s2/n]", "q, configurations: [s2/c]": "q, configurations: [s2/n]"},
    ),
}


@pytest.mark.parametrize("name", RENAMES)
def test_what_names_it_follows_and_comes_back(name: str, tmp_path: Path) -> None:
    place, title, lines = RENAMES[name]
    file = tmp_path / "bench.yaml"
    file.write_text(TEXT)
    history = History(tmp_path / "history", limit=5)
    room = BenchEditor(
        BenchFile(file, must_exist=True),
        history,
        SecretFiles(tmp_path / "secrets"),
        OwnKeys(tmp_path / "ssh"),
        parse_bench,
        lambda: 1.0,
    )
    server = room.document["servers"][0 if place.section == "servers" else 1]
    entry = server if place.section == "servers" else server["configurations"][0]
    change = room.prepare(put_entry(place, {**entry, "id": "n"}), room.version)
    assert change.change == title
    room.write(change)
    room.take(change)
    expected = TEXT
    for before, after in lines.items():
        expected = expected.replace(before, after)
    if place.section == "configurations":
        head, mark, tail = expected.partition("- id: s2\n")
        expected = head + mark + tail.replace("{id: c,", "{id: n,", 1)
    assert file.read_text() == expected
    undo = room.prepare_undo(room.version)
    room.write(undo)
    assert file.read_text() == TEXT
