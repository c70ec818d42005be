"""The test button of a meter: a running service judges a meter from the readings that it takes anyway."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from .conftest import Start


def test_a_meter_of_the_bench_is_checked_while_it_is_monitored(
    start: Start, write_bench: Callable[..., Path], tmp_path: Path
) -> None:
    service = start(tmp_path / "data", bench=write_bench(measure_s=10))
    status, document = service.ask("POST", "/api/meters/wall/check?seconds=3")
    assert status == 200
    outcomes = {verdict["rule"]: verdict["outcome"] for verdict in document["verdicts"]}
    assert (document["meter"], document["model"], document["seconds"]) == ("wall", "eastron.sdm120", 3)
    assert "fail" not in outcomes.values(), document
    assert outcomes["word-order"] == outcomes["power-product"] == outcomes["voltage"] == "pass"
    status, problem = service.ask("POST", "/api/meters/none/check")
    assert status == 404
    assert "wall" in problem["remedy"]
    assert service.ask("POST", "/api/meters/wall/check?seconds=0")[0] == 422
