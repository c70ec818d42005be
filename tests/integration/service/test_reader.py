"""Stored runs are read in a process of their own: the answers stay the same, and the service outlives it."""

from __future__ import annotations

import asyncio
import io
import json
import shutil
import signal
import socket
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from wattmark.access.http.middleware import AccessPolicy
from wattmark.access.http.permissions import needed_role
from wattmark.access.roles import Role
from wattmark.core.errors import EvaluationFailed, StoreError
from wattmark.results import evaluate as evaluating
from wattmark.results.data_folder import LAYOUT
from wattmark.results.issued.elsewhere import computed_by
from wattmark.results.issued.evaluations import Evaluations
from wattmark.service.app import create_app
from wattmark.service.reader import keeper
from wattmark.service.reader import process as reader_process
from wattmark.service.reader.app import create_reader_app
from wattmark.service.reader.client import KINDS
from wattmark.service.reader.keeper import Reader
from wattmark.service.reader.lane import lanes
from wattmark.service.reader.start import StartOrder
from wattmark.service.reader.stored_runs import StoredRuns
from wattmark.service.service import open_service
from wattmark.service.settings import Settings
from wattmark.store.database import Database
from wattmark.store.query import query

from ..archives.conftest import packed
from ..traceability.conftest import SERIAL, Lab, certificate
from .conftest import PATIENCE_S, wait_until
from .served import START_S, Answer, Served, served

