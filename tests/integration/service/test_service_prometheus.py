"""Debian's Prometheus scrapes a service: the watts of the meter, joules as their integral, nothing when silent."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from ..fake_sdm120 import FakeSdm120
from ..ports import free_port
from .conftest import PATIENCE_S, Service, Start, wait_until

BENCH = """\
schema: wattmark-bench/1
lab: Lab of the scrape
servers:
  - id: r1
    access: {{local: true}}
    configurations: [{{id: c, os: {{name: Linux, kernel: "6.1"}}, cpu: {{model: CPU, sockets: 1}}}}]
meters:
  - {{id: wall, model: eastron.sdm120, url: "{url}", feeds: [{{server: r1}}]}}
  - {{id: model, model: eastron.sdm120, url: "simulated://?idle_w=400&dynamic_w=0"}}
outputs: {{prometheus: true}}
"""
DASHBOARD = json.loads((Path(__file__).parents[3] / "docker/grafana/dashboards/wattmark-prometheus.json").read_text())
QUESTIONS = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
SWING_W = 0.01
"""How far `FakeSdm120` moves around its watts."""


class Prometheus:
    """The program of Debian's package, which scrapes one service each second."""

    def __init__(self, folder: Path, service: Service) -> None:
        program = shutil.which("prometheus")
        assert program, "prometheus is missing: apt-get install prometheus"
        folder.mkdir()
        configuration = folder / "prometheus.yml"
        configuration.write_text(
            "global: {scrape_interval: 1s}\n"
            "scrape_configs:\n"
            f"  - {{job_name: wattmark, static_configs: [{{targets: ['{service.netloc}']}}]}}\n"
        )
        self._netloc = f"127.0.0.1:{free_port()}"
        self._log = (folder / "log").open("wb")
        self._process = subprocess.Popen(
            [
                program,
                f"--config.file={configuration}",
                f"--storage.tsdb.path={folder / 'data'}",
                f"--web.listen-address={self._netloc}",
            ],
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )
        wait_until(self._ready)

    def _ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://{self._netloc}/-/ready", timeout=PATIENCE_S) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def query(self, expression: str) -> list[dict[str, Any]]:
        """Answer a question as its API does."""
        address = f"http://{self._netloc}/api/v1/query?{urllib.parse.urlencode({'query': expression})}"
        with urllib.request.urlopen(address, timeout=PATIENCE_S) as answer:
            return list(json.load(answer)["data"]["result"])

    def value(self, expression: str) -> float | None:
        """Answer a question that has one value, or none."""
        results = self.query(expression)
        assert len(results) < 2, results
        return float(results[0]["value"][1]) if results else None

    def stop(self) -> None:
        """End it."""
        self._process.terminate()
        self._process.wait(PATIENCE_S)
        self._log.close()


def filled_in(question: str) -> str:
    """Put in what Grafana would."""
    for name, value in {"$__rate_interval": "12s", "$__range": "12s", "$server": ".*", "$meter": ".*"}.items():
        question = question.replace(name, value)
    assert "$" not in question
    return question


@pytest.fixture
def scraped(start: Start, tmp_path: Path) -> Iterator[tuple[Prometheus, FakeSdm120]]:
    meter = FakeSdm120()
    meter.power_w = 230.5
    bench = tmp_path / "lab.yaml"
    bench.write_text(BENCH.format(url=meter.url))
    service = start(tmp_path / "data", bench=bench)
    prometheus = Prometheus(tmp_path / "prometheus", service)
    try:
        yield prometheus, meter
    finally:
        prometheus.stop()
        with suppress(OSError):
            meter.stop()


def test_prometheus_reads_what_the_meters_measure(scraped: tuple[Prometheus, FakeSdm120]) -> None:
    prometheus, meter = scraped
    wait_until(lambda: len(prometheus.query("wattmark_power_watts")) == 2)
    (series,) = prometheus.query('wattmark_power_watts{meter="wall"}')
    labels = {name: series["metric"][name] for name in ("server", "role", "simulated", "quality")}
    assert labels == {"server": "r1", "role": "wall", "simulated": "false", "quality": "good"}
    assert float(series["value"][1]) == pytest.approx(meter.power_w, abs=SWING_W)
    assert 0 <= prometheus.value('wattmark_reading_age_seconds{meter="wall"}') < 3

    time.sleep(15)
    (simulated,) = prometheus.query('wattmark_power_watts{meter="model"}')
    assert simulated["metric"]["simulated"] == "true"
    rate_w = prometheus.value('rate(wattmark_energy_joules_total{meter="model"}[12s])')
    mean_w = prometheus.value('avg_over_time(wattmark_power_watts{meter="model"}[12s])')
    assert rate_w == pytest.approx(mean_w, rel=0.1), "joules each second are watts"

    for question in QUESTIONS:
        assert len(prometheus.query(filled_in(question))) == 2, question

    meter.stop()
    wait_until(lambda: prometheus.value('wattmark_power_watts{meter="wall"}') is None)
    assert prometheus.value('wattmark_reading_age_seconds{meter="wall"}') > 1, "the age grows while the watts are gone"
