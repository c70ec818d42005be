"""A small training submission, written in the form that the logs of MLPerf Training v4.0 have."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest

START_MS = 1_715_000_000_000
Reading = tuple[int, float]
"""Milliseconds after the start of the log, and watts."""


def event(time_ms: int, key: str, value: object, metadata: object = "") -> str:
    entry = {"namespace": "", "time_ms": time_ms, "event_type": "POINT_IN_TIME", "key": key, "value": value}
    return f":::MLLOG {json.dumps(entry | {'metadata': metadata})}\n"


def power_log(readings: Sequence[Reading], conversion: float | None = None) -> str:
    """Write a node's log; the stop has the time of the start, as in most published files."""
    lines = [event(START_MS, "power_measurement_start", "null")]
    if conversion is not None:
        lines.append(event(START_MS, "conversion_eff", conversion))
    lines += [event(START_MS + ms, "power_reading", watts) for ms, watts in readings]
    return "".join([*lines, event(START_MS, "power_measurement_stop", "null")])


def result_log(begin_ms: int, end_ms: int, status: str = "success") -> str:
    return (
        "+ echo 'Beginning trial 1 of 1'\n"
        + "0: "
        + event(START_MS, "submission_division", "closed")
        + "0: "
        + event(START_MS + begin_ms, "run_start", None)
        + "1: plain words of the program\n"
        + "0: "
        + event(START_MS + end_ms, "run_stop", None, {"status": status})
    )


IDLE_WORK_IDLE: tuple[Reading, ...] = (
    *((ms, 1000.0) for ms in range(2000, 20001, 2000)),
    *((ms, 3000.0) for ms in range(22000, 80001, 2000)),
    *((ms, 1000.0) for ms in range(82000, 100001, 2000)),
)
"""20 s of 1 kW, 60 s of 3 kW, 20 s of 1 kW: the log's mean is 2.2 kW."""
Submission = Callable[..., Path]


def write_submission(
    root: Path,
    runs: int = 3,
    nodes: int = 1,
    readings: Sequence[Reading] = IDLE_WORK_IDLE,
    conversion: float | None = None,
    switch_w: float | None = None,
    scaling: float | None = None,
    status: str = "success",
    benchmark: str = "bert",
    ends_ms: Sequence[int] = (),
) -> Path:
    """Write a submission; the timed part is from 20 s to 80 s of the log unless the caller says otherwise."""
    submitter = root / "training_results_v4.0" / "lab"
    folder = submitter / "results" / "1xTest" / benchmark
    for number in range(runs):
        name = f"result_{number}"
        logs = folder / "power" / name
        logs.mkdir(parents=True)
        end_ms = ends_ms[number] if ends_ms else 80_000
        (folder / f"{name}.txt").write_text(result_log(20_000, end_ms, status))
        for node in range(nodes):
            shifted = [(ms, watts + number + node / 4) for ms, watts in readings]
            (logs / f"node_{node}.txt").write_text(power_log(shifted, conversion))
        if switch_w is not None:
            (logs / "sw_0.txt").write_text(event(START_MS, "interconnect_power_est", switch_w))
    if scaling is not None:
        (folder / "scaling.json").write_text(json.dumps({"scaling_factor": scaling}))
    (submitter / "systems").mkdir()
    (submitter / "systems" / "1xTest.json").write_text(json.dumps({"submitter": "Lab", "system_name": "Test"}))
    return folder


@pytest.fixture
def submission(tmp_path: Path) -> Submission:
    return partial(write_submission, tmp_path)
