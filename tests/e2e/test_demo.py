"""The demo from its first second to its result, and every page of the web app, in a real browser."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import pytest
from scipy import special

from .conftest import Program, assert_well, browse

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(700)]
RUNS = 25
RUNS_OF = {"fbserver": 15, "rdimmserver": 10}
LIMIT_S = 620
"""The whole demo takes seven minutes, and two more where its runs wait for a quiet machine."""
FIRST_ANSWER_S = 10
EXAMPLE = "example.rsa1024-sign"


def inside(planted: float, estimate: dict[str, Any], probability: float) -> bool:
    """Tell whether a value lies in the interval of another probability than the reported 95 %."""
    factor = float(special.stdtrit(estimate["dof"] or math.inf, 0.5 + probability / 2)) if estimate["dof"] else 3.29
    return abs(planted - estimate["value"]) <= factor * estimate["u"]


def live_runs(demo: Program) -> list[dict[str, Any]]:
    """List the results of this machine's campaign, without those of the recorded example."""
    return [result for result in demo.get("/api/runs")["results"] if not result["source"].startswith("imported")]


def test_the_recorded_example_answers_at_once_and_says_what_it_is(demo: Program) -> None:
    address = re.search(r"Open (http://\S+)", "".join(demo.log))
    assert address is not None
    assert f"workload={EXAMPLE}" in address[1]
    seen = browse("example.mjs", address[1])
    assert_well(seen)
    assert seen["answered_s"] < FIRST_ANSWER_S
    assert "Simulated power" in seen["statement"]
    assert "recorded example" in seen["table"]
    example = [result for result in demo.get("/api/runs")["results"] if result["workload"] == EXAMPLE]
    assert len(example) >= 15
    assert {(r["simulated"], r["source"]) for r in example} == {(True, "imported: archive of recorded example")}
    assert demo.get("/api/campaign")["state"] == "running"


@pytest.fixture(scope="module")
def first_run(demo: Program) -> dict[str, Any]:
    """Wait for the first finished run."""
    demo.wait_until(lambda campaign: campaign["runs"] and campaign["runs"][0]["state"] == "complete", 90)
    campaign: dict[str, Any] = demo.get("/api/campaign")
    return campaign["runs"][0]


def test_a_person_watches_opens_a_run_compares_and_takes_the_csv(demo: Program, first_run: dict[str, Any]) -> None:
    seen = browse("main_job.mjs", demo.url)
    assert_well(seen)
    assert " W" in seen["watts"] or "W" in seen["watts"].split()
    assert "simulated" in seen["run"]["text"].lower()
    assert "±" in seen["run"]["text"]
    assert "signs/J" in seen["compare"]
    rows = list(csv.DictReader(io.StringIO(seen["csv"])))
    assert any("FB-DIMM" in value for row in rows for value in row.values() if value)


def refused_for_a_reason(memory: dict[str, Any]) -> bool:
    """On a machine with other work to do a run is disturbed: then it is no point of the line, and listed with why."""
    assert len(memory["points"]) + len(memory["excluded"]) == RUNS_OF[memory["server"]]
    assert all("(rule" in run["reason"] for run in memory["excluded"]), memory
    return memory["watts_per_part"] is None


def test_the_campaign_finds_what_was_planted(demo: Program) -> None:
    campaign = demo.wait_for("complete", LIMIT_S)
    assert [run["state"] for run in campaign["runs"]] == ["complete"] * RUNS
    run = live_runs(demo)[0]
    memory = demo.get(
        f"/api/memory?server={run['server']}&workload={run['workload']}&level={run['level']}".replace(" ", "%20")
    )
    if refused_for_a_reason(memory):
        return
    estimate = memory["watts_per_part"]
    assert estimate["low"] < estimate["value"] < estimate["high"]
    assert inside(memory["planted"]["watts_per_dimm_wall"], estimate, 0.999), memory
    assert memory["simulated"]


