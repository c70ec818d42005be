"""What a change over HTTP may not bring in is refused at its field, and what is harmless comes in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from wattmark.bench.editing.bound import bound_address
from wattmark.bench.editing.editor import BenchEditor
from wattmark.bench.editing.errors import EditRefused
from wattmark.bench.editing.plain import EntryPlace, put_entry

from .conftest import TEXT, changed, put

W = "workloads"
REFUSED: list[tuple[list[Any], Any, list[Any]]] = [
    (["servers", 0, "prepare", "command"], ["./other"], ["servers", 0, "prepare", "command"]),
    (["servers", 1, "access", "ssh", "host"], "evil.lab", ["servers", 1, "access", "ssh", "host"]),
    (["servers", 1, "access", "ssh", "user"], "root", ["servers", 1, "access", "ssh", "user"]),
    (["servers", 1, "access", "ssh", "identity_file"], None, ["servers", 1, "access", "ssh", "host"]),
    (["servers", 1, "access", "ssh", "known_hosts"], "k", ["servers", 1, "access", "ssh", "known_hosts"]),
    (["meters", 1, "url"], "http://evil.lab/1", ["meters", 1, "password_env"]),
    (["meters", 1, "url"], "http://192.0.2.2:81/1", ["meters", 1, "password_env"]),
    (["meters", 1, "model"], "shelly.plus1pm", ["meters", 1, "password_env"]),
    (["meters", 1, "password_env"], "AWS_SECRET_ACCESS_KEY", ["meters", 1, "password_env"]),
    (["meters", 2, "url"], "snmp://192.0.2.3/1?version=2c", ["meters", 2, "password_file"]),
    (["meters", 2, "url"], "snmp://evil.lab/1?version=3", ["meters", 2, "privacy_password_file"]),
    (["meters", 2, "privacy_password_file"], "pdu", ["meters", 2, "privacy_password_file"]),
    (["meters", 0, "password_file"], "pdu", ["meters", 0, "password_file"]),
    (["meters", 3, "url"], "replay:///etc/shadow", ["meters", 3, "url"]),
    (["meters", 3, "model"], "linux.rapl", []),
    (["bmcs", 0, "host"], "evil.lab", ["bmcs", 0, "password_file"]),
    (["bmcs", 0, "port"], 6230, ["bmcs", 0, "password_file"]),
    (["bmcs", 1, "url"], "redfish://evil.lab?ca=/srv/ca.pem", ["bmcs", 1, "password_env"]),
    (["bmcs", 1, "url"], "redfish://192.0.2.5?tls=insecure", ["bmcs", 1, "password_env"]),
    (["bmcs", 1, "url"], "redfish+http://192.0.2.5", ["bmcs", 1, "password_env"]),
    (["bmcs", 1, "url"], "redfish://192.0.2.5?ca=/etc/passwd", ["bmcs", 1, "url"]),
    ([W, 0, "with", "program"], "/tmp/x", [W, 0, "with", "program"]),
    ([W, 0, "with", "environment"], {"LD_PRELOAD": "/tmp/x.so"}, [W, 0, "with", "environment"]),
    ([W, 0, "uses"], "sysbench.cpu", [W, 0, "with", "program"]),
    ([W, 1, "with", "parameters", "folder"], "/home", [W, 1, "with", "parameters", "folder"]),
    ([W, 1, "with", "parameters", "folder"], "/srv/disk:/etc/passwd", [W, 1, "with", "parameters", "folder"]),
    ([W, 1, "with", "parameters", "folder"], "/dev", [W, 1, "with", "parameters", "folder"]),
    ([W, 2, "with", "parameters", "python"], "/tmp/x", [W, 2, "with", "parameters", "python"]),
    ([W, 3, "with", "parameters", "host"], "evil.lab", [W, 3, "with", "parameters", "host"]),
    ([W, 3, "with", "parameters", "host"], None, [W, 3, "with", "password_env"]),
    ([W, 3, "with", "parameters", "database"], "host=evil.lab", [W, 3, "with", "parameters", "database"]),
    ([W, 3, "with", "password_env"], "AWS_SECRET_ACCESS_KEY", [W, 3, "with", "password_env"]),
    ([W, 4, "command"], ["./own", "{mode}", "{size}"], [W, 4, "command"]),
    ([W, 4, "setup"], [["./own"]], [W, 4, "setup"]),
    ([W, 4, "cleanup"], [["rm", "-rf", "/"]], [W, 4, "cleanup"]),
    ([W, 4, "version"], ["id"], [W, 4, "version"]),
    ([W, 4, "needs"], {"/etc/shadow": "x"}, [W, 4, "needs"]),
    ([W, 4, "environment"], None, [W, 4, "command"]),
    ([W, 4, "parameters", "mode", "choices"], ["a", "b", "c"], [W, 4, "parameters"]),
    ([W, 4, "parameters", "size"], {"help": "Size", "kind": "path", "default": "/srv"}, [W, 4, "parameters"]),
    ([W, 5, "parameters", "host", "default"], "evil.lab", [W, 5, "parameters"]),
    ([W, 5, "hook", "token_file"], "/etc/shadow", [W, 5, "hook"]),
    ([W, 5, "hook", "ca_file"], "/etc/shadow", [W, 5, "hook"]),
    ([W, 5, "hook", "ca_file"], None, [W, 5, "hook"]),
    ([W, 5, "hook", "begin", "url"], "https://evil.lab/b", [W, 5, "hook"]),
    (["outputs", "mqtt", "url"], "mqtt://evil.lab:1883", ["outputs", "mqtt", "url"]),
    (["outputs", "mqtt", "password_file"], "/etc/shadow", ["outputs", "mqtt", "password_file"]),
    (["outputs", "otel", "endpoint"], "http://evil.lab:4318", ["outputs", "otel", "endpoint"]),
    (["outputs", "otel", "token_file"], "/etc/shadow", ["outputs", "otel", "token_file"]),
    (["outputs", "otel", "ca_file"], "/etc/shadow", ["outputs", "otel", "ca_file"]),
    (["outputs", "mqtt", "user"], "root", ["outputs", "mqtt", "user"]),
    (["speak", 0, "as"], "ipmi", []),
    (["speak", 0, "address"], "0.0.0.0", ["speak", 0, "address"]),
    (["speak", 0, "port"], 9443, ["speak", 0, "port"]),
    (["speak", 0, "user"], "root", ["speak", 0, "user"]),
    (["speak", 0, "most_clients"], 1000, ["speak", 0, "most_clients"]),
    (["speak", 0, "password_file"], "/etc/shadow", ["speak", 0, "password_file"]),
    (["speak", 0, "key_file"], "/etc/shadow", ["speak", 0, "key_file"]),
    (["speak", 1, "url"], "mqtts://evil.lab/rack1", ["speak", 1, "url"]),
    (["speak"], [{"as": "scpi", "what": "wall", "port": 5025}], ["speak", 0, "as"]),
    (["notify", 0, "url"], "https://169.254.169.254/latest", ["notify", 0, "url"]),
    (["notify", 1, "by"], "ntfy", ["notify", 1, "by"]),
    (["notify", 0, "token_file"], "/etc/shadow", ["notify", 0, "token_file"]),
    (["notify", 0, "ca_file"], "/etc/shadow", ["notify", 0, "ca_file"]),
    (["notify", 1, "url_env"], "AWS_SECRET_ACCESS_KEY", ["notify", 1, "url_env"]),
    (["notify", 2, "to"], ["evil@example.org"], ["notify", 2, "to"]),
    (["notify", 2, "sender"], "boss@example.org", ["notify", 2, "sender"]),
    (["notify"], [{"id": "new", "by": "ntfy", "url": "http://127.0.0.1:8400/trash"}], ["notify", 0, "url"]),
]


@pytest.mark.parametrize(("path", "value", "blamed"), REFUSED)
def test_what_is_not_harmless_is_refused_at_its_field(
    machine_room: BenchEditor, path: list[Any], value: Any, blamed: list[Any]
) -> None:
    with pytest.raises(EditRefused) as caught:
        put(machine_room, changed(path, value))
    assert not blamed or blamed in [mistake.path for mistake in caught.value.mistakes]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["lab"], "Other"),
        (["servers", 0, "prepare"], "manual"),
        (["servers", 0, "prepare", "timeout_s"], 60),
        (["servers", 0, "configurations", 0, "firmware"], {"program": "/bin/sh", "password_file": "/etc/shadow"}),
        (["servers", 1, "access"], {"local": True}),
        (["meters", 0, "url"], "modbus-tcp://10.0.0.9:1502/3"),
        (["meters", 0, "url"], "modbus-rtu:///dev/ttyUSB0?device=1"),
        (["meters", 1, "url"], "http://192.0.2.2:80/2"),
        (["meters", 1, "user"], "other"),
        (["meters", 2, "options"], {}),
        (["meters", 3, "url"], "replay:///srv/past.csv?speed=2"),
        (["bmcs", 0, "privilege"], "OPERATOR"),
        (["bmcs", 1, "url"], "redfish://192.0.2.5:443/1?ca=/srv/ca.pem"),
        ([W, 0, "id"], "theirs"),
        ([W, 0, "with", "slice_s"], 9),
        ([W, 0], {"uses": "openssl.rsa512-sign"}),
        ([W, 1, "with", "parameters", "size"], "2G"),
        ([W, 3, "with", "parameters", "scale"], 6),
        ([W, 4, "parameters", "mode", "default"], "b"),
        ([W, 4, "title"], "Another"),
        ([W, 4, "timeout_s"], 9),
        (["plans", 0, "repeats"], 7),
        (["outputs", "prometheus"], True),
        (["outputs", "mqtt", "period_s"], 60),
        (["outputs", "mqtt"], None),
        (["speak", 0, "what"], "wall"),
        (["speak", 0, "corrected"], True),
        (["speak", 1, "period_s"], 60),
        (["speak"], None),
        (["notify", 0, "id"], "mobile"),
        (["notify", 1, "events"], ["campaign-failed", "meter-lost"]),
        (["notify"], None),
    ],
)
def test_what_is_harmless_comes_in(machine_room: BenchEditor, path: list[Any], value: Any) -> None:
    data = changed(path, value)
    if path == [W, 0, "id"] or path == [W, 0]:
        data["plans"][0]["workloads"] = ["disk"]
    put(machine_room, data)


def test_a_password_that_the_service_keeps_is_good_for_its_address_alone(machine_room: BenchEditor) -> None:
    url = "http://198.51.100.7/1"
    path = machine_room.secrets.store("new", "word", bound_address("tasmota.plug", url))
    entry = {
        "id": "new",
        "model": "tasmota.plug",
        "url": url,
        "user": "u",
        "password_file": f"data/secrets/{path.name}",
    }
    for good in (entry, {**entry, "url": "http://198.51.100.7:80/2"}, {**entry, "password_file": str(path)}):
        machine_room.suppose(put_entry(EntryPlace("meters", "new"), good))
    for bad in (
        {"url": "http://198.51.100.8/1"},
        {"url": "http://198.51.100.7:8080/1"},
        {"url": "https://198.51.100.7:80/1?tls=insecure"},
        {"model": "shelly.plus1pm"},
        {"password_file": f"data/secrets/../../{path.name}"},
        {"password_file": f"data/secrets/x/../{path.name}"},
        {"password_file": path.name},
    ):
        with pytest.raises(EditRefused) as caught:
            machine_room.suppose(put_entry(EntryPlace("meters", "new"), {**entry, **bad}))
        assert [mistake.path for mistake in caught.value.mistakes] == [["password_file"]]


def test_a_port_has_to_be_there(machine_room: BenchEditor) -> None:
    for port in ("/dev/ttyUSB1", "/dev/%74tyUSB0", "/dev/../dev/ttyUSB0", "/dev/sda", "/etc/passwd"):
        with pytest.raises(EditRefused):
            put(machine_room, changed(["meters", 0, "url"], f"modbus-rtu://{port}?device=1"))


def test_a_bench_broken_by_hand_is_mended_but_lets_nothing_in(machine_room: BenchEditor, tmp_path: Path) -> None:
    broken = TEXT.replace("lab: Lab", "lab: [") + "# more\n"
    (tmp_path / "bench.yaml").write_text(broken)
    seen = machine_room.source().version
    machine_room.prepare_text(TEXT, seen)
    with pytest.raises(EditRefused):
        machine_room.prepare_text(TEXT.replace("[./fit,", "[/bin/sh,"), seen)
