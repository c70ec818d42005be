"""The bench file is whole after every failure, its past is kept, and no program comes in over the network."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from wattmark.bench.editing.bench_file import BenchFile
from wattmark.bench.editing.bound import bound_address
from wattmark.bench.editing.editor import BenchEditor, entries_of
from wattmark.bench.editing.errors import EditRefused
from wattmark.bench.editing.history import History
from wattmark.bench.editing.plain import EntryPlace, put_entry, remove_entry, remove_server, set_lab
from wattmark.bench.editing.secret_files import SecretFiles
from wattmark.bench.load import load_bench, parse_bench
from wattmark.core.errors import Conflict, InputError, NotFound, StoreError
from wattmark.hosts.own_keys import OwnKeys

TEXT = """\
# Ours.
schema: wattmark-bench/1
lab: Lab   # the one in the cellar
servers:
  - id: s
    access: {local: true}
    prepare: {command: [./fit, "{configuration}"]}
    configurations: [{id: c, cpu: {model: any}, os: {name: any, kernel: any}}]
meters:
  - {id: m, model: x.y, url: "modbus-tcp://192.0.2.1/1", feeds: [{server: s}]}
plans:
  - {name: p, configurations: [s/c], workloads: [openssl.rsa512-sign]}
"""


@pytest.fixture
def open_room(tmp_path: Path) -> Callable[[], BenchEditor]:
    file = tmp_path / "bench.yaml"
    file.write_text(TEXT)
    file.chmod(0o640)

    def open_one() -> BenchEditor:
        return BenchEditor(
            BenchFile(file, must_exist=True),
            History(tmp_path / "history", limit=5),
            SecretFiles(tmp_path / "secrets"),
            OwnKeys(tmp_path / "ssh"),
            parse_bench,
            lambda: 1.0,
        )

    return open_one


def edit_lab(room: BenchEditor, lab: str) -> None:
    prepared = room.prepare(set_lab(lab), room.version)
    room.write(prepared)
    room.take(prepared)


def test_changes_are_written_noted_and_taken_back(open_room: Callable[[], BenchEditor], tmp_path: Path) -> None:
    room, file = open_room(), tmp_path / "bench.yaml"
    for lab in ("One", "Two"):
        edit_lab(room, lab)
    assert file.read_text() == TEXT.replace("lab: Lab", "lab: Two")
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    for _ in range(2):
        undo = room.prepare_undo(room.version)
        room.write(undo)
        room.take(undo)
    assert file.read_text() == TEXT
    with pytest.raises(Conflict, match="no change to undo"):
        room.prepare_undo(room.version)
    assert [row.undone for row in open_room().changes().changes] == [True] * 4
    for number in range(8):
        edit_lab(room, f"Lab {number}")
    assert len(list((tmp_path / "history").iterdir())) == 5


def test_a_file_that_changed_meanwhile_is_not_overwritten(open_room: Callable[[], BenchEditor], tmp_path: Path) -> None:
    room, file = open_room(), tmp_path / "bench.yaml"
    seen = room.version
    prepared = room.prepare(set_lab("Mine"), seen)
    file.write_text(TEXT.replace("Lab", "Theirs"))
    with pytest.raises(Conflict, match="in the meantime"):
        room.write(prepared)
    with pytest.raises(Conflict, match="in the meantime"):
        room.prepare(set_lab("Mine"), seen)
    assert not room.source().in_force
    prepared = room.prepare(remove_entry(EntryPlace("plans", "p")), f'"{room.source().version}"')
    assert (prepared.bench.lab, prepared.bench.plans) == ("Theirs", ())


@pytest.mark.parametrize("dies_at", range(14))
def test_whatever_call_fails_the_file_is_the_old_or_the_new_one(
    open_room: Callable[[], BenchEditor], tmp_path: Path, dies_at: int
) -> None:
    """A child process ends without a word (as by kill -9) at the n-th call that touches the disk."""
    child = os.fork()
    if child == 0:
        calls = 0

        def mortal(call: Callable[..., Any]) -> Callable[..., Any]:
            def counted(*args: Any, **kwargs: Any) -> Any:
                nonlocal calls
                if calls == dies_at:
                    os._exit(9)
                calls += 1
                return call(*args, **kwargs)

            return counted

        room = open_room()
        prepared = room.prepare(set_lab("New"), room.version)
        for name in ("open", "fsync", "replace", "rename", "chmod", "unlink", "mkdir", "fdopen"):
            setattr(os, name, mortal(getattr(os, name)))
        room.write(prepared)
        os._exit(0)
    os.waitpid(child, 0)
    text = (tmp_path / "bench.yaml").read_text()
    assert text in (TEXT, TEXT.replace("lab: Lab", "lab: New"))
    room = open_room()
    assert load_bench(tmp_path / "bench.yaml") == room.bench
    assert len(room.changes().changes) == (text != TEXT)
    assert not list(tmp_path.glob(".bench.yaml.*"))
    edit_lab(room, "Later")
    undo = room.prepare_undo(room.version)
    assert undo.after.text == text


def test_changes_that_cannot_be_listed_are_not_none(
    open_room: Callable[[], BenchEditor], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the next change would have the number of the first, and passwords of earlier texts would be forgotten."""
    room, file = open_room(), tmp_path / "bench.yaml"
    edit_lab(room, "One")

    def denied(path: Path) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(Path, "iterdir", denied)
    with pytest.raises(StoreError, match="history cannot be read: Permission denied"):
        room.changes()
    with pytest.raises(StoreError, match="history cannot be read: Permission denied"):
        edit_lab(room, "Two")
    assert "lab: One" in file.read_text()


