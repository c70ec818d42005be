"""A person ranks a run although a verdict failed: signed, explained, on every output, and withdrawn again."""

from __future__ import annotations

import io
import json
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from starlette.testclient import TestClient
from wattmark.access.http.middleware import AccessPolicy
from wattmark.access.http.permissions import needed_role
from wattmark.access.roles import Role
from wattmark.results.data_folder import Storage, open_storage
from wattmark.runs.record import RunStatus
from wattmark.service.app import create_app
from wattmark.service.service import open_service
from wattmark.service.settings import Settings
from wattmark.tables.formats import available_formats

from tests.stored_run import PLUG_METER, make_run, store_readings

ORDER = {"by": "K. Berg", "reason": "A bench supply feeds it.", "rules": ["frozen"]}
WORDS = "Ranked by override of K. Berg although rule frozen failed: A bench supply feeds it"
WORK = "workload=rsa&level=1 process"
BAD = "bad-0"


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three configurations with two runs each; the meter of "bad" stands still for 70 s."""
    folder = tmp_path_factory.mktemp("stored")
    storage = open_storage(folder)
    for name, watts, dimms in (("bad", 190.0, 1), ("good", 200.0, 2), ("more", 210.0, 4)):
        for repeat in range(2):
            put(storage, f"{name}-{repeat}", name, watts + repeat / 5, dimms)
    put(storage, "broken", "bad", 190.0, 1, RunStatus.ABORTED)
    storage.close()
    return folder


@contextmanager
def served(folder: Path) -> Iterator[TestClient]:
    service = open_service(Settings(data_dir=folder))
    app = create_app(service, AccessPolicy.for_address("127.0.0.1", None))
    yield TestClient(app, base_url="http://127.0.0.1:8400")
    service._storage.close()


@pytest.fixture
def client(stored: Path, tmp_path: Path) -> Iterator[TestClient]:
    """On a folder of the test's own."""
    with served(shutil.copytree(stored, tmp_path / "data")) as client:
        yield client


