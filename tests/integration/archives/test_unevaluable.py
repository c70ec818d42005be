"""Archives with a run that cannot be evaluated: refused whole and in words, and the folder is as it was."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from wattmark.access.http.middleware import AccessPolicy
from wattmark.access.roles import Role
from wattmark.archives.gather import document_digest
from wattmark.archives.layout import KeyRecord
from wattmark.core.errors import InputError
from wattmark.results import evaluate as evaluating
from wattmark.results.data_folder import open_storage
from wattmark.service.app import create_app
from wattmark.service.service import open_service
from wattmark.service.settings import Settings
from wattmark.store.database import Database

from ..traceability.conftest import Lab, certificate
from .conftest import Open, packed, unpacked
from .test_hostile import as_zip, members, with_manifest

CHILD = Path(__file__).with_name("restoring_child.py")
SIGNED_IN = {"access_token", "audit", "row_crc"}
"""What a request by somebody who signed in changes, refused or not."""


def forged(content: bytes, run_id: str, change: Callable[[dict[str, Any]], None]) -> bytes:
    """Change a run of an archive, with every digest and hash as its writer would have made them."""
    parts = members(content)
    manifest = json.loads(parts["manifest.json"])
    entry = next(entry for entry in manifest["runs"] if entry["run_id"] == run_id)
    run = json.loads(parts[entry["file"]])
    change(run)
    hashes = [(KeyRecord(**series["key"]), manifest["members"][series["file"]]["sha256"]) for series in run["series"]]
    entry["digest"] = document_digest(run["record"], hashes)
    parts[entry["file"]] = json.dumps(run).encode()
    return as_zip(with_manifest(parts, runs=manifest["runs"]))


def with_amount(amount: float) -> Callable[[dict[str, Any]], None]:
    def change(run: dict[str, Any]) -> None:
        for interval in run["record"]["throughput"]:
            interval["amount"] = amount

    return change


def tables(database: Database) -> dict[str, list[Any]]:
    """Every row of every table."""
    with database.snapshot() as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return {name: sorted(connection.execute(f"SELECT * FROM {name}"), key=repr) for name in names}


@pytest.fixture
def archive(open_lab: Open) -> bytes:
    """An archive of three runs, of which two were issued."""
    lab = open_lab("plain")
    for run_id, watts in ("r1", 245.0), ("r2", 260.0), ("r3", 255.0):
        lab.measure(run_id, watts=watts, noise_w=0.3)
    for run_id in "r1", "r2":
        lab.calibration.issuer.first(lab.queries.record(run_id))
    return packed(lab)


@pytest.fixture
def here(open_lab: Open) -> Lab:
    """A lab with one run of the meter that the archives' runs were measured with, not issued yet."""
    lab = open_lab("here")
    lab.measure("own", watts=200.0)
    return lab


class Operator:
    """An operator of an appliance who uploads archives."""

    def __init__(self, folder: Path) -> None:
        self.service = open_service(Settings(data_dir=folder))
        self.database = self.service._storage.database
        app = create_app(self.service, AccessPolicy.for_address("127.0.0.1", sign_in=True))
        secret = self.service.gate.tokens.create("kim", Role.OPERATOR)
        self.client = TestClient(
            app,
            base_url="http://127.0.0.1:8400",
            headers={"Authorization": f"Bearer {secret}"},
            raise_server_exceptions=False,
        )

    def upload(self, content: bytes) -> tuple[int, dict[str, Any]]:
        answer = self.client.post("/api/archive?file_name=x.zip", content=content)
        return answer.status_code, answer.json()

    def stored_rows(self) -> dict[str, list[Any]]:
        return {name: rows for name, rows in tables(self.database).items() if name not in SIGNED_IN}


@pytest.fixture
def operator(here: Lab) -> Iterator[Operator]:
    here.storage.close()
    opened = Operator(here.folder)
    yield opened
    opened.service._storage.close()


