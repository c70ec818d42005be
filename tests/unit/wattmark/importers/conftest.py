"""A small MLPerf Power result, written in the forms that the published logs of 2021 have."""

from __future__ import annotations

import errno
import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

BEGIN = datetime(2021, 3, 18, 21, 29, 31, 830000, tzinfo=UTC)
SYSTEM = "R7525_A100_PCIe-40GBx3_TRT"
IDENTIFY = (
    "YokogawaWT330E,1000,1,1,1,1,0,0,1,version=1.9.2-e8c7a49a-20201208,OS=Linux 5.8.0-45-generic #51~20.04.1-Ubuntu SMP"
    " Tue Feb 23 13:46:31 UTC 2021 x86_64,mode=power,1,1,1,0,0,no_cal_date,YOKOGAWA;WT333E;C3VD30030E;F1.04"
)
CONSOLE = """\
03-19-2021 16:08:51.849: Writing query string :CFAC?;:CURR:RANG?;:CURR:AUTO?;:VOLT:RANG?;:VOLT:AUTO?
...
03-19-2021 16:08:52.350: ...response of 24 bytes: 3;2.0E+00;1;300.0E+00;1

03-19-2021 16:08:52.850: Writing query string :FILT:LINE?
...
03-19-2021 16:08:53.351: ...response of 2 bytes: 0

03-19-2021 16:08:55.353: Uncertainty checking for YokogawaWT330E is activated
03-19-2021 16:08:55.422: Volt range set to Auto
03-19-2021 16:08:55.926: Ampere range set to Auto
03-19-2021 16:09:06.437: Go with mark 'session_ranging'
03-19-2021 16:09:06.740: ERROR: Can't evaluate uncertainty of this sample!
03-19-2021 16:22:11.437: Completed test
03-19-2021 16:22:11.437: Avg watts 503.788135, min watts 165.770000, max watts 614.9, samples 785, errors 2, valid 783
03-19-2021 16:22:12.438: Volt range set to 300.000000V
03-19-2021 16:22:12.940: Amp range set to 5.000000A
03-19-2021 16:22:13.941: Writing query string :CURR:RANG?;:CURRENT:AUTO?;:VOLT:RANG?;:VOLT:AUTO?
...
03-19-2021 16:22:14.444: ...response of 22 bytes: 5.0E+00;0;300.0E+00;0

{go}: Go with mark 'session_testing'
{go}: WARNING: Uncertainty 1.27%, which is above 1.00% limit for the last sample!
{go}: WARNING: Uncertainty 1.31%, which is above 1.00% limit for the last sample!
{done}: Completed test
{done}: Avg watts {average:.6f}, max watts 617.8, samples {samples}, errors 0, valid {samples}
"""


OFFLINE = {
    "generated_query_count": 1,
    "generated_samples_per_query": 9337140,
    "effective_performance_sample_count": 2048,
    "result_samples_per_second": 93371.4,
}
"""9 337 140 samples in the 100 s of the window."""
COMMANDS = (
    *("SR,V,Auto", "SR,A,Auto", "Go,1000,0,session_ranging", "Stop"),
    *("SR,V,246.5", "SR,A,2.2", "Go,1000,0,session_testing", "Stop", "Stop", "SR,V,Auto", "SR,A,Auto"),
)
"""What a session asks of the daemon, ranges after the measured pass put back to automatic."""


def session_phases(go: float) -> dict[str, list[list[float]]]:
    """Give the phases of both passes [s], the measured one begun at ``go``, with 10.1 s of waiting after the load."""
    testing = [go - 13.5, go, go + 109.9, go + 120.0]
    return {
        "ranging": [[second - 200.0, 1.0] for second in testing],
        "testing": [[second, 1.0] for second in testing],
    }


def sha1(file: Path) -> str:
    return hashlib.sha1(file.read_bytes(), usedforsecurity=False).hexdigest()


def stamp(when: datetime) -> str:
    return when.strftime("%m-%d-%Y %H:%M:%S.") + f"{when.microsecond // 1000:03d}"


def power_line(when: datetime, watts: float, mark: str = "session_testing") -> str:
    amps = watts / 246 / 0.998
    return f"Time,{stamp(when)},Watts,{watts:.6f},Volts,246.000000,Amps,{amps:.6f},PF,0.998000,Mark,{mark}\n"


def mllog(key: str, value: Any) -> str:
    entry = {"key": key, "value": value, "time_ms": 0.01, "metadata": {"is_error": False, "is_warning": False}}
    return f":::MLLOG {json.dumps(entry)}\n"


@pytest.fixture
def console_text() -> str:
    """A daemon console as published for the R282, shortened."""
    return CONSOLE.format(samples=793, average=500.147919, go="03-19-2021 16:22:24.456", done="03-19-2021 16:35:37.457")


@pytest.fixture
def identify_reply() -> str:
    """An Identify reply of 2021; its operating system holds no comma."""
    return IDENTIFY


