"""Certificates over HTTP: upload, look, review, recompute; the access checks hold here as everywhere."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from starlette.testclient import TestClient
from wattmark.access.http.middleware import AccessPolicy
from wattmark.instruments.bench_editor import open_bench_editor
from wattmark.service.app import create_app
from wattmark.service.service import Service
from wattmark.service.settings import Settings
from wattmark.traceability.cross_calibration.record import CrossCalibrationRecord
from wattmark.traceability.cross_calibration.register import CrossCalibrations


@pytest.fixture
def client(lab):
    lab.measure(day="2025-06-01")
    settings = Settings(data_dir=lab.folder)
    service = Service(
        settings, lab.storage, open_bench_editor(settings.bench, settings.data_dir, lab.clock), clock=lab.clock
    )
    return TestClient(
        create_app(service, AccessPolicy.for_address("127.0.0.1", None)),
        base_url="http://127.0.0.1:8400",
        raise_server_exceptions=False,
    )


@pytest.fixture
def upload(client, vector):
    def send(certificate=None, content=None, **query):
        body = vector.as_bytes(certificate or vector.make()) if content is None else content
        return client.post("/api/certificates", content=body, params={"file_name": "CAL-1.json", **query})

    return send


def test_upload_list_and_show(client, upload):
    made = upload(approved_by="A. Owner")
    assert made.status_code == 201
    assert made.json()["unchanged_results"] == 1
    listed = client.get("/api/certificates").json()
    assert [(entry["id"], entry["status"], entry["serial"]) for entry in listed["certificates"]] == [
        ("CAL-1", "valid", "SN-1")
    ]
    assert client.get("/api/certificates", params={"as_of": "2026-03-03T00:00:00Z"}).json()["certificates"][0][
        "status"
    ] == ("expired")
    whole = client.get("/api/certificates/CAL-1").json()
    (part,) = whole["as_ranges"]
    assert (part["model"]["offset_w"], part["model"]["gain"]) == (
        pytest.approx(-0.10261887, abs=1e-7),
        pytest.approx(-0.00208339, abs=1e-7),
    )
    assert part["model"]["phase_rad"] == pytest.approx(-0.00149191, abs=1e-7)
    assert len(part["points"]) == 7
    assert whole["approved_by"] == "A. Owner"


def test_the_curve_carries_its_band_and_marks_what_is_extrapolated(client, upload):
    upload()
    curve = client.get("/api/certificates/CAL-1").json()["as_ranges"][0]["curve"]
    near = min(curve, key=lambda point: abs(point["power_w"] - 245.0))
    # method 6.2: at 245 W the error is 0.6130 W with u = 0.0635 W, and both change slowly
    assert near["error_w"]["value"] == pytest.approx(0.6130, abs=0.02)
    assert near["error_w"]["U95"] / 2 == pytest.approx(0.0635, rel=0.05)
    assert curve[0]["extrapolated"]
    assert curve[-1]["extrapolated"]
    assert not near["extrapolated"]


def test_the_original_comes_back_byte_by_byte(client, upload, vector):
    upload()
    answer = client.get("/api/certificates/CAL-1/file")
    assert answer.content == vector.as_bytes(vector.make())
    assert answer.headers["content-disposition"] == 'attachment; filename="CAL-1"'


def test_meters_say_what_they_rest_on(client, upload):
    (meter,) = client.get("/api/meters/calibration").json()["meters"]
    assert (meter["label"], meter["status"]) == ("specification", None)
    upload()
    (meter,) = client.get("/api/meters/calibration").json()["meters"]
    assert (meter["label"], meter["status"], meter["due_on"]) == ("certificate CAL-1 v1", "valid", "2026-03-02")
    late = client.get("/api/meters/calibration", params={"as_of": "2026-06-01T00:00:00Z"}).json()["meters"][0]
    assert (late["label"], late["status"]) == ("not traceable", "expired")


def test_cross_calibrations_show_their_age_and_last_day(client, lab):
    wall = lab.storage.runs.get("r1").meters[0]
    figures = dict.fromkeys(
        ("u_gain", "gain_U95", "u_offset_w", "offset_U95_w", "residual_w", "u_lag_s", "lag_U95_s"), 0.1
    )
    record = CrossCalibrationRecord(
        name="s1/bmc/wall/1", server="s1", bmc=wall.model_copy(update={"name": "bmc", "role": "bmc"}), wall=wall,
        recorded_ns=int(datetime(2025, 5, 1, 12, tzinfo=UTC).timestamp()) * 10**9, source="run r1", gain=0.97,
        offset_w=2.0, covariance_w=0.0, chi_squared=40.0, dof=40, lag_s=0.0, correlation=0.99,
        low_w=100.0, high_w=400.0, good=True, verdicts=(), points=(), **figures,
    )  # fmt: skip
    CrossCalibrations(lab.storage.runs).add(record)
    lab.storage.runs.put_document("cross_calibration", "broken", {"name": "broken"})
    answer = client.get("/api/meters/calibration", params={"as_of": "2025-05-31T12:00:00Z"}).json()
    (shown,) = answer["cross_calibrations"]
    assert (shown["server"], shown["bmc"], shown["wall"]) == ("s1", "bmc", wall.name)
    assert (shown["age_days"], shown["last_day"], shown["days_left"]) == (30, "2026-05-01", 335)
    assert (shown["expired"], shown["good"]) == (False, True)
    (unreadable,) = answer["unreadable"]
    assert unreadable.startswith("Cross-calibration broken cannot be read")
    late = client.get("/api/meters/calibration", params={"as_of": "2026-05-02T00:00:00Z"}).json()
    assert late["cross_calibrations"][0]["expired"] is True


def test_recompute_and_versions(client, upload):
    upload()
    assert client.get("/api/runs/r1").json()["result"]["basis"] == "specification"
    assert client.get("/api/runs/r1/versions").json()["newer_available"] is True
    made = client.post("/api/runs/r1/recompute", json={"by": "A", "reason": "certificate came"})
    assert made.status_code == 201
    assert made.json()["result"]["power"]["value"] == pytest.approx(244.3870, abs=5e-5)
    document = client.get("/api/runs/r1/versions").json()
    assert [version["version"] for version in document["versions"]] == [1, 2]
    assert document["newer_available"] is False
    assert client.get("/api/runs/r1").json()["result"]["result_version"] == 2


def test_review_and_recompute(client, upload, vector):
    upload(vector.make(as_found=(vector.calibrated(vector.points(shift_w=5.0, limit_w=3.0)),), calibrated_on=_day()))
    document = client.post("/api/certificates/CAL-1/review").json()
    assert (document["needed"], [result["run_id"] for result in document["affected"]]) == (True, ["r1"])
    done = client.post("/api/certificates/CAL-1/recompute", json={"by": "A", "reason": "review"})
    assert done.json()["affected"][0]["recomputed"]


def _day():
    from datetime import date

    return date(2025, 6, 15)


def test_override_and_revoke(client, upload):
    upload()
    order = {"by": "A", "reason": "late", "accepts": ["expired"]}
    assert client.post("/api/certificates/CAL-1/override", json=order).status_code == 201
    order = {"by": "A", "reason": "wrong", "effective": "2025-05-01"}
    assert client.post("/api/certificates/CAL-1/revoke", json=order).json()["status"] == "revoked"
    assert client.post("/api/certificates/CAL-1/revoke", json=order).status_code == 409


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/certificates/CAL-1/override", {"by": "", "reason": "x", "accepts": ["expired"]}),
        ("/api/certificates/CAL-1/override", {"by": "A", "reason": "\ud800", "accepts": ["expired"]}),
        ("/api/certificates/CAL-1/override", {"by": "A", "reason": "x", "accepts": ["range"]}),
        ("/api/certificates/CAL-1/override", {"by": "A", "reason": "x", "accepts": [], "serial": "\x00"}),
        ("/api/certificates/CAL-1/revoke", {"by": "A", "reason": "x", "effective": "soon"}),
        ("/api/certificates/CAL-1/revoke", {"by": "A", "reason": "x", "effective": "2020-01-01"}),
        ("/api/runs/r1/recompute", {"by": "\n", "reason": "x"}),
        ("/api/certificates/CAL-1/recompute", {"by": "A" * 2000, "reason": "x"}),
    ],
)
def test_bad_orders_get_words_and_change_nothing(client, upload, lab, path, body):
    import json

    upload()
    revision = lab.storage.certificates.revision()
    answer = client.post(path, content=json.dumps(body), headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert answer.json()["cause"]
    assert lab.storage.certificates.revision() == revision


def test_duplicate_is_a_conflict_and_too_large_is_refused(upload):
    upload()
    assert upload().status_code == 409
    assert upload(content=b" " * (16 * 1024 * 1024 + 1)).status_code == 422
    assert upload(content=b"<!DOCTYPE a><a/>").status_code == 422


def test_dates_that_lie_a_century_apart_are_named(upload, vector):
    answer = upload(vector.make(due_on=date(2125, 3, 2)))
    assert answer.status_code == 201
    assert "It is due 100 years after its calibration on 2025-03-02; check both dates." in answer.json()["warnings"]


@pytest.mark.parametrize(("probability", "named"), [(0.68, True), (0.9545, False)])
def test_a_factor_that_covers_more_than_the_certificate_says_is_named(upload, vector, probability, named):
    """U = 2 u covers 95.4 %; with 68 % beside it, U may be u, and U/2 half of that."""
    points = tuple(replace(point, coverage_probability=probability) for point in vector.points())
    answer = upload(vector.make(as_found=(vector.calibrated(points),)))
    assert any("has k = 2, and covers 68 %" in warning for warning in answer.json()["warnings"]) is named


def test_a_foreign_page_may_not_change_anything(client, vector):
    answer = client.post(
        "/api/certificates", content=vector.as_bytes(vector.make()), headers={"Origin": "http://elsewhere.example"}
    )
    assert answer.status_code == 403
    assert client.get("/api/certificates").json()["certificates"] == []


def test_xml_is_told_by_content(upload):
    answer = upload(content=b"<?xml version='1.0'?><root/>")
    assert answer.status_code == 422
    assert "not a DCC 3.x" in answer.json()["cause"]
