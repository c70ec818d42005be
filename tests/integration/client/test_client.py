"""The client against a real service and simulated meters, whose true power the simulator tells."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
import wattmark.client
from wattmark.bench.server import THIS_MACHINE
from wattmark.campaigns.power.journal import JournalEntry, SettingsJournal
from wattmark.client import ClientError, Result, connect, measure
from wattmark.runs.power_settings import PowerSettings
from wattmark_drivers.simulators.simulated_lab import SimulatedLab

from ..service.conftest import WATTMARK, Service, Start, wait_until


def test_figures_are_those_of_the_work(url: str, service: Service, lab: SimulatedLab) -> None:
    """300 W before the losses of the supply, which the simulator tells; 400 operations in the time that was slept."""
    with measure("two steps / 1", ops=400, server="s") as m:
        begun_s = time.perf_counter()
        time.sleep(2)
        m.mark("second")
        time.sleep(3)
        slept_s = time.perf_counter() - begun_s
    result = m.result
    assert isinstance(result, Result)
    truth_w = lab.state("s").wall_power_w
    power, energy, rate, efficiency = result.power, result.energy, result.throughput, result.efficiency
    assert power is not None
    assert energy is not None
    assert rate is not None
    assert efficiency is not None
    assert result.duration_s == pytest.approx(slept_s, abs=0.05)
    assert abs(power.value - truth_w) <= min(power.U95, 0.01 * truth_w)
    assert energy.value == pytest.approx(truth_w * slept_s, rel=0.02)
    assert energy.U95 / energy.value == pytest.approx(power.U95 / power.value)
    assert rate.value == pytest.approx(400 / result.duration_s)
    assert efficiency.value == pytest.approx(400 / energy.value)
    assert (power.unit, energy.unit, rate.unit, efficiency.unit) == ("W", "J", "operations/s", "operations/J")
    assert [part.label for part in result.parts] == ["begin", "second"]
    assert [part.duration_s for part in result.parts] == pytest.approx([2, 3], abs=0.1)
    assert sum(part.energy.value for part in result.parts if part.energy) == pytest.approx(energy.value, rel=0.01)
    assert result.simulated
    assert result.name == "two steps - 1"
    assert " ± " in str(result)
    assert result.url == f"{url}/runs/{result.run_id}"
    stored = service.get(f"/api/runs/{result.run_id}")
    assert stored["result"]["power"]["value"] == power.value
    assert stored["disclosure"]["window"]["marks"][0]["label"] == "second"
    assert 0 <= stored["disclosure"]["window"]["u_s"] < 0.5


def test_values_count_the_work_between_them(url: str) -> None:
    measurement = measure("counted", unit="rows", server="s").begin()
    for rows in (100, 50):
        time.sleep(1)
        measurement.value(rows)
    result = measurement.end()
    assert result.throughput is not None
    assert result.throughput.value * result.duration_s == pytest.approx(150, rel=0.01)
    assert result.throughput.unit == "rows/s"
    assert result.parts == ()
    with pytest.raises(ClientError, match="not under way"):
        measurement.end()


def test_what_follows_the_last_value_belongs_to_the_window(url: str, lab: SimulatedLab) -> None:
    """Energy, duration and work are those of one and the same block."""
    with measure("tail", server="s") as m:
        for _ in range(3):
            time.sleep(0.5)
            m.value(10)
        time.sleep(4)
    assert m.result is not None
    assert m.result.energy is not None
    assert m.result.efficiency is not None
    truth_j = lab.state("s").wall_power_w * m.result.duration_s
    assert m.result.duration_s == pytest.approx(5.5, abs=0.3)
    assert m.result.energy.value == pytest.approx(truth_j, rel=0.01)
    assert m.result.efficiency.value == pytest.approx(30 / truth_j, rel=0.01)


def test_work_that_was_counted_as_0_is_said(url: str) -> None:
    with measure("nothing", ops=0, server="s") as m:
        time.sleep(1)
    assert m.result is not None
    assert m.result.throughput is None
    assert any("The work that was counted is 0" in remark for remark in m.result.remarks)


def test_who_does_not_wait_for_the_opening_blocks_no_server(url: str, service: Service) -> None:
    """As a program that is interrupted while it begins: it never learns the id that would drop it."""
    host, port = service.netloc.split(":")
    body = b'{"name": "gone", "server": "t"}'
    with socket.create_connection((host, int(port))) as connection:
        head = f"POST /api/measurements HTTP/1.1\r\nHost: {service.netloc}\r\nContent-Type: application/json\r\n"
        connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        wait_until(lambda: service.get("/api/measurements") != [])
    wait_until(lambda: service.get("/api/measurements") == [])
    run = newest(service)
    assert (run["status"], run["reason"]) == ("aborted", "Whoever opened the measurement did not wait for it.")


def test_a_window_that_is_too_short_is_said_to_be(url: str) -> None:
    with measure("short", server="s") as m:
        pass
    assert m.result is not None
    assert any("too short for a meter that gives a reading every 1 s" in remark for remark in m.result.remarks)


def test_work_that_fails_leaves_no_result_and_frees_the_server(url: str, service: Service) -> None:
    with pytest.raises(ZeroDivisionError), measure("failing", server="s"):
        raise ZeroDivisionError
    assert service.get("/api/measurements") == []
    assert newest(service)["status"] == "aborted"


def test_one_measurement_per_server_and_another_server_beside_it(url: str, lab: SimulatedLab) -> None:
    with measure("first", server="s"):
        with pytest.raises(ClientError) as refused, measure("second", server="s"):
            pass
        with measure("beside", server="t") as m:
            time.sleep(2)
    assert refused.value.status == 409
    assert "The measurement 'first' of s is open. End it, or drop it: DELETE /api/measurements/" in str(refused.value)
    assert m.result is not None
    assert m.result.power is not None
    assert m.result.power.value == pytest.approx(lab.state("t").wall_power_w, rel=0.01)


@pytest.mark.parametrize(
    ("server", "said"),
    [
        (None, "The server to measure was not named. Servers of this bench with meters: s, t."),
        ("u", "No meter of the bench measures a server 'u'. Servers with meters: s, t."),
    ],
)
def test_the_server_must_be_one_of_the_bench(url: str, server: str | None, said: str) -> None:
    with pytest.raises(ClientError) as refused, measure("nowhere", server=server):
        pass
    assert str(refused.value) == said


def test_a_client_that_is_killed_blocks_its_server_until_its_time_is_over(url: str, service: Service) -> None:
    script = "from wattmark.client import measure\nmeasure('dying', server='t', at_most_s=8).begin()\n" + (
        "print('begun', flush=True)\nimport time; time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        process.send_signal(signal.SIGKILL)
    (opened,) = service.get("/api/measurements")
    assert (opened["name"], opened["state"]) == ("dying", "begun")
    wait_until(lambda: service.get("/api/measurements") == [])
    run = newest(service)
    assert run["status"] == "aborted"
    assert "was not ended within 8 s: what opened it may have died." in run["reason"]
    with pytest.raises(ClientError, match=r"is not open\. The measurement was not ended within 8 s"):
        connect(url).end(opened["id"], {})


def test_a_campaign_and_a_measurement_exclude_each_other(url: str, service: Service) -> None:
    with measure("busy", server="s"):
        status, answer = service.ask("POST", "/api/campaign", {"plan": "short"})
        assert status == 409
        assert answer["cause"] == "The measurement 'busy' of s is open."
    assert service.ask("POST", "/api/campaign", {"plan": "short"})[0] == 202
    try:
        with pytest.raises(ClientError, match=r"The campaign short is running and uses the server s\."):
            measure("late", server="s").begin()
    finally:
        service.ask("POST", "/api/campaign/stop")
        service.campaign_end()


def test_a_meter_stays_on_the_bench_while_it_measures(url: str, service: Service) -> None:
    with measure("busy", server="t"):
        seen = {"If_Match": service.get("/api/bench")["version"]}
        status, answer = service.ask("DELETE", "/api/bench/meters/wall-t", None, **seen)
    assert (status, answer["cause"]) == (409, "A measurement is open and uses the meter wall-t.")


def newest(service: Service) -> dict[str, object]:
    return dict(service.get("/api/runs?limit=1")["results"][0])


def test_a_token_is_asked_for_and_its_role_is_looked_at(
    start: Start, bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = {}
    for role in ("viewer", "operator"):
        command = [WATTMARK, "token", "create", role, "--role", role, "--data", tmp_path]
        tokens[role] = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[-1]
    address = f"http://{start(tmp_path, '--sign-in', bench=bench).netloc}"
    for name in ("WATTMARK_TOKEN", "WATTMARK_TOKEN_FILE"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ClientError, match="Put a token with the role operator into WATTMARK_TOKEN") as refused:
        measure("x", url=address, server="s").begin()
    assert refused.value.status == 401
    with pytest.raises(ClientError, match="This requires the role operator") as refused:
        measure("x", url=address, server="s", token=tokens["viewer"]).begin()
    assert refused.value.status == 403
    (tmp_path / "token").write_text(tokens["operator"] + "\n")
    monkeypatch.setenv("WATTMARK_TOKEN_FILE", str(tmp_path / "token"))
    with measure("x", url=address, server="s") as m:
        time.sleep(1)
    assert m.result is not None


def test_a_service_that_is_stopped_ends_what_is_open(start: Start, bench: Path, tmp_path: Path) -> None:
    service = start(tmp_path, bench=bench)
    url = f"http://{service.netloc}"
    measurement = measure("open", server="s", url=url).begin()
    begun_s = time.monotonic()
    assert service.end() == 0
    assert time.monotonic() - begun_s < 10
    with pytest.raises(ClientError, match=r"does not answer.*Start the service: wattmark serve"):
        measurement.end()
    again = start(tmp_path, bench=bench)
    run = newest(again)
    assert (run["status"], run["reason"]) == ("aborted", "The service was stopped before the measurement was ended.")


def test_the_module_alone_needs_nothing_else(url: str, tmp_path: Path) -> None:
    """Copied out of the package, and run by an interpreter that sees the standard library alone."""
    shutil.copy(Path(wattmark.client.__file__), tmp_path / "wm.py")
    script = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "import wm\n"
        "assert not {'wattmark', 'urllib.request', 'pydantic'} & {*sys.modules}, sys.modules\n"
        "with wm.measure('alone', ops=3, server='s') as m: pass\n"
        "assert m.result.name == 'alone'\n"
        "try: wm.connect(meters=['rapl://'])\n"
        "except wm.ClientError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "install wattmark." in done.stdout


def test_a_local_meter_measures_without_a_service(
    lab: SimulatedLab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WATTMARK_DATA_DIR", str(tmp_path))
    meter = f"{lab.devices['wall-s'].url}?model=eastron.sdm120&period_s=0.25"
    with measure("local", ops=10, meters=[meter]) as m:
        m.mark("half")
        time.sleep(2)
    assert m.result is not None
    assert m.result.power is not None
    assert m.result.power.value == pytest.approx(lab.state("s").wall_power_w, rel=0.01)
    assert m.result.url is None
    listed = subprocess.run(
        [WATTMARK, "results", "--data", tmp_path, "--format", "csv", "--columns", "run_id"],
        capture_output=True, text=True, check=True, env={**os.environ},
    )  # fmt: skip
    assert m.result.run_id in listed.stdout


def test_parts_have_the_power_of_what_stands_for_the_wall(
    lab: SimulatedLab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WATTMARK_DATA_DIR", str(tmp_path))
    with measure("local", meters=[str(lab.devices["cpu"].url)]) as m:
        time.sleep(2)
        m.mark("half")
        time.sleep(2)
    assert m.result is not None
    assert m.result.instead_of_wall == "CPU package only, not the wall"
    assert m.result.energy is not None
    parts = [part.energy.value for part in m.result.parts if part.energy is not None]
    assert len(parts) == 2
    assert sum(parts) == pytest.approx(m.result.energy.value, rel=0.05)


def test_a_local_meter_measures_no_other_server(
    lab: SimulatedLab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WATTMARK_DATA_DIR", str(tmp_path))
    meter = f"{lab.devices['wall-s'].url}?model=eastron.sdm120"
    with pytest.raises(ClientError, match=r"Meters of this machine measure .*, not 'desk'"):
        measure("local", server="desk", meters=[meter]).begin()


def test_a_folder_that_a_service_uses_names_the_service(
    service: Service, lab: SimulatedLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = service.get("/api/health")["data_dir"]
    meter = f"{lab.devices['wall-s'].url}?model=eastron.sdm120"
    with pytest.raises(ClientError, match=f"Measure through it: set WATTMARK_URL to http://{service.netloc}"):
        connect(meters=[meter], data=folder)


def test_the_least_amount_of_work_is_kept(url: str) -> None:
    with measure("least", ops=1e-30, server="s") as m:
        time.sleep(2)
    assert m.result is not None
    assert m.result.throughput is not None
    assert m.result.throughput.value * m.result.duration_s == pytest.approx(1e-30)


def left_on(server: str, address: str) -> JournalEntry:
    """What a killed run left, which names no file: nothing of this machine is set."""
    return JournalEntry(
        server=server,
        address=address,
        boot=None,
        made_for="run 3 of campaign c",
        set_at="2026-11-30T02:00:00+00:00",
        settings=PowerSettings(power_cap_w=125),
        before=(),
        made=(),
    )


def test_what_a_killed_run_left_on_a_server_is_undone_before_it_is_measured(
    bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service, journal = Service(tmp_path, bench=bench), SettingsJournal(tmp_path)
    monkeypatch.setenv("WATTMARK_URL", f"http://{service.netloc}")
    journal.write(left_on("s", THIS_MACHINE))
    journal.write(left_on("t", "nobody@127.0.0.1:1"))
    try:
        with measure("undone", server="s"):
            assert journal.servers() == ["t"]
        with pytest.raises(ClientError, match="Server t still has power cap 125 W of run 3 of campaign c"):
            measure("out of reach", server="t").begin()
        assert journal.servers() == ["t"]
    finally:
        service.end()
