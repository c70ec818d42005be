"""What a fleet's store answers, held against the appliances that sent it: the same figures to the last bit."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient
from wattmark.access.http.middleware import AccessPolicy
from wattmark.access.roles import Role
from wattmark.comparison.published.library import load_published
from wattmark.core.errors import InputError, NotFound
from wattmark.fleet.clickhouse.connection import Connection
from wattmark.fleet.clickhouse.settings import read_clickhouse_settings
from wattmark.fleet.clickhouse.tables import RESULT, RUN
from wattmark.fleet.dossiers.dossiers import Dossiers
from wattmark.fleet.dossiers.rows import result_columns, run_columns
from wattmark.fleet.reading.fleet_groups import builds
from wattmark.fleet.reading.fleet_samples import FleetSamples
from wattmark.fleet.reading.fleet_store import FleetStore
from wattmark.fleet.reading.fleet_tables import FleetTables
from wattmark.fleet.reading.views import FleetRunQuery, GroupQuery
from wattmark.reports.sources import Sources
from wattmark.results.data_folder import open_storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.pages.listing import COLUMNS
from wattmark.service.app import create_app
from wattmark.service.fleet_service import open_fleet_service
from wattmark.service.service import Service, open_service
from wattmark.service.settings import Settings
from wattmark.store.sample_store import Samples

from ....generated_lab import store_lab
from ....marked_lab import FULL, PLAIN, WORKLOAD, store_marked_lab
from ...traceability.conftest import Lab, certificate
from ..influx.recorded import fill as record_odd
from ..influx.recorded import same
from .conftest import Connect, make
from .filled import fill, fill_samples, insert
from .servers import CLUSTER, PASSWORD, Server

BASE = "http://127.0.0.1:8400"
PLACE = "workload=7zip.compress&level=all threads"
ONLY_FLEET = ("lab", "matching", "total", "next_offset")


@pytest.fixture(scope="session")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two servers with five configurations each, three repeats of two workloads; one meter without accuracy."""
    folder = tmp_path_factory.mktemp("generated")
    store_lab(folder, 2, 5, 3, 2)
    return folder


@pytest.fixture
def appliance(generated: Path, store: Connection) -> Iterator[tuple[Service, TestClient]]:
    """The appliance that sent everything, and shows the fleet beside its own runs."""
    service = open_service(Settings(data_dir=generated))
    service.wings.fleet = FleetStore(store._settings, load_published, connection=store)
    yield service, TestClient(create_app(service, AccessPolicy.for_address("127.0.0.1")), base_url=BASE)
    service._storage.close()


def answer(client: TestClient, path: str) -> Any:
    got = client.get(path)
    assert got.status_code == 200, (path, got.text)
    return got.json() if got.headers["content-type"] == "application/json" else got.content


def without(document: Any, *names: str) -> Any:
    """Leave out what only a fleet says, and the numbers that series have in a database."""
    if isinstance(document, dict):
        return {name: without(value, *names) for name, value in document.items() if name not in names}
    return [without(each, *names) for each in document] if isinstance(document, list) else document


