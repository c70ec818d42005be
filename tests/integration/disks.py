"""Small disks of a test's own, to be filled up and made read-only. Mounting needs root, as CI has it."""

from __future__ import annotations

import contextlib
import itertools
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

BALLAST = "ballast"


def mount(*arguments: str) -> None:
    done = subprocess.run(["mount", *arguments], capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == 0, f"this test mounts a small disk and needs root with CAP_SYS_ADMIN: {done.stderr}"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 4 MiB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount("-t", "tmpfs", "-o", "size=4m", "wattmark-test", str(disk))
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True, timeout=20)


@pytest.fixture
def few_files(tmp_path: Path) -> Iterator[Path]:
    """A disk of 400 MiB for 40 files."""
    disk = tmp_path / "few"
    disk.mkdir()
    mount("-t", "tmpfs", "-o", "size=400m,nr_inodes=40", "wattmark-test", str(disk))
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True, timeout=20)


def use_up_files(disk: Path) -> None:
    """Make files until the disk takes no more, whatever room is left."""
    with contextlib.suppress(OSError):
        for number in itertools.count():
            (disk / f"{BALLAST}-{number}").touch()


def fill_up(disk: Path) -> None:
    with (disk / BALLAST).open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            return
