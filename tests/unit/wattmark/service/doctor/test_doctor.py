"""What the doctor finds on a machine and in a data folder, and that each remedy is there."""

from __future__ import annotations

import json
import socket
import struct
import subprocess
import sys
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import numpy as np
import pytest
from wattmark.access.audit import Act
from wattmark.results.data_folder import open_storage
from wattmark.service.doctor.folder import backups, folder, speed, sync_s
from wattmark.service.doctor.last_backup import FILE_NAME, last_backup
from wattmark.service.doctor.machine import clock, installed, kernel_clock, serial_ports, way_in
from wattmark.service.doctor.service import bench, port, running
from wattmark.service.doctor.software import sqlite
from wattmark.store.columns import make_samples
from wattmark.store.sample_store import SeriesKey

from tests.web_peer import Handler, serving

NOW = datetime(2026, 11, 22, tzinfo=UTC)
MARK = 123456.789
WATTMARK = Path(sys.executable).with_name("wattmark")


def by_subject(findings):
    return {finding.subject: finding for finding in findings}


@pytest.mark.parametrize(
    ("version", "state"), [("3.40.1", "problem"), ("3.51.2", "problem"), ("3.51.3", "ok"), ("3.100.0", "ok")]
)
def test_the_race_of_older_sqlite_is_told(version, state):
    assert sqlite(version).state == state
    assert sqlite(apsw.sqlite_lib_version()).state == "ok"


def test_the_clock_is_what_the_kernel_says():
    synchronised, max_error_s = kernel_clock()
    assert max_error_s >= 0
    before = NOW - timedelta(days=30)
    assert clock(synchronised, max_error_s, NOW, before).state == ("ok" if synchronised else "warning")
    assert clock(True, 0.02, NOW, before).found == "synchronised, maximum error 20 ms"
    assert "chrony" in clock(False, 16.0, NOW, before).remedy


def test_a_clock_that_woke_up_in_the_past_is_a_problem_whatever_the_kernel_believes():
    finding = clock(True, 0.02, datetime(1970, 1, 1, 0, 3, tzinfo=UTC), NOW)
    assert (finding.state, finding.found) == (
        "problem",
        "1970-01-01 00:03 UTC, before wattmark was installed (2026-11-22)",
    )
    assert installed() <= datetime.now(UTC)


def test_serial_ports_are_judged_one_by_one(tmp_path):
    assert [finding.found for finding in serial_ports(tmp_path)] == ["none connected"]
    (tmp_path / "ttyUSB0").touch()
    assert [(finding.subject, finding.state) for finding in serial_ports(tmp_path)] == [("port ttyUSB0", "ok")]


def test_backups_age():
    assert backups(None, NOW).state == "warning"
    assert backups((NOW - timedelta(days=1), "/b"), NOW).found == "1.0 days ago, to /b"
    assert backups((NOW - timedelta(days=8), "/b"), NOW).state == "warning"
    later = backups((NOW + timedelta(days=1), "/b"), NOW)
    assert later.state == "warning", "made by a clock that was wrong: it says nothing of its age"
    assert later.found.startswith("dated later than now")


@pytest.mark.parametrize(
    "content", ["", "{}", "[" * 100_000, '{"at": "0001-01-01T00:00:00+14:00", "file": "/b"}', '{"at": 3, "file": ""}']
)
def test_a_damaged_note_of_the_last_backup_is_none(tmp_path, content):
    (tmp_path / FILE_NAME).write_text(content)
    assert last_backup(tmp_path) is None