def test_every_answer_is_that_of_the_appliance(appliance: tuple[Service, TestClient], store: Connection) -> None:
    service, client = appliance
    fill(store, service._storage, lab="")
    run = answer(client, "/api/run-rows?sort=efficiency")["rows"][7]["run_id"]
    whole = answer(client, f"/api/runs/{run}")
    span = f"begin_s={whole['window_begin_s'] + 3}&end_s={whole['window_end_s'] - 7}"
    keys = [group["key"] for group in answer(client, f"/api/compare?{PLACE}")["groups"]]
    key = "&".join(f"key={quote(each)}" for each in keys)
    paths = [
        *(f"run-rows?sort={sign}{column}" for column in COLUMNS for sign in ("", "-")),
        "run-rows?text=NODE-01 rdimm&quality=sound&workload=7zip.compress",
        f"runs/{run}", f"runs/{run}/traces?px=1200", f"runs/{run}/traces?px=20&{span}", f"runs/{run}/span?{span}",
        f"runs/{run}/samples.csv?{span}",
        "compare/choices", f"compare/details?{PLACE}&key={keys[3]}&baseline={keys[0]}",
        f"compare/matrix?baseline={keys[0]}&{key}", f"memory?server=node-01&{PLACE}", f"memory/slopes?{PLACE}",
        "scaling?workload=7zip.compress", "published",
    ]  # fmt: skip
    for path in paths:
        ours, theirs = answer(client, f"/api/{path}"), answer(client, f"/api/fleet/{path}")
        names = ("lab",) if path.startswith("run-rows?sort") else (*ONLY_FLEET, "id", "names")
        assert without(theirs, *names) == without(ours, *names), path
    for figure in ("efficiency", "power", "throughput"):
        address = f"compare?{PLACE}&figure={figure}"
        ours, theirs = answer(client, f"/api/{address}"), answer(client, f"/api/fleet/{address}&limit=200")
        theirs["groups"].sort(key=lambda group: keys.index(group["key"]))
        assert without(theirs, *ONLY_FLEET) == without(ours, *ONLY_FLEET)
    for asked in ("", "?workload=7zip.compress&quality=sound&text=node-01"):
        ours, theirs = (answer(client, f"/api/{store}run-rows/facets{asked}") for store in ("", "fleet/"))
        for facet in ("workload", "level", "quality", "status", "kind"):
            counts = ({value["value"]: value["n"] for value in facets[facet]} for facets in (theirs, ours))
            assert next(counts) == next(counts), facet
    grouped = [row["workload"] for row in answer(client, "/api/fleet/run-rows?group=workload&sort=-power")["rows"]]
    assert len([*groupby(grouped)]) == len(set(grouped)) == 2
    recomputed = answer(client, f"/api/fleet/runs/{run}?recomputed=true")
    assert recomputed == answer(client, f"/api/fleet/runs/{run}") == whole
    other_rule = answer(client, f"/api/runs/{run}?rule=specpower")
    assert answer(client, f"/api/fleet/runs/{run}?rule=specpower")["result"] == other_rule["result"]
    state = answer(client, "/api/fleet")
    assert (state["problem"], state["alone"], state["runs"]) == (None, False, len(service.results.ids()))


def test_watts_of_parts_are_those_of_the_appliance(tmp_path: Path, store: Connection) -> None:
    """Servers with two and with four fans in turns; a fleet of one lab without a name calls them as the lab does."""
    store_marked_lab(tmp_path)
    storage = open_storage(tmp_path)
    fill(store, storage, lab="")
    fleet, own = fleet_of(store), Sources.of(storage).comparisons
    place = WORKLOAD, FULL
    slopes = own.part_slopes("fan", *place)
    assert {slope.server: slope.counts for slope in slopes if slope.server == PLAIN} == {PLAIN: [2, 4]}
    assert fleet.part_slopes("fans", *place) == slopes
    assert fleet.parts("fan: 80 mm", PLAIN, *place) == own.parts("fan: 80 mm", PLAIN, *place)
    with pytest.raises(InputError):
        fleet.parts("fan: 120 mm", PLAIN, *place)
    assert fleet.part_slopes("fan", *place, labs=["another"]) == []
    storage.close()


@pytest.fixture
def labs(tmp_path: Path) -> Iterator[tuple[Lab, Lab]]:
    """A lab with a calibrated meter and a recomputed result, and one whose meter has neither; one name of a server."""
    first, second = Lab(tmp_path / "first"), Lab(tmp_path / "second")
    first.measure("a1", 245.0, noise_w=1.5)
    first.add(certificate())
    first.measure("a2", 251.0, noise_w=1.5, dimms=8)
    first.calibration.issuer.first(first.storage.runs.get("a2"))
    first.reissued("a1")
    first.add_range(first.measure("a3", 240.0, noise_w=0.7, dimms=2), "300V/10A")
    second.measure("b1", 300.0, noise_w=2.0, dimms=4)
    for lab, run_id in ((first, "a3"), (second, "b1")):
        lab.calibration.issuer.first(lab.storage.runs.get(run_id))
    yield first, second
    first.storage.close()
    second.storage.close()


def fleet_of(store: Connection) -> FleetStore:
    return FleetStore(store._settings, load_published, connection=store)


