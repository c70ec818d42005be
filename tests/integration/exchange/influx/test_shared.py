"""Runs of other labs on the server that all send to: seen from a third appliance, and copied to it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from wattmark.access.http.middleware import AccessPolicy
from wattmark.access.roles import Role
from wattmark.exchange.influx.settings import InfluxSettings
from wattmark.service.app import create_app
from wattmark.service.service import Service, open_service
from wattmark.service.settings import Settings

from ...traceability.conftest import Lab
from .servers import Server
from .test_fleet import labs, send

__all__ = ["labs"]
Make = Callable[..., InfluxSettings]
BASE = "http://127.0.0.1:8400"


class Third:
    """A third appliance that may read the server."""

    def __init__(self, folder: Path) -> None:
        self.service: Service = open_service(Settings(data_dir=folder))
        self.client = TestClient(create_app(self.service, AccessPolicy.for_address("127.0.0.1")), base_url=BASE)

    def listed(self) -> dict[str, dict]:
        answer = self.client.get("/api/store/shared?days=36500")
        assert answer.status_code == 200, answer.text
        return {run["run_id"]: run for run in answer.json()["runs"]}

    def copy(self, run_id: str, **headers: str) -> tuple[int, dict]:
        answer = self.client.post("/api/store/shared/copy", json={"run_id": run_id}, headers=headers)
        return answer.status_code, answer.json()

    def as_operator(self) -> dict[str, str]:
        """Ask for a sign-in from now on; gives the headers of an operator."""
        app = create_app(self.service, AccessPolicy.for_address("127.0.0.1", sign_in=True))
        self.client = TestClient(app, base_url=BASE)
        return {"Authorization": f"Bearer {self.service.gate.tokens.create('kim', Role.OPERATOR)}"}


@pytest.fixture
def third(influx_18: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Third]:
    monkeypatch.setenv("WATTMARK_INFLUX_URL", influx_18.url)
    monkeypatch.setenv("WATTMARK_INFLUX_ROLE", "store")
    opened = Third(tmp_path / "third")
    yield opened
    opened.service._storage.close()


def test_the_list_is_given_in_parts(influx_18: Server, labs: tuple[Lab, Lab], third: Third, settings_for: Make) -> None:
    for lab in labs:
        send(lab, settings_for(influx_18))
    whole = third.client.get("/api/store/shared?days=36500").json()
    names = [run["run_id"] for run in whole["runs"]]
    made = [run["created"] for run in whole["runs"]]
    assert (whole["total"], whole["next"], made) == (len(names), None, sorted(made, reverse=True))
    listed, after = [], ""
    while after is not None:
        answer = third.client.get(f"/api/store/shared?days=36500&limit=1{after and f'&after={after}'}").json()
        assert (len(answer["runs"]), answer["total"]) == (1, len(names))
        listed += [run["run_id"] for run in answer["runs"]]
        after = answer["next"]
    assert len(names) > 1
    assert listed == names
    unknown_page = third.client.get("/api/store/shared?days=36500&after=nobody")
    assert (unknown_page.status_code, unknown_page.json()["remedy"]) == (404, "Reload the list.")


def test_runs_of_all_labs_are_listed_and_a_copy_gives_the_same_result(
    influx_18: Server, labs: tuple[Lab, Lab], third: Third, settings_for: Make
) -> None:
    for lab in labs:
        for run in lab.storage.runs.all():
            lab.calibration.issuer.first(run)
        send(lab, settings_for(influx_18))
    for lab in labs:
        for run in lab.storage.runs.all():
            there, seen = lab.queries.result(run), third.listed()[run.run_id]
            assert (seen["lab"], seen["state"]) == (lab.folder.name, "new")
            assert seen["efficiency"] == there.efficiency.bare.model_dump()
            status, done = third.copy(run.run_id)
            assert (status, done["runs"][0]["state"], done["runs"][0]["differences"]) == (201, "imported", []), done
            here = third.client.get(f"/api/runs/{run.run_id}").json()["result"]
            same = json.loads(there.model_dump_json())
            assert here["source"] == f"imported: archive of {lab.folder.name}"
            assert here["server"] == f"s1 ({lab.folder.name})"
            for name in ("calibrations", "result_version"):
                assert here[name] == same[name], name
            for name in ("efficiency", "power"):  # lines of a budget name the lab whose meters they are about
                assert {**here[name], "budget": len(here[name]["budget"])} == {
                    **same[name],
                    "budget": len(same[name]["budget"]),
                }, name
            assert third.listed()[run.run_id]["state"] == "already here"
            assert third.copy(run.run_id)[1]["runs"][0]["state"] == "already here"
    assert third.client.get("/api/store/shared").json()["runs"] == [], "none of them was made in the last 30 days"
    first, second = labs
    compared = third.client.get("/api/compare?workload=rsa&level=1 process").json()
    assert {group["server"] for group in compared["groups"] if group["kind"] == "imported"} == {
        f"s1 ({first.folder.name})",
        f"s1 ({second.folder.name})",
    }


def test_an_operator_copies_what_brings_no_certificate(
    influx_18: Server, labs: tuple[Lab, Lab], third: Third, settings_for: Make
) -> None:
    first, second = labs
    for lab in labs:
        send(lab, settings_for(influx_18))
    operator = third.as_operator()
    calibrated = first.storage.runs.all()[1].run_id
    status, refused = third.copy(calibrated, **operator)
    assert status == 403
    assert refused["cause"].startswith(
        "The import contains certificate CAL-1 v1, which only an administrator can accept"
    )
    assert third.service.results.results() == []
    assert third.copy(second.storage.runs.all()[0].run_id, **operator)[0] == 201


def test_a_run_whose_samples_have_not_all_arrived_is_not_copied(
    influx_18: Server, labs: tuple[Lab, Lab], third: Third, settings_for: Make
) -> None:
    _, second = labs
    (run,) = second.storage.runs.all()
    send(second, settings_for(influx_18))
    influx_18.question(f'DELETE FROM "wattmark" WHERE "run" = \'{run.run_id}\'', post=True)
    status, refused = third.copy(run.run_id)
    assert status == 503
    assert "The server has only 0 of the" in refused["cause"]
    assert "wattmark store verify" in refused["remedy"]
    assert third.copy("never")[0] == 404
    assert third.service.results.results() == []


def test_a_server_that_is_away_is_told_and_the_own_runs_stay(third: Third, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("WATTMARK_INFLUX_URL", "http://127.0.0.1:9")
    away = Third(tmp_path / "away")
    try:
        answer = away.client.get("/api/store/shared")
        assert answer.status_code == 503
        assert "does not answer queries" in answer.json()["cause"]
        assert away.client.get("/api/runs").status_code == 200
    finally:
        away.service._storage.close()
    monkeypatch.delenv("WATTMARK_INFLUX_URL")
    alone = Third(tmp_path / "alone")
    try:
        nothing = {"target": None, "days": 30, "total": 0, "next": None, "runs": []}
        assert alone.client.get("/api/store/shared").json() == nothing
        assert alone.copy("r1")[0] == 422
    finally:
        alone.service._storage.close()