def test_every_run_is_whole(demo: Program) -> None:
    demo.wait_for("complete", LIMIT_S)
    for result in live_runs(demo):
        assert result["status"] == "complete"
        assert result["simulated"]
        assert result["traceable"]
        assert result["full_load"], result["notes"]
        figures = ("efficiency", "throughput", "power", "energy_per_op")
        efficiency, throughput, power, energy = (result[name]["value"] for name in figures)
        assert efficiency == pytest.approx(throughput / power, rel=1e-9)
        assert energy == pytest.approx(1 / efficiency, rel=1e-9)
        traces = demo.get(f"/api/runs/{result['run_id']}/traces?px=600")
        meters = {"fbserver": ("outlet", "rack-pdu", "outlet-meter"), "rdimmserver": ("outlet-2",)}[result["server"]]
        expected = {("host", "utilisation"), *((meter, "power") for meter in meters)}
        assert {(s["source"], s["quantity"]) for s in traces["series"]} >= expected
        assert all(series["simulated"] for series in traces["series"] if series["source"] != "host")
        assert traces["throughput"]


def test_published_figures_stand_beside_the_measured_ones(demo: Program) -> None:
    demo.wait_for("complete", LIMIT_S)
    run = live_runs(demo)[0]
    compared = demo.get(f"/api/compare?workload={run['workload']}&level={run['level']}".replace(" ", "%20"))
    kinds = {group["kind"] for group in compared["groups"]}
    assert kinds == {"simulated", "published"}
    xeon = [g for g in compared["groups"] if g["kind"] == "published" and "5160" in g["title"] and g["efficiency"]]
    assert xeon[0]["efficiency"]["value"] == pytest.approx(6240 / 245, rel=1e-12)
    assert not xeon[0]["traceable"]


def test_every_page_in_light_dark_middle_and_narrow(demo: Program, tmp_path: Path) -> None:
    demo.wait_for("complete", LIMIT_S)
    seen = browse("tour.mjs", demo.url, str(tmp_path))
    assert_well(seen)
    assert len(list(tmp_path.glob("*.png"))) == 4 * len(seen["pages"])


def test_a_stream_client_gets_a_snapshot_and_samples(demo: Program) -> None:
    events = demo.stream(3.0)
    assert events[0][0] == "snapshot"
    assert {channel["source"] for channel in events[0][1]["channels"]} >= {"outlet", "rack-pdu", "host"}
    assert any(kind == "samples" and data["channels"] for kind, data in events)


@pytest.mark.parametrize("method", ["POST", "DELETE"])
def test_a_foreign_page_cannot_order_anything(demo: Program, method: str) -> None:
    path = "/api/campaign/stop" if method == "POST" else "/api/runs/x"
    assert demo.status(method, path, {"Origin": "http://evil.example"}) == 403
    assert demo.status(method, path, {"Host": "evil.example"}) == 421


def test_an_unknown_api_path_is_a_problem_and_not_the_page(demo: Program) -> None:
    assert demo.status("GET", "/api/nonsense", {"Accept": "text/html"}) == 404


def test_in_the_end_it_prints_all_of_it_as_one_document(demo: Program) -> None:
    demo.wait_for("complete", LIMIT_S)
    code, printed = demo.end()
    document = json.loads(printed)
    assert (code, document["state"], document["problems"]) == (0, "complete", [])
    assert [result["status"] for result in document["results"]] == ["complete"] * RUNS
    assert all(result["simulated"] for result in document["results"])
    planted = document["planted"]["watts_per_dimm_wall"]
    if not refused_for_a_reason(document["memory"]):
        assert inside(planted, document["memory"]["watts_per_part"], 0.999), document["memory"]
    assert 0.5 < planted - document["planted"]["watts_per_dimm_dc"] < 2.5, (
        "the supply's loss stands between DC and wall"
    )

    results = [result for result in document["results"] if result["server"] == "fbserver"]
    of = {count: [result for result in results if result["dimm_count"] == count] for count in (2, 4, 8)}
    watts = {count: [result["power"]["value"] for result in results] for count, results in of.items()}
    assert max(watts[2]) < min(watts[4])
    assert max(watts[4]) < min(watts[8])
    verdicts = [verdict for result in results for verdict in result["verdicts"]]
    if not any(verdict["rule"] == "undisturbed" and verdict["outcome"] == "fail" for verdict in verdicts):
        assert geometric_mean(result["efficiency"]["value"] for result in of[2]) > geometric_mean(
            result["efficiency"]["value"] for result in of[8]
        )
