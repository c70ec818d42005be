"""Canary secrets, planted where secrets are, and looked for everywhere else."""

from __future__ import annotations

import http.client
import os
import re
import signal
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from ..service.conftest import Service, Start, wait_until

CANARY = "canary-5ac1d7e2-administrator"
BMC = "canary-bmc-41"


def fetch(service: Service, path: str) -> bytes:
    with closing(http.client.HTTPConnection(service.netloc, timeout=60)) as connection:
        connection.request("GET", path, headers={"Authorization": f"Bearer {CANARY}"})
        return connection.getresponse().read()


def below(pid: int) -> list[int]:
    """All processes under one, by the kernel's lists of children; what ends meanwhile is excluded."""
    children: list[int] = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                children += [int(child), *below(int(child))]
    return children


def process_inputs(pid: int) -> dict[str, bytes]:
    """What a process was given: its environment and its command line; nothing of one that has ended."""
    with suppress(OSError):
        return {f"process {pid} {name}": Path(f"/proc/{pid}/{name}").read_bytes() for name in ("environ", "cmdline")}
    return {}


def test_no_secret_leaves_by_log_answer_store_child_or_core(
    start: Start, write_bench: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WATTMARK_TOKEN", CANARY)
    monkeypatch.setenv("NOTIFY_SOCKET", "/nonexistent/canary-notify")
    monkeypatch.chdir(tmp_path)
    service = start(tmp_path / "data", "--sign-in", bench=write_bench(measure_s=60))
    bearer = {"Authorization": f"Bearer {CANARY}"}
    status, made = service.ask("POST", "/api/tokens", {"name": "ops", "role": "operator"}, **bearer)
    assert status == 201
    canaries = [CANARY, made["secret"], "canary-notify"]
    assert service.ask("POST", "/api/session", {"token": made["secret"]})[0] == 200
    assert service.ask("POST", "/api/session", {"token": f"{CANARY}-wrong"})[0] == 401
    assert service.ask("GET", f"/api/runs?token={CANARY}", **bearer)[0] == 422
    assert service.ask("POST", "/api/campaign", {"plan": "short"}, **bearer)[0] == 202
    wait_until(lambda: bool(service.loads()))
    places = {place: content for pid in below(service.process.pid) for place, content in process_inputs(pid).items()}
    assert len(places) >= 4
    places["command line of the service"] = Path(f"/proc/{service.process.pid}/cmdline").read_bytes()
    description = service.ask("GET", "/api/openapi.json", **bearer)[1]
    for path, methods in description["paths"].items():
        if "get" in methods and "{" not in path and path != "/api/live/stream":
            places[f"GET {path}"] = fetch(service, path)
    limits = Path(f"/proc/{service.process.pid}/limits").read_text()
    assert re.search(r"Max core file size\s+0\s+0\s", limits)
    service.process.send_signal(signal.SIGABRT)
    assert service.process.wait(60) == -signal.SIGABRT
    wait_until(lambda: not service.loads())
    service.end()
    places["log"] = "".join(service.log).encode()
    places |= {str(file): file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    assert not [name for name in places if "core" in Path(name).name]
    leaks = [(name, canary) for name, content in places.items() for canary in canaries if canary.encode() in content]
    assert leaks == []
    assert os.environ["WATTMARK_TOKEN"] == CANARY