@pytest.mark.filterwarnings("ignore:(overflow|invalid value) encountered:RuntimeWarning")
@pytest.mark.parametrize("amount", [1e150, 1e308, 5e-324])
def test_amounts_beyond_all_reckoning_are_refused_whole(operator: Operator, archive: bytes, amount: float) -> None:
    before = operator.stored_rows()
    status, answer = operator.upload(forged(archive, "r2", with_amount(amount)))
    assert (status, answer["cause"][:22]) == (422, "x.zip was not imported"), answer
    assert "run r2 " in answer["cause"] or "runs/2/run.json" in answer["cause"], answer
    assert operator.stored_rows() == before
    assert [row["run_id"] for row in operator.client.get("/api/run-rows").json()["rows"]] == ["own"]
    assert operator.upload(archive)[0] == 201


@pytest.mark.parametrize("fault", [OverflowError, ZeroDivisionError, KeyError, MemoryError, RecursionError])
def test_an_evaluation_that_breaks_after_runs_were_put_in_refuses_them_all(
    operator: Operator, archive: bytes, monkeypatch: pytest.MonkeyPatch, fault: type[Exception]
) -> None:
    real, seen = evaluating.evaluate, []

    def evaluate(run: Any, *rest: Any) -> Any:
        seen.append(run.run_id)
        if run.run_id == "r3":
            raise fault("planted")
        return real(run, *rest)

    before = operator.stored_rows()
    monkeypatch.setattr(evaluating, "evaluate", evaluate)
    status, answer = operator.upload(archive)
    assert status == 422, answer
    assert answer["cause"].startswith("x.zip was not imported: run r3 cannot be evaluated"), answer
    assert {"r1", "r2"} <= set(seen), "runs before it came in and were evaluated"
    assert operator.stored_rows() == before


@pytest.mark.parametrize(
    "place", [("efficiency", "value"), ("power", "budget", 0, "u"), ("power", "budget", 0, "u_result")]
)
@pytest.mark.parametrize("number", [float("inf"), float("nan")])
def test_issued_results_that_their_own_reader_refuses_or_reads_otherwise_do_not_come_in(
    here: Lab, archive: bytes, place: tuple[str | int, ...], number: float
) -> None:
    def change(run: dict[str, Any]) -> None:
        target = run["issued"][0]["result"]
        for step in place[:-1]:
            target = target[step]
        target[place[-1]] = number

    before = tables(here.storage.database)
    with pytest.raises(InputError, match=r"was not imported.*(run r2 |runs/2/run\.json)"):
        unpacked(here, forged(archive, "r2", change))
    assert tables(here.storage.database) == before


def test_a_refused_archive_with_certificates_issues_nothing_of_the_runs_that_are_here(
    here: Lab, open_lab: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = open_lab("certified")
    source.add(certificate(), reason="yearly")
    source.measure("r1")
    content, real = packed(source), evaluating.evaluate

    def evaluate(run: Any, *rest: Any) -> Any:
        if run.run_id == "r1":
            raise OverflowError("planted")
        return real(run, *rest)

    before = tables(here.storage.database)
    monkeypatch.setattr(evaluating, "evaluate", evaluate)
    with pytest.raises(InputError, match="run r1 cannot be evaluated"):
        unpacked(here, content)
    assert tables(here.storage.database) == before


def test_nothing_is_left_of_a_restore_that_was_killed_while_it_evaluated(
    here: Lab, archive: bytes, tmp_path: Path
) -> None:
    before = tables(here.storage.database)
    here.storage.close()
    file = tmp_path / "runs.zip"
    file.write_bytes(archive)
    command = [sys.executable, str(CHILD), str(here.folder), str(file), "r3"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "evaluating\n"
        child.send_signal(signal.SIGKILL)
        assert child.wait(60) == -signal.SIGKILL
    with closing(open_storage(here.folder)) as storage:
        assert tables(storage.database) == before
    here.start()
    assert {run.state for run in unpacked(here, archive).runs} == {"imported"}
