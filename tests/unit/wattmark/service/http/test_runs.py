"""Runs through the API: tags, notes, the trash, and raw samples."""

from __future__ import annotations

import csv
import io

import pytest
from arro3.io import read_parquet
from starlette.testclient import TestClient

from tests.stored_run import BEGIN_NS, S


@pytest.fixture
def trashed(client: TestClient) -> str:
    assert client.delete("/api/runs/r3").status_code == 204
    return "r3"


def _ids(client: TestClient) -> set[str]:
    return {run["run_id"] for run in client.get("/api/runs").json()["results"]}


def test_tags_and_notes_stand_beside_the_figures(client: TestClient) -> None:
    order = {"run_ids": ["r1", "r2"], "add": [" winter ", "bios 1.4"]}
    assert client.post("/api/annotations/tags", json=order).json() == [
        {"run_id": run_id, "tags": ["bios 1.4", "winter"], "note": "", "inclusion": None} for run_id in ("r1", "r2")
    ]
    client.post("/api/annotations/tags", json={"run_ids": ["r2"], "remove": ["winter", "bios 1.4"]})
    noted = client.put("/api/annotations/r1/note", json={"note": "Fan 3 was loud.\nRepeat."}).json()
    assert client.get("/api/annotations").json() == [noted]
    run = client.get("/api/runs/r1").json()
    assert (run["tags"], run["note"]) == (["bios 1.4", "winter"], "Fan 3 was loud.\nRepeat.")
    rows = list(csv.DictReader(io.StringIO(client.get("/api/export/results.csv").text)))
    assert {row["run_id"]: row["tags"] for row in rows if row["tags"]} == {"r1": "bios 1.4, winter"}
    assert "Fan 3 was loud." in client.get("/api/export/report.html?run_id=r1").text
    client.post("/api/annotations/tags", json={"run_ids": ["r1"], "remove": noted["tags"]})
    client.put("/api/annotations/r1/note", json={"note": " "})
    assert client.get("/api/annotations").json() == []


@pytest.mark.parametrize(
    ("order", "status"),
    [
        ({"run_ids": ["none"], "add": ["a"]}, 404),
        ({"run_ids": [], "add": ["a"]}, 422),
        ({"run_ids": ["r1"], "add": ["one, two"]}, 422),
        ({"run_ids": ["r1"], "add": [""]}, 422),
        ({"run_ids": ["r1"], "add": [str(n) for n in range(20)]}, 200),
    ],
)
def test_tags_that_cannot_be(client: TestClient, order: dict[str, list[str]], status: int) -> None:
    answer = client.post("/api/annotations/tags", json=order)
    assert answer.status_code == status
    if status == 200:
        client.post("/api/annotations/tags", json={"run_ids": ["r1"], "remove": order["add"]})


def test_a_deleted_run_is_nowhere_but_in_the_trash_and_comes_back_whole(client: TestClient, trashed: str) -> None:
    assert trashed not in _ids(client)
    assert client.get(f"/api/runs/{trashed}").status_code == 404
    assert client.get(f"/api/runs/{trashed}/samples.csv").status_code == 404
    assert trashed not in client.get("/api/export/results.csv").text
    assert f"Run {trashed}" not in client.get("/api/export/report.html").text
    trash = client.get("/api/trash").json()
    assert [run["run_id"] for run in trash["runs"]] == [trashed]
    assert trash["keep_days"] == 30
    assert client.post("/api/trash/restore", json={"run_ids": [trashed]}).json()["runs"] == []
    assert len(list(csv.reader(io.StringIO(client.get(f"/api/runs/{trashed}/samples.csv").text)))) == 1 + 71


def test_what_may_not_be_deleted_or_restored_says_why(client: TestClient) -> None:
    refused = client.post("/api/trash", json={"run_ids": ["r1", "r0"]})
    assert refused.status_code == 409
    assert "recording" in refused.json()["cause"]
    assert {"r0", "r1"} <= _ids(client)
    assert client.delete("/api/runs/none").status_code == 404
    assert client.delete("/api/trash/r1").status_code == 404
    assert client.post("/api/trash/restore", json={"run_ids": ["r1"]}).status_code == 404


def test_samples_as_csv_are_all_there_with_their_units(client: TestClient) -> None:
    text = client.get("/api/runs/r1/samples.csv").text
    head, *rows = csv.reader(io.StringIO(text))
    assert head[0] == "time [ns since 1970 UTC]"
    assert head[-1] == "u(time) [s]"
    assert len(rows) == 71
    assert rows[5][:2] == [str(BEGIN_NS), "2023-11-14T22:13:20.000000000Z"]
    assert rows[5][2:] == ["wall", "power", "power", "201.0", "W", "good", "0.002"]
    assert rows[30][5] == ""
    part = client.get(f"/api/runs/r1/samples.csv?begin_s={BEGIN_NS / S}&end_s={BEGIN_NS / S + 9}").text
    assert len(list(csv.reader(io.StringIO(part)))) == 1 + 10


def test_samples_as_parquet_hold_what_the_csv_holds(client: TestClient) -> None:
    answer = client.get("/api/runs/r1/samples.parquet")
    table = read_parquet(io.BytesIO(answer.content)).read_all()
    rows = list(csv.reader(io.StringIO(client.get("/api/runs/r1/samples.csv").text)))[1:]
    values = [value.as_py() for value in table.column("value")]
    assert ["" if value is None else repr(value) for value in values] == [row[5] for row in rows]
    assert {value.as_py() for value in table.column("unit")} == {"W"}
    assert str(table.schema.field("time").type).lower().startswith("arro3.core.datatype")


def test_whole_results_come_page_by_page_and_never_all_at_once(client: TestClient) -> None:
    runs = client.get("/api/run-rows").json()["rows"]
    seen, offset = [], 0
    while offset is not None:
        page = client.get("/api/runs", params={"limit": 2, "offset": offset}).json()
        assert (page["total"], page["matching"], len(page["results"]) <= 2) == (len(runs), len(runs), True)
        seen += [result["run_id"] for result in page["results"]]
        offset = page["next_offset"]
    assert seen == [run["run_id"] for run in runs], "the order of the rows, which is newest first"
    assert client.get("/api/runs?limit=1001").status_code == 422
    complete = client.get("/api/runs?status=complete&limit=1").json()
    assert (complete["matching"], complete["next_offset"]) == (1, None)
    assert complete["results"][0]["verdicts"], "whole results"
    assert client.get("/api/run-rows?limit=1").json()["next_offset"] == 1
