"""Runs of other labs in the store of the fleet: seen from a third appliance, copied to it, and by the commands."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from wattmark.access.http.middleware import AccessPolicy
from wattmark.access.roles import Role
from wattmark.fleet.clickhouse.connection import Connection
from wattmark.service.app import create_app
from wattmark.service.service import Service, open_service
from wattmark.service.settings import Settings

from tests.integration.command import Command

from ...traceability.conftest import Lab
from .conftest import Connect, make
from .filled import fill
from .servers import CLUSTER, PASSWORD, Server
from .test_reading import labs

__all__ = ["labs"]
Wattmark = Callable[..., tuple[int, str]]
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
def sent(shards: tuple[Server, Server], connect: Connect, labs: tuple[Lab, Lab], monkeypatch) -> Connection:
    """The fleet's store with all runs of both labs, named by the environment."""
    connections = [connect(shard) for shard in shards]
    for connection in connections:
        make(connection, CLUSTER)
    for lab in labs:
        fill(connections[0], lab.storage, lab.folder.name)
    for name, value in {
        "URL": shards[0].url, "ROLE": "store", "DATABASE": connections[0].database, "PASSWORD": PASSWORD,
    }.items():  # fmt: skip
        monkeypatch.setenv(f"WATTMARK_CLICKHOUSE_{name}", value)
    return connections[0]


@pytest.fixture
def third(sent: Connection, tmp_path: Path) -> Iterator[Third]:
    opened = Third(tmp_path / "third")
    yield opened
    opened.service._storage.close()


def test_the_list_is_given_in_parts(labs: tuple[Lab, Lab], third: Third) -> None:
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


def test_runs_of_all_labs_are_listed_and_a_copy_gives_the_same_result(labs: tuple[Lab, Lab], third: Third) -> None:
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


def test_an_operator_copies_what_brings_no_certificate(labs: tuple[Lab, Lab], third: Third) -> None:
    first, second = labs
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
    labs: tuple[Lab, Lab], third: Third, sent: Connection, shards: tuple[Server, Server], connect: Connect
) -> None:
    _, second = labs
    (run,) = second.storage.runs.all()
    for connection in (sent, connect(shards[1])):
        connection.run(f"TRUNCATE TABLE {connection.database}.sample_local")
    status, refused = third.copy(run.run_id)
    assert status == 503
    assert "The store has only 0 of the" in refused["cause"]
    assert "wattmark store verify" in refused["remedy"]
    assert third.copy("never")[0] == 404
    assert third.service.results.results() == []


def test_a_server_that_is_away_is_told_and_the_own_runs_stay(third: Third, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("WATTMARK_CLICKHOUSE_URL", "http://127.0.0.1:9")
    away = Third(tmp_path / "away")
    try:
        answer = away.client.get("/api/store/shared")
        assert answer.status_code == 503
        assert "does not answer" in answer.json()["cause"]
        assert away.client.get("/api/runs").status_code == 200
    finally:
        away.service._storage.close()
    monkeypatch.delenv("WATTMARK_CLICKHOUSE_URL")
    alone = Third(tmp_path / "alone")
    try:
        nothing = {"target": None, "days": 30, "total": 0, "next": None, "runs": []}
        assert alone.client.get("/api/store/shared").json() == nothing
        assert alone.copy("r1")[0] == 422
    finally:
        alone.service._storage.close()


@pytest.fixture
def wattmark(wattmark: Command, sent: Connection) -> Wattmark:
    def run(*arguments: str) -> tuple[int, str]:
        code, out, err = wattmark(*arguments)
        return code, out.decode() + err

    return run


def test_the_commands_read_the_fleet(wattmark: Wattmark, labs: tuple[Lab, Lab]) -> None:
    ours = labs[0].result("a1")
    code, output = wattmark("store", "runs", "--lab", "first", "--json")
    listed = json.loads(output)
    assert (code, listed["matching"], {run["lab"] for run in listed["runs"]}) == (0, 3, {"first"})
    code, output = wattmark("store", "runs", "--limit", "2")
    assert (code, "4 runs in all" in output) == (0, True)
    code, output = wattmark("store", "results", "--format", "csv")
    row = next(line for line in output.splitlines() if "a1" in line)
    assert (code, repr(ours.efficiency.value) in row) == (0, True)
    code, output = wattmark("store", "compare", "--format", "csv")
    assert (code, "s1 (first)" in output, "s1 (second)" in output) == (0, True, True)
