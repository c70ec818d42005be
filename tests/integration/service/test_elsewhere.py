"""Loads that run on another machine, and loads that wattmark does not start."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ..sshd import Sshd
from .conftest import WATTMARK, Start, _processes, _read_bytes, wait_until

WriteBench = Callable[..., Path]
MARKED = """
workloads:
  - id: night-batch
    title: Night batch
    unit: jobs
    parser: {kind: markers, wait_s: 30}
"""


def edited(bench: Path, *changes: tuple[str, str]) -> Path:
    text = bench.read_text()
    for old, new in changes:
        assert old in text, text
        text = text.replace(old, new)
    bench.write_text(text)
    return bench


def test_marks_by_http_by_command_and_by_pipe_make_a_result(
    start: Start, write_bench: WriteBench, tmp_path: Path
) -> None:
    bench = edited(
        write_bench(measure_s=5, bmc=False), ("workloads: [openssl.rsa512-sign]", "workloads: [night-batch]")
    )
    bench.write_text(bench.read_text() + MARKED)
    service = start(tmp_path / "data", bench=bench)
    url = f"http://{service.netloc}"
    early = subprocess.run([WATTMARK, "mark", "begin", "--url", url], capture_output=True, text=True, check=False)
    assert early.returncode == 1
    assert "No run is waiting for markers" in early.stderr

    assert service.ask("POST", "/api/campaign", {"plan": "short"})[0] == 202
    service.campaign_until(lambda campaign: campaign["phase"] == "settle")
    wait_until(lambda: service.ask("POST", "/api/markers", {"kind": "begin"})[0] == 202)
    assert service.ask("POST", "/api/markers", {"kind": "begin", "value": 3})[0] == 422
    time.sleep(3)
    with (tmp_path / "data" / "markers").open("w") as pipe:
        pipe.write("nonsense\n1234 jobs\n")
    subprocess.run([WATTMARK, "mark", "end", "--url", url], check=True)
    campaign = service.campaign_end()
    assert campaign["state"] == "complete", campaign
    (result,) = service.get("/api/runs")["results"]
    assert result["throughput"]["value"] * result["window_s"] == pytest.approx(1234, rel=1e-12)
    assert result["throughput"]["unit"] == "jobs/s"
    assert any("'nonsense' is not a marker" in line for line in service.log)
    service.end()
    assert not (tmp_path / "data" / "markers").exists()


def test_a_server_is_driven_over_ssh_and_stopped_there(
    start: Start, write_bench: WriteBench, tmp_path: Path, sshd: Sshd
) -> None:
    address = sshd.address
    access = (
        f"access: {{ssh: {{host: {address.host}, port: {address.port}, user: {address.user}, "
        f"identity_file: {address.identity_file}, known_hosts: {address.known_hosts}}}}}"
    )
    bench = edited(write_bench(measure_s=4, bmc=False), ("access: {local: true}", access))
    service = start(tmp_path / "data", bench=bench)
    service.start_and_measure()
    campaign = service.campaign_end()
    assert campaign["state"] == "complete", campaign
    (result,) = service.get("/api/runs")["results"]
    assert result["status"] == "complete"
    assert result["cpu_utilisation_pct"] is not None
    run = service.get(f"/api/runs/{result['run_id']}")
    assert run["disclosure"]["host"]["cpus"] >= 1

    service.start_and_measure()
    assert loads_at(sshd)
    assert service.ask("POST", "/api/campaign/stop")[0] == 202
    campaign = service.campaign_until(lambda campaign: campaign["state"] not in ("running", "stopping"))
    assert campaign["state"] == "aborted"
    assert not loads_at(sshd)


def loads_at(server: Sshd) -> list[int]:
    """The programs of a load that run in sessions of a server."""
    session = f" {server.host} {server.port}\0".encode()
    return [
        pid
        for pid in _processes()
        if session in _read_bytes(pid, "environ") and _read_bytes(pid, "cmdline").startswith(b"openssl\0speed\0")
    ]
