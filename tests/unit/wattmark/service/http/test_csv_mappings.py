"""Mappings of CSV files over HTTP: proposed, tried, kept, used, deleted."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from starlette.testclient import TestClient

from ...importers.csv_mapping.conftest import HS100, hs100_mapping
from .test_published_imports import client as client


def first_lines(text: str = HS100, **more: Any) -> dict[str, Any]:
    """Return the order for the first lines of a file."""
    return {"head": base64.b64encode(text.encode()).decode(), "file_name": "examplelog.csv"} | more


def test_a_file_is_proposed_a_mapping_that_is_tried_kept_and_used(client: TestClient) -> None:
    proposal = client.post("/api/imports/csv/proposal", json=first_lines()).json()
    assert [column["quantity"] for column in proposal["columns"]] == [None, "current", "voltage", "power", None]
    assert (proposal["time_columns"], proposal["formats"], proposal["fitting"]) == ([1], ["iso 8601"], [])
    mapping = hs100_mapping().model_dump(mode="json")
    unzoned = client.post("/api/imports/csv/trial", json=first_lines(mapping=mapping))
    assert (unzoned.status_code, unzoned.json()["cause"]) == (422, "The stamps of examplelog.csv name no time zone.")
    mapping["zone"] = "Europe/London"
    trial = client.post("/api/imports/csv/trial", json=first_lines(HS100[:-5], mapping=mapping)).json()
    assert (trial["count"], trial["begin"], trial["span_s"]) == (16, "2018-04-21T16:38:37.000Z", 462.0)
    assert trial["rows"][0] == ["2018-04-21T16:38:37.000Z", 69.023417, 244.256196, 0.333676, 174.0]
    whole = client.post("/api/imports/csv/trial", json=first_lines(mapping=mapping, whole=True)).json()
    assert whole["count"] == 17
    assert whole["means"][0]["readings"] == 17
    assert client.put("/api/imports/mappings/HS110", json=mapping).json() == mapping
    assert client.get("/api/imports/mappings").json() == [mapping]
    assert client.post("/api/imports/csv/proposal", json=first_lines()).json()["fitting"] == ["HS110"]
    for query in ("", "&mapping=HS110"):
        preview = client.post(f"/api/imports/preview?file_name=examplelog.csv{query}", content=HS100.encode()).json()
        assert preview["title"] == "CSV by the mapping HS110"
    done = client.post("/api/imports?file_name=examplelog.csv&kind=csv", content=HS100.encode())
    assert done.status_code == 201, done.text
    assert done.json()["results"][0]["run_id"].startswith("csv-")
    assert client.delete("/api/imports/mappings/HS110").status_code == 204
    assert client.delete("/api/imports/mappings/HS110").status_code == 404
    assert client.post("/api/imports/preview?file_name=a.csv&mapping=HS110", content=b"a").status_code == 404


@pytest.mark.parametrize(
    ("path", "order", "named"),
    [
        ("proposal", first_lines("no table at all"), "is not a table of rows and columns"),
        ("proposal", first_lines() | {"head": "A"}, "not base64"),
        ("proposal", first_lines() | {"file_name": ".."}, "is not a file name"),
        ("trial", first_lines(mapping={"name": "x"}), "columns"),
        ("trial", first_lines("a,b\n", mapping=hs100_mapping().model_dump(mode="json")), "0 lines with a reading"),
    ],
)
def test_what_is_no_csv_file_is_refused_in_one_line(
    client: TestClient, path: str, order: dict[str, Any], named: str
) -> None:
    answer = client.post(f"/api/imports/csv/{path}", json=order)
    assert answer.status_code == 422
    assert named in answer.text


def test_a_mapping_is_kept_under_its_own_name(client: TestClient) -> None:
    mapping = hs100_mapping().model_dump(mode="json")
    assert client.put("/api/imports/mappings/other", json=mapping).status_code == 422
    wrong = mapping | {"columns": [mapping["columns"][0] | {"unit": "V"}]}
    answer = client.put("/api/imports/mappings/HS110", json=wrong)
    assert "power is given in W, dW, cW, mW, µW, nW, kW" in answer.json()["cause"]
