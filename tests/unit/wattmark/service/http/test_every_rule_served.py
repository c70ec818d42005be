"""A walk over kinds of run and ways out: API, archive, report, JSON and shared rows have the verdicts of the result."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from wattmark.access.http.middleware import AccessPolicy
from wattmark.archives.data_folder import Archives
from wattmark.archives.read import Archive
from wattmark.cli.tables.results import results
from wattmark.fleet.dossiers.dossiers import Dossiers
from wattmark.fleet.dossiers.rows import result_columns
from wattmark.importers.bring_in import import_source
from wattmark.importers.choices import read_choices
from wattmark.importers.kinds import importer_of
from wattmark.reports.report_run import run_section
from wattmark.reports.sources import Sources
from wattmark.results.data_folder import Storage, open_storage
from wattmark.results.evaluate import evaluate
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer
from wattmark.results.result import Result
from wattmark.runs.disclosure import Disclosure
from wattmark.runs.record import RunRecord, RunStatus
from wattmark.service.app import create_app
from wattmark.service.service import open_service
from wattmark.service.settings import Settings
from wattmark.store.sample_store import Samples
from wattmark_drivers.clock import SystemClock

from ...conftest import BEGIN_NS
from ...results.every_rule import WAYS, assert_every_rule
from ...results.whole_run import whole_run

S = 10**9
LOG = "".join(
    f"Time,07-01-2024 12:00:{i:02d}.000,Watts,{250 + i % 3},Volts,230.0,Amps,1.0,PF,1.0,Mark,m\n" for i in range(60)
)
Verdicts = list[dict[str, Any]]


def kinds() -> Iterator[tuple[RunRecord, tuple[float, float]]]:
    """Yield runs of every kind that need no file, each with the seconds in which the wall meter is silent."""
    synchronised, _ = whole_run()
    nothing_lost = 0.0, 0.0
    yield synchronised.model_copy(update={"run_id": "synchronised"}), nothing_lost
    whole = synchronised.model_copy(update={"phases": synchronised.phases[::2]})
    for way, disclosure in WAYS.items():
        yield (
            whole.model_copy(update={"run_id": way.replace(" ", "-"), "disclosure": Disclosure(**disclosure)}),
            nothing_lost,
        )
    simulated = tuple(meter.model_copy(update={"simulated": True}) for meter in whole.meters)
    for name, changes, lost_s in (
        ("lost", {}, (30.0, 51.0)),
        ("silent", {}, (-1000.0, 1000.0)),
        ("simulated", {"meters": simulated}, nothing_lost),
        ("not-traceable", {"meters": (whole.meters[0].model_copy(update={"reading_pct": None}),)}, nothing_lost),
        ("no-meter", {"meters": ()}, nothing_lost),
        ("no-window", {"window_begin_ns": None, "window_end_ns": None, "throughput": ()}, nothing_lost),
        ("failed", {"status": RunStatus.FAILED, "reason": "The load ended with status 1."}, nothing_lost),
    ):
        yield whole.model_copy(update={"run_id": name, **changes}), lost_s


def store_kinds(storage: Storage, log: Path) -> None:
    _, memory = whole_run()
    for number, (run, lost_s) in enumerate(kinds()):
        for series in memory.list_series("r1"):
            rows = memory.read(series.id)
            t_s = (rows.t_ns - BEGIN_NS) / S
            kept = (t_s <= lost_s[0]) | (t_s > lost_s[1]) | (series.key.source != "outlet")
            key = replace(series.key, run_id=run.run_id, simulated=run.run_id == "simulated")
            columns = (rows.t_ns, rows.value, rows.quality, rows.u_t_s)
            storage.samples.append([(storage.samples.series(key).id, Samples(*(column[kept] for column in columns)))])
        storage.samples.seal(run.run_id)
        storage.runs.put(run.model_copy(update={"created_ns": BEGIN_NS + number * 600 * S}))
    log.write_text(LOG)
    choices = read_choices("UTC", begin="2024-07-01T12:00:00")
    import_source(importer_of("auto", log), log, storage.samples, storage.runs, choices)
    issuer = Issuer(storage, Evaluations(storage), SystemClock())
    for run in storage.runs.all():
        issuer.first(run)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kinds")
    storage = open_storage(folder / "data")
    storage.all_or_nothing(lambda stores: store_kinds(stores, folder / "spl.txt"))
    storage.close()
    return folder / "data"


@pytest.fixture(scope="module")
def storage(folder: Path) -> Iterator[Storage]:
    storage = open_storage(folder, read_only=True)
    yield storage
    storage.close()


@pytest.fixture(scope="module")
def evaluated(storage: Storage) -> dict[str, Result]:
    """Evaluate every run from its record and samples, which is what all ways out must agree with."""
    return {run.run_id: evaluate(run, storage.samples) for run in storage.runs.all()}


def listed(result: Result) -> Verdicts:
    return [asdict(verdict) for verdict in result.verdicts]


def test_the_walk_has_every_kind_with_every_rule(evaluated: dict[str, Result]) -> None:
    for result in evaluated.values():
        assert_every_rule(result, imported=result.source != "measured")
    failed = {name: {v.rule for v in result.verdicts if v.outcome == "fail"} for name, result in evaluated.items()}
    assert ("gaps" in failed["lost"], "gaps" in failed["silent"], "gaps" in failed["local"]) == (True, True, False)
    assert {result.source.split(":")[0] for result in evaluated.values()} == {"measured", "imported"}
    assert evaluated["simulated"].simulated


def test_the_service_answers_with_them(folder: Path, storage: Storage, evaluated: dict[str, Result]) -> None:
    service = open_service(Settings(data_dir=folder))
    client = TestClient(
        create_app(service, AccessPolicy.for_address("127.0.0.1", None)), base_url="http://127.0.0.1:8400"
    )
    page = client.get("/api/runs", params={"limit": 100}).json()["results"]
    answers = {name: client.get(f"/api/runs/{name}").json() for name in evaluated}
    service._storage.close()
    assert {run["run_id"]: run["verdicts"] for run in page} == {n: listed(r) for n, r in evaluated.items()}
    for name, result in evaluated.items():
        assert answers[name]["result"]["verdicts"] == listed(result)
        assert answers[name]["failed"].keys() == {v.rule for v in result.verdicts if v.outcome == "fail"}


def test_an_archive_brings_them_to_another_folder(
    storage: Storage, evaluated: dict[str, Result], tmp_path: Path
) -> None:
    def archives(of: Storage, lab: str) -> Archives:
        here = Evaluations(of)
        return Archives(of, here, Issuer(of, here, SystemClock()), lambda: lab)

    file = io.BytesIO()
    first = archives(storage, "Lab 1")
    first.write(file, first.choose([], None, every=True))
    archived = {run.record.run_id: run.result for run in Archive(file, "kinds.zip").runs()}
    assert {name: listed(result) for name, result in archived.items()} == {n: listed(r) for n, r in evaluated.items()}
    other = open_storage(tmp_path)
    restored = archives(other, "Lab 2").restore(file, "kinds.zip")
    here = {run.run_id: listed(evaluate(run, other.samples)) for run in other.runs.all()}
    other.close()
    assert [run.differences for run in restored.runs] == [()] * len(evaluated)
    assert here == {name: listed(result) for name, result in evaluated.items()}


def test_the_report_prints_each(storage: Storage, evaluated: dict[str, Result]) -> None:
    pages = Sources.of(storage).pages
    words = {"pass": "OK", "fail": "failed", "not-checked": "not checked"}
    for name, result in evaluated.items():
        (checks,) = [t for t in run_section(1, pages.run(name), (), screen_only=False).tables if t.id == "verdicts"]
        # What was not checked stands in the notes, where anything was judged.
        unchecked = (note.split(": ", 1) for note in checks.footnotes if note != "Not checked:")
        rows = [
            *((row[0], row[1], row[-1]) for row in checks.rows),
            *((r, "not checked", text) for r, text in unchecked),
        ]
        printed = {(rule.lower(), outcome, text) for rules, outcome, text in rows for rule in str(rules).split(", ")}
        assert printed == {
            (v.rule.replace("-", " ").replace("_", " ").lower(), words[v.outcome], v.text) for v in result.verdicts
        }, name


def test_the_command_line_writes_them(folder: Path, evaluated: dict[str, Result], tmp_path: Path) -> None:
    output = tmp_path / "results.json"
    results(data=folder, format="json", output=output)
    written = {run["run_id"]: run["verdicts"] for run in json.loads(output.read_text())["results"]}
    assert written == {name: listed(result) for name, result in evaluated.items()}


def test_a_shared_row_has_them(storage: Storage, evaluated: dict[str, Result]) -> None:
    dossiers = Dossiers(storage, Evaluations(storage), lambda: "Lab")
    for name, result in evaluated.items():
        dossier = dossiers.gather(name)
        assert dossier is not None
        row = result_columns(dossier, 0)
        assert row is not None
        assert row["verdict_rule"] == [v.rule for v in result.verdicts]
        assert row["verdict_outcome"] == [v.outcome for v in result.verdicts]
        assert json.loads(str(row["document"]))["verdicts"] == listed(result)
