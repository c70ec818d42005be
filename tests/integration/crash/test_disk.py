"""Disks that refuse a real recording service: full, without inodes, with room again; read-only; in use."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from wattmark.results.data_folder import LAYOUT, open_storage
from wattmark.store.database import FILE_NAME
from wattmark.store.verify import verify

from ..disks import BALLAST, few_files, fill_up, mount, small_disk, use_up_files
from ..service.conftest import WATTMARK, Service, Start, wait_until

__all__ = ["few_files", "small_disk"]


def alarm(service: Service) -> str | None:
    return service.get("/api/live")["alarm"]


def test_recording_waits_for_room_with_an_alarm_and_loses_nothing(
    start: Start, write_bench: Callable[..., Path], small_disk: Path, tmp_path: Path
) -> None:
    bench = write_bench(25, bmc=False)
    bench.write_text(bench.read_text().replace("period_s: 0.5", "period_s: 0.1"))
    service = start(small_disk / "data", bench=bench)
    service.start_and_measure()
    assert alarm(service) is None
    fill_up(small_disk)
    wait_until(lambda: alarm(service) is not None, 30)
    message = alarm(service) or ""
    assert message.startswith("Samples cannot be saved and wait in memory. No space left to write wattmark.db")
    assert message.endswith("Free disk space, then try again.")
    status, health = service.ask("GET", "/healthz")
    assert (status, message in health["reasons"]) == (503, True)
    reader = open_storage(small_disk / "data", read_only=True)
    (run,) = reader.runs.all()
    stuck = {series.key: series.n for series in reader.samples.list_series(run.run_id)}
    reader.close()
    (small_disk / BALLAST).unlink()
    wait_until(lambda: alarm(service) is None, 30)
    ended = service.campaign_end(90)
    assert ended["state"] == "complete", service.get("/api/run-rows")["rows"]
    assert service.end() == 0
    reader = open_storage(small_disk / "data", read_only=True)
    run = reader.runs.all()[0]
    for series in reader.samples.list_series(run.run_id):
        samples = reader.samples.read(series.id)
        assert series.n > stuck.get(series.key, 0)
        assert len(np.unique(samples.t_ns)) == len(samples)
        if series.key.source == "wall":
            gaps_s = np.diff(samples.t_ns) / 1e9
            assert gaps_s.max() < 2.5, "the time without room is in the file"
    reader.close()
    assert verify(small_disk / "data" / FILE_NAME, LAYOUT) == []


def test_a_disk_mounted_for_reading_is_named_and_can_be_read(tmp_path: Path, small_disk: Path) -> None:
    storage = open_storage(small_disk)
    storage.runs.put_document("kind", "name", {"a": 1})
    storage.close()
    mount("-o", "remount,ro", str(small_disk))
    refused = serve(small_disk)
    assert f"{small_disk}/wattmark.lock cannot be written: {os.strerror(30)}" in refused
    assert "choose another folder with --data DIR" in refused
    storage = open_storage(small_disk, read_only=True)
    assert storage.runs.documents("kind") == {"name": {"a": 1}}
    storage.close()


def test_the_second_service_on_a_folder_says_who_has_it(start: Start, tmp_path: Path) -> None:
    service = start(tmp_path / "data")
    refused = serve(tmp_path / "data")
    assert f"is in use by process {service.process.pid}" in refused
    assert service.get("/api/health")["status"] == "ok", "the first goes on"


def serve(folder: Path) -> str:
    """Start a service that must refuse; gives what it says."""
    command = [WATTMARK, "serve", "--port", "0", "--data", str(folder)]
    begin = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1, (done, time.monotonic() - begin)
    return done.stderr


def test_a_disk_that_takes_no_more_files_is_named_and_the_service_is_not_ready(
    start: Start, write_bench: Callable[..., Path], few_files: Path
) -> None:
    service = start(few_files / "data", bench=write_bench(3, bmc=False))
    assert service.ask("GET", "/healthz")[0] == 200
    use_up_files(few_files)
    status, health = service.ask("GET", "/healthz")
    assert (status, [reason for reason in health["reasons"] if "inodes" in reason]) == (503, health["reasons"])
    assert "delete unneeded files" in health["reasons"][0]
    for way in ("/api/archive", "/api/archive/preview"):
        status, refused = service.ask("POST", way)
        assert (status, refused["cause"]) == (
            503,
            "The disk of the data folder has no free inodes, so no more files can be created.",
        )
        assert refused["remedy"] == "Delete unneeded files on it, then try again."
    for number in range(30):
        (few_files / f"{BALLAST}-{number}").unlink(missing_ok=True)
    assert service.ask("GET", "/healthz")[0] == 200
    assert service.ask("POST", "/api/archive")[0] == 422, "what was sent is looked at again: it is no archive"
