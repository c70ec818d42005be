"""The page of the morning in a browser: last night's results, the control charts of a reference, and the queue."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from wattmark.bench.plan import Plan
from wattmark.campaigns.status import CampaignOut, CampaignRun
from wattmark.campaigns.stored import CAMPAIGN_KIND, START_KIND, start_document
from wattmark.results.data_folder import Storage, open_storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer
from wattmark.runs.record import MeterRecord
from wattmark_drivers.clock import SystemClock

from tests.stored_run import make_run, store_readings

from .conftest import assert_well, browse, serving

pytestmark = pytest.mark.e2e
S = 10**9
NIGHT_S = 86_400
BENCH = """\
schema: wattmark-bench/1
lab: Night lab
servers:
  - id: s5000
    title: S5000
    access: {local: true}
    configurations:
      - {id: fbd4, title: 4 FB-DIMMs, cpu: {model: any}, os: {name: any, kernel: any}}
meters:
  - {id: wall, model: carlogavazzi.em24e1, url: "simulated://", feeds: [{server: s5000}]}
workloads:
  - {id: absent, title: Absent, unit: ops, command: [no-such-program],
     parser: {kind: regex, pattern: "(?P<value>.)", reports: interval-rate}, warm_up_s: 7}
plans:
  - name: nightly
    configurations: [s5000/fbd4]
    workloads: [openssl.rsa2048-sign]
    schedule: {calendar: "Mon..Fri 02:00"}
    reference: {}
  - {name: impossible, configurations: [s5000/fbd4], workloads: [absent]}
"""
WATTS = (239.6, 240.3, 240.1, 239.8, 240.4, 239.7, 240.2, 239.9, 240.0, 240.2, 240.1, 239.8, 240.3, 240.9, 241.9)
"""Mean power of the nights; the last one is out of control: s of the first ten is 0.26 W."""


def _store_night(storage: Storage, issuer: Issuer, number: int, watts: float) -> None:
    """Keep a campaign of one run of two minutes, so many nights before the last."""
    ago = len(WATTS) - 1 - number
    begin_ns = (int(time.time()) - 5 * 3600 - ago * NIGHT_S) * S
    name, meter = f"night{number:02d}", MeterRecord(name="wall", model="any", title="Power meter", reading_pct=0.5)
    run = make_run(
        f"run{number:02d}", begin_ns=begin_ns, window_s=120, amount=6000, server="s5000", configuration="fbd4",
        workload="openssl.rsa2048-sign", level="2 processes", campaign_id=name, meters=(meter,),
        configuration_snapshot={"title": "4 FB-DIMMs", "dimm_count": 4, "memory_gib": 4.0},
    )  # fmt: skip
    storage.runs.put(run)
    t_s = np.arange(-20.0, 141.0)
    noise = np.random.default_rng(number).normal(0, 0.3, len(t_s))
    loaded = (t_s > 0) & (t_s <= 120)
    noise[loaded] -= noise[loaded].mean()
    store_readings(storage, run, t_s, np.where(loaded, watts + noise, 150.0))
    host = MeterRecord(name="host", model="host", title="host")
    store_readings(storage, run, t_s, np.where(loaded, 99.5, 3.0), "cpu_utilisation", "%", meter=host)
    issuer.first(run)
    row = {"server": "s5000", "configuration": "fbd4", "workload": run.workload, "level": run.level, "repeat": 1}
    made = CampaignRun.model_validate({**row, "order": 0, "run_id": run.run_id, "state": "complete"})
    begin_s = begin_ns / S
    out = CampaignOut(
        state="complete", campaign_id=name, plan="nightly", runs=[made], started_s=begin_s, ended_s=begin_s + 240
    )
    plan = Plan(name="nightly", configurations=("s5000/fbd4",), workloads=(run.workload,))
    storage.runs.put_document(CAMPAIGN_KIND, name, out.model_dump(mode="json"))
    storage.runs.put_document(START_KIND, name, start_document(plan, {"s5000": 2}, None))


def test_the_morning_shows_the_night_first_and_then_whether_the_bench_is_still_itself(tmp_path: Path) -> None:
    data, bench = tmp_path / "data", tmp_path / "bench.yaml"
    bench.write_text(BENCH)
    storage = open_storage(data)
    issuer = Issuer(storage, Evaluations(storage), SystemClock())
    for number, watts in enumerate(WATTS):
        _store_night(storage, issuer, number, watts)
    storage.close()
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    with serving(data, "--bench", str(bench)) as url:
        seen = browse("today.mjs", url, str(pictures))
    assert_well(seen)
    assert seen["opened"].endswith("/today")
    assert seen["headings"][:2] == ["Last night", "Bench health"]
    assert "241.9±" in "".join(seen["night"].split())
    assert "1 point beyond 3 s; 2 of 3 points beyond 2 s on one side. Queue the plan again" in " ".join(
        seen["health"].split()
    )
    assert seen["charts"] == 2
    assert "Mon..Fri 02:00, next" in seen["queue"]
    assert "Not run" in seen["refused"]
    assert "no-such-program" in seen["refused"]