AS_OF = "as_of=2026-06-01T00:00:00Z"
GROUP = "workload=rsa&level=1%20process"
PATHS = {
    "archives_download_archive": "/api/archive?all=true",
    "archives_preview_archive": "/api/archive/preview?file_name=runs.zip",
    "audits_audit_table": "/api/audits/table.csv",
    "audits_list_audits": "/api/audits",
    "audits_one_audit": "/api/audits/none",
    "imports_list_deleted": "/api/imports/deleted",
    "imports_list_imports": "/api/imports",
    "imports_list_kinds": "/api/imports/kinds",
    "imports_list_mappings": "/api/imports/mappings",
    "imports_propose_mapping": "/api/imports/csv/proposal",
    "imports_try_csv_mapping": "/api/imports/csv/trial",
    "imports_preview_import": "/api/imports/preview?file_name=runs.zip",
    "certificates_list_certificates": f"/api/certificates?{AS_OF}",
    "certificates_one_certificate": f"/api/certificates/CAL-1?{AS_OF}",
    "certificates_certificate_file": "/api/certificates/CAL-1/file",
    "certificates_review_certificate": "/api/certificates/CAL-1/review",
    "certificates_meters_calibration": f"/api/meters/calibration?{AS_OF}",
    "certificates_run_versions": "/api/runs/r1/versions",
    "compare_choices": "/api/compare/choices",
    "compare_compare": f"/api/compare?{GROUP}&smallest_pct=1.5",
    "compare_compare_details": f"/api/compare/details?{GROUP}&key=s/c",
    "compare_compare_differences": "/api/compare/differences?a=s/c&b=s/c",
    "compare_compare_matrix": "/api/compare/matrix?baseline=s/c&key=s/c",
    "compare_compare_pairs": f"/api/compare/pairs?key=s/c&key=s/d&{GROUP}",
    "compare_memory": f"/api/memory?server=s&{GROUP}",
    "compare_memory_choices": "/api/memory/choices",
    "compare_memory_pooled": f"/api/memory/pooled?{GROUP}",
    "compare_memory_predicted": "/api/memory/predicted",
    "compare_memory_published": "/api/memory/published",
    "compare_memory_slopes": f"/api/memory/slopes?{GROUP}",
    "compare_memory_break_even": f"/api/memory/break-even?server=s&against=t&{GROUP}",
    "compare_part_choices": "/api/parts/choices",
    "compare_parts": f"/api/parts?server=s&part=fan:%20F&{GROUP}",
    "compare_part_pooled": f"/api/parts/pooled?kind=fan&{GROUP}",
    "compare_part_slopes": f"/api/parts/slopes?kind=fan&{GROUP}",
    "compare_parts_break_even": f"/api/parts/break-even?server=s&against=t&part=fan:%20F&against_part=fan:%20F&{GROUP}",
    "compare_scaling": "/api/scaling?workload=rsa",
    "compare_scaling_load_levels": "/api/scaling/load-levels?workload=rsa",
    "compare_scaling_published": "/api/scaling/published?key=published:none",
    "compare_published": "/api/published",
    "compare_suites": "/api/suites",
    "compare_suite_of": "/api/suites/graduated-server?configuration=s/c",
    "export_report": "/api/export/report.html?run_id=r1&run_id=r2",
    "export_suite_html": "/api/export/suite-report.html?suite=graduated-server&configuration=s/c",
    "export_figure": f"/api/export/figure/compare.svg?{GROUP}",
    "export_traces": "/api/export/traces/r1.svg",
    "export_overlay": "/api/export/overlay.svg?run_id=r1&run_id=r2",
    "export_download": "/api/export/results.csv",
    "export_show": f"/api/export/compare?{GROUP}",
    "fleet_choices": "/api/fleet/compare/choices",
    "fleet_compare": f"/api/fleet/compare?{GROUP}",
    "fleet_compare_details": f"/api/fleet/compare/details?{GROUP}&key=s/c",
    "fleet_compare_matrix": "/api/fleet/compare/matrix?baseline=s/c&key=s/c",
    "fleet_facets": f"/api/fleet/facets?{GROUP}&lab=A&lab=B&dimms=4",
    "fleet_list_rows": "/api/fleet/run-rows?lab=A",
    "fleet_row_facets": "/api/fleet/run-rows/facets?lab=A",
    "fleet_memory": f"/api/fleet/memory?server=s&{GROUP}",
    "fleet_memory_slopes": f"/api/fleet/memory/slopes?{GROUP}",
    "fleet_memory_pooled": f"/api/fleet/memory/pooled?{GROUP}",
    "fleet_one_run": "/api/fleet/runs/r1",
    "fleet_part_slopes": f"/api/fleet/parts/slopes?kind=fan&{GROUP}",
    "fleet_parts": f"/api/fleet/parts?server=s&part=fan:%20F&{GROUP}",
    "fleet_published": "/api/fleet/published",
    "fleet_ring": f"/api/fleet/ring?{GROUP}&model=m",
    "fleet_rings": "/api/fleet/rings?text=rsa",
    "fleet_samples": "/api/fleet/runs/r1/samples.csv",
    "fleet_scaling": "/api/fleet/scaling?workload=rsa",
    "fleet_span": "/api/fleet/runs/r1/span?begin_s=1&end_s=5",
    "fleet_state": "/api/fleet",
    "fleet_traces": "/api/fleet/runs/r1/traces",
    "runs_list_rows": "/api/run-rows?limit=2",
    "runs_row_facets": "/api/run-rows/facets?text=x",
    "runs_list_runs": "/api/runs",
    "runs_one_run": "/api/runs/r2",
    "runs_span": "/api/runs/r1/span?begin_s=1&end_s=5",
    "runs_traces": "/api/runs/r1/traces?px=50",
    "runs_samples": "/api/runs/r1/samples.csv",
    "store_shared": "/api/store/shared",
}
BENCH = """schema: wattmark-bench/1
lab: Lab of readers
servers:
  - id: s
    access: {local: true}
    configurations: [{id: c, cpu: {model: any}, os: {name: any, kernel: any}}]
meters:
  - {id: unplugged, model: eastron.sdm120, url: "modbus-tcp://127.0.0.1:9/1", feeds: [{server: s}]}
"""
POSTED = {
    *("archives_preview_archive", "certificates_review_certificate"),
    *("imports_preview_import", "imports_propose_mapping", "imports_try_csv_mapping"),
}
SAME_HEADERS = ("content-type", "content-disposition", "content-length", "etag", "cache-control")


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for a reader as long as its start may take on a busy machine."""
    monkeypatch.setattr(keeper, "PATIENCE_S", START_S)
    monkeypatch.setattr(reader_process, "START_S", START_S)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with runs that were issued with certificates, and one that was not issued yet."""
    path = tmp_path_factory.mktemp("reader") / "data"
    lab = Lab(path)
    lab.measure("r1", noise_w=0.4)
    lab.calibration.issuer.first(lab.queries.record("r1"))
    lab.add(certificate(), reason="yearly")
    for run_id, watts in (("r2", 310.0), ("r3", 280.0)):
        lab.measure(run_id, watts=watts, noise_w=0.7)
        lab.calibration.issuer.first(lab.queries.record(run_id))
    (path.parent / "runs.zip").write_bytes(packed(lab))
    lab.measure("new", watts=290.0, noise_w=0.2)
    lab.storage.close()
    return path


