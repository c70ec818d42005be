"""A service sends the watts of its meter to a collector; without one it measures on and counts what is not sent."""

from __future__ import annotations

from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.collector_stub import CollectorStub, Receiver
from tests.web_peer import serving

from ..fake_sdm120 import fake_sdm120
from ..ports import free_port
from .conftest import Service, Start, wait_until

BENCH = """\
schema: wattmark-bench/1
lab: Lab
servers:
  - id: r1
    access: {{local: true}}
    configurations: [{{id: c, os: {{name: Linux, kernel: "6.1"}}, cpu: {{model: CPU, sockets: 1}}}}]
meters:
  - {{id: wall, model: eastron.sdm120, url: "{url}", feeds: [{{server: r1}}]}}
outputs:
  otel: {{endpoint: "http://127.0.0.1:{port}", period_s: 1}}
"""
SWING_W = 0.01
"""How far `FakeSdm120` moves around its watts."""


def figure(service: Service, name: str) -> float:
    families = text_string_to_metric_families(service.text("/metrics"))
    return {sample.name: sample.value for family in families for sample in family.samples}[name]


def test_a_collector_takes_the_watts_of_a_host(start: Start, tmp_path: Path) -> None:
    stub = CollectorStub()
    with fake_sdm120() as meter, serving(Receiver, stub=stub) as port:
        meter.power_w = 230.5
        bench = tmp_path / "lab.yaml"
        bench.write_text(BENCH.format(url=meter.url, port=port))
        service = start(tmp_path / "data", bench=bench)
        wait_until(lambda: bool(stub.requests) and ("r1", "hw.host.power") in stub.metrics())
        (power,) = stub.metrics()["r1", "hw.host.power"]
        assert power["value"] == pytest.approx(230.5, abs=SWING_W)
        assert (power["unit"], power["kind"], power["wattmark.simulated"]) == ("W", "gauge", False)
        first = len(stub.requests)
        wait_until(lambda: len(stub.requests) > first + 3)
        (energy,) = stub.metrics()["r1", "hw.host.energy"]
        (before,) = _of_request(stub, first)
        elapsed_s = (energy["t_ns"] - before["t_ns"]) * 1e-9
        assert energy["value"] - before["value"] == pytest.approx(230.5 * elapsed_s, abs=2 * 230.5), (
            "polled once a second"
        )
        assert service.end() == 0


def _of_request(stub: CollectorStub, index: int) -> list[dict[str, float]]:
    return CollectorStub(requests=[stub.requests[index]]).metrics()["r1", "hw.host.energy"]


def test_without_a_collector_the_meter_is_read_and_what_is_not_sent_is_counted(start: Start, tmp_path: Path) -> None:
    with fake_sdm120() as meter:
        bench = tmp_path / "lab.yaml"
        bench.write_text(BENCH.format(url=meter.url, port=free_port()))
        service = start(tmp_path / "data", bench=bench)
        wait_until(lambda: figure(service, "wattmark_output_unsent_readings_total") > 1)
        assert figure(service, "wattmark_output_blocked") == 1
        assert figure(service, "wattmark_last_sample_age_seconds") < 3
        assert service.get("/healthz")["status"] == "ready"
        assert service.end() == 0
