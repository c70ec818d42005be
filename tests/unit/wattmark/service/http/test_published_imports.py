"""Published results over HTTP: previewed, imported, audited; hostile files end in one line."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.testclient import TestClient
from wattmark.access.http.middleware import AccessPolicy
from wattmark.importers.importer import LogPart
from wattmark.importers.routes import _said
from wattmark.service.app import create_app
from wattmark.service.service import open_service
from wattmark.service.settings import Settings

START_MS = 1_715_000_000_000


def line(ms: int, key: str, value: str, metadata: str = '""') -> str:
    return f':::MLLOG {{"time_ms": {START_MS + ms}, "key": "{key}", "value": {value}, "metadata": {metadata}}}\n'


def submission() -> bytes:
    """Pack three runs of 60 s at 3 kW with 20 s of 1 kW before; the timed part is that of 3 kW."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for run in range(3):
            folder = "training_results_v4.0/lab/results/1xTest/bert"
            log = line(20_000, "run_start", "null") + line(80_000, "run_stop", "null", '{"status": "success"}')
            watts = [(ms, 1000 if ms <= 20_000 else 3000) for ms in range(2000, 80_001, 2000)]
            power = line(0, "power_measurement_start", "null")
            power += "".join(line(ms, "power_reading", str(w + run)) for ms, w in watts)
            archive.writestr(f"{folder}/result_{run}.txt", log)
            archive.writestr(f"{folder}/power/result_{run}/node_0.txt", power)
    return packed.getvalue()


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    (tmp_path / "bench.yaml").write_text("schema: wattmark-bench/1\nlab: Lab\n")
    service = open_service(Settings(data_dir=tmp_path))
    app = create_app(service, AccessPolicy.for_address("127.0.0.1", sign_in=False))
    yield TestClient(app, base_url="http://127.0.0.1:8400")
    service._storage.close()


def test_a_submission_is_previewed_imported_and_audited(client: TestClient) -> None:
    preview = client.post("/api/imports/preview?file_name=lab.zip", content=submission()).json()
    assert preview["kind"] == "mlperf-training"
    assert [(row["brings"], row["samples"], row["window_s"]) for row in preview["results"]] == [("run", 40, 60.0)] * 3
    assert client.get("/api/audits").json() == []
    done = client.post("/api/imports?file_name=lab.zip", content=submission())
    assert done.status_code == 201, done.text
    assert all(row["run_id"] for row in done.json()["results"])
    (row,) = client.get("/api/audits").json()
    audit = client.get(f"/api/audits/{row['id']}").json()
    assert audit["difference_pct"] == pytest.approx(100 * (2501 / 3001 - 1), rel=1e-6)
    assert len(audit["audit"]["runs"]) == 3
    table = client.get(f"/api/audits/table.csv?audit_id={row['id']}")
    assert table.text.splitlines()[1].startswith("0,")


def test_an_import_is_deleted_and_its_runs_stay(client: TestClient) -> None:
    client.post("/api/imports?file_name=lab.zip", content=submission())
    (row,) = client.get("/api/audits").json()
    assert client.delete(f"/api/imports/{row['id']}").status_code == 204
    assert client.get("/api/audits").json() == []
    assert client.get(f"/api/audits/{row['id']}").status_code == 404
    assert client.get("/api/run-rows").json()["total"] == 3
    again = client.delete(f"/api/imports/{row['id']}")
    assert (again.status_code, "There is no imported result" in again.json()["cause"]) == (404, True)


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"no results", "not of a kind that can be imported"),
        (b"PK\x03\x04 torn", "not of a kind that can be imported"),
        (b"", "not of a kind that can be imported"),
    ],
)
def test_a_file_that_is_no_result_is_refused_in_one_line(client: TestClient, content: bytes, named: str) -> None:
    for path in ("/api/imports/preview", "/api/imports"):
        answer = client.post(f"{path}?file_name=any.zip", content=content)
        assert answer.status_code == 415
        assert named in answer.text


@pytest.mark.parametrize("query", ["kind=none", "zone=Nowhere/Land", "file_name=.."])
def test_what_is_asked_for_wrongly_is_refused(client: TestClient, query: str) -> None:
    answer = client.post(f"/api/imports/preview?{query}", content=submission())
    assert answer.status_code == 422


def test_an_audit_that_is_not_there_and_a_format_that_is_none(client: TestClient) -> None:
    assert client.get("/api/audits/none").status_code == 404
    assert client.get("/api/audits/table.doc").status_code == 422
    assert client.get("/api/audits/table.csv").status_code == 200
    assert {kind["kind"] for kind in client.get("/api/imports/kinds").json()} >= {"mlperf", "mlperf-training"}


def test_what_a_plain_log_does_not_say_is_said_with_it(client: TestClient) -> None:
    """Records of a Watts Up? have no stamps; modbus names no unit."""
    record = "#d,-,18,391,1200,335,79,0,34,2,391,1200,336,112,1198,275,91,0,0,600,427;\n"
    place = "/api/imports/preview?file_name=fan.raw"
    refused = client.post(place, content=record * 3).json()
    assert "Say with --begin" in refused["results"][0]["refusal"]
    said = client.post(f"{place}&zone=UTC&begin=2012-01-23T12:00:00", content=record * 3).json()
    assert (said["kind"], said["results"][0]["refusal"], said["results"][0]["window_s"]) == ("wattsup", None, 2.0)
    points = "".join(f"modbus,slave_id=1 power=23.5 151712551{second}000\n" for second in range(3))
    place = "/api/imports?file_name=points.txt&power=modbus%20power%20kW&precision=ms"
    (done,) = client.post(place, content=points).json()["results"]
    run = client.get(f"/api/runs/{done['run_id']}").json()
    assert run["result"]["power"]["value"] == 23500.0
    for wrong in ("precision=h", "begin=noon", "zone=Nowhere"):
        assert client.post(f"/api/imports/preview?{wrong}", content=points).status_code == 422


def test_a_part_of_a_log_is_chosen_by_its_edges_and_by_whom(client: TestClient) -> None:
    lines = "".join(
        f"Time,07-01-2024 12:00:{second:02}.000,Watts,{100 + 200 * (second > 20)}.0,Mark,m\n" for second in range(60)
    )
    log = "file_name=spl.txt&zone=UTC"
    (seen,) = client.post(f"/api/imports/preview?{log}", content=lines).json()["results"]
    assert (seen["trace"]["begin"], seen["trace"]["length_s"]) == ("2024-07-01T12:00:00+00:00", 59.0)
    (done,) = client.post(f"/api/imports?{log}&from=25&to=2024-07-01T12:00:55", content=lines).json()["results"]
    run = client.get(f"/api/runs/{done['run_id']}").json()
    assert run["result"]["power"]["value"] == 300.0
    assert "chosen by local: 25 s to 55 s of 59 s" in done["notes"][-1]
    (refused,) = client.post(f"/api/imports?{log}&to=60", content=lines).json()["results"]
    assert "0 s to 59 s: choose from that" in refused["refusal"]
    assert client.post(f"/api/imports?{log}&from=noon", content=lines).status_code == 422


def test_a_preview_is_read_where_nobody_is_known() -> None:
    """The process for stored runs gets requests after they were admitted."""
    choices = _said(Request({"type": "http"}), zone="UTC", start="1", to="2")
    assert (choices.chosen_by, choices.parts) == (None, (LogPart(None, 1.0, 2.0),))