def test_labs_stay_apart_and_their_figures_are_theirs(labs: tuple[Lab, Lab], store: Connection) -> None:
    for lab in labs:
        fill(store, lab.storage, lab.folder.name)
    fleet = fleet_of(store)
    for lab in labs:
        for run in lab.storage.runs.all():
            ours = lab.queries.result(run)
            for recomputed in (False, True):
                theirs = fleet.run(run.run_id, recomputed=recomputed).run(run.run_id).result
                assert theirs.server == f"s1 ({lab.folder.name})"
                for name in ("verdicts", "calibrations", "result_version", "issued", "notes", "energy_j"):
                    assert getattr(theirs, name) == getattr(ours, name), (run.run_id, name)
                for figure, own in ((theirs.efficiency, ours.efficiency), (theirs.power, ours.power)):
                    assert figure.bare == own.bare
    query = GroupQuery(workload="rsa", level="1 process")
    compared = fleet.compare(query)
    ours = labs[0].sources.comparisons.compare("rsa", "1 process")
    figures = {group.key: group.efficiency for group in compared.groups}
    for group in ours.groups:
        if group.kind == "measured":
            assert figures[group.key.replace("s1/", "s1 (first)/")] == group.efficiency
    assert {(group.lab, group.server) for group in compared.groups if group.kind == "measured"} == {
        ("first", "s1 (first)"), ("second", "s1 (second)"),
    }  # fmt: skip
    assert (compared.matching, compared.total) == (4, 4)
    only = fleet.compare(query.model_copy(update={"lab": ["second"]}))
    assert [group.key for group in only.groups] == ["s1 (second)/dimm-4"]
    best, worst = compared.groups[0].key, compared.groups[3].key
    for offset, shown in ((0, {best, worst}), (3, {worst})):
        page = fleet.compare(query, worst, offset=offset, limit=1)
        assert {group.key for group in page.groups if group.kind == "measured"} == shown
        assert (page.baseline, page.next_offset) == (worst, None if offset else 1)
    assert fleet.compare(query, offset=3, limit=1).baseline == best
    facets = fleet.facets(query.model_copy(update={"lab": ["first"]}))
    assert {value.value: value.n for value in facets.lab.values} == {"first": 3, "second": 1}
    assert {value.value: value.n for value in facets.dimms.values} == {"2": 1, "4": 1, "8": 1}
    assert facets.matching == 3
    rows = json.loads(fleet.rows_json(FleetRunQuery(lab=["first"], server="s1 (first)", sort="created")))
    assert (rows["total"], rows["matching"], [row["lab"] for row in rows["rows"]]) == (4, 3, ["first"] * 3)
    assert [value.n for value in fleet.row_facets(FleetRunQuery(lab=["first"])).status] == [3]
    pages = [fleet.rows_json(FleetRunQuery(group=group)) for group in ("server", "campaign", "configuration")]
    assert [json.loads(page)["matching"] for page in pages] == [4, 4, 4]


def test_measured_configurations_with_three_runs_come_before_simulated_ones_and_single_runs(
    labs: tuple[Lab, Lab], chdb: Connection
) -> None:
    """20 and 22 by three runs each; 30 by one run, 40 by a model; 21 was measured, and simulated with 90."""
    make(chdb)
    dossier = Dossiers(labs[1].storage, Evaluations(labs[1].storage), lambda: "second").gather("b1")
    assert dossier is not None
    row = result_columns(dossier, 1)
    assert row is not None
    figures = {"low": [20.0] * 3, "high": [22.0] * 3, "both": [21.0] * 3, "once": [30.0]}
    runs = [(name, value, 0) for name, values in figures.items() for value in values]
    runs += [(name, value, 1) for name, value in (("model", 40.0), ("both", 90.0)) for _ in range(3)]
    changes = [
        {"run": str(i), "configuration": name, "efficiency": value, "simulated": simulated}
        for i, (name, value, simulated) in enumerate([*runs, ("none", None, 0)])
    ]
    insert(chdb, RESULT, [row | {"efficiency_ranked": 1} | changed for changed in changes])
    query = GroupQuery(workload=row["workload"], level=row["level"])
    order = [name for _, _, name in builds(FleetTables(chdb), query, "efficiency", 0, 50)]
    assert order == ["high", "both", "low", "once", "model", "none"]


@pytest.mark.parametrize("text", ["' OR 1 = 1 --", "%s %(p0)s 100%", "\\' \\", "{p0:String} ` ;"])
def test_a_filter_is_a_value_and_no_sql(text: str, labs: tuple[Lab, Lab], chdb: Connection) -> None:
    make(chdb)
    fill(chdb, labs[1].storage, "second")
    fleet = fleet_of(chdb)
    assert json.loads(fleet.rows_json(FleetRunQuery(text=text, server=text, lab=[text])))["matching"] == 0
    assert fleet.facets(GroupQuery(workload=text, level=text, text=text, model=[text])).matching == 0
    assert fleet.row_facets(FleetRunQuery(text=text, server=text, workload=text)).status == []


