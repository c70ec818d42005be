"""Ring comparisons from a fleet's tables, on the current engine."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import clickhouse_connect
import pytest
from typer.testing import CliRunner
from wattmark.cli.keep import store_ring
from wattmark.cli.keep.store import app
from wattmark.comparison.published.library import load_published
from wattmark.core.errors import InputError
from wattmark.fleet.clickhouse.connection import Connection
from wattmark.fleet.clickhouse.schema import make_schema
from wattmark.fleet.clickhouse.settings import ClickHouseSettings
from wattmark.fleet.reading.fleet_store import FleetStore
from wattmark.fleet.reading.views import GroupQuery, RingQuery, RingsQuery

from tests.generated_fleet import MODELS, fill_fleet

DATABASE = "wattmark_ring"
LABS = 12
"""So that every model is measured by five of them."""


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FleetStore]:
    settings = ClickHouseSettings(url="http://chdb.in.process", database=DATABASE)
    connection = Connection(settings, clickhouse_connect.get_client(interface="chdb"))
    make_schema(connection, cluster=None, ttl_days=None, software="1.0", made_ns=1)
    folder: Path = tmp_path_factory.mktemp("templates")
    fill_fleet(connection, folder, labs=LABS, results=LABS * 10, memories=1, workloads=1)
    yield FleetStore(settings, load_published, connection=connection)
    connection.run(f"DROP DATABASE {DATABASE}")
    connection.close()


def test_models_that_two_labs_measured_are_listed(fleet):
    rings = fleet.rings(RingsQuery()).rings
    assert {ring.server_model for ring in rings} == {model for model, _ in MODELS}
    assert {(ring.labs, ring.runs, ring.simulated) for ring in rings} == {(5, 10, False)}
    assert [ring.server_model for ring in fleet.rings(RingsQuery(text="rx200")).rings] == ["Primergy RX200 S4"]
    assert fleet.rings(RingsQuery(workload="other")).rings == []


@pytest.mark.parametrize("figure", ["efficiency", "power", "throughput"])
def test_laboratories_have_the_figures_of_the_page_compare(fleet, figure):
    choice = fleet.rings(RingsQuery()).rings[0]
    query = RingQuery(workload=choice.workload, level=choice.level, model=choice.server_model, figure=figure)
    ring = fleet.ring(query)
    assert len(ring.labs) == 5
    assert ring.reference is not None
    compared = fleet.compare(GroupQuery(workload=choice.workload, level=choice.level, model=[choice.server_model]))
    name = "power_w" if figure == "power" else figure
    figures = {group.key: getattr(group, name) for group in compared.groups}
    assert {lab.key: (lab.value.value, lab.value.ends) for lab in ring.labs} == {
        key: (figure.value, figure.ends) for key, figure in figures.items()
    }
    assert {lab.n for lab in ring.labs} == {2}


def test_what_nobody_measured_is_refused(fleet):
    with pytest.raises(InputError, match="No laboratory measured 'Cray-1'"):
        fleet.ring(RingQuery(workload="a", level="b", model="Cray-1"))


def test_the_command_writes_the_same_in_every_format(fleet, monkeypatch, tmp_path):
    monkeypatch.setattr(store_ring, "_fleet", lambda: fleet)
    choice = fleet.rings(RingsQuery()).rings[0]
    asked = ["ring", choice.workload, choice.level, "--model", choice.server_model]
    files = {form: tmp_path / f"ring.{form}" for form in ("csv", "md", "json")}
    for form, file in files.items():
        assert CliRunner().invoke(app, [*asked, "--format", form, "-o", str(file)]).exit_code == 0
    ring = fleet.ring(RingQuery(workload=choice.workload, level=choice.level, model=choice.server_model))
    rows = list(csv.DictReader(io.StringIO(files["csv"].read_text())))
    assert [row["lab"] for row in rows] == [lab.lab for lab in ring.labs]
    assert [float(row["en"]) for row in rows] == [lab.en for lab in ring.labs]
    assert f"Consensus value of {len(ring.labs)} laboratories" in files["md"].read_text()
    listed = tmp_path / "rings.csv"
    assert CliRunner().invoke(app, ["rings", "rx200", "--format", "csv", "-o", str(listed)]).exit_code == 0
    assert [row["server_model"] for row in csv.DictReader(io.StringIO(listed.read_text()))] == ["Primergy RX200 S4"]
