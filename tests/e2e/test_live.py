"""The Live page in a browser: a real service reads a simulated meter over Modbus TCP, which dies meanwhile."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ..integration.ports import free_port
from .conftest import WATTMARK, assert_well, browse, serving

pytestmark = pytest.mark.e2e
BENCH = """\
schema: wattmark-bench/1
lab: Test
servers:
  - id: s
    access: {{local: true}}
    configurations:
      - {{id: c, cpu: {{model: any}}, os: {{name: any, kernel: any}}}}
meters:
  - {{id: wall, model: eastron.sdm630, url: "modbus-tcp://127.0.0.1:{port}/1", feeds: [{{server: s}}]}}
"""


@pytest.fixture
def port() -> int:
    """Find a port that nobody has."""
    return free_port()


@pytest.fixture
def url(tmp_path: Path, port: int) -> Iterator[str]:
    """Serve a bench of one meter."""
    bench = tmp_path / "bench.yaml"
    bench.write_text(BENCH.format(port=port))
    with serving(tmp_path / "data", "--bench", str(bench)) as address:
        yield address


def test_values_hold_zoom_and_a_meter_that_is_lost_and_comes_back(url: str, port: int, tmp_path: Path) -> None:
    seen = browse("live.mjs", url, str(WATTMARK), str(port), str(tmp_path / "pictures"))
    assert_well(seen, refused="422")
    assert re.search(r"\d", seen["value"])
    assert seen["held"] != seen["zoomed"]
    assert "power" in seen["columns"]
    for word in ("min", "mean", "max", "energy", "Wh"):
        assert word in seen["marked"], seen["marked"]
    bench = seen["bench"]
    assert re.search(r"\d\s*W\s+wall", bench["watts"]), "the meter has the name that the bench gives it"
    assert bench["pixels"] > 250, "the wall figure is read from three metres"
    assert "--host 0.0.0.0" in bench["phone"], "nobody is sent to an address that nobody else reaches"
    assert bench["remembered"] == "on"
    assert (bench["violations"], bench["overflow"]) == ({}, [])
    assert "does not answer" in seen["lost"]
    assert seen["said"] == 1, "a lost meter is said once"
    assert seen["grey"] == 1, "a value of a lost meter does not look fresh"
    assert_well(seen["looks"])
    limit = seen["limit"]
    assert "by more than the hysteresis" in limit["refused"]
    assert re.search(r"Limit\. .*power: above 1\sW since .*worst value .*W", limit["told"])
    assert 'wattmark_limit_alarm{channel="power",side="high",source="wall"} 1.0' in limit["metrics"]
    assert (limit["violations"], limit["overflow"]) == ({}, [])