def test_samples_come_back_bit_for_bit_also_after_a_lab_was_renamed(tmp_path: Path, store: Connection) -> None:
    storage = open_storage(tmp_path / "odd")
    record_odd(storage, "r1", n=20_000)
    (dossier,) = [Dossiers(storage, Evaluations(storage), lambda: "new name").gather("r1")]
    assert dossier is not None
    whole = storage.samples.list_series("r1")
    fill_samples(store, storage, [(dossier, "old name")])
    insert(store, RUN, [run_columns(dossier, 1)])
    fleet = FleetTables(store)

    def there() -> list[Samples]:
        samples = FleetSamples(fleet, fleet.run("r1"))
        listed = samples.list_series("r1")
        assert [(series.key, series.n) for series in listed] == [(series.key, series.n) for series in whole]
        return [samples.read(series.id) for series in listed]

    assert all(same(storage.samples.read(a.id), b) for a, b in zip(whole, there(), strict=True))
    fill_samples(store, storage, [(dossier, "new name"), (dossier, "new name")])
    assert all(same(storage.samples.read(a.id), b) for a, b in zip(whole, there(), strict=True))
    begin, end = (int(t) for t in storage.samples.read(whole[0].id).t_ns[[100, 200]])
    part = FleetSamples(fleet, fleet.run("r1")).read(1, begin, end)
    assert same(part, storage.samples.read(whole[0].id, begin, end))
    storage.close()


def test_what_was_deleted_or_replaced_is_not_shown(labs: tuple[Lab, Lab], store: Connection) -> None:
    lab, _ = labs
    fill(store, lab.storage, "first")
    fleet = fleet_of(store)
    dossier = Dossiers(lab.storage, lab.queries, lambda: "renamed").gather("a1")
    assert dossier is not None
    row = result_columns(dossier, 2)
    insert(store, RESULT, [row])
    insert(store, RUN, [run_columns(dossier, 2)])
    assert [place.model_dump() for place in fleet.out().labs] == [
        {"name": "first", "runs": 2}, {"name": "renamed", "runs": 1},
    ]  # fmt: skip
    assert fleet.run("a1").run("a1").result.server == "s1 (renamed)"
    insert(store, RESULT, [{**row, "deleted": 1, "written_ns": 3}])
    insert(store, RUN, [{**run_columns(dossier, 3), "deleted": 1}])
    assert fleet.out().runs == 2
    with pytest.raises(NotFound, match="no run 'a1'"):
        fleet.run("a1")


def test_a_service_without_meters_shows_the_fleet(
    shards: tuple[Server, Server], connect: Connect, labs: tuple[Lab, Lab], tmp_path: Path, monkeypatch
) -> None:
    server = shards[0]
    monkeypatch.setenv("WATTMARK_CLICKHOUSE_DATABASE", connect(server).database)
    monkeypatch.setenv("WATTMARK_CLICKHOUSE_PASSWORD", PASSWORD)
    service = open_fleet_service(Settings(data_dir=tmp_path / "alone", sign_in=True), server.url)
    client = TestClient(create_app(service, AccessPolicy.for_address("127.0.0.1", sign_in=True)), base_url=BASE)
    assert client.get("/api/fleet").status_code == 401
    client.headers["Authorization"] = f"Bearer {service.gate.tokens.create('kim', Role.VIEWER)}"
    missing = client.get("/api/fleet").json()
    assert (missing["alone"], missing["runs"], "store init" in missing["remedy"]) == (True, 0, True)
    assert client.get("/healthz").status_code == 503
    refused = client.get("/api/fleet/run-rows")
    assert (refused.status_code, "store init" in refused.json()["remedy"]) == (503, True)
    for shard in shards:
        make(connect(shard), CLUSTER)
    fill(connect(server), labs[0].storage, "first")
    assert client.get("/healthz").status_code == 200
    assert client.get("/api/fleet/run-rows").json()["matching"] == 3
    assert client.get("/api/fleet/runs/a1/traces").json()["series"][0]["total_samples"] > 10
    assert client.get("/api/fleet/runs/none").status_code == 404
    assert client.get("/api/bench").status_code == 404
    assert server.proxy is not None
    server.proxy.cut = True
    try:
        away = client.get("/api/fleet/compare/choices")
        assert (away.status_code, "does not answer" in away.json()["cause"]) == (503, True)
        assert away.json()["remedy"] == "Try again when the server runs, or correct WATTMARK_CLICKHOUSE_URL."
        assert "does not answer" in client.get("/api/fleet").json()["problem"]
    finally:
        server.proxy.cut = False
    assert client.get("/api/fleet/compare/choices").status_code == 200
    service._storage.close()
    monkeypatch.setenv("WATTMARK_CLICKHOUSE_PASSWORD", "wrong")
    wrong = FleetStore(read_clickhouse_settings(url=server.url), load_published).out()
    assert "does not accept the user or password" in (wrong.problem or "")
    with pytest.raises(InputError, match="has no bench"):
        open_fleet_service(Settings(data_dir=tmp_path / "alone", bench=tmp_path / "bench.yaml"), server.url)
