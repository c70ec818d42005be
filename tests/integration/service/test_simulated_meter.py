"""A meter at ``simulated://`` on a service: read after it is added, marked without a try, and back after a restart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psutil

from .conftest import Service, Start, wait_until

BENCH = """\
schema: wattmark-bench/1
lab: Trying out
meters:
  - {id: wall, model: eastron.sdm120, url: "simulated://?idle_w=400&dynamic_w=0"}
"""
IDLE_W = 400.0


def power(service: Service) -> dict[str, Any] | None:
    """Read the live channel of the meter's power, once it has readings."""
    channels = service.get("/api/live")["channels"]
    return next(
        (item for item in channels if item["source"] == "wall" and item["channel"] == "power" and item["value"]), None
    )


def simulators(service: Service) -> list[psutil.Process]:
    children = psutil.Process(service.process.pid).children()
    return [child for child in children if "wattmark_drivers.simulators" in child.cmdline()]


def test_a_service_that_starts_again_starts_its_simulated_meter_again(start: Start, tmp_path: Path) -> None:
    bench = tmp_path / "lab.yaml"
    bench.write_text(BENCH)
    for _ in range(2):
        service = start(tmp_path / "data", bench=bench)
        assert [meter["simulated"] for meter in service.get("/api/bench")["meters"]] == [True]
        wait_until(lambda service=service: power(service) is not None)
        reading = power(service)
        assert reading is not None
        assert reading["simulated"]
        assert IDLE_W < reading["value"][-1] < 1.5 * IDLE_W, "idle power, memory and the losses of the supplies"
        (simulator,) = simulators(service)
        assert service.end() == 0
        wait_until(lambda simulator=simulator: not simulator.is_running())