@pytest.fixture(scope="module")
def untouched(stored: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """For tests that leave the runs as they are stored."""
    with served(shutil.copytree(stored, tmp_path_factory.mktemp("untouched") / "data")) as client:
        yield client


@pytest.fixture(scope="module")
def chosen(stored: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """For tests that only look at what is made of the choice."""
    with served(shutil.copytree(stored, tmp_path_factory.mktemp("chosen") / "data")) as client:
        assert client.put(f"/api/annotations/{BAD}/inclusion", json=ORDER).status_code == 200
        yield client


def put(
    storage: Storage, run_id: str, name: str, watts: float, dimms: int, status: RunStatus = RunStatus.COMPLETE
) -> None:
    run = make_run(
        run_id, window_s=100, amount=lambda k: 100 + k % 3, configuration=name, workload="rsa", level="1 process",
        status=status, meters=(PLUG_METER,), configuration_snapshot={"title": name, "dimm_count": dimms},
    )  # fmt: skip
    storage.runs.put(run)
    values = watts + np.random.default_rng(7).normal(0, 0.5, 111)
    if name == "bad":
        values[20:90] = watts
    store_readings(storage, run, np.arange(-5, 106), values)


def group(client: TestClient, name: str = "bad") -> dict:
    return next(g for g in client.get(f"/api/compare?{WORK}").json()["groups"] if g["configuration"] == name)


def test_the_choice_stands_on_the_run_the_list_and_every_ranking_until_it_is_withdrawn(client: TestClient) -> None:
    before = client.get(f"/api/runs/{BAD}").json()
    assert before["includable"] == ["frozen"]
    assert [row["ranked"] for row in before["ranking"]] == [True, False, False]
    assert before["ranking"][1]["why_not"].startswith("The reading never changed (rule frozen). ")
    assert group(client)["efficiency"] is None
    assert group(client)["not_ranked"].keys() == {"efficiency", "power"}
    row = next(row for row in client.get("/api/run-rows").json()["rows"] if row["run_id"] == BAD)
    assert (row["quality"], row["inclusion"], row["not_ranked"].keys()) == ("partly", None, {"efficiency", "power"})

    answer = client.put(f"/api/annotations/{BAD}/inclusion", json=ORDER)
    assert answer.status_code == 200
    assert {name: answer.json()[name] for name in ORDER} == ORDER
    assert answer.json()["at"].endswith("+00:00")
    shown = client.get(f"/api/runs/{BAD}").json()
    assert [row["ranked"] for row in shown["ranking"]] == [True, True, True]
    assert [row["inclusion"] for row in shown["ranking"]] == [None, WORDS, WORDS]
    assert shown["result"]["inclusion"] == answer.json()
    row = next(row for row in client.get("/api/run-rows").json()["rows"] if row["run_id"] == BAD)
    assert (row["quality"], row["not_ranked"], row["inclusion"]) == ("sound", {}, answer.json())
    assert group(client)["n"] == 1
    assert WORDS in group(client)["inclusions"]["efficiency"][0]
    compared = client.get(f"/api/compare?{WORK}").json()
    assert WORDS in compared["statement"]
    assert compared["baseline"] == "s/bad", "the best that is ranked"
    memory = client.get(f"/api/memory?server=s&{WORK}").json()
    assert WORDS in memory["statement"]
    assert {point["run_id"]: point["inclusion"] for point in memory["points"]}[BAD] == WORDS
    assert {row["run_id"] for row in memory["excluded"]} == {"bad-1", "broken"}
    listed = client.get("/api/annotations").json()
    assert [(annotation["run_id"], annotation["inclusion"]["by"]) for annotation in listed] == [(BAD, "K. Berg")]

    assert client.delete(f"/api/annotations/{BAD}/inclusion").status_code == 204
    assert client.get(f"/api/runs/{BAD}").json() == before
    assert group(client)["efficiency"] is None
    assert client.delete(f"/api/annotations/{BAD}/inclusion").status_code == 404


@pytest.mark.parametrize("extension", [name for name in available_formats() if name != "parquet"])
@pytest.mark.parametrize(
    ("table", "query"),
    [
        ("results", f"{WORK}&server=s"),
        ("compare", f"{WORK}&server=s"),
        ("memory", f"{WORK}&server=s"),
        ("memory-fit", f"{WORK}&server=s"),
        ("normalised", WORK.partition("&")[0]),
        ("run", f"run_id={BAD}"),
    ],
)
def test_the_choice_is_in_every_format_of_a_table(chosen: TestClient, table: str, query: str, extension: str) -> None:
    answer = chosen.get(f"/api/export/{table}.{extension}?{query}")
    assert answer.status_code == 200
    text = _text(answer.content, extension)
    figures_alone = extension == "csv" and table in ("memory-fit", "normalised")  # no words, no footnotes: the mark
    assert ("ranked by override" if figures_alone else "K. Berg") in text


def test_the_choice_is_in_the_report(chosen: TestClient) -> None:
    text = chosen.get("/api/export/report.html").text
    assert text.count(WORDS) >= 4
    assert "Not ranked by work per joule and full-load power: the reading never changed (rule frozen)." in text


@pytest.mark.parametrize(
    ("run_id", "change", "status"),
    [
        (BAD, {"by": " "}, 422),
        (BAD, {"reason": ""}, 422),
        (BAD, {"rules": []}, 422),
        (BAD, {"rules": ["gaps"]}, 409),
        ("good-0", {}, 409),
        ("broken", {}, 409),
        ("none", {}, 404),
    ],
)
def test_what_cannot_be_chosen_is_refused(untouched: TestClient, run_id: str, change: dict, status: int) -> None:
    answer = untouched.put(f"/api/annotations/{run_id}/inclusion", json={**ORDER, **change})
    assert answer.status_code == status
    assert untouched.get("/api/annotations").json() == []


def test_only_administrators_decide() -> None:
    assert {needed_role(f"annotations_{verb}_run") for verb in ("include", "exclude")} == {Role.ADMIN}


def test_the_choice_is_no_part_of_what_was_issued(client: TestClient) -> None:
    client.put(f"/api/annotations/{BAD}/inclusion", json=ORDER)
    signed = {"by": "kim", "reason": "again"}
    assert client.post(f"/api/runs/{BAD}/recompute", json=signed).json()["result"]["inclusion"] is None
    assert client.get(f"/api/runs/{BAD}").json()["result"]["inclusion"]["by"] == "K. Berg"


def test_the_choice_goes_with_the_run(client: TestClient) -> None:
    client.put(f"/api/annotations/{BAD}/inclusion", json=ORDER)
    client.delete(f"/api/runs/{BAD}")
    client.delete(f"/api/trash/{BAD}")
    assert client.get("/api/annotations").json() == []


def _text(content: bytes, extension: str) -> str:
    if extension == "json":
        return json.dumps(json.loads(content), ensure_ascii=False)
    if extension == "xlsx":
        with zipfile.ZipFile(io.BytesIO(content)) as book:
            return "".join(book.read(name).decode() for name in book.namelist() if name.endswith(".xml"))
    return content.decode()
