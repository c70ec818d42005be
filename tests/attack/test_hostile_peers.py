"""Peers that mean harm, at every port that a service speaks on, beside 208 meters that it measures.

WATTMARK_HOSTILE_S sets how long each part lasts (60 s). Needs cc and libmodbus-dev.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from wattmark.bench.speak import ENGINES, WITH_LOG_IN

from tests.benchmarks.drivers.bench_modbus import meters
from tests.benchmarks.service.service_process import ask, service, until
from tests.benchmarks.service.viewed import QUICK, SLOW, Looked, bench_file, look

from ..integration.ports import free_port
from .hostile_peers import UDP, kinds_of
from .test_viewers import HEALTH_S, LEAST_NOTICED_S, MOST_SERVICE_MB, assert_complete

SECONDS = int(os.environ.get("WATTMARK_HOSTILE_S", "60"))
MOST_SPEAKING_MB = 200
SPOKEN = {engine: spoken for spoken, engine in ENGINES.items() if spoken != "mqtt"}
"""What the bench calls each engine that has a port; a plug is a client of its broker."""

pytestmark = pytest.mark.timeout(4 * SECONDS + 600)


def speaking(bench: Path, ports: dict[str, int]) -> Path:
    """Add an entry for each engine to a bench file."""
    password = bench.with_name("password")
    password.write_text("correct-horse-9")
    password.chmod(0o600)
    lines = []
    for engine, port in ports.items():
        login = ", user: monitor, password_file: password" if SPOKEN[engine] in WITH_LOG_IN else ""
        lines.append(f"  - {{as: {SPOKEN[engine]}, what: m0, port: {port}{login}}}\n")
    bench.write_text(bench.read_text() + "speak:\n" + "".join(lines))
    return bench


def test_hostile_peers_delay_no_poll_and_take_no_memory(tmp_path: Path) -> None:
    """All kinds at all ports, the ports side by side: polls begin as they do alone, and every port still answers."""
    ports = {engine: free_port(kind=socket.SOCK_DGRAM if engine in UDP else socket.SOCK_STREAM) for engine in SPOKEN}
    with meters() as modbus, service(speaking(bench_file(tmp_path, modbus, SECONDS), ports), tmp_path / "data") as on:
        process, url = on
        until(lambda: len(ask(f"{url}/api/live")["channels"]) >= QUICK + SLOW)
        until(lambda: states(url) == {"open"})
        alone = look(process, url, 0, SECONDS)
        # They sit at machines of their own, so here they get only what nobody else needs.
        command = ["nice", "-n", "19", sys.executable, "-m", "tests.attack.hostile_peers", str(SECONDS + 5)]
        pairs = [f"{engine}={port}" for engine, port in ports.items()]
        with subprocess.Popen([*command, *pairs], stdout=subprocess.PIPE, text=True) as hostile:
            attacked = look(process, url, 0, SECONDS)
            done: dict[str, int] = json.loads(hostile.communicate()[0])
        until(lambda: states(url) == {"open"}, patience_s=60)
    tell("alone", alone)
    tell("attacked", attacked)
    print(done)  # noqa: T201 - how often each kind came
    assert done.keys() == {name for engine, port in ports.items() for name, _ in kinds_of(engine, port)}
    assert_complete(attacked)
    assert attacked.lateness.p99_s <= 2 * max(alone.lateness.p99_s, LEAST_NOTICED_S)
    assert attacked.health_s < HEALTH_S
    assert attacked.service_mb < MOST_SERVICE_MB
    assert attacked.reader_mb < MOST_SPEAKING_MB, "the largest of its processes, of which one speaks"


def states(url: str) -> set[str]:
    """Return the states of all speakers."""
    return {speaker["state"] for speaker in ask(f"{url}/api/gateway")["speakers"]}


def tell(name: str, shown: Looked) -> None:
    """Print the figures that this attack is for."""
    late = shown.lateness
    print(  # noqa: T201
        f"{name}: {late.polls} polls, late by {late.median_s * 1e3:.2f} ms (median), {late.p99_s * 1e3:.2f} ms (p99), "
        f"at most {late.most_s * 1e3:.0f} ms; service {shown.service_mb:.0f} MB, largest child {shown.reader_mb:.0f} MB"
    )
