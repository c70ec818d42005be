"""The whole service as its users meet it: a real process, real instruments' protocols, a real load."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from wattmark.cli.result_json import result_json
from wattmark.results.result import Result

from ..command import Command
from ..ports import free_port
from .conftest import WATTMARK, Start, alive, wait_until

WriteBench = Callable[..., Path]
HELD_UP_S = 30
"""Longer than an orderly end takes on a busy machine, shorter than a stream or a run would last."""


def results(wattmark: Command, folder: Path) -> list[dict[str, Any]]:
    """What `wattmark results` finds, beside a running service or without one."""
    code, out, err = wattmark("results", "--data", folder, "--format", "json")
    assert code == 0, err
    return list(json.loads(out)["results"])


def test_a_plan_from_start_to_result(start: Start, write_bench: WriteBench, wattmark: Command, tmp_path: Path) -> None:
    data = tmp_path / "data"
    service = start(data, bench=write_bench(measure_s=10))  # longer than the command below takes on a busy machine
    assert service.get("/api/health")["recording"] is False
    bench = service.get("/api/bench")
    assert [plan["name"] for plan in bench["plans"]] == ["short"]
    assert bench["plans"][0]["problem"] is None
    assert service.ask("POST", "/api/campaign", {"plan": "none"})[0] == 404

    service.start_and_measure()
    assert service.loads()
    assert service.get("/api/health")["recording"] is True
    status, problem = service.ask("POST", "/api/campaign", {"plan": "short"})
    assert status == 409
    assert "'short' is running" in problem["cause"]
    (recording,) = results(wattmark, data)
    assert recording["status"] == "running"
    assert service.ask("DELETE", f"/api/runs/{recording['run_id']}")[0] == 409

    campaign = service.campaign_end()
    assert campaign["state"] == "complete", campaign
    assert service.loads() == []
    (result,) = service.get("/api/runs")["results"]
    assert result["status"] == "complete"
    assert result["simulated"] is True
    assert 100 < result["power"]["value"] < 250
    assert results(wattmark, data) == [result_json(Result.model_validate(result))]
    run_id = result["run_id"]
    series = service.get(f"/api/runs/{run_id}/traces")["series"]
    assert {trace["source"] for trace in series} == {"wall", "bmc", "host"}

    assert service.ask("DELETE", f"/api/runs/{run_id}") == (204, None)
    assert service.get("/api/runs")["results"] == []
    assert service.ask("GET", f"/api/runs/{run_id}/traces")[0] == 404


def test_a_stop_keeps_the_run_as_aborted(start: Start, write_bench: WriteBench, tmp_path: Path) -> None:
    service = start(tmp_path / "data", bench=write_bench(measure_s=60, bmc=False))
    service.start_and_measure()
    loads = service.loads()
    assert service.ask("POST", "/api/campaign/stop")[0] == 202
    campaign = service.campaign_until(lambda campaign: campaign["state"] not in {"running", "stopping"})
    assert campaign["state"] == "aborted"
    assert not any(alive(pid) for pid in loads)
    (result,) = service.get("/api/runs")["results"]
    assert result["status"] == "aborted"
    assert service.ask("POST", "/api/campaign/stop")[0] == 202


def test_sigterm_ends_streams_load_and_ipmitool(
    start: Start, write_bench: WriteBench, wattmark: Command, tmp_path: Path
) -> None:
    service = start(tmp_path / "data", bench=write_bench(measure_s=60))
    stream = http.client.HTTPConnection(service.netloc, timeout=60)
    with closing(stream):
        stream.request("GET", "/api/live/stream")
        events = stream.getresponse()
        assert events.readline() == b"event: snapshot\n"
        service.start_and_measure()
        below = service.loads() + service.children()
        assert len(below) > 1
        assert service.end(seconds=HELD_UP_S) == 0
        events.read()
    wait_until(lambda: not any(alive(pid) for pid in below))
    assert results(wattmark, tmp_path / "data")[0]["status"] == "aborted"
    assert "Traceback" not in "".join(service.log)


def test_a_killed_service_leaves_no_load_and_its_data(start: Start, write_bench: WriteBench, tmp_path: Path) -> None:
    data, bench = tmp_path / "data", write_bench(measure_s=60)
    service = start(data, bench=bench)
    service.start_and_measure()
    time.sleep(2)
    below = service.loads() + service.children()
    service.end(signal.SIGKILL)
    wait_until(lambda: not any(alive(pid) for pid in below))

    again = start(data, bench=bench)
    (result,) = again.get("/api/runs")["results"]
    assert result["status"] == "interrupted"
    traces = again.get(f"/api/runs/{result['run_id']}/traces")
    (wall,) = [trace for trace in traces["series"] if (trace["source"], trace["quantity"]) == ("wall", "power")]
    assert wall["total_samples"] >= 2
    assert again.get("/api/campaign")["state"] == "idle"


def test_a_second_service_on_the_same_data_refuses(start: Start, tmp_path: Path) -> None:
    start(tmp_path)
    command = [str(WATTMARK), "serve", "--port", "0", "--data", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("wattmark: ")
    assert "Traceback" not in done.stderr


def test_a_silent_meter_starts_nothing(start: Start, write_bench: WriteBench, tmp_path: Path) -> None:
    wall = f"modbus-tcp://127.0.0.1:{free_port()}/1"
    service = start(tmp_path / "data", bench=write_bench(wall=wall, bmc=False))
    assert service.ask("POST", "/api/campaign", {"plan": "short"})[0] == 202
    campaign = service.campaign_end()
    assert campaign["state"] == "failed"
    assert campaign["message"].startswith("Nothing was started: ")
    assert "wall" in campaign["message"]
    assert service.get("/api/runs")["results"] == []
    assert service.loads() == []


def test_a_client_that_never_reads_holds_nothing_up(start: Start, write_bench: WriteBench, tmp_path: Path) -> None:
    service = start(tmp_path / "data", bench=write_bench())
    host, _, port = service.netloc.rpartition(":")
    with socket.socket() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.connect((host, int(port)))
        deaf.sendall(f"GET /api/live/stream HTTP/1.1\r\nHost: {service.netloc}\r\n\r\n".encode())
        assert service.ask("POST", "/api/campaign", {"plan": "short"})[0] == 202
        service.campaign_until(lambda campaign: campaign["state"] == "complete")
        assert service.end(seconds=HELD_UP_S) == 0


def test_foreign_pages_and_names_are_refused(start: Start, write_bench: WriteBench, tmp_path: Path) -> None:
    service = start(tmp_path / "data", bench=write_bench(bmc=False))
    order = {"plan": "short"}
    for headers, expected in (
        ({"Origin": "http://evil.example"}, 403),
        ({"Sec_Fetch_Site": "cross-site"}, 403),
        ({"Host": "evil.example"}, 421),
    ):
        status, problem = service.ask("POST", "/api/campaign", order, **headers)
        assert status == expected
        assert problem["remedy"]
    assert service.get("/api/campaign")["state"] == "idle"
    assert service.ask("GET", "/api/runs", Host="evil.example")[0] == 421


def test_the_sixth_version_of_the_internet_protocol(start: Start, tmp_path: Path) -> None:
    service = start(tmp_path, "--host", "::1")
    assert service.netloc.startswith("[::1]:")
    assert service.get("/api/health")["status"] == "ok"
    own = {"Origin": f"http://{service.netloc}"}
    assert service.ask("POST", "/api/campaign", {"plan": "p"}, **own)[0] == 404
