"""A service with two servers, each with a simulated meter that speaks Modbus."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from wattmark_drivers.simulators.simulated_lab import SimulatedLab

from ..service.conftest import Service, start

__all__ = ["start"]
STEADY = {"dynamic_w": 0.0, "dimms": 0, "psu": {"rated_w": 1500}}
SPEC = {
    "servers": {"s": {"idle_w": 300.0, **STEADY}, "t": {"idle_w": 200.0, **STEADY}},
    "devices": {
        "wall-s": {"model": "eastron.sdm120", "measures": ["s"]},
        "wall-t": {"model": "eastron.sdm120", "measures": ["t"]},
        "cpu": {"model": "linux.rapl", "measures": ["s"]},
    },
}
BENCH = """\
schema: wattmark-bench/1
lab: Trying out
servers:
  - {{id: s, access: {{local: true}}, configurations: [{fitted}]}}
  - {{id: t, access: {{ssh: {{host: 127.0.0.1, user: nobody, port: 1}}}}, configurations: [{fitted}]}}
meters:
  - {{id: wall-s, model: eastron.sdm120, url: "{s}", feeds: [{{server: s}}], period_s: 0.25}}
  - {{id: wall-t, model: eastron.sdm120, url: "{t}", feeds: [{{server: t}}], period_s: 0.25}}
plans:
  - {{name: short, configurations: [s/plain], workloads: [openssl.rsa512-sign], repeats: 1, idle_s: 60, settle_s: 0,
     measure_s: 5}}
"""
FITTED = "{id: plain, cpu: {model: any}, os: {name: any, kernel: any}}"


@pytest.fixture(scope="session")
def lab() -> Iterator[SimulatedLab]:
    with SimulatedLab(SPEC) as running:
        yield running


@pytest.fixture(scope="session")
def bench(lab: SimulatedLab, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("bench") / "lab.yaml"
    file.write_text(BENCH.format(fitted=FITTED, s=lab.devices["wall-s"].url, t=lab.devices["wall-t"].url))
    return file


@pytest.fixture(scope="module")
def service(bench: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    running = Service(tmp_path_factory.mktemp("data"), bench=bench)
    yield running
    running.end()


@pytest.fixture
def url(service: Service, monkeypatch: pytest.MonkeyPatch) -> str:
    """Name the service to the client, as a user does."""
    for name in ("WATTMARK_TOKEN", "WATTMARK_TOKEN_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("WATTMARK_URL", f"http://{service.netloc}")
    return f"http://{service.netloc}"
