"""The queue of a running service: by command, by calendar, over a kill, and with a meter that is away."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .conftest import WATTMARK, Service, Start, wait_until

WriteBench = Callable[..., Path]


def queue(service: Service, *arguments: str) -> dict[str, Any]:
    """Type `wattmark queue`."""
    command = [str(WATTMARK), "queue", *arguments, "--url", f"http://{service.netloc}", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def outcomes(service: Service) -> list[str]:
    return [taken["outcome"] for taken in service.get("/api/campaign/queue")["taken"]]


def test_queued_plans_run_in_their_order_and_outlive_a_kill(
    start: Start, write_bench: WriteBench, tmp_path: Path
) -> None:
    bench, data = write_bench(measure_s=3, bmc=False), tmp_path / "data"
    service = start(data, bench=bench)
    service.start_and_measure()
    first = queue(service, "add", "short")
    assert first["held"] == "The plan short is running."
    last = queue(service, "add", "short")["waiting"][1]["entry"]
    assert next(waiting["entry"] for waiting in queue(service, "move", last, "1")["waiting"]) == last
    assert len(queue(service, "remove", first["waiting"][0]["entry"])["waiting"]) == 1
    service.end(signal.SIGKILL)

    again = start(data, bench=bench)
    wait_until(lambda: outcomes(again) == ["complete"], 120)
    taken = queue(again, "list")["taken"][0]
    assert (taken["plan"], taken["message"]) == ("short", None)
    assert taken["campaign_id"] == again.get("/api/campaign")["campaign_id"]
    night = again.get("/api/campaign/health?since_s=0")["night"]
    assert next(entry["campaign"]["campaign_id"] for entry in night) == taken["campaign_id"]
    assert [row["status"] for row in night[0]["rows"]] == ["complete"]


def test_a_calendar_starts_a_plan_again_and_again(start: Start, write_bench: WriteBench, tmp_path: Path) -> None:
    bench = write_bench(measure_s=1, bmc=False)
    schedule = 'schedule: {calendar: "*:*:0/15", missed: skip}, reference: {}, measure_s: 1,'
    text = bench.read_text()
    assert "measure_s: 1," in text
    bench.write_text(text.replace("measure_s: 1,", schedule))
    service = start(tmp_path / "data", bench=bench)
    wait_until(lambda: outcomes(service).count("complete") >= 2, 120)
    (plan,) = service.get("/api/campaign/queue")["scheduled"]
    assert (plan["plan"], plan["calendar"]) == ("short", "*:*:0/15")
    (reference,) = service.get("/api/campaign/health?since_s=0")["references"]
    assert {chart["figure"] for chart in reference["charts"]} == {"power", "efficiency"}
