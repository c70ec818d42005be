"""The service under systemd and Prometheus: ready, alive, measured, stopped in time."""

from __future__ import annotations

import http.client
import json
import resource
import signal
import socket
import time
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families
from wattmark.cli.main import INTERRUPTED
from wattmark.core.open_files import ENOUGH
from wattmark.results.data_folder import open_storage
from wattmark.runs.record import RunStatus

from ..service.conftest import STOP_S, Start, fastest_s, wait_until


def test_systemd_is_told_ready_alive_and_stopping(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(60)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        monkeypatch.setenv("WATCHDOG_USEC", "200000")
        service = start(tmp_path / "data")
        heard = [manager.recv(100) for _ in range(4)]
        assert heard == [b"READY=1", b"WATCHDOG=1", b"WATCHDOG=1", b"WATCHDOG=1"]
        assert service.end() == 0
        while manager.recv(100) != b"STOPPING=1":
            pass


def test_the_service_stops_within_three_seconds_with_open_live_streams(start: Start, tmp_path: Path) -> None:
    def stop() -> float:
        service = start(tmp_path)
        with ExitStack() as stack:
            streams = []
            for _ in range(20):
                viewer = stack.enter_context(closing(http.client.HTTPConnection(service.netloc, timeout=60)))
                viewer.request("GET", "/api/live/stream")
                streams.append(viewer.getresponse())
            began_s = time.monotonic()
            assert service.end() == 0
            taken_s = time.monotonic() - began_s
            for stream in streams:
                stream.read()
        assert not [line for line in service.log if "Traceback" in line or '"error"' in line]
        return taken_s

    assert fastest_s(stop) < STOP_S


@pytest.mark.parametrize("signals", [[signal.SIGHUP], [signal.SIGTERM, signal.SIGTERM]])
def test_a_closed_terminal_and_a_second_signal_end_the_service_and_its_load_without_a_trace(
    start: Start, write_bench: object, tmp_path: Path, signals: list[signal.Signals]
) -> None:
    service = start(tmp_path / "data", bench=write_bench(measure_s=60, bmc=False))  # type: ignore[operator]
    service.start_and_measure()
    for number in signals:
        service.process.send_signal(number)
    assert service.process.wait(60) in (0, INTERRUPTED)
    wait_until(lambda: not service.loads())
    service.end()
    assert not [line for line in service.log if "Traceback" in line or '"error"' in line]
    with closing(open_storage(tmp_path / "data", read_only=True)) as storage:
        (run,) = storage.runs.all()
    assert run.status is not RunStatus.RUNNING


def test_the_service_may_open_more_files_than_a_system_begins_with(start: Start, tmp_path: Path) -> None:
    service = start(tmp_path)
    allowed, most = resource.prlimit(service.process.pid, resource.RLIMIT_NOFILE)
    assert allowed == most or allowed >= ENOUGH


def test_figures_are_in_the_format_of_prometheus(start: Start, write_bench: object, tmp_path: Path) -> None:
    service = start(tmp_path / "data", bench=write_bench(bmc=False))  # type: ignore[operator]
    end = time.monotonic() + 60
    while not (age := figures(service.netloc).get(("wattmark_last_sample_age_seconds", "wall"))):
        assert time.monotonic() < end
        time.sleep(0.1)
    assert 0 <= age < 30
    samples = figures(service.netloc)
    assert samples["wattmark_source_lost", "wall"] == 0
    assert samples["wattmark_poll_lateness_seconds_count", ""] >= 1
    assert (
        samples["wattmark_poll_lateness_seconds_bucket", "+Inf"] == samples["wattmark_poll_lateness_seconds_count", ""]
    )
    assert samples["wattmark_dropped_samples_total", ""] == 0
    assert samples["process_open_fds", ""] > 3


def figures(netloc: str) -> dict[tuple[str, str], float]:
    with closing(http.client.HTTPConnection(netloc, timeout=60)) as connection:
        connection.request("GET", "/metrics")
        answer = connection.getresponse()
        assert answer.headers["content-type"].startswith("text/plain; version=")
        families = list(text_string_to_metric_families(answer.read().decode()))
    assert all(family.documentation and family.type != "unknown" for family in families)
    return {
        (sample.name, "".join(sample.labels.values())): sample.value for family in families for sample in family.samples
    }


def test_a_log_for_machines_is_one_object_a_line_with_the_id_of_the_request(start: Start, tmp_path: Path) -> None:
    service = start(tmp_path)
    service.ask("GET", "/api/runs/none", X_Request_ID="night-7")
    service.end()
    lines = [json.loads(line) for line in service.log]
    assert {"time", "level", "logger", "message"} <= set(lines[0])
    (asked,) = [line for line in lines if line.get("request_id") == "night-7"]
    assert (asked["method"], asked["path"], asked["status"], asked["who"]) == ("GET", "/api/runs/none", 404, "local")


def test_a_service_whose_meters_are_all_silent_is_not_ready(start: Start, write_bench: object, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        unreachable = f"modbus-tcp://127.0.0.1:{closed.getsockname()[1]}/1"
    service = start(tmp_path / "data", bench=write_bench(bmc=False, wall=unreachable))  # type: ignore[operator]
    wait_until(lambda: service.ask("GET", "/healthz")[0] == 503)
    (reason,) = service.ask("GET", "/healthz")[1]["reasons"]
    assert reason.startswith("No meter answers. wall: ")
    assert figures(service.netloc)["wattmark_source_lost", "wall"] == 1


def test_a_folder_that_cannot_take_samples_is_not_ready(start: Start, tmp_path: Path) -> None:
    service = start(tmp_path)
    assert service.ask("GET", "/healthz") == (200, {"status": "ready", "reasons": [], "notes": []})
    assert service.ask("GET", "/healthz/live") == (200, {"status": "alive"})
