"""An import that takes long: who leaves ends it, SIGTERM ends the service in time, and no process is left behind."""

from __future__ import annotations

import io
import signal
import socket
import time
import zipfile
from pathlib import Path

import arro3.core as arrow
import arro3.io as parquet
import numpy as np
import pytest

from .conftest import STOP_S, Service, Start, _read_bytes, alive, fastest_s, wait_until

HPL = """\
HPLinpack 2.1  --  High-Performance Linpack benchmark  --   October 26, 2012
T/V                N    NB     P     Q         Time          Gflops (   per GPU)
WC0          1262592  1024    12    12       256.20       5.238e+06 ( 3.637e+04)

HPL_pdgesv() start time Fri Sep 27 11:18:11 2024
HPL_pdgesv() end time   Fri Sep 27 11:22:27 2024

||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=   0.000227490443 ...... PASSED
"""
BATCH, BATCHES = 1_000_000, 20
"""Twenty million readings, as many as are allowed: seconds of reading in 100 kB."""
ON_A_BUSY_MACHINE = 5.0


@pytest.fixture(scope="module")
def upload(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The zip file as a request."""
    path = tmp_path_factory.mktemp("long") / "pdus.parquet"
    columns = {
        "time": arrow.Array(["2024-09-27T11:18:15+02:00"] * BATCH, arrow.DataType.utf8()),
        "energy": arrow.Array.from_numpy(np.zeros(BATCH)),
    }
    schema = arrow.Schema([arrow.Field(name, array.type) for name, array in columns.items()])
    batch = arrow.RecordBatch.from_arrays(list(columns.values()), schema=schema)
    stream = arrow.RecordBatchReader.from_batches(schema, (batch for _ in range(BATCHES)))
    parquet.write_parquet(stream, str(path), compression="zstd(3)")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("claix/gpu/hpl.log", HPL)
        file.write(path, "claix/gpu/pdus.parquet")
    return out.getvalue()


def send(service: Service, path: str, body: bytes) -> socket.socket:
    host, port = service.netloc.split(":")
    connection = socket.create_connection((host, int(port)))
    head = f"POST {path}kind=eehpc&zone=UTC&file_name=run.zip HTTP/1.1\r\nHost: {service.netloc}\r\n"
    connection.sendall(f"{head}Content-Type: application/octet-stream\r\nContent-Length: {len(body)}\r\n\r\n".encode())
    connection.sendall(body)
    return connection


def reading(service: Service) -> list[int]:
    """The processes that read Parquet, of the service or of its reader."""
    parents = {service.process.pid, *service.children()}
    named = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    of_apart = [pid for pid in named if b"wattmark.core.apart_process" in _read_bytes(pid, "cmdline")]
    return [
        pid for pid in of_apart if any(b"\nPPid:\t%d\n" % parent in _read_bytes(pid, "status") for parent in parents)
    ]


def test_it_ends_when_its_client_has_left(start: Start, tmp_path: Path, upload: bytes) -> None:
    service = start(tmp_path / "data")
    for path in ("/api/imports?", "/api/imports/preview?"):
        connection = send(service, path, upload)
        wait_until(lambda: bool(reading(service)))
        (pid,) = reading(service)
        wait_until(lambda: _read_bytes(pid, "oom_score_adj") == b"800\n")  # noqa: B023 - called in this turn alone
        connection.close()
        wait_until(lambda: not alive(pid), ON_A_BUSY_MACHINE)  # noqa: B023
    assert service.get("/api/runs")["total"] == 0
    wait_until(lambda: not list((tmp_path / "data").glob("import-*")))


@pytest.mark.parametrize("signals", [1, 2])
def test_a_signal_ends_the_service_in_time(start: Start, tmp_path: Path, upload: bytes, signals: int) -> None:
    def stop() -> float:
        service = start(tmp_path / "data")
        with send(service, "/api/imports?", upload):
            wait_until(lambda: bool(reading(service)))
            children, began_s = service.children(), time.monotonic()
            for _ in range(signals - 1):
                service.process.send_signal(signal.SIGTERM)
            service.end()
            taken_s = time.monotonic() - began_s
        wait_until(lambda: not any(map(alive, children)), ON_A_BUSY_MACHINE)
        return taken_s

    assert fastest_s(stop) < STOP_S


def test_a_service_that_is_killed_leaves_no_process_and_nothing_of_the_import(
    start: Start, tmp_path: Path, upload: bytes
) -> None:
    service = start(tmp_path / "data")
    with send(service, "/api/imports?", upload):
        wait_until(lambda: bool(reading(service)))
        left = [*reading(service), *service.children()]
        service.end(signal.SIGKILL)
    wait_until(lambda: not any(map(alive, left)), ON_A_BUSY_MACHINE)
    service = start(tmp_path / "data")
    assert service.get("/api/runs")["total"] == 0
    assert not list((tmp_path / "data").glob("import-*"))
