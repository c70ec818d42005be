"""A server is described from what a machine tells of itself: this one, and one behind a real sshd."""

from __future__ import annotations

import platform
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ..sshd import Sshd
from .conftest import Start


def test_a_machine_tells_its_processor_and_system(
    start: Start, write_bench: Callable[..., Path], tmp_path: Path, sshd: Sshd, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = tmp_path / "home/.ssh"
    keys.mkdir(parents=True, mode=0o700)
    shutil.copy(sshd.folder / "user", keys / "id_ed25519")
    shutil.copy(sshd.folder / "known_hosts", keys / "known_hosts")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    service = start(tmp_path / "data", bench=write_bench(1))
    here = service.ask("POST", "/api/bench/read-machine", {})
    address = sshd.address
    there = service.ask(
        "POST",
        "/api/bench/read-machine",
        {"ssh": {"host": address.host, "port": address.port, "user": address.user}},
    )
    models = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    for status, machine in (here, there):
        assert status == 200, machine
        assert machine["host"] == platform.node()
        assert machine["configuration"]["os"]["kernel"] == platform.release()
        if models:
            assert machine["configuration"]["cpu"]["model"] == " ".join(models[0].split())
    status, refusal = service.ask(
        "POST", "/api/bench/read-machine", {"ssh": {"host": "127.0.0.1", "port": 1, "user": "nobody"}}
    )
    assert status == 422
    assert "127.0.0.1" in refusal["cause"]
