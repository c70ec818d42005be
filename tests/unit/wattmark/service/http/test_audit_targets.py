"""Every operation that changes something leaves a line in the audit log that says what it was about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from starlette.testclient import TestClient
from wattmark.access.audit import SHOWN, described
from wattmark.access.http.middleware import SAFE_METHODS, AccessPolicy
from wattmark.access.http.permissions import ONLY_LOOKS
from wattmark.access.roles import Role
from wattmark.service.app import create_app
from wattmark.service.service import Service, open_service
from wattmark.service.settings import Settings

from .described import operations

BENCH = "schema: wattmark-bench/1\nlab: Lab A\n"
SIGNED = {"by": "kim", "reason": "drift"}


@dataclass(frozen=True)
class Change:
    """A request, and the words that its line in the audit log must have."""

    path: str
    about: tuple[str, ...]
    body: dict[str, Any] | bytes | None = None


def of_bench(kind: str, name: str = "one") -> Change:
    return Change(f"/api/bench/{kind}/{name}", (f"/{kind}/{name}",), {"id": name})


CHANGES = {
    "access_create_token": Change("/api/tokens", ("kim operator",), {"name": "kim", "role": "operator"}),
    "access_revoke_token": Change("/api/tokens/kim", ("/tokens/kim",)),
    "access_sign_in": Change("/api/session", ("/api/session",)),
    "access_sign_out": Change("/api/session", ("/api/session",)),
    "annotations_exclude_run": Change("/api/annotations/r1/inclusion", ("/r1/inclusion",)),
    "annotations_include_run": Change("/api/annotations/r1/inclusion", ("r1, gaps",), {**SIGNED, "rules": ["gaps"]}),
    "annotations_tag_runs": Change("/api/annotations/tags", ("r1, r2",), {"run_ids": ["r1", "r2"], "add": ["x"]}),
    "annotations_write_note": Change("/api/annotations/r1/note", ("/r1/note",), {"note": "x"}),
    "archives_upload_archive": Change("/api/archive?file_name=theirs.zip", ("theirs.zip",), b"no archive"),
    "imports_import_published": Change("/api/imports?file_name=theirs.zip", ("theirs.zip",), b"no results"),
    "imports_delete_import": Change("/api/imports/specpower-0", ("/imports/specpower-0",)),
    "imports_restore_import": Change("/api/imports/specpower-0/restore", ("/imports/specpower-0/restore",)),
    "imports_keep_mapping": Change("/api/imports/mappings/plug", ("/mappings/plug",), {"name": "plug"}),
    "imports_delete_mapping": Change("/api/imports/mappings/plug", ("/mappings/plug",)),
    "bench_add_secret": Change(
        "/api/bench/secrets",
        ("bmc-7",),
        {"owner": "bmc-7", "model": "ipmi.bmc", "url": "ipmi://h:623", "password": "s3cret"},
    ),
    "bench_delete_bmc": of_bench("bmcs"),
    "bench_delete_configuration": of_bench("servers/s/configurations"),
    "bench_delete_meter": of_bench("meters"),
    "bench_delete_plan": of_bench("plans"),
    "bench_delete_server": of_bench("servers"),
    "bench_delete_server_with_dependents": Change("/api/bench/servers/one/with-dependents", ("/servers/one/",)),
    "bench_name_lab": Change("/api/bench", ("Lab B",), {"lab": "Lab B"}),
    "bench_put_bmc": of_bench("bmcs"),
    "bench_put_configuration": of_bench("servers/s/configurations"),
    "bench_put_meter": of_bench("meters"),
    "bench_put_plan": of_bench("plans"),
    "bench_put_server": of_bench("servers"),
    "bench_put_source": Change(
        "/api/bench/source", ("/bench/source", "Edited the text"), {"text": "schema: wattmark-bench/1\nlab: Lab C\n"}
    ),
    "bench_read_machine": Change(
        "/api/bench/read-machine", ("kim@127.0.0.1",), {"ssh": {"host": "127.0.0.1", "user": "kim", "port": 1}}
    ),
    "bench_ask_ssh_host": Change("/api/bench/ssh-hosts/ask", ("127.0.0.1:1",), {"host": "127.0.0.1", "port": 1}),
    "bench_accept_ssh_host": Change(
        "/api/bench/ssh-hosts",
        ("far.lab:22", "SHA256:x"),
        {"host": "far.lab", "key": "ssh-ed25519 AAAA", "fingerprint": "SHA256:x"},
    ),
    "bench_undo": Change("/api/bench/undo", ("/bench/undo",)),
    "campaign_ready": Change("/api/campaign/ready", ("no campaign",)),
    "campaign_repeat": Change("/api/campaign/repeat", ("c-9",), {"campaign_id": "c-9"}),
    "campaign_resume": Change("/api/campaign/resume", ("c-9",), {"campaign_id": "c-9"}),
    "campaign_start": Change("/api/campaign", ("night",), {"plan": "night"}),
    "campaign_start_suite": Change(
        "/api/campaign/suite", ("graduated-trial",), {"suite": "graduated-trial", "configurations": ["s/c"]}
    ),
    "campaign_stop": Change("/api/campaign/stop", ("no campaign",)),
    "certificates_add_certificate": Change("/api/certificates?file_name=wall.xml", ("wall.xml",), b"no certificate"),
    "certificates_issue_in_house": Change(
        "/api/certificates/in-house",
        ("plug, analyser, stepped",),
        {
            "meter": "plug",
            "reference": "analyser",
            "campaign_id": "stepped",
            "due_on": "2027-03-01",
            "laboratory": "Example Lab",
            "by": "K. Berg",
        },
    ),
    "certificates_override_certificate": Change(
        "/api/certificates/CAL-1/override",
        ("/CAL-1/", "expired, r1"),
        {**SIGNED, "accepts": ["expired"], "run_id": "r1"},
    ),
    "certificates_recompute_meter": Change("/api/meters/SN-1/recompute", ("/SN-1/",), SIGNED),
    "certificates_recompute_review": Change("/api/certificates/CAL-1/recompute", ("/CAL-1/",), SIGNED),
    "certificates_recompute_run": Change("/api/runs/r1/recompute", ("/runs/r1/",), SIGNED),
    "certificates_revoke_certificate": Change(
        "/api/certificates/CAL-1/revoke", ("/CAL-1/",), {**SIGNED, "effective": "2026-01-01"}
    ),
    "check_standards_add_check_standard": Change(
        "/api/check-standards", ("lamp, wall",), {"name": "lamp", "meter": "wall", "nominal_w": 60.0}
    ),
    "check_standards_record_reading": Change(
        "/api/check-standards/lamp/readings", ("/lamp/",), {"operator": "kim", "power_w": 60.1}
    ),
    "notices_test_notifier": Change("/api/notices/phone/test", ("/phone/test",)),
    "outputs_test_output": Change("/api/outputs/prometheus/test", ("/prometheus/test",)),
    "queue_add": Change("/api/campaign/queue", ("night",), {"plan": "night"}),
    "queue_move": Change("/api/campaign/queue/e1", ("/queue/e1",), {"position": 0}),
    "queue_remove": Change("/api/campaign/queue/e1", ("/queue/e1",)),
    "markers_mark": Change("/api/markers", ("begin, no campaign",), {"kind": "begin"}),
    "measurements_begin": Change("/api/measurements/m-1/begin", ("/m-1/begin",)),
    "measurements_drop": Change("/api/measurements/m-1", ("/measurements/m-1",)),
    "measurements_end": Change("/api/measurements/m-1/end", ("/m-1/end",), {"operations": 3}),
    "measurements_open_measurement": Change(
        "/api/measurements", ("matmul, desk",), {"name": "matmul", "server": "desk"}
    ),
    "meters_check_meter": Change("/api/meters/wall/check?seconds=1", ("/wall/",)),
    "meters_scan": Change("/api/meters/scan", ("127.0.0.1:1",), {"modbus_tcp": "127.0.0.1:1"}),
    "meters_try_meter": Change("/api/meters/try", ("wall-2",), {"meter": {"id": "wall-2"}, "seconds": 1}),
    "runs_delete_run": Change("/api/runs/r1", ("/runs/r1",)),
    "store_copy_shared": Change("/api/store/shared/copy", ("r7",), {"run_id": "r7"}),
    "trash_delete_for_good": Change("/api/trash/r1", ("/trash/r1",)),
    "trash_move_to_trash": Change("/api/trash", ("r1, r2",), {"run_ids": ["r1", "r2"]}),
    "trash_restore": Change("/api/trash/restore", ("r1, r2",), {"run_ids": ["r1", "r2"]}),
    "workloads_try_one": Change("/api/workloads/paced.nothing/try", ("paced.nothing",), {"seconds": 1}),
}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("audited")
    (folder / "bench.yaml").write_text(BENCH)
    opened = open_service(Settings(data_dir=folder))
    yield opened
    opened._storage.close()


@pytest.fixture(scope="module")
def secret(service: Service) -> str:
    return service.gate.tokens.create("admin", Role.ADMIN)


@pytest.fixture(scope="module")
def client(service: Service, secret: str) -> TestClient:
    app = create_app(service, AccessPolicy.for_address("127.0.0.1", sign_in=True))
    headers = {"Authorization": f"Bearer {secret}"}
    return TestClient(app, base_url="http://127.0.0.1:8400", headers=headers)


def test_every_operation_that_changes_something_is_in_the_table() -> None:
    changing = {name for name, (method, _) in operations().items() if method not in SAFE_METHODS}
    assert set(CHANGES) == changing - ONLY_LOOKS


@pytest.mark.parametrize("operation", CHANGES)
def test_its_line_in_the_audit_log_says_what_it_was_about(
    client: TestClient, service: Service, secret: str, operation: str
) -> None:
    change, (method, _) = CHANGES[operation], operations()[operation]
    body = {"token": secret} if operation == "access_sign_in" else change.body
    sent = {"content": body} if isinstance(body, bytes) else {"json": body} if body is not None else {}
    headers = {"If-Match": client.get("/api/bench").json()["version"]} if operation.startswith("bench_") else {}
    answer = client.request(method, change.path, headers=headers, **sent)
    assert answer.status_code != 500
    (entry,) = service.gate.audit.before(None, 1)
    act = entry.act
    assert (act.who, act.action, act.status) == ("admin", operation, answer.status_code)
    for words in change.about:
        assert words in act.target, act.target
    assert "s3cret" not in act.target


def test_what_is_only_checked_is_not_in_the_audit_log(client: TestClient, service: Service) -> None:
    before = service.gate.audit.before(None, 1)
    seen = {"If-Match": client.get("/api/bench").json()["version"]}
    assert client.patch("/api/bench?check=true", json={"lab": "Lab D"}, headers=seen).status_code == 200
    assert client.post("/api/archive/preview", content=b"no archive").status_code == 422
    assert service.gate.audit.before(None, 1) == before
    assert client.patch("/api/bench", json={"lab": "Lab D"}, headers=seen).status_code == 200
    assert service.gate.audit.before(None, 1) != before


def test_many_names_are_counted_and_none_can_forge_a_line() -> None:
    assert described(("a", "", "b")) == "a, b"
    assert described(tuple("abcdefg")) == f"7 in all: {', '.join('abcdefg'[:SHOWN])}, ..."
    assert described(("x\n2026 admin \x1b[2J", "y\N{RIGHT-TO-LEFT OVERRIDE}")) == "x\ufffd2026 admin \ufffd[2J, y\ufffd"
