"""Every question of the Grafana dashboard is answered by each engine with data."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pytest
from wattmark.fleet.clickhouse.connection import Connection
from wattmark.fleet.clickhouse.written import delete_runs
from wattmark.fleet.dossiers.dossiers import Dossiers
from wattmark.results.data_folder import Storage
from wattmark.store.columns import make_samples
from wattmark_drivers.reading import UNUSABLE, Quality

from ...traceability.conftest import Lab, certificate
from ..influx.recorded import T0, fill, key
from .recorded import Bench

DASHBOARD: dict[str, Any] = json.loads(
    (Path(__file__).parents[4] / "docker/grafana/dashboards/wattmark-clickhouse.json").read_text()
)
QUESTIONS = {panel["title"]: target["rawSql"] for panel in DASHBOARD["panels"] for target in panel["targets"]}
VARIABLES = {variable["name"]: variable["query"] for variable in DASHBOARD["templating"]["list"]}


def filled_in(question: str, database: str, labs: str = "'Lab 1'") -> str:
    """Put in what Grafana would: a day before the samples to a year after."""
    values = {"$database": database, "${lab:singlequote}": labs, "${server:singlequote}": "'alpha', 'other'"}
    values |= {
        "$__interval_ms": "10000",
        "$__from": str(T0 // 10**6 - 86_400_000),
        "$__to": str(T0 // 10**6 + 31_536_000_000),
    }
    for name, value in values.items():
        question = question.replace(name, value)
    assert "$" not in question
    return question


def test_every_panel_of_samples_and_every_choice_has_data(store: Connection, storage: Storage) -> None:
    run_ids = [str(uuid4()) for _ in range(2)]
    for run_id in run_ids:
        fill(storage, run_id, n=1000)
    Bench(storage, store).drain()
    power = store.rows(filled_in(QUESTIONS["Power"], store.database))
    assert {row[1] for row in power} == {"Lab 1 alpha wall, left=1"}
    assert len(power) == 10, "1000 samples a tenth of a second apart are ten spans of 10 s"
    assert all(mean == pytest.approx(300, abs=1) and mean < highest < 330 for _, _, mean, highest in power)
    samples = store.rows(filled_in(QUESTIONS["Samples in each span"], store.database))
    assert sum(row[2] for row in samples) == 2 * 1000
    flagged = store.rows(filled_in(QUESTIONS["Flagged samples in each span"], store.database))
    assert sum(row[3] for row in flagged) == 2 * 12, "three of eight odd values are not finite, each four times"
    delete_runs(store, run_ids[:1], T0 + 10**12)
    samples = store.rows(filled_in(QUESTIONS["Samples in each span"], store.database))
    assert sum(row[2] for row in samples) == 1000, "a deleted run leaves the dashboard at once"
    assert store.rows(filled_in(QUESTIONS["Power"], store.database, labs="'Other lab'")) == []


def test_a_reading_that_wattmark_does_not_use_is_in_no_mean_and_no_peak(store: Connection, storage: Storage) -> None:
    run_id, flags = str(uuid4()), [flag for flag in Quality if flag & (UNUSABLE | Quality.STALE)]
    assert len(flags) == 6
    fill(storage, run_id, n=1000, seal=False)
    after_ns = T0 + 101 * 10**9 + np.arange(len(flags)) * 10**9
    unused = make_samples(after_ns, np.full(len(flags), 1e6), flags, np.full(len(flags), 1e-3))
    storage.samples.append([(storage.samples.series(key(run_id)).id, unused)])
    storage.samples.seal(run_id)
    Bench(storage, store).drain()
    power = store.rows(filled_in(QUESTIONS["Power"], store.database))
    assert len(power) == 10
    assert all(highest < 330 for _, _, _, highest in power)


def test_results_have_both_ends_of_their_interval(store: Connection, tmp_path: Path) -> None:
    lab = Lab(tmp_path / "lab")
    lab.add(certificate())
    lab.calibration.issuer.first(lab.measure(str(uuid4()), day="2026-02-01", noise_w=1.0))
    bench = Bench(lab.storage, store, gather_also=Dossiers(lab.storage, lab.queries, lambda: "Lab 1").gather)
    bench.drain()
    (choice,) = store.rows(filled_in(VARIABLES["lab"], store.database))
    (server,) = store.rows(filled_in(VARIABLES["server"], store.database, labs=f"'{choice[0]}'"))
    question = filled_in(QUESTIONS["Work per joule of each run"], store.database, labs=f"'{choice[0]}'")
    ((_, series, efficiency, low, high),) = store.rows(question.replace("'alpha'", f"'{server[0]}'"))
    assert low < efficiency < high
    assert server[0] in series
    assert "/J]" in series
    lab.storage.close()


def test_every_panel_asks_the_source_that_is_chosen() -> None:
    sources = [target["datasource"]["uid"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
    assert set(sources) == {"${source}"}
    assert not re.search(r"\$__(timeFilter|fromTime)", json.dumps(DASHBOARD)), "macros of one version of the plugin"
