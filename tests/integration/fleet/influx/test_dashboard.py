"""Every question of the Grafana dashboard is answered by a real server with data."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from ruamel.yaml import YAML
from wattmark.fleet.dossiers.dossiers import Dossiers
from wattmark.fleet.influx.settings import InfluxSettings
from wattmark.fleet.influx.target import make_sink
from wattmark.results.data_folder import Storage
from wattmark.store.outbox.outbox import Outbox

from ...traceability.conftest import Lab, certificate
from .recorded import T0, Drain, fill
from .servers import Server

GRAFANA = Path(__file__).parents[4] / "docker/grafana"
DASHBOARD: dict[str, Any] = json.loads((GRAFANA / "dashboards/wattmark.json").read_text())
QUESTIONS = [target["query"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
VARIABLES = {variable["name"]: variable["query"] for variable in DASHBOARD["templating"]["list"]}


def filled_in(question: str, run_id: str) -> str:
    """Put in what Grafana would."""
    span = f"time >= {T0 - 2 * 10**14} AND time <= {T0 + 10**12}"
    values = {"$__interval": "10s", "$timeFilter": span, "$run": run_id, "$server": ".*", "$channel": "(power|odd)"}
    values["$lab"] = ".*"
    for name, value in values.items():
        question = question.replace(name, value)
    assert "$" not in question.replace("$/", "")
    return question


@pytest.fixture
def filled(
    influx: Server, storage: Storage, settings_for: Callable[..., InfluxSettings], tmp_path: Path
) -> tuple[Server, str]:
    run_id = str(uuid4())
    fill(storage, run_id, n=1000)
    Drain(storage, settings_for(influx)).all()
    lab = Lab(tmp_path / "lab")
    lab.add(certificate())
    lab.calibration.issuer.first(lab.measure(run_id, day="2026-02-01", noise_w=1.0))
    settings = settings_for(influx)
    dossiers = Dossiers(lab.storage, lab.queries, lambda: "Lab of the dashboard")
    sink = make_sink(settings, Outbox(lab.storage.database, settings.target), dossiers, lab.clock)
    while sink.step().sent:
        pass
    lab.storage.close()
    return influx, run_id


def test_every_panel_and_every_choice_has_data(filled: tuple[Server, str]) -> None:
    server, run_id = filled
    for question in QUESTIONS:
        answer = server.question(filled_in(question, run_id)).splitlines()
        assert len(answer) > 1, question
        assert answer[0].startswith("name,tags,time,")
    assert run_id in server.question(filled_in(VARIABLES["run"], run_id))
    assert "alpha" in server.question(filled_in(VARIABLES["server"], run_id))
    assert "Lab 1" in server.question(filled_in(VARIABLES["lab"], run_id))
    assert "odd" in server.question(filled_in(VARIABLES["channel"], run_id))


def test_the_dashboard_uses_the_source_that_is_provisioned() -> None:
    (source,) = YAML(typ="safe").load((GRAFANA / "provisioning/datasources/wattmark.yaml").read_text())["datasources"]
    uids = {panel["datasource"]["uid"] for panel in DASHBOARD["panels"]}
    uids |= {target["datasource"]["uid"] for panel in DASHBOARD["panels"] for target in panel["targets"]}
    uids |= {variable["datasource"]["uid"] for variable in DASHBOARD["templating"]["list"]}
    assert uids == {source["uid"]}
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(set(ids)) == len(ids)
    (provider,) = YAML(typ="safe").load((GRAFANA / "provisioning/dashboards/wattmark.yaml").read_text())["providers"]
    assert provider["options"]["path"] == "/var/lib/grafana/dashboards"