@pytest.fixture
def copied(folder: Path, tmp_path: Path) -> Path:
    """The same folder, to change."""
    return Path(shutil.copytree(folder, tmp_path / "copied"))


@pytest.fixture(scope="module")
def service(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    copy = Path(shutil.copytree(folder, tmp_path_factory.mktemp("served") / "data"))
    with served(copy, Reader(StartOrder(copy))) as running:
        yield running


@pytest.fixture(scope="module")
def here(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """The application on a copy, answering in this process."""
    copy = Path(shutil.copytree(folder, tmp_path_factory.mktemp("here") / "data"))
    service = open_service(Settings(data_dir=copy))
    yield TestClient(create_app(service, AccessPolicy.for_address("127.0.0.1")), base_url="http://127.0.0.1")
    service._storage.close()


def test_every_operation_of_the_table_has_a_request_here() -> None:
    assert PATHS.keys() == KINDS.keys()


@pytest.mark.parametrize("operation", PATHS)
def test_the_reader_answers_as_the_service_itself_would(
    operation: str, service: Served, here: TestClient, folder: Path
) -> None:
    method = "POST" if operation in POSTED else "GET"
    body = (folder.parent / "runs.zip").read_bytes() if operation == "archives_preview_archive" else None
    expected = here.request(method, PATHS[operation], content=body)
    answering = service.reader.lanes[KINDS[operation]]
    status, headers, content = service.ask(method, PATHS[operation], body)
    assert status == expected.status_code, content
    if operation == "archives_download_archive":
        assert members(content) == members(expected.content)
    else:
        assert content == expected.content
        assert {name: headers[name] for name in SAME_HEADERS} == {
            name: expected.headers.get(name) for name in SAME_HEADERS
        } | {"content-length": headers["content-length"]}
    assert headers["content-disposition"] == expected.headers.get("content-disposition")
    assert headers["content-security-policy"]
    assert headers["x-request-id"]
    wait_until(lambda: answering.answering == 0)


def members(content: bytes) -> dict[str, int]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {member.filename: member.file_size for member in archive.infolist()}


@pytest.mark.parametrize(
    "path",
    [
        "/api/runs/none",
        "/api/run-rows?limit=-1",
        "/api/compare?workload=none&level=none",
        "/api/export/results.none",
        "/api/runs/%2e%2e%2fr1",
        "/api/runs/r1/traces?begin_s=9&end_s=2",
    ],
)
def test_a_refusal_comes_in_the_same_words(path: str, service: Served, here: TestClient) -> None:
    expected = here.get(path)
    status, headers, content = service.get(path)
    assert status == expected.status_code >= 400
    assert headers["content-type"] == expected.headers["content-type"] == "application/json"
    assert content == expected.content


def test_an_answer_that_has_not_changed_is_not_sent_again(service: Served) -> None:
    _, headers, _ = service.get("/api/run-rows")
    status, again, content = service.get("/api/run-rows", if_none_match=headers["etag"])
    assert (status, again["etag"], content) == (304, headers["etag"], b"")


def test_what_was_written_a_moment_ago_is_read(service: Served) -> None:
    for text in ("first", "second"):
        note = json.dumps({"note": text}).encode()
        assert service.ask("PUT", "/api/annotations/r1/note", note, content_type="application/json")[0] == 200
        assert json.loads(service.get("/api/runs/r1")[2])["note"] == text


def test_it_knows_how_the_bench_stands(copied: Path) -> None:
    bench = copied.parent / "bench.yaml"
    bench.write_text(BENCH)
    with served(copied, Reader(StartOrder(copied)), bench=bench) as running:
        with zipfile.ZipFile(io.BytesIO(running.get(PATHS["archives_download_archive"])[2])) as archive:
            assert any(b"Lab of readers" in archive.read(name) for name in archive.namelist())
        meters = json.loads(running.get(PATHS["certificates_meters_calibration"])[2])["meters"]
        assert [row["meter"] for row in meters if row["on_bench"]] == ["unplugged"]
        assert b"unplugged" in running.get("/api/export/meters.csv")[2]


def test_the_reader_stands_back(service: Served) -> None:
    """It has no address, less of the processors, and goes first where memory runs out."""
    process = service.process()
    assert process.nice() == 10
    assert Path(f"/proc/{process.pid}/oom_score_adj").read_text() == "800\n"
    assert process.net_connections() == []


def test_roles_are_checked_before_anything_is_passed_on(copied: Path) -> None:
    reader = Reader(StartOrder(copied))
    with served(copied, reader, sign_in=True) as running:
        tokens = {role: running.service.gate.tokens.create(role.value, role) for role in Role}
        process = running.process()
        process.suspend()
        try:
            for operation, path in PATHS.items():
                method = "POST" if operation in POSTED else "GET"
                assert running.ask(method, path)[0] == 401, operation
                for role in (role_below for role_below in Role if not role_below.may(needed_role(operation))):
                    status, _, _ = running.ask(method, path, authorization=f"Bearer {tokens[role]}")
                    assert status == 403, (operation, role)
        finally:
            process.resume()
        viewer = f"Bearer {tokens[Role.VIEWER]}"
        assert running.get("/api/run-rows", authorization=viewer)[0] == 200


def test_a_reader_that_dies_is_said_in_words_and_started_again(copied: Path) -> None:
    with served(copied, Reader(StartOrder(copied))) as running:
        process = running.process()
        process.suspend()
        waiting = Asked(running, "/api/run-rows")
        wait_until(lambda: running.reader.lanes["page"].answering == 1)
        process.kill()
        status, headers, content = waiting.answer()
        assert status == 503
        assert int(headers["retry-after"]) > 0
        problem = json.loads(content)
        assert "measuring continues" in problem["cause"]
        assert problem["remedy"]
        assert running.get("/api/run-rows")[0] == 200, "it waits for the next one"
        assert running.process().pid != process.pid
        wait_until(lambda: running.reader.lanes["page"].answering == 0)
        assert running.get("/healthz")[0] == 200


class Asked:
    """A request that is on its way."""

    def __init__(self, running: Served, path: str) -> None:
        self._answers: list[Answer] = []
        self._thread = threading.Thread(target=lambda: self._answers.append(running.get(path)))
        self._thread.start()

    def answer(self) -> Answer:
        """Wait for the answer."""
        self._thread.join(START_S)
        return self._answers[0]


def test_too_many_heavy_readers_are_refused_with_a_time(copied: Path) -> None:
    with served(copied, Reader(StartOrder(copied), places=lanes(patience_s=0.3))) as running:
        process = running.process()
        process.suspend()
        try:
            first = Asked(running, PATHS["compare_compare"])
            wait_until(lambda: running.reader.lanes["comparison"].answering == 1)
            status, headers, content = running.get(PATHS["compare_compare"])
            assert running.get("/healthz")[0] == 200
        finally:
            process.resume()
        assert (status, int(headers["retry-after"]) >= 1) == (503, True)
        assert "such requests are answered at a time" in json.loads(content)["cause"]
        assert first.answer()[0] == 200
        assert running.get(PATHS["compare_compare"])[0] == 200


def test_who_hangs_up_leaves_his_place(copied: Path) -> None:
    with served(copied, Reader(StartOrder(copied))) as running:
        process, lane = running.process(), running.reader.lanes["file"]
        process.suspend()
        try:
            host, _, port = running.netloc.partition(":")
            with socket.create_connection((host, int(port))) as viewer:
                viewer.sendall(f"GET /api/runs HTTP/1.1\r\nHost: {running.netloc}\r\n\r\n".encode())
                wait_until(lambda: lane.answering == 1)
            wait_until(lambda: lane.answering == 0)
        finally:
            process.resume()
        assert running.get("/api/runs")[0] == 200


def test_who_drops_two_requests_in_one_moment_is_answered_afterwards(copied: Path) -> None:
    """As a browser does that leaves Compare: one is answered, one waits, and both end in one turn of the loop."""
    with served(copied, Reader(StartOrder(copied), places=lanes(patience_s=5.0))) as running:
        process, lane = running.process(), running.reader.lanes["comparison"]
        keeping = running.reader._keeping
        assert keeping is not None
        process.suspend()
        try:
            host, _, port = running.netloc.partition(":")
            request = f"GET {PATHS['compare_compare']} HTTP/1.1\r\nHost: {running.netloc}\r\n\r\n".encode()
            dropped = [socket.create_connection((host, int(port))) for _ in range(2)]
            for connection in dropped:
                connection.sendall(request)
            wait_until(lambda: (lane.answering, lane.waiting) == (1, 1))
            with held_up(keeping.get_loop()):
                for connection in dropped:
                    connection.close()
            wait_until(lambda: (lane.answering, lane.waiting) == (0, 0))
        finally:
            process.resume()
        assert running.get(PATHS["compare_compare"])[0] == 200
        wait_until(lambda: lane.answering == 0)


@contextmanager
def held_up(loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """Keep an event loop from its next turn, so that it sees in one turn whatever the block does."""
    stands, goes_on = threading.Event(), threading.Event()

    def hold() -> None:
        stands.set()
        goes_on.wait(PATIENCE_S)

    loop.call_soon_threadsafe(hold)
    assert stands.wait(PATIENCE_S)
    try:
        yield
    finally:
        goes_on.set()


def test_a_reader_that_cannot_start_is_told_by_the_health_check(
    copied: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeper, "PATIENCE_S", 0.2)
    with served(copied, Reader(StartOrder(tmp_path / "nowhere"))) as running:
        wait_until(lambda: running.reader.problem is not None, START_S)
        status, _, content = running.get("/healthz")
        assert status == 200, "the meters are measured all the same"
        assert "There is no data in" in json.loads(content)["notes"][0]
        status, headers, content = running.get("/api/run-rows")
        assert (status, int(headers["retry-after"]) > 0) == (503, True)
        assert "There is no data in" in json.loads(content)["cause"]
        assert running.get("/api/trash")[0] == 200, "what the service answers itself is there"


def test_a_reader_that_has_grown_is_replaced_between_two_answers(copied: Path) -> None:
    reader = Reader(StartOrder(copied), large=1, young_s=0)
    with served(copied, reader) as running:
        before = running.process()
        assert running.get("/api/run-rows")[0] == 200
        wait_until(lambda: reader.starts >= 2, START_S)
        wait_until(lambda: not before.is_running())
        assert running.get("/api/run-rows")[0] == 200


@pytest.fixture
def no_evaluation_here(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Count evaluations in this process."""
    counted: list[object] = []
    real = evaluating.evaluate

    def count(*arguments: object) -> object:
        counted.append(arguments)
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(evaluating, "evaluate", count)
    return lambda: len(counted)


def test_a_run_that_ends_is_evaluated_by_the_reader_and_issued_by_the_service(
    copied: Path, here: TestClient, no_evaluation_here: Callable[[], int]
) -> None:
    with served(copied, Reader(StartOrder(copied))) as running:
        result = running.service._evaluate("new")
        signed = json.dumps({"by": "metrologist", "reason": "yearly"}).encode()
        status, _, content = running.ask("POST", "/api/runs/r1/recompute", signed, content_type="application/json")
        assert status == 201, content
        status, _, content = running.ask(
            "POST", f"/api/meters/{SERIAL}/recompute", signed, content_type="application/json"
        )
        assert status == 201, content
        assert no_evaluation_here() == 0
        assert running.service._storage.issued.last("new") is not None
    service = here.app.state.service  # type: ignore[attr-defined]
    expected = service._evaluate("new")
    assert no_evaluation_here() > 0, "the spy sees evaluations of this process"
    assert result.model_dump(exclude={"issued"}) == expected.model_dump(exclude={"issued"})


def test_a_run_that_cannot_be_evaluated_is_told_as_that(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader's failure is one of the run, as if the service had evaluated it itself."""

    def defect(*_: object) -> None:
        raise OverflowError("too large")

    monkeypatch.setattr(evaluating, "evaluate", defect)
    stored = StoredRuns(copied, {})
    reader = TestClient(create_reader_app(stored))

    def ask(path: str, body: bytes) -> bytes:
        answer = reader.post(path, content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code == 503
        raise keeper._refusal(answer.content)

    queries = Evaluations(stored.results._storage, compute=computed_by(ask))
    with pytest.raises(EvaluationFailed, match=r"Run new cannot be evaluated \(OverflowError: too large\)"):
        queries.recomputed(queries.record("new"), None)
    stored.results._storage.close()


def test_damaged_samples_are_said_by_the_reader_in_its_words(copied: Path) -> None:
    database = Database(copied, LAYOUT)
    database.write(lambda connection: query(connection, "UPDATE live_row SET crc = 0"))
    database.close()
    with served(copied, Reader(StartOrder(copied))) as running, pytest.raises(StoreError, match="new"):
        running.service._evaluate("new")


def test_the_reader_ends_with_its_service_however_that_ends(copied: Path) -> None:
    with served(copied, Reader(StartOrder(copied))) as running:
        process = running.process()
        for number in (signal.SIGINT, signal.SIGTERM):
            process.send_signal(number)
        assert running.get("/api/run-rows")[0] == 200, "signals to all of a group end the service, and that ends it"
        assert running.process().pid == process.pid
    wait_until(lambda: not process.is_running())
