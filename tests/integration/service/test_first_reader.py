"""The first reader is forked from the service; a later one has an interpreter of its own; neither outlives it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import psutil

from tests.integration.service.conftest import PATIENCE_S, WATTMARK, Service


def readers(service: Service) -> list[psutil.Process]:
    return psutil.Process(service.process.pid).children()


def test_the_first_reader_is_a_fork_and_its_successor_answers(tmp_path: Path) -> None:
    (tmp_path / "bench.yaml").write_text("schema: wattmark-bench/1\nlab: Lab\n")
    service = Service(tmp_path)
    try:
        assert service.get("/api/runs") is not None
        (first,) = readers(service)
        assert first.cmdline() == psutil.Process(service.process.pid).cmdline()
        first.kill()
        first.wait(PATIENCE_S)
        assert service.get("/api/runs") is not None
        (second,) = readers(service)
        assert "wattmark.service.reader" in second.cmdline()
        assert any("ended with status -9 and is started again" in line for line in service.log)
    finally:
        assert service.end() == 0
    assert psutil.wait_procs([first, second], timeout=PATIENCE_S)[1] == []


def test_a_service_that_does_not_start_leaves_no_reader(tmp_path: Path) -> None:
    (tmp_path / "bench.yaml").write_text("schema: wattmark-bench/1\nlabb: Lab\n")
    command = [str(WATTMARK), "serve", "--port", "0", "--data", str(tmp_path)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        _, error = process.communicate(timeout=PATIENCE_S)  # ends when nobody holds the pipe any more
    assert process.returncode == 2
    assert "labb" in error