def test_a_mistake_is_told_at_its_field_in_the_words_of_the_file_check(open_room: Callable[[], BenchEditor]) -> None:
    room = open_room()
    meter = {"id": "m", "model": "x.y", "url": "modbus-tcp://a:b@h/1", "feeds": [{"server": "t"}], "rol": "wall"}
    with pytest.raises(EditRefused) as caught:
        room.prepare(put_entry(EntryPlace("meters", "m"), meter), room.version)
    messages = {tuple(mistake.path or ()): mistake.message for mistake in caught.value.mistakes}
    assert messages[("url",)].endswith("allowed: an address without user or password")
    assert messages[("rol",)].startswith("unknown key; did you mean role?")
    assert "a:b" not in str(caught.value)
    with pytest.raises(EditRefused) as caught:
        room.prepare(put_entry(EntryPlace("meters", "m"), {**meter, "url": "x://h", "rol": None}), room.version)
    del meter["rol"]
    with pytest.raises(EditRefused) as caught:
        room.suppose(put_entry(EntryPlace("meters", "new"), {**meter, "id": "new", "url": "x://h"}))
    assert [mistake.path for mistake in caught.value.mistakes] == [["feeds", 0, "server"]]


def test_what_is_used_is_not_removed(open_room: Callable[[], BenchEditor]) -> None:
    room = open_room()
    for place, users in (
        (EntryPlace("servers", "s"), "the meter m and the plan p"),
        (EntryPlace("configurations", "c", "s"), "the plan p"),
        (EntryPlace("meters", "m"), "the plan p"),
    ):
        with pytest.raises((Conflict, EditRefused), match=users):
            room.prepare_removal(remove_entry(place), place, room.version)


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        ("[./fit,", "[/bin/sh,", ["servers", 0, "prepare", "command"]),
        (
            "plans:",
            "workloads:\n  - {uses: 7zip, with: {program: /tmp/x}}\nplans:",
            ["workloads", 0, "with", "program"],
        ),
        ("feeds:", "password_file: /etc/shadow, feeds:", ["meters", 0, "password_file"]),
        ("feeds:", "password_file: secrets/../../x, feeds:", ["meters", 0, "password_file"]),
        ("{local: true}", "{ssh: {host: h, user: u, identity_file: /etc/ssh/id}}", ["servers", 0, "access", "ssh"]),
    ],
)
def test_programs_and_files_do_not_come_in_over_the_network(
    open_room: Callable[[], BenchEditor], old: str, new: str, path: list[str | int]
) -> None:
    room = open_room()
    with pytest.raises(EditRefused) as caught:
        room.prepare_text(TEXT.replace(old, new), room.version)
    assert (caught.value.mistakes[0].path or [])[: len(path)] == path


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [1]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]\n"
        + "".join(f"{chr(99 + n)}: &{chr(99 + n)} [{', '.join([f'*{chr(98 + n)}'] * 9)}]\n" for n in range(8)),
        "!!python/object/apply:os.system [id]",
        "a: 1\n---\nb: 2\n",
        "[" * 2000,
        "\x00",
        "- just a list\n",
        "",
        "lab: {}\nservers: 5\nmeters: {a: b}\n",
    ],
)
def test_hostile_texts_are_refused_in_words(open_room: Callable[[], BenchEditor], text: str) -> None:
    room = open_room()
    with pytest.raises(InputError):
        room.prepare_text(text, room.version)


