"""The example of every route in the API reference is typed against a real service, with a fleet's store beside it."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from wattmark.fleet.clickhouse.connection import Connection
from wattmark.fleet.clickhouse.settings import ClickHouseSettings
from wattmark.results.data_folder import open_storage
from wattmark.runs.disclosure import Disclosure
from wattmark.service.api_examples import BASE, EXAMPLES, takes_version
from wattmark_drivers.simulators.simulated_lab import SimulatedLab

from tests.generated_fleet import SERVERS_PER_LAB, fill_fleet
from tests.integration.two_meters import BEGIN_NS, S, store_run
from tests.marked_lab import store_marked_lab
from tests.stored_run import PLUG_METER, make_run, store_readings

from ..docs.pages import DOCS, blocks
from ..fleet.clickhouse.servers import PASSWORD, one_server
from ..hook_peer import listening_peer
from .conftest import PATIENCE_S, Service, Start, wait_until

ROOT = Path(__file__).parents[3]
OPENAPI = json.loads((ROOT / "frontend/openapi.json").read_text())
LABS, MEMORIES, REPEATS, SAMPLED = 2, 2, 2, 2
BENCH = """\
schema: wattmark-bench/1
lab: Power lab
outputs: {{prometheus: true}}
notify:
  - {{id: phone, by: ntfy, url: "http://127.0.0.1:{peer}/power"}}
servers:
  - id: s
    access: {{local: true}}
    configurations:
      - {{id: c, cpu: {{model: any}}, os: {{name: any, kernel: any}}}}
meters:
  - {{id: wall, model: eastron.sdm120, url: "{wall}", feeds: [{{server: s}}], period_s: 0.5}}
workloads:
  - {{id: night-batch, title: Night batch, unit: jobs, parser: {{kind: markers, wait_s: 60}}}}
plans:
  - {{name: night, configurations: [s/c], workloads: [night-batch], repeats: 1, idle_s: 0, settle_s: 0.5}}
"""
METER = "127.0.0.1:1502"
"""Address of a meter in the examples."""


def store_laboratory(folder: Path) -> None:
    """Store runs of every kind: a stepped load with two meters, and one that ended early among them."""
    store_marked_lab(folder)
    storage = open_storage(folder)
    for k, load_w in enumerate((120.0, 180.0, 240.0, 300.0)):
        store_run(storage, f"r{k}", load_w, begin_ns=BEGIN_NS + k * 400 * S, gain=1.03, offset_w=1.5, seed=k)
    run = make_run("early", window_s=30, amount=5.0, meters=(PLUG_METER,), disclosure=Disclosure(asked_s=60.0))
    storage.runs.put(run)
    store_readings(storage, run, range(-2, 33), [200.0] * 35)
    storage.close()


def write_files(folder: Path) -> None:
    """Write the files that examples send."""
    (certificate,) = (block for block in blocks(DOCS / "guide/calibrate.md") if "file" in block.attributes)
    lines = list(certificate.lines)
    points = lines.index("range,state,reference_w,indication_w,expanded_u_w,k,power_factor")
    limited = [f"{line},{0.005 * float(line.split(',')[2]) + 0.2:g}" for line in lines[points + 1 :]]
    text = "\n".join([*lines[:points], f"{lines[points]},limit_w", *limited])
    (folder / "certificate.csv").write_text(f"{text}\n")
    readings = "".join(f"2026-03-02 10:{k // 60:02}:{k % 60:02};{231 + k % 7 / 10}\n" for k in range(300))
    (folder / "plug.csv").write_text(f"time;power [W]\n{readings}")
    shutil.make_archive(str(folder / "results"), "zip", ROOT / "tests/unit/wattmark/analysis/mlperf_r7525")


@pytest.fixture
def service(tmp_path: Path, lab: SimulatedLab, start: Start, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """Start a service with a bench, runs and a fleet's store."""
    store_laboratory(tmp_path / "data")
    bench = tmp_path / "lab.yaml"
    (tmp_path / "templates").mkdir()
    monkeypatch.setenv("WATTMARK_CLICKHOUSE_PASSWORD", PASSWORD)
    with one_server(tmp_path / "server") as store, listening_peer() as peer:
        bench.write_text(BENCH.format(wall=lab.devices["wall"].url, peer=peer.port))
        settings = ClickHouseSettings(url=store.url, password=PASSWORD, database="wattmark", timeout_s=30)
        with closing(Connection(settings)) as connection:
            results = LABS * SERVERS_PER_LAB * MEMORIES * REPEATS
            fill_fleet(connection, tmp_path / "templates", LABS, results, SAMPLED, MEMORIES, 1)
        monkeypatch.setenv("WATTMARK_CLICKHOUSE_URL", store.url)
        service = start(tmp_path / "data", bench=bench)
        yield service
        service.end()


def before(service: Service, route: str) -> None:
    """Wait for what a person who types the examples would see first."""
    if route == "POST /api/markers":
        mark_begin(service)
    elif route == "POST /api/campaign/resume":
        service.campaign_end()
    elif route == "POST /api/campaign/repeat":
        mark_begin(service)
        assert service.ask("POST", "/api/markers", {"kind": "end"})[0] == 202
        service.campaign_end()
    elif route == "DELETE /api/measurements/{identifier}":
        assert service.ask("POST", "/api/measurements", {"name": "matmul", "server": "s"})[0] == 201
    elif route == "POST /api/meters/{name}/check":
        wait_until(lambda: any(channel["value"] for channel in service.get("/api/live")["channels"]))


def mark_begin(service: Service) -> None:
    answers: list[Any] = []

    def marked() -> bool:
        answers[:] = service.ask("POST", "/api/markers", {"kind": "begin"})
        return answers[0] == 202

    try:
        wait_until(marked)
    except AssertionError:
        pytest.fail(f"no begin was accepted: {answers}; {service.get('/api/campaign')}")


def test_every_example_is_answered_as_its_route_says(
    service: Service, lab: SimulatedLab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tmp_path)
    _, owner = service.ask("POST", "/api/tokens", {"name": "owner", "role": "admin"})
    monkeypatch.setenv("WATTMARK_TOKEN", owner["secret"])
    meter = urlsplit(lab.devices["wall"].url).netloc
    for route, example in EXAMPLES.items():
        method, path = route.split(" ")
        before(service, route)
        operation = OPENAPI["paths"][path][method.lower()]
        typed = example.command(method, versioned=takes_version(operation))
        typed = typed.replace(BASE, f"http://{service.netloc}").replace(METER, meter)
        answer = tmp_path / "answer"
        output = "" if " -o " in typed else f" -o {answer}"
        done = subprocess.run(
            ["bash", "-c", f"{typed}{output} -w '%{{http_code}}'"],
            cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE_S, check=False,
        )  # fmt: skip
        status = done.stdout[-3:]
        expected = {str(example.status)} if example.status else {code for code in operation["responses"] if code < "3"}
        body = answer.read_text(errors="replace")[:300] if answer.exists() else ""
        # At once: the examples that follow rest on what this one did.
        assert status in expected, f"{typed}\n  {status} {done.stderr.strip()} {body}"
