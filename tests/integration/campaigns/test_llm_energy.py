"""Tokens per joule from a plan to the result: a server that keeps time exactly, a meter without an error of its own."""

from __future__ import annotations

import asyncio
import contextlib
import math
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from wattmark.service.service import open_service
from wattmark.service.settings import Settings
from wattmark_drivers.simulators.cpu import CpuUtilisation
from wattmark_drivers.simulators.lab import RunningLab
from wattmark_drivers.simulators.meter_model import MeterErrors
from wattmark_drivers.simulators.spec import LabSpec

from tests.llm_stub import Script, serving

MODEL = "carlogavazzi.em24e1"
NOISE = 6e-4
"""More than the last digit of the meter, 0.1 W, so that readings do not stand still."""
MEAN_LIMIT = 6 * NOISE / math.sqrt(30)
"""Six standard deviations of the mean of 30 readings, relative."""
LIMIT = 1e-3
SPEC = LabSpec.model_validate(
    {
        "tick_s": 0.1,
        "servers": {"s": {"idle_w": 160.0, "dynamic_w": 0.0, "dimms": 2}},
        "devices": {"wall": {"model": MODEL, "measures": ["s"]}},
    }
)
BENCH = """
schema: wattmark-bench/1
lab: Test
servers:
  - id: s
    access: {{local: true}}
    configurations:
      - {{id: c, cpu: {{model: any}}, os: {{name: any, kernel: any}}}}
meters:
  - {{id: wall, model: {model}, url: "{url}", feeds: [{{server: s}}], period_s: 1}}
workloads:
  - uses: llm.by-concurrency
    with:
      parameters:
        {{host: 127.0.0.1, port: {port}, python: {python}, prompt_tokens: 100, output_tokens: 200, warm_up: 2}}
plans:
  - {{name: p, configurations: [s/c], workloads: [llm.by-concurrency], levels: [8], repeats: 1, idle_s: 0, settle_s: 0,
     measure_s: 30}}
"""


def _idle_cpu() -> str:
    """/proc/stat of a machine whose processors never work: the watts must not depend on this one."""
    return f"cpu 0 0 0 {time.monotonic_ns() // 10_000_000} 0 0 0 0"


@pytest.fixture
async def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[str]:
    # No error but noise: a reading that stands still is taken for an old one.
    monkeypatch.setattr(MeterErrors, "inside_class", classmethod(lambda cls, *_: cls(noise=NOISE)))
    (tmp_path / "lab").mkdir()
    lab = RunningLab(SPEC, tmp_path / "lab", CpuUtilisation(_idle_cpu))
    ready = await lab.start()
    passing = asyncio.create_task(lab.run())
    yield ready["devices"]["wall"]["url"]
    passing.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await passing
    await lab.stop()


async def test_tokens_per_joule_are_those_of_the_script(url: str, tmp_path: Path) -> None:
    """8 requests under way at 20 ms a token are 400 tokens/s; the wall draws what the model of its supplies says."""
    wall_w = SPEC.servers["s"].model().wall_power_w(0.0, 2)
    bench = tmp_path / "bench.yaml"
    with serving(Script(lanes=8, gap_s=0.02)) as port:
        bench.write_text(BENCH.format(model=MODEL, url=url, port=port, python=sys.executable))
        async with open_service(Settings(data_dir=tmp_path / "data", bench=bench)) as service:
            service.campaigns.start("p")
            async with asyncio.timeout(180):
                out = await service.campaigns.wait()
            assert out.state == "complete", out
            (result,) = service.results.results()
    assert result.power is not None, result.notes
    assert result.power.value == pytest.approx(wall_w, rel=MEAN_LIMIT)
    assert result.efficiency is not None
    assert result.efficiency.unit == "tokens/J"
    assert result.efficiency.value == pytest.approx(400 / wall_w, rel=LIMIT)
    assert result.efficiency.U95 is not None
    assert result.energy_per_op is not None
    assert result.energy_per_op.value == pytest.approx(wall_w / 400, rel=LIMIT)
    assert result.energy_per_op.unit == "J/tokens"
    beside = {figure.name: figure for figure in result.source_figures}
    # An answer of 200 tokens takes 100 of prompt: half as many, in whole prompts: 40 of them, and 8 are under way.
    assert beside["prompt tokens per joule"].value == pytest.approx(200 / wall_w, rel=0.25)
    assert beside["prompt tokens per joule"].unit == "tokens/J"
    assert result.response_times_s["per output token median"] == pytest.approx(0.02, rel=0.02)
    assert not [note for note in result.notes if "requests failed" in note]
