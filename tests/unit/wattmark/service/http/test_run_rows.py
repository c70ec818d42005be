"""The list of runs by the page: the same runs as whole results, unchanged ones not sent twice."""

from __future__ import annotations

from starlette.testclient import TestClient


def test_rows_tell_what_the_results_tell(client: TestClient) -> None:
    whole = {row["run_id"]: row for row in client.get("/api/runs").json()["results"]}
    page = client.get("/api/run-rows", params={"sort": "created"}).json()
    assert (page["total"], page["matching"]) == (len(whole), len(whole))
    for row in page["rows"]:
        result = whole[row["run_id"]]
        for name in ("efficiency", "power", "throughput"):
            if row[name] is not None:
                result[name] = {part: result[name][part] for part in row[name]}
        shared = row.keys() & result.keys()
        assert {name: row[name] for name in shared} == {name: result[name] for name in shared}
        assert len(shared) == 21


def test_a_page_of_a_filtered_list(client: TestClient) -> None:
    page = client.get("/api/run-rows", params={"quality": "failed", "sort": "-configuration", "limit": 2}).json()
    assert (page["matching"], [row["configuration"] for row in page["rows"]]) == (4, ["c4", "c3"])
    refused = client.get("/api/run-rows", params={"sort": "colour"})
    assert (refused.status_code, "sort" in refused.text) == (422, True)


def test_configurations_have_the_names_that_a_comparison_gives_them(client: TestClient) -> None:
    page = client.get("/api/run-rows", params={"limit": 1}).json()
    rows = client.get("/api/run-rows").json()["rows"]
    assert page["names"].keys() == {f"{row['server']}/{row['configuration']}" for row in rows}
    groups = client.get("/api/compare", params={"workload": rows[0]["workload"], "level": rows[0]["level"]}).json()[
        "groups"
    ]
    assert {group["key"]: group["name"] for group in groups if group["kind"] != "published"} == page["names"]


def test_who_has_the_answer_is_not_sent_it_again(client: TestClient) -> None:
    asked = {"status": "complete"}
    first = client.get("/api/run-rows", params=asked)
    assert first.headers["cache-control"] == "private, no-cache"
    tag = {"If-None-Match": f'"other", {first.headers["etag"]}'}
    again = client.get("/api/run-rows", params=asked, headers=tag)
    assert (again.status_code, again.content) == (304, b"")
    (run_id,) = [row["run_id"] for row in first.json()["rows"]]
    client.put(f"/api/annotations/{run_id}/note", json={"note": "Door open."})
    changed = client.get("/api/run-rows", params=asked, headers=tag)
    assert (changed.status_code, changed.json()["rows"][0]["note"]) == (200, "Door open.")
    client.put(f"/api/annotations/{run_id}/note", json={"note": ""})