@pytest.fixture
def make_result(tmp_path: Path) -> Callable[..., Path]:
    """Write a result of 100 s with 1 Hz samples of 500 W (400 W outside the window) and give its run folder."""

    def make(
        *,
        root: Path = tmp_path / "inference_results_v1.0",
        scenario_folder: str = "Offline",
        scenario: str = "Offline",
        result: dict[str, Any] | None = None,
        zone_h: float = 0,
        loadgen_zone_h: float | None = None,
        summary: str | None = "Scenario : Offline\nSamples per second: 93371.4\nResult is : VALID\n",
    ) -> Path:
        scenario_dir = root / "closed/DellEMC/results" / SYSTEM / "resnet50" / scenario_folder / "performance"
        run, power = scenario_dir / "run_1", scenario_dir / "power"
        for folder in (run, power, scenario_dir / "ranging"):
            folder.mkdir(parents=True)
        loadgen_zone = timedelta(hours=zone_h if loadgen_zone_h is None else loadgen_zone_h)
        end = BEGIN + timedelta(seconds=100)
        entries = {
            "loadgen_version": ".5a1 @ 8ab63193d8",
            "requested_scenario": scenario,
            "effective_scenario": scenario,
            "effective_test_mode": "PerformanceOnly",
            "effective_min_duration_ms": 60000,
            "effective_samples_per_query": 1,
            "power_begin": stamp(BEGIN + loadgen_zone),
            "power_end": stamp(end + loadgen_zone),
            "result_validity": "VALID",
            **(OFFLINE if result is None else result),
        }
        (run / "mlperf_log_detail.txt").write_text("".join(mllog(key, value) for key, value in entries.items()))
        if summary is not None:
            (run / "mlperf_log_summary.txt").write_text(summary)
        first = BEGIN - timedelta(seconds=10, milliseconds=330)
        times = [first + timedelta(seconds=second) for second in range(120)]
        watts = [500.0 if BEGIN < when < end else 400.0 for when in times]
        lines = [power_line(when + timedelta(hours=zone_h), w) for when, w in zip(times, watts, strict=True)]
        (run / "spl.txt").write_text("".join(lines))
        ranging = scenario_dir / "ranging"
        (ranging / "spl.txt").write_text("".join(line.replace("_testing", "_ranging") for line in lines))
        (ranging / "mlperf_log_detail.txt").write_bytes((run / "mlperf_log_detail.txt").read_bytes())
        (ranging / "mlperf_log_summary.txt").write_text(summary or "")
        for side in ("client", "server"):
            (power / f"{side}.log").write_text(f"{side} of the session\n")
        local = first + timedelta(hours=zone_h)
        go, done = stamp(local - timedelta(seconds=0.3)), stamp(local + timedelta(seconds=119.7))
        console = CONSOLE.format(samples=120, average=sum(watts) / 120, go=go, done=done)
        (power / "ptd_logs.txt").write_text(console)
        phases = session_phases(first.timestamp() - 0.3)
        shared = {"session_name": "session", "uuid": {"client": "52C622D6", "server": "5cf4f4a4"}, "phases": phases}
        recorded = (run / "spl.txt", ranging / "spl.txt", power / "ptd_logs.txt")
        session = {
            **shared,
            "results": {f"{file.parent.name}/{file.name}": sha1(file) for file in recorded},
            "ptd_messages": [{"cmd": "Identify", "reply": IDENTIFY}, *({"cmd": command} for command in COMMANDS)],
            "messages": [{"cmd": "time", "cmd_time": 1616120010.3603735, "reply_time": 1616120010.3604255}],
        }
        logs = [folder / "mlperf_log_detail.txt" for folder in (run, ranging)]
        client = {
            **shared,
            "results": {f"{file.parent.name}/{file.name}": sha1(file) for file in logs},
            "messages": [{"cmd": "time", "cmd_time": 1616120010.359322, "reply_time": 1616120010.35988}],
        }
        (power / "server.json").write_text(json.dumps(session))
        (power / "client.json").write_text(json.dumps(client))
        systems = root / "closed/DellEMC/systems"
        systems.mkdir(parents=True, exist_ok=True)
        description = {
            "system_name": "Dell EMC PowerEdge R7525 (3x A100-PCIe-40GB)",
            "host_processor_model_name": "AMD EPYC 7502",
            "host_processor_core_count": "32",
            "host_processors_per_node": "2",
            "host_processor_frequency": "2.5 GHz",
            "host_memory_capacity": "512 GB",
        }
        (systems / f"{SYSTEM}.json").write_text(json.dumps(description))
        return run

    return make


@pytest.fixture
def unreadable(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Refuse files of a name, as a disk or the rights of this user do."""

    def refuse(name: str) -> None:
        usual = Path.open

        def opened(path: Path, *args: Any, **kwargs: Any) -> Any:
            if path.name == name:
                raise PermissionError(errno.EACCES, "Permission denied", str(path))
            return usual(path, *args, **kwargs)

        monkeypatch.setattr(Path, "open", opened)

    return refuse
