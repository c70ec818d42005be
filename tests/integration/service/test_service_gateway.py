"""A service speaks its meter in every protocol, and our own drivers read it back: equal, marked, and never old."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from wattmark.bench.speak import DATAGRAMS, MODELS
from wattmark_drivers.speakers.mqtt.broker import USERNAME, MqttBroker

from ..fake_sdm120 import FakeSdm120, fake_sdm120
from ..ports import free_port
from .conftest import PATIENCE_S, WATTMARK, Service, Start, wait_until

BENCH = """\
schema: wattmark-bench/1
lab: Lab 1
meters:
  - {{id: wall, model: eastron.sdm120, url: "{url}", options: {{channels: "power,voltage,current"}}}}
speak:
{speak}
"""
TRUE_W = 230.5
SWING_W = 0.01
"""How far `FakeSdm120` moves around its watts."""
LAST_DIGIT_W = {
    "ipmi": 1.0,
    "snmp": 1.0,
    "redfish": 0.001,
    "modbus-tcp": 0.001,
    "scpi": 0.01,
    "mqtt": 0.001,
    "ptdaemon": 1e-6,
}
PASSWORD = "a-long-password"
PROTOCOLS = ["modbus-tcp", "scpi", "redfish", "snmp", "ipmi", "ptdaemon"]


@pytest.fixture
def meter() -> Iterator[FakeSdm120]:
    with fake_sdm120() as running:
        running.power_w = TRUE_W
        yield running


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "spoken-password"
    path.write_text(PASSWORD)
    path.chmod(0o600)
    return path


def entry(protocol: str, secret: Path, **changes: Any) -> dict[str, Any]:
    kind = socket.SOCK_DGRAM if protocol in DATAGRAMS else socket.SOCK_STREAM
    settings: dict[str, Any] = {"as": protocol, "what": "wall", "port": free_port(kind=kind)}
    if protocol in ("ipmi", "redfish"):
        settings |= {"user": "reader", "password_file": str(secret)}
    return {**settings, **changes}


def serve(start: Start, folder: Path, url: str, *entries: dict[str, Any]) -> Service:
    bench = folder / "lab.yaml"
    speak = "\n".join(f"  - {json.dumps(settings)}" for settings in entries)
    bench.write_text(BENCH.format(url=url, speak=speak))
    return start(folder / "data", bench=bench)


def speaker(service: Service, index: int = 0) -> dict[str, Any]:
    return dict(service.get("/api/gateway")["speakers"][index])


def stands(service: Service, index: int = 0) -> bool:
    shown = speaker(service, index)
    assert shown["state"] != "failed", shown["problem"]
    return shown["state"] == "open" and shown["power_w"] is not None


def read_back(service: Service, secret: Path, index: int = 0, user: str = "reader") -> dict[str, Any]:
    """Read what is spoken with `wattmark meter read`, which must have a reading."""
    done = _meter_read(service, secret, index, user)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def _meter_read(service: Service, secret: Path, index: int, user: str) -> subprocess.CompletedProcess[str]:
    spoken = speaker(service, index)
    url = spoken["address"]
    command = [str(WATTMARK), "meter", "read", f"{url}{'&' if '?' in url else '?'}model={spoken['model']}", "--json"]
    if spoken["asks_password"]:
        command += ["--user", user, "--password-file", str(secret)]
    elif spoken["protocol"] == "snmp":
        command += ["--password-env", "COMMUNITY"]
    environment = {**os.environ, "COMMUNITY": "public"}
    return subprocess.run(command, capture_output=True, timeout=PATIENCE_S, env=environment, text=True, check=False)


def power_of(document: dict[str, Any]) -> dict[str, Any]:
    channels = {reading["channel"]: reading for reading in document["readings"]}
    return dict(channels["dcmi_power"] if "dcmi_power" in channels else channels["power"])


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_is_spoken_is_read_back_as_it_is(
    start: Start, tmp_path: Path, meter: FakeSdm120, secret: Path, protocol: str
) -> None:
    service = serve(start, tmp_path, meter.url, entry(protocol, secret))
    wait_until(lambda: stands(service))
    assert speaker(service)["model"] == MODELS[protocol]  # type: ignore[index]
    document = read_back(service, secret)
    power = power_of(document)
    assert power["value"] == pytest.approx(TRUE_W, abs=LAST_DIGIT_W[protocol] / 2 + SWING_W)
    assert power["usable"], power["quality"]
    assert document["meter"]["simulated"] is False
    meter.power_w = 321.0
    changed_s = time.monotonic()
    wait_until(lambda: abs((speaker(service)["power_w"] or 0.0) - 321.0) < 1.0)
    assert time.monotonic() - changed_s < 3.0, "a poll of the meter each second, and no more than a second of ours"
    assert power_of(read_back(service, secret))["value"] == pytest.approx(321.0, abs=LAST_DIGIT_W[protocol] + SWING_W)
    wait_until(lambda: bool(speaker(service)["askers"]))
    assert {asker["peer"] for asker in speaker(service)["askers"]} == {"127.0.0.1"}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_meter_that_hangs_is_not_read_back_as_watts(
    start: Start, tmp_path: Path, meter: FakeSdm120, secret: Path, protocol: str
) -> None:
    service = serve(start, tmp_path, meter.url, entry(protocol, secret))
    wait_until(lambda: stands(service))
    meter.stop()
    wait_until(lambda: speaker(service)["power_w"] is None, 10.0)
    assert speaker(service)["absent"] in ("lost", "stale")
    done = _meter_read(service, secret, 0, "reader")
    readings = json.loads(done.stdout)["readings"] if done.returncode == 0 else []
    usable = [reading for reading in readings if reading["quantity"] == "power" and reading["usable"]]
    assert [reading["value"] for reading in usable] == []


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_simulated_meter_stays_simulated(start: Start, tmp_path: Path, secret: Path, protocol: str) -> None:
    service = serve(start, tmp_path, "simulated://?idle_w=400&dynamic_w=0", entry(protocol, secret))
    wait_until(lambda: stands(service))
    assert speaker(service)["simulated"]
    document = read_back(service, secret)
    assert document["meter"]["simulated"]
    assert "simulated" in power_of(document)["quality"]


async def test_a_plug_at_a_broker_of_somebody_else(start: Start, tmp_path: Path, meter: FakeSdm120) -> None:
    broker = MqttBroker(tmp_path / "broker")
    await broker.start()
    try:
        await asyncio.to_thread(_read_at_broker, start, tmp_path, meter, broker)
    finally:
        await broker.stop()


def _read_at_broker(start: Start, folder: Path, meter: FakeSdm120, broker: MqttBroker) -> None:
    settings = {"as": "mqtt", "what": "wall", "url": f"mqtt://127.0.0.1:{broker.port}/rack1", "period_s": 1}
    login = {"user": USERNAME, "password_file": str(broker.password_file)}
    service = serve(start, folder, meter.url, settings | login)
    wait_until(lambda: stands(service))
    document = read_back(service, broker.password_file, user=USERNAME)
    assert power_of(document)["value"] == pytest.approx(TRUE_W, abs=LAST_DIGIT_W["mqtt"] + SWING_W)
    assert document["meter"]["simulated"] is False


def test_every_protocol_at_once_and_one_that_fails(
    start: Start, tmp_path: Path, meter: FakeSdm120, secret: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        blocked = entry("scpi", secret, port=taken.getsockname()[1])
        entries = [blocked, *(entry(name, secret) for name in ("modbus-tcp", "scpi", "redfish", "snmp"))]
        service = serve(start, tmp_path, meter.url, *entries)
        wait_until(lambda: all(stands(service, index) for index in range(1, 5)))
        failed = speaker(service, 0)
        assert failed["state"] == "failed"
        assert "is in use" in failed["problem"]
        assert service.get("/healthz")["notes"] == ["The gateway does not speak scpi for wall."]
    wait_until(lambda: speaker(service, 0)["state"] == "open", 90.0)
    assert service.get("/healthz")["notes"] == []


def test_a_meter_that_is_exchanged_is_spoken_under_its_own_serial_number(
    start: Start, tmp_path: Path, meter: FakeSdm120, secret: Path
) -> None:
    service = serve(start, tmp_path, meter.url, entry("redfish", secret))
    wait_until(lambda: stands(service))
    assert speaker(service)["serial"] == "10111"
    meter.exchange(20222, 300.0)
    wait_until(lambda: speaker(service)["serial"] == "20222" and stands(service), 30.0)
    document = read_back(service, secret)
    assert power_of(document)["value"] == pytest.approx(300.0, abs=0.1)


def test_a_service_that_hangs_leaves_no_frozen_watts(
    start: Start, tmp_path: Path, meter: FakeSdm120, secret: Path
) -> None:
    """The process that speaks takes the value away by itself, three periods after the last reading."""
    service = serve(start, tmp_path, meter.url, entry("modbus-tcp", secret))
    wait_until(lambda: stands(service))
    address = speaker(service)["address"]
    service.process.send_signal(signal.SIGSTOP)
    try:
        time.sleep(4.5)
        command = [str(WATTMARK), "meter", "read", f"{address}?model={MODELS['modbus-tcp']}", "--json"]
        done = subprocess.run(command, capture_output=True, timeout=PATIENCE_S, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert power_of(json.loads(done.stdout))["usable"] is False
    finally:
        service.process.send_signal(signal.SIGCONT)


def test_the_process_that_speaks_ends_with_the_service_and_is_started_again_when_it_dies(
    start: Start, tmp_path: Path, meter: FakeSdm120, secret: Path
) -> None:
    service = serve(start, tmp_path, meter.url, entry("modbus-tcp", secret))
    wait_until(lambda: stands(service))
    (speaking,) = [pid for pid in service.children() if _speaks(pid)]
    os.kill(speaking, signal.SIGKILL)
    wait_until(lambda: speaker(service)["problem"] is not None)
    wait_until(lambda: speaker(service)["state"] == "open")
    (again,) = [pid for pid in service.children() if _speaks(pid)]
    assert again != speaking
    assert service.end() == 0
    wait_until(lambda: not Path(f"/proc/{again}").exists())


def _speaks(pid: int) -> bool:
    return b"wattmark.gateway" in Path(f"/proc/{pid}/cmdline").read_bytes()
