"""The file system under a recording service turns read-only, as ext4 does when its disk fails.

What must hold: an alarm within seconds, /healthz says 503 with the cause, the live view and the web app go on, and
everything that was committed before is there when the disk is repaired and mounted again.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from wattmark.results.data_folder import LAYOUT, open_storage
from wattmark.store.database import FILE_NAME
from wattmark.store.verify import verify

from ..integration.conftest import lab, write_bench
from ..integration.service.conftest import Start, start, wait_until

__all__ = ["lab", "start", "write_bench"]


class Disk:
    """An ext4 file system in a file, mounted through a loop device."""

    def __init__(self, folder: Path) -> None:
        self.image, self.place = folder / "image", folder / "disk"
        self.place.mkdir()
        with self.image.open("wb") as file:
            file.truncate(96 * 2**20)
        self._run("mkfs.ext4", "-q", "-F", "-e", "remount-ro", str(self.image))
        self.mount()

    def mount(self) -> None:
        self._run("mount", "-o", "loop", str(self.image), str(self.place))

    def fail(self) -> None:
        """Let the kernel find an error of the file system."""
        device = subprocess.run(
            ["findmnt", "-no", "SOURCE", str(self.place)], capture_output=True, text=True, check=True
        )
        (Path("/sys/fs/ext4") / Path(device.stdout.strip()).name / "trigger_fs_error").write_text("1")

    def unmount(self) -> None:
        self._run("umount", str(self.place))

    def repair(self) -> None:
        self.unmount()
        repaired = subprocess.run(["e2fsck", "-p", "-f", str(self.image)], capture_output=True, text=True, check=False)
        assert repaired.returncode in {0, 1}, repaired
        self.mount()

    def _run(self, *command: str) -> None:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        if done.returncode:
            pytest.fail(f"{command[0]}: {done.stderr.strip()} (this attack needs root, loop devices and e2fsprogs)")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    if shutil.which("mkfs.ext4") is None:
        pytest.fail("mkfs.ext4 is missing: sh docker/system-packages.sh test")
    mounted = Disk(tmp_path)
    yield mounted
    subprocess.run(["umount", "--lazy", str(mounted.place)], check=False)


@pytest.mark.timeout(300)
def test_a_file_system_that_turns_read_only_is_told_and_costs_nothing_that_was_committed(
    start: Start, write_bench: Callable[..., Path], disk: Disk
) -> None:
    data = disk.place / "data"
    service = start(data, bench=write_bench(600, bmc=False))
    service.start_and_measure()
    wait_until(lambda: _samples(data) > 10)
    committed = _samples(data)
    disk.fail()
    wait_until(lambda: service.get("/api/live")["alarm"] is not None)
    status, health = service.ask("GET", "/healthz")
    assert status == 503
    assert any("read-only" in reason.lower() for reason in health["reasons"]), health
    assert service.ask("GET", "/api/run-rows")[0] == 200, "what is stored can be read"
    status, refusal = service.ask("POST", "/api/trash", {"run_ids": ["nothing"]})
    assert 400 <= status <= 503, refusal
    assert refusal["remedy"]
    service.end()
    disk.repair()
    assert _samples(data) >= committed
    assert verify(data / FILE_NAME, LAYOUT) == []
    again = start(data)
    assert again.get("/api/run-rows")["total"] == 1


def _samples(data: Path) -> int:
    """Count the samples of power that a reader finds."""
    storage = open_storage(data, read_only=True)
    try:
        return sum(series.n for run in storage.runs.all() for series in storage.samples.list_series(run.run_id))
    finally:
        storage.close()
