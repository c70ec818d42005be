"""A bench file on a file system for reading, as configuration folders of containers and of systemd units are."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from ..integration.service.conftest import WATTMARK, Start, start

__all__ = ["start"]
BENCH = "schema: wattmark-bench/1\nlab: Fixed\n"


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """A bench file on a tmpfs that is mounted for reading."""
    folder = tmp_path / "etc"
    folder.mkdir()
    mount = shutil.which("mount")
    if mount is None or subprocess.run([mount, "-t", "tmpfs", "wattmark-test", folder], check=False).returncode:
        pytest.fail("This attack mounts a file system: run it as root.")
    try:
        (folder / "bench.yaml").write_text(BENCH)
        subprocess.run([mount, "-o", "remount,ro", folder], check=True)
        yield folder / "bench.yaml"
    finally:
        subprocess.run(["umount", folder], check=True)


def test_a_bench_that_cannot_be_written_is_told_before_somebody_edits_it(
    start: Start, read_only: Path, tmp_path: Path
) -> None:
    """Row 24 of the review: the service measures and is ready, but its editor cannot save; nobody said so."""
    service = start(tmp_path / "data", bench=read_only)
    health = service.get("/healthz")
    assert (health["status"], health["reasons"]) == ("ready", [])
    note = f"The bench file {read_only} cannot be written, so the bench cannot be edited here."
    assert health["notes"] == [note]
    version = service.get("/api/bench")["version"]
    status, refused = service.ask("PATCH", "/api/bench", {"lab": "New"}, If_Match=f'"{version}"')
    assert status == 503, refused
    assert "Move the file into the data folder" in str(refused)
    assert service.get("/api/bench")["lab"] == "Fixed"
    doctor = subprocess.run([WATTMARK, "doctor", "--bench", read_only], capture_output=True, text=True, check=False)
    assert "bench editor" in doctor.stdout
