"""Folders and disks that refuse, met by a process of its own. Works for any user, root or not."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from wattmark.results.data_folder import open_storage
from wattmark.store.columns import make_samples
from wattmark.store.sample_store import SeriesKey

KEY = SeriesKey("run1", "r1", "wall1", "power", "power", "W", "averaged")

WITHOUT_RIGHTS = """
import os, sys
from pathlib import Path
import numpy
from wattmark.core.errors import StoreError
from wattmark.store.columns import make_samples
from wattmark.results.data_folder import open_storage
if os.getuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
folder, read_only = Path(sys.argv[1]), sys.argv[2] == "read"
try:
    storage = open_storage(folder, read_only=read_only)
    print([len(storage.samples.read(series.id)) for series in storage.samples.list_series("run1")])
    storage.close()
except StoreError as error:
    print(error)
"""

SMALL_DISK = """
import resource, sys
from pathlib import Path
import numpy
from wattmark.core.errors import StoreError
from wattmark.store.columns import make_samples
from wattmark.results.data_folder import open_storage
from wattmark.store.sample_store import SeriesKey
storage = open_storage(Path(sys.argv[1]))
number = storage.samples.series(SeriesKey("run1", "r1", "wall1", "power", "power", "W", "averaged")).id
soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, hard))
acknowledged = 0
def add():
    index = numpy.arange(acknowledged, acknowledged + 1000)
    storage.samples.append([(number, make_samples(index, index))])
try:
    while True:
        add()
        acknowledged += 1000
except StoreError as error:
    print(acknowledged, error, sep="|")
try:
    storage.samples.seal("run1")
except StoreError as error:
    print("seal", error, sep="|")
numpy.testing.assert_array_equal(storage.samples.read(number).value, numpy.arange(acknowledged))
resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
add()
acknowledged += 1000
storage.samples.seal("run1")
numpy.testing.assert_array_equal(storage.samples.read(number).value, numpy.arange(acknowledged))
storage.close()
"""


def run(script: str, *arguments: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that another user can reach."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)
        Path(name).chmod(0o755)


def fill(folder: Path) -> None:
    storage = open_storage(folder)
    number = storage.samples.series(KEY).id
    storage.samples.append([(number, make_samples(np.arange(10), np.arange(10)))])
    storage.close()


def close_to_writing(folder: Path) -> None:
    for path in folder.iterdir():
        path.chmod(0o444)
    folder.chmod(0o555)


def test_a_read_only_folder_is_named_with_its_remedy(folder: Path) -> None:
    fill(folder)
    close_to_writing(folder)
    (line,) = run(WITHOUT_RIGHTS, str(folder), "write")
    assert line == (
        f"{folder}/wattmark.lock cannot be written: Permission denied. "
        "Give this user access or choose another folder with --data DIR."
    )


def test_a_folder_that_cannot_be_made(folder: Path) -> None:
    folder.chmod(0o555)
    (line,) = run(WITHOUT_RIGHTS, str(folder / "new" / "data"), "write")
    assert line.startswith(f"{folder}/new/data cannot be written: Permission denied.")


def test_a_read_only_database_file(folder: Path) -> None:
    fill(folder)
    folder.chmod(0o777)
    (folder / "wattmark.lock").unlink()
    (folder / "wattmark.db").chmod(0o444)
    (line,) = run(WITHOUT_RIGHTS, str(folder), "write")
    assert line.startswith(f"{folder}/wattmark.db cannot be written:")


def test_a_read_only_folder_can_be_read(folder: Path) -> None:
    fill(folder)
    close_to_writing(folder)
    assert run(WITHOUT_RIGHTS, str(folder), "read") == ["[10]"]


def test_a_file_that_may_not_be_read(folder: Path) -> None:
    fill(folder)
    (folder / "wattmark.db").chmod(0o000)
    (line,) = run(WITHOUT_RIGHTS, str(folder), "read")
    assert line.startswith(f"{folder}/wattmark.db cannot be opened")


def test_a_full_disk_keeps_what_was_acknowledged_and_goes_on_when_there_is_room(tmp_path: Path) -> None:
    appended, sealed = run(SMALL_DISK, str(tmp_path))
    acknowledged, message = appended.split("|")
    assert int(acknowledged) > 0
    assert message == (
        f"No space left to write {tmp_path}/wattmark.db ({os.strerror(27)}). Free disk space, then try again."
    )
    assert "No space left" in sealed
