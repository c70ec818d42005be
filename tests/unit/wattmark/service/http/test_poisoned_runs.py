"""A data folder that holds what no wattmark should have written: each such run fails alone, on every route.

The records are put into the database as an older build wrote them, with checksums that are right.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient
from wattmark.access.http.middleware import AccessPolicy
from wattmark.cli.main import main
from wattmark.results.data_folder import Storage, open_storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer
from wattmark.service.app import create_app
from wattmark.service.service import open_service
from wattmark.service.settings import Settings
from wattmark.store.query import query
from wattmark.store.sample_store import Samples, SeriesKey
from wattmark_drivers.clock import SystemClock

from tests.stored_run import PLUG_METER, make_run, store_readings

BEGIN_NS = 1_700_000_000_000_000_000
S = 10**9
SOUND = ("good-1", "good-2", "good-3")
BAD = "bad"
_WORK = "workload=rsa&level=all"
READ = (
    *(f"/api/compare?{_WORK}", "/api/compare/choices", f"/api/memory?server=s&{_WORK}", "/api/trash", "/api/campaign"),
    *(
        "/api/export/results.csv",
        "/api/export/results.xlsx",
        "/api/export/results.tex",
        f"/api/export/compare.csv?{_WORK}",
    ),
    *(f"/api/export/run.csv?run_id={BAD}", "/api/export/report.html", "/api/export/report.html?campaign_id=camp"),
    *(f"/api/export/report.html?run_id={BAD}", f"/api/runs/{BAD}", "/api/health", "/api/annotations"),
    f"/api/archive?{'&'.join(f'run_id={run_id}' for run_id in SOUND)}",
)
"""What is readable whatever a run holds."""
ALONE = (
    f"/api/runs/{BAD}/traces",
    f"/api/runs/{BAD}/versions",
    f"/api/runs/{BAD}/samples.csv",
    f"/api/archive?run_id={BAD}",
)
"""What is of that run alone, and may be refused with the reason."""
Poison = Callable[[Storage], object]


def _store(storage: Storage, run_id: str, **changes: Any) -> None:
    """Store a run of 30 s at 200 W with one reading a second."""
    fields = {"campaign_id": "camp", "workload": "rsa", "meters": (PLUG_METER,)} | changes
    run = make_run(run_id, window_s=30, amount=lambda k: 100 + k % 3, **fields)
    storage.runs.put(run)
    store_readings(storage, run, np.arange(-5, 36), 200.0 + np.arange(41) % 4)


def _record(change: Callable[[dict[str, Any]], object]) -> Poison:
    """Change the stored record of the bad run as an older build could have written it."""

    def poison(storage: Storage) -> None:
        def write(connection: Any) -> None:
            ((text,),) = query(connection, "SELECT record FROM run WHERE run_id = ?", BAD)
            document = json.loads(text)
            change(document)
            query(connection, "UPDATE run SET record = ? WHERE run_id = ?", json.dumps(document), BAD)

        storage.database.write(write)

    return poison


def _amounts(value: float) -> Poison:
    return _record(lambda record: [interval.update(amount=value) for interval in record["throughput"]])


def _watts(storage: Storage) -> None:
    """Record watts beyond all that is measured between the sound ones."""
    key = SeriesKey(BAD, "s", "wall", "power", "power", "W", "averaged")
    t_ns = BEGIN_NS + np.arange(30) * S + S // 2
    columns = Samples(t_ns, np.full(30, 1e300), np.zeros(30, np.uint16), np.full(30, 0.002, np.float32))
    storage.samples.append([(storage.samples.series(key).id, columns)])


def _issued(change: Callable[[dict[str, Any]], object]) -> Poison:
    """Issue the bad run, and put another document in the place of what was issued."""

    def poison(storage: Storage) -> None:
        queries = Evaluations(storage)
        result = Issuer(storage, queries, SystemClock()).first(queries.record(BAD))
        document = result.model_dump(mode="json")
        change(document)

        def write(connection: Any) -> None:
            query(connection, "DELETE FROM issued_result")
            query(connection, "INSERT INTO issued_result VALUES (?, 1, ?)", BAD, json.dumps(document))
            query(connection, "DELETE FROM result_row")

        storage.database.write(write)

    return poison


POISONS: dict[str, tuple[Poison, str]] = {
    "great amounts": (_amounts(1e150), "throughput.0.amount"),
    "amounts whose sum is infinite": (_amounts(1e308), "throughput.0.amount"),
    "tiny amounts": (_amounts(1e-320), "throughput: Value error, an amount is below 1e-30"),
    "stated throughput": (
        _record(lambda record: record.update(throughput=[], stated_throughput=1e200)),
        "stated_throughput",
    ),
    "influence that no maker prints": (
        _record(lambda record: record["meters"][0]["influences"].update(pf0_pct=1e200)),
        "meters.0.influences",
    ),
    "price": (
        _record(lambda record: record["configuration_snapshot"].update(declared={"price": {"amount": 1e200}})),
        "configuration_snapshot",
    ),
    "host that is a number": (_record(lambda record: record["disclosure"].update(host=5)), "disclosure.host"),
    "stamps of another shape": (
        _record(lambda record: record["disclosure"]["clock"].update(exchanges=[[1, 2]])),
        "disclosure.clock.exchanges.0",
    ),
    "watts": (_watts, "cannot be evaluated"),
    "issued result with null": (_issued(lambda issue: issue["power"]["budget"][0].update(u=None)), "power.budget.0.u"),
    "issued result with a word": (_issued(lambda issue: issue.update(samples="many")), "samples"),
}  # fmt: skip


@pytest.fixture(params=POISONS)
def poisoned(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str]:
    """A data folder with three sound runs and a bad one, and what is said of the bad one."""
    poison, cause = POISONS[request.param]
    storage = open_storage(tmp_path)
    for run_id in SOUND:
        _store(storage, run_id, repeat=int(run_id[-1]), configuration="c" if run_id != "good-3" else "d")
    _store(storage, BAD, repeat=9)
    poison(storage)
    storage.close()
    return tmp_path, cause


@pytest.fixture
def client(poisoned: tuple[Path, str]) -> Iterator[TestClient]:
    service = open_service(Settings(data_dir=poisoned[0]))
    yield TestClient(
        create_app(service, AccessPolicy.for_address("127.0.0.1", None)),
        base_url="http://127.0.0.1:8400",
        raise_server_exceptions=False,
    )
    service._storage.close()


def test_lists_pages_and_exports_are_readable_and_the_run_says_why_and_can_be_trashed(
    client: TestClient, poisoned: tuple[Path, str]
) -> None:
    cause = poisoned[1]
    runs = {run["run_id"]: run for run in client.get("/api/runs").json()["results"]}
    rows = {row["run_id"]: row for row in client.get("/api/run-rows").json()["rows"]}
    for listing in (runs, rows):
        assert listing.keys() == {*SOUND, BAD}
        assert listing[BAD]["status"] == "failed"
        assert listing[BAD]["power"] is listing[BAD]["efficiency"] is None
        assert cause in listing[BAD]["reason"]
        assert all(listing[run_id]["power"]["value"] == pytest.approx(201.5, abs=1) for run_id in SOUND)
    for path in READ:
        answer = client.get(path)
        assert answer.status_code == 200, (path, answer.text[:500])
    page = client.get(f"/api/runs/{BAD}").json()
    assert cause in page["result"]["reason"]
    assert page["previous"] or page["next"]
    for path in ALONE:
        answer = client.get(path)
        assert answer.status_code in (200, 503), (path, answer.text[:500])
        assert answer.status_code == 200 or cause in answer.json()["cause"]
    assert BAD in client.get("/api/export/report.html").text
    moved = client.post("/api/trash", json={"run_ids": [BAD]})
    assert moved.status_code == 200, moved.text
    assert [row["run_id"] for row in client.get("/api/run-rows?sort=created").json()["rows"]] == list(SOUND)
    assert {run["run_id"] for run in client.get("/api/runs").json()["results"]} == set(SOUND)


def test_commands(
    poisoned: tuple[Path, str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    folder, expected = poisoned

    def wattmark(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["wattmark", *words, "--data", str(folder)])
        with pytest.raises(SystemExit) as ended:
            main()
        return int(ended.value.code or 0), *capfd.readouterr()

    code, out, err = wattmark("results")
    assert code == 0, err
    code, out, err = wattmark("results", "--format", "json")
    assert code == 0, err
    (bad,) = (result for result in json.loads(out)["results"] if result["run_id"] == BAD)
    assert expected in bad["reason"]
    code, out, err = wattmark("report", "-o", str(folder / "report.html"))
    assert code == 0, err
    code, out, err = wattmark("archive", "--all", "-o", str(folder / "a.zip"), "--json")
    assert json.loads(out)["runs"] == list(SOUND), err
    assert all(expected in cause for cause in json.loads(out)["excluded"].values())