def test_disk_speed(tmp_path):
    assert 0 < sync_s(tmp_path) < 60
    assert (speed(0.001).state, speed(0.5).state) == ("ok", "warning")
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_database_is_named_part_by_part(tmp_path):
    storage = open_storage(tmp_path)
    number = storage.samples.series(SeriesKey("run1", "r", "wall", "power", "power", "W", "averaged")).id
    storage.samples.append([(number, make_samples(np.arange(5000), np.full(5000, MARK)))])
    storage.samples.seal("run1")
    storage.close()
    findings = by_subject(folder(tmp_path, NOW, deep=False))
    assert findings["database"].found.endswith("MB, all checksums match")
    path = tmp_path / "wattmark.db"
    content = path.read_bytes()
    place = content.rindex(struct.pack("<d", MARK))
    path.write_bytes(content[:place] + b"\x01" + content[place + 1 :])
    findings = by_subject(folder(tmp_path, NOW, deep=False))
    assert findings["database"].state == "problem"
    assert "wall power of run run1 is damaged" in findings["database"].found
    path.write_bytes(content[: len(content) // 2])
    findings = by_subject(folder(tmp_path, NOW, deep=False))
    assert findings["database"].state == "problem"


def test_a_damaged_schema_is_named_and_a_rebuilt_one_stays_a_warning(tmp_path):
    open_storage(tmp_path).close()
    path = tmp_path / "wattmark.db"
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE run_tag(", b"CREATE TABLE run_tag\x08"))
    finding = by_subject(folder(tmp_path, NOW, deep=False))["database"]
    assert (finding.state, "Start `wattmark serve`" in finding.remedy) == ("problem", True)
    open_storage(tmp_path).close()
    findings = by_subject(folder(tmp_path, NOW, deep=False))
    assert findings["database"].state == "ok"
    assert findings["rebuilt database"].state == "warning"
    assert "wattmark.db.damaged-1" in findings["rebuilt database"].found
    (tmp_path / "wattmark.db.damaged-1").unlink()
    assert "rebuilt database" not in by_subject(folder(tmp_path, NOW, deep=False))


def test_an_audit_log_that_somebody_changed_is_a_problem(tmp_path):
    storage = open_storage(tmp_path)
    for name in ("run_start", "run_delete"):
        storage.audit.add(Act(1, "bob", "operator", "127.0.0.1", name, "", 200))
    storage.close()
    assert by_subject(folder(tmp_path, NOW, deep=False))["audit log"].state == "ok"
    connection = apsw.Connection(str(tmp_path / "wattmark.db"))
    connection.execute("DROP TRIGGER audit_stays")
    connection.execute("UPDATE audit SET who = 'alice' WHERE number = 2")
    connection.close()
    finding = by_subject(folder(tmp_path, NOW, deep=False))["audit log"]
    assert (finding.state, finding.found.split(" of ")[0]) == ("problem", "Entry 2")


def test_a_folder_that_is_a_file(tmp_path):
    (tmp_path / "data").touch()
    assert by_subject(folder(tmp_path / "data", NOW, deep=False))["data folder"].state == "problem"


def test_ports():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        number = taken.getsockname()[1]
        assert port("127.0.0.1", number).found == "in use by another program"
    assert port("127.0.0.1", number).state == "ok"


@pytest.fixture
def says():
    """Serve one answer at every path; gives the port."""

    class Saying(Handler):
        answer = b""

        def do_GET(self):
            self.send(503, self.answer)

    with ExitStack() as stack:
        yield lambda answer: stack.enter_context(serving(Saying, answer=answer))


def test_what_the_running_service_says_is_repeated(says):
    number = says(b'{"status": "not ready", "reasons": ["No meter answers."], "notes": ["1 of 2 places are taken"]}')
    assert [(finding.subject, finding.state, finding.found) for finding in running("127.0.0.1", number)] == [
        ("service", "problem", "No meter answers."),
        ("service", "warning", "1 of 2 places are taken"),
    ]
    assert all(f"http://127.0.0.1:{number}" in finding.remedy for finding in running("127.0.0.1", number))


@pytest.mark.parametrize("answer", [b"", b"[]", b"null", b"<html>", b'{"reasons": null, "notes": 5}', b"[" * 5000])
def test_another_program_on_the_port_says_nothing(says, answer):
    assert list(running("127.0.0.1", says(answer))) == []


@pytest.mark.parametrize("content", [b"schema: other\n", b"root:x:0:0:\x1b[2J", b"\x7fELF\xff\x00", b"[" * 3000, b""])
def test_a_bench_file_that_is_none(tmp_path, content):
    file = tmp_path / "bench.yaml"
    file.write_bytes(content)
    (finding,) = bench(file, tmp_path, {})
    assert finding.state == "problem"
    assert finding.remedy


def test_no_bench_file(tmp_path):
    assert [finding.state for finding in bench(None, tmp_path, {})] == ["ok"]


def test_the_bench_of_the_data_folder_and_each_password_that_cannot_be_read(tmp_path):
    entry = "{{id: {0}, server: s, url: 'redfish://127.0.0.1:9', user: u, {1}}}"
    named = {
        "b1": "password_env: BMC_1",
        "b2": "password_file: lost",
        "b3": "password_file: open",
        "b4": "password_env: B4",
    }
    (tmp_path / "open").write_text("secret")
    (tmp_path / "open").chmod(0o644)
    (tmp_path / "bench.yaml").write_text(
        "schema: wattmark-bench/1\nlab: Test\nservers: [{id: s, access: {local: true}, configurations: "
        "[{id: c, cpu: {model: any}, os: {name: any, kernel: any}}]}]\n"
        f"bmcs: [{', '.join(entry.format(*name_and_source) for name_and_source in named.items())}]\n"
    )
    findings = by_subject(bench(None, tmp_path, {"B4": "secret"}))
    assert {name: finding.state for name, finding in findings.items()} == {
        "bench file": "ok",
        **dict.fromkeys(("password b1", "password b2", "password b3"), "warning"),
    }
    assert "chmod 600" in findings["password b3"].remedy
    assert "BMC_1=" in findings["password b1"].remedy


def test_ports_that_are_open_beyond_this_machine_are_listed_with_who_may_ask(tmp_path):
    (tmp_path / "bench.yaml").write_text(
        "schema: wattmark-bench/1\nlab: Test\n"
        "meters: [{id: wall, model: eastron.sdm120, url: 'modbus-tcp://192.0.2.1/1'}]\n"
        "speak:\n"
        "  - {as: scpi, what: wall, port: 5025}\n"
        "  - {as: modbus-tcp, what: wall, port: 5020, address: 0.0.0.0}\n"
        "  - {as: snmp, what: wall, port: 5161, address: 192.0.2.9, password_env: COMMUNITY, unencrypted: true}\n"
    )
    findings = by_subject(bench(None, tmp_path, {"COMMUNITY": "secret"}))
    assert {name: finding.found for name, finding in findings.items() if name.startswith("gateway")} == {
        "gateway modbus-tcp 0.0.0.0:5020": "wall is open beyond this machine, to everybody who reaches this machine",
        "gateway snmp 192.0.2.9:5161": "wall is open beyond this machine, to whoever knows its password, which crosses "
        "the network unencrypted",
    }
    (unread,) = [finding for finding in bench(None, tmp_path, {}) if finding.state == "warning"]
    assert "COMMUNITY" in unread.found


def test_files_of_another_user_in_the_folder_are_a_problem(tmp_path, monkeypatch):
    """Somebody ran wattmark with sudo once; root itself may write everything, so the answer of the system is given."""
    open_storage(tmp_path).close()
    monkeypatch.setattr("os.access", lambda path, mode: Path(path).name != "wattmark.db")
    finding = by_subject(folder(tmp_path, NOW, deep=False))["data folder"]
    assert (finding.state, finding.found) == (
        "problem",
        f"wattmark.db in {tmp_path} cannot be read or written by this user",
    )
    assert "chown" in finding.remedy


def test_a_folder_of_another_user_in_the_folder_is_a_problem(tmp_path, monkeypatch):
    """Its files are neither listed nor read: the journal of power settings would look empty."""
    open_storage(tmp_path).close()
    for name in ("power-settings", "lost+found"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr("os.access", lambda path, mode: Path(path).name not in ("power-settings", "lost+found"))
    finding = by_subject(folder(tmp_path, NOW, deep=False))["data folder"]
    assert (finding.state, finding.found) == (
        "problem",
        f"power-settings in {tmp_path} cannot be read or written by this user",
    )


def test_a_port_of_root_alone_makes_nobody_a_member_of_root():
    assert "usermod -aG dialout" in way_in("dialout")
    assert "usermod" not in way_in("root")


def test_the_command_speaks_json(tmp_path):
    command = [WATTMARK, "doctor", "--format", "json", "--data", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    findings = json.loads(done.stdout)["findings"]
    assert {"wattmark", "SQLite", "data folder", "disk space", "clock", "ipmitool"} <= {f["subject"] for f in findings}
    assert all(f["remedy"] for f in findings if f["state"] != "ok")
    assert done.returncode == any(f["state"] == "problem" for f in findings)
