"""Meters that want a log-in, read by the service from a bench file; their passwords are told to nobody else."""

from __future__ import annotations

import http.client
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from wattmark_drivers.simulators.simulated_lab import SimulatedLab

MODELS = {"pdu": "apc.rpdu2outlet", "plug": "shelly.plus1pm", "bmc": "redfish.bmc"}
SPEC = {
    "servers": {"s": {"idle_w": 160.0, "dynamic_w": 60.0, "dimms": 2}},
    "devices": {name: {"model": model, "measures": ["s"]} for name, model in MODELS.items()},
}
BENCH = """\
schema: wattmark-bench/1
lab: Test
servers:
  - id: s
    access: {{local: true}}
    configurations:
      - {{id: c, cpu: {{model: any}}, os: {{name: any, kernel: any}}}}
meters:
  - {{id: pdu, model: apc.rpdu2outlet, url: "{pdu}?version=3", user: "{pdu_user}", password_env: PDU_PASSWORD,
     privacy_password_file: "{pdu_file}", feeds: [{{server: s}}]}}
  - {{id: plug, model: shelly.plus1pm, url: "{plug}", user: "{plug_user}", password_file: "{plug_file}",
     role: secondary, feeds: [{{server: s}}]}}
bmcs:
  - {{id: bmc, server: s, url: "{bmc}", user: "{bmc_user}", password_file: "{bmc_file}"}}
plans:
  - {{name: short, configurations: [s/c], workloads: [openssl.rsa512-sign], repeats: 1, idle_s: 0, settle_s: 0.5,
     measure_s: 3, hold_s: 0.5}}
"""


@pytest.fixture(scope="module")
def locked() -> Iterator[SimulatedLab]:
    with SimulatedLab(SPEC) as running:
        yield running


def secret(lab: SimulatedLab, name: str) -> str:
    return (lab.devices[name].password_file or Path()).read_text().strip()


def write(lab: SimulatedLab, folder: Path) -> Path:
    values: dict[str, Any] = {name: lab.devices[name].url for name in MODELS}
    values |= {f"{name}_user": lab.devices[name].username for name in MODELS}
    values |= {f"{name}_file": lab.devices[name].password_file for name in MODELS}
    file = folder / "bench.yaml"
    file.write_text(BENCH.format(**values))
    return file


def fetch(netloc: str, path: str) -> bytes:
    connection = http.client.HTTPConnection(netloc, timeout=60)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        content = answer.read()
        assert answer.status == 200, (path, content[:300])
        return content
    finally:
        connection.close()


def test_meters_log_in_and_no_record_answer_export_or_log_holds_a_password(
    start: Callable[..., Any], locked: SimulatedLab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = [secret(locked, name) for name in MODELS]
    assert all(len(secret) >= 8 for secret in secrets)
    monkeypatch.setenv("PDU_PASSWORD", secret(locked, "pdu"))
    service = start(tmp_path / "data", bench=write(locked, tmp_path))
    status, campaign = service.ask("POST", "/api/campaign", {"plan": "short"})
    assert status == 202, campaign
    service.campaign_until(lambda campaign: campaign["state"] in ("complete", "failed"), 120)
    (run,) = service.get("/api/runs")["results"]
    assert run["status"] == "complete", run
    assert {series["source"] for series in service.get(f"/api/runs/{run['run_id']}/traces")["series"]} >= set(MODELS)
    exports = [f"/api/export/results.{extension}" for extension in ("csv", "json", "html", "md", "xlsx")]
    paths = ["/api/bench", "/api/live", f"/api/runs/{run['run_id']}", *exports]
    answers = {path: fetch(service.netloc, path) for path in paths}
    service.end()
    answers |= {"log": "".join(service.log).encode()}
    answers |= {file.name: file.read_bytes() for file in (tmp_path / "data").rglob("*") if file.is_file()}
    assert any(name.startswith("wattmark.db") for name in answers)
    for name, content in answers.items():
        assert not [secret for secret in secrets if secret.encode() in content], name
