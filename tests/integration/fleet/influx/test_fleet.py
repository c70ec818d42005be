"""Two appliances send: results as rows with plain numbers, and the commands that send and verify."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from urllib.parse import quote
from uuid import uuid4

import numpy as np
import pytest
from wattmark.fleet.dossiers.dossiers import Dossiers
from wattmark.fleet.influx.connection import Connection
from wattmark.fleet.influx.settings import InfluxSettings
from wattmark.fleet.influx.target import make_sink
from wattmark.runs.disclosure import ThinnedSamples
from wattmark.store.outbox.outbox import Outbox

from tests.integration.command import Command

from ...traceability.conftest import Lab, certificate
from .reading import received
from .recorded import same
from .servers import Server

Make = Callable[..., InfluxSettings]
Wattmark = Callable[..., tuple[int, str]]


@pytest.fixture
def labs(tmp_path: Path) -> Iterator[tuple[Lab, Lab]]:
    """A lab with a calibrated meter and overrides, and one whose meter has none; both with noise in the power."""
    first, second = Lab(tmp_path / "first"), Lab(tmp_path / "second")
    unique = uuid4().hex[:8]
    first.measure(f"{unique}-a1", 245.0, noise_w=1.5)
    first.add(certificate())
    first.measure(f"{unique}-a2", 251.0, noise_w=1.5, dimms=8)
    first.reissued(f"{unique}-a1")
    run = first.measure(f"{unique}-a3", 240.0, noise_w=0.7, dimms=2)
    first.add_range(run, "300V/10A")
    second.measure(f"{unique}-b1", 300.0, noise_w=2.0, dimms=4)
    second.storage.samples.seal(f"{unique}-b1")
    yield first, second
    first.storage.close()
    second.storage.close()


def rows(server: Server, labs: tuple[Lab, Lab]) -> dict[str, dict[str, str]]:
    """Ask for the current results of the labs in plain InfluxQL, as anybody could; by the id of their runs."""
    answered = server.question("SELECT * FROM wattmark_result WHERE current = 1")
    ids = {run.run_id for lab in labs for run in lab.storage.runs.all()}
    return {row["run"]: row for row in csv.DictReader(answered.splitlines()) if row["run"] in ids}


@pytest.fixture
def issued_labs(labs: tuple[Lab, Lab]) -> tuple[Lab, Lab]:
    """Both labs with all results issued, as a service issues them when a run is complete."""
    for lab in labs:
        for run in lab.storage.runs.all():
            if lab.storage.issued.last(run.run_id) is None:
                lab.calibration.issuer.first(run)
    return labs


def send(lab: Lab, settings: InfluxSettings) -> None:
    dossiers = Dossiers(lab.storage, lab.queries, lambda: lab.folder.name)
    sink = make_sink(settings, Outbox(lab.storage.database, settings.target), dossiers, lab.clock)
    while (step := sink.step()).sent:
        assert step.problem is None


def test_results_are_rows_with_plain_numbers(influx: Server, issued_labs: tuple[Lab, Lab], settings_for: Make) -> None:
    for lab in issued_labs:
        send(lab, settings_for(influx))
    there = rows(influx, issued_labs)
    assert len(there) == 4
    for lab in issued_labs:
        for run in lab.storage.runs.all():
            result, row = lab.queries.result(run), there[run.run_id]
            assert [row[tag] for tag in ("lab", "server", "configuration", "workload", "level", "simulated")] == [
                lab.folder.name, result.server, result.configuration, result.workload, result.level, "false",
            ]  # fmt: skip
            assert float(row["version"]) == result.result_version
            for name, quantity in (("efficiency", result.efficiency), ("power", result.power)):
                assert quantity is not None
                assert float(row[name]) == quantity.value
                assert row[f"{name}_U95"] == ("" if quantity.U95 is None else f"{quantity.U95!r}")
            assert (float(row["window_s"]), float(row["energy_j"])) == (result.window_s, result.energy_j)
            failed = {v.rule for v in result.verdicts if v.outcome == "fail"}
            assert {v.rule for v in result.verdicts if row.get(f"verdict_{v.rule.replace('-', '_')}") == "0"} == failed


def test_a_superseded_result_is_not_current_and_leaves_nothing_in_the_next(
    influx: Server, issued_labs: tuple[Lab, Lab], settings_for: Make
) -> None:
    send(issued_labs[0], settings_for(influx))
    (again,) = [run for run in issued_labs[0].storage.runs.all() if run.run_id.endswith("a1")]
    row = rows(influx, issued_labs)[again.run_id]
    server = f"server = '{row['server']}' AND configuration = '{row['configuration']}'"
    answered = influx.question(f"SELECT current, version FROM wattmark_result WHERE {server}")
    points = [p for p in csv.DictReader(answered.splitlines()) if abs(int(p["time"]) - again.created_ns) < 10]
    assert [(p["current"], p["version"]) for p in points][-1] == ("1", "2")
    assert points[0]["current"] == "0"


def test_victoriametrics_has_the_numbers_of_results(
    victoria: Server, issued_labs: tuple[Lab, Lab], settings_for: Make
) -> None:
    send(issued_labs[1], settings_for(victoria))
    (run,) = issued_labs[1].storage.runs.all()
    power = issued_labs[1].queries.result(run).power
    assert power is not None
    victoria.request("/internal/force_flush")
    match = quote('{__name__="wattmark_result_power",lab="second"}')
    series = [json.loads(line) for line in victoria.request(f"/api/v1/export?match[]={match}").splitlines()]
    values = [value for line in series for value in line["values"]]
    assert values[-1] == pytest.approx(power.value, rel=2e-12)


@pytest.fixture
def wattmark(wattmark: Command, monkeypatch: pytest.MonkeyPatch, influx_18: Server) -> Wattmark:
    monkeypatch.setenv("WATTMARK_INFLUX_URL", influx_18.url)

    def run(*arguments: str) -> tuple[int, str]:
        code, out, err = wattmark(*arguments)
        return code, out.decode() + err

    return run


def test_the_commands_send_and_verify(wattmark: Wattmark, labs: tuple[Lab, Lab]) -> None:
    first, _ = labs
    data = ("--data", str(first.folder))
    ids = [run.run_id for run in first.storage.runs.all()]
    first.storage.close()
    code, output = wattmark("store", "status", *data)
    assert (code, "Nothing is sent" in output) == (0, True)
    code, output = wattmark("store", "sync", *data)
    assert (code, "has everything" in output) == (0, True), output
    code, output = wattmark("store", "status", *data, "--json")
    (sink,) = json.loads(output)["sinks"]
    assert (sink["state"], sink["waiting_samples"], sink["refused_points"]) == ("up to date", 0, 0)
    code, output = wattmark("store", "verify", *data)
    assert (code, f"of {len(ids)} runs are identical" in output) == (0, True), output
    first.start()


def test_what_differs_is_told_and_sending_again_repairs_it(wattmark: Wattmark, labs: tuple[Lab, Lab]) -> None:
    first, _ = labs
    data = ("--data", str(first.folder))
    run = first.storage.runs.all()[1]
    power = next(series for series in first.storage.samples.list_series(run.run_id) if series.key.channel == "power")
    middle = int(np.median(first.storage.samples.read(power.id).t_ns))
    first.storage.close()
    assert wattmark("store", "sync", *data)[0] == 0
    line = f"wattmark,run={run.run_id},server=s1,source=wall,channel=power,lab=none value=1.0 {middle}"
    Connection(InfluxSettings()).write(line.encode(), 1)
    code, output = wattmark("store", "verify", *data, "--json")
    assert code == 1
    (differing,) = json.loads(output)["differing"]
    assert (differing["run"], differing["channel"]) == (run.run_id, "power")
    assert differing["samples_here"] == differing["samples_there"]
    assert wattmark("store", "sync", "--again", *data)[0] == 0
    assert wattmark("store", "verify", *data)[0] == 0
    first.start()


def test_a_server_that_does_not_answer_is_named_and_what_waits_is_shown(
    wattmark: Wattmark, labs: tuple[Lab, Lab], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _ = labs
    first.storage.close()
    monkeypatch.setenv("WATTMARK_INFLUX_URL", "http://127.0.0.1:9")
    code, output = wattmark("store", "sync", "--data", str(first.folder))
    assert (code, "does not answer: Connection refused" in output or "refused" in output) == (1, True), output
    code, output = wattmark("store", "status", "--data", str(first.folder), "--json")
    (sink,) = json.loads(output)["sinks"]
    assert sink["state"] == "waiting"
    assert sink["waiting_samples"] > 0
    assert datetime.fromisoformat(sink["since"]).tzinfo == UTC
    first.start()


def test_a_run_thinned_here_stays_raw_there(influx_18: Server, labs: tuple[Lab, Lab], settings_for: Make) -> None:
    first, _ = labs
    settings = settings_for(influx_18)
    run = first.storage.runs.all()[0]
    first.calibration.issuer.first(run)
    for recorded in first.storage.runs.all():
        first.storage.samples.seal(recorded.run_id)
    send(first, settings)
    thinned = run.changed(
        disclosure=run.disclosure.changed(thinned=ThinnedSamples(on=date(2026, 1, 1), software="wattmark 1"))
    )
    first.storage.runs.put(thinned)
    outbox = Outbox(first.storage.database, settings.target)
    outbox.send_again()
    others = [recorded.run_id for recorded in first.storage.runs.all() if recorded.run_id != run.run_id]
    assert outbox.state().waiting == sum(
        series.n for id_ in others for series in first.storage.samples.list_series(id_)
    )
    send(first, settings)
    for raw, there in received(Connection(settings), first.storage.samples, run.run_id):
        assert same(raw, there)