def test_passwords_are_private_and_forgotten_when_nothing_names_them(
    open_room: Callable[[], BenchEditor], tmp_path: Path
) -> None:
    room = open_room()
    bound = bound_address("x.y", "modbus-tcp://192.0.2.1/1")
    used, unused = room.secrets.store("m", "hunter2", bound), room.secrets.store("m", "hunter3", bound)
    assert stat.S_IMODE(used.stat().st_mode) == 0o600
    assert stat.S_IMODE(used.parent.stat().st_mode) == 0o700
    for path in (used, unused):
        os.utime(path, (0, 0))
    entry = {**room.document["meters"][0], "user": "u", "password_file": f"secrets/{used.name}"}
    room.write(room.prepare(put_entry(EntryPlace("meters", "m"), entry), room.version))
    assert used.read_text() == "hunter2"
    assert not unused.exists()
    for owner, password in (("../x", "a"), ("m", ""), ("m", "a\nb"), ("m", "x" * 2000)):
        with pytest.raises(InputError) as caught:
            room.secrets.store(owner, password, bound)
        assert "a\nb" not in str(caught.value)


def test_a_server_goes_with_what_depends_on_it(open_room: Callable[[], BenchEditor]) -> None:
    room = open_room()
    prepared = room.prepare_release(remove_server("s"), room.version)
    room.write(prepared)
    room.take(prepared)
    left = entries_of(room.document)
    assert "s" not in [server["id"] for server in left.get("servers", [])]
    assert [meter["feeds"] for meter in left["meters"] if meter["id"] == "m"] == [[]]
    assert "p" not in [plan["name"] for plan in left.get("plans", [])]


def test_only_the_configurations_of_that_server_leave_a_plan() -> None:
    document = {
        "servers": [{"id": "a"}, {"id": "b"}],
        "meters": [{"id": "m", "feeds": [{"server": "a"}, {"server": "b"}]}],
        "bmcs": [{"id": "x", "server": "a"}, {"id": "y", "server": "b"}],
        "plans": [
            {"name": "both", "configurations": ["a/c", "b/c"], "exclude": [{"configuration": "a/c"}]},
            {"name": "one", "configurations": ["a/c"]},
        ],
    }
    left = remove_server("a").apply(document)
    assert [server["id"] for server in left["servers"]] == ["b"]
    assert left["meters"] == [{"id": "m", "feeds": [{"server": "b"}]}]
    assert [bmc["id"] for bmc in left["bmcs"]] == ["y"]
    assert left["plans"] == [{"name": "both", "configurations": ["b/c"], "exclude": []}]
    with pytest.raises(NotFound):
        remove_server("z").apply(document)


def test_what_the_gateway_speaks_goes_with_its_server_and_follows_a_new_name() -> None:
    document = {
        "servers": [{"id": "a"}, {"id": "b"}],
        "meters": [{"id": "m"}],
        "speak": [{"as": "scpi", "what": "a"}, {"as": "snmp", "what": "m"}],
    }
    assert remove_server("a").apply(document)["speak"] == [{"as": "snmp", "what": "m"}]
    server = put_entry(EntryPlace("servers", "a"), {"id": "z"})
    assert server.apply(document)["speak"] == [{"as": "scpi", "what": "z"}, {"as": "snmp", "what": "m"}]
    assert server.title(document) == "Changed the server a, now z; what the gateway speaks follows."
    meter = put_entry(EntryPlace("meters", "m"), {"id": "n"})
    assert meter.apply(document)["speak"] == [{"as": "scpi", "what": "a"}, {"as": "snmp", "what": "n"}]
