"""Copies taken while another process records are one state each, whole and verified."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from wattmark.core.errors import StoreError
from wattmark.results.data_folder import LAYOUT, open_storage
from wattmark.store.backup import back_up
from wattmark.store.columns import make_samples
from wattmark.store.sample_store import SeriesKey
from wattmark.store.verify import verify

CHILD = Path(__file__).with_name("recording_child.py")
WATTMARK = Path(sys.executable).with_name("wattmark")
MARK = 123456.789


@pytest.fixture
def recording(tmp_path: Path) -> Iterator[tuple[Path, subprocess.Popen[str]]]:
    folder = tmp_path / "data"
    command = [sys.executable, str(CHILD), str(folder), "run1", "7"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "0\n"
        yield folder, child
        child.kill()
        child.stdout.close()


def test_a_copy_of_a_recording_folder_holds_all_that_was_acknowledged(
    recording: tuple[Path, subprocess.Popen[str]], tmp_path: Path
) -> None:
    folder, child = recording
    assert child.stdout is not None
    for number in range(3):
        last = int(child.stdout.readline())
        copy = tmp_path / f"copy{number}" / "wattmark.db"
        copy.parent.mkdir()
        command = [WATTMARK, "backup", str(copy), "--data", str(folder), "--json"]
        report = json.loads(subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout)
        assert report["bytes"] == copy.stat().st_size
        assert [path.name for path in copy.parent.iterdir()] == ["wattmark.db"]
        storage = open_storage(copy.parent)
        assert storage.runs.mark_interrupted() == ["run1"]
        for series in storage.samples.list_series("run1"):
            values = storage.samples.read(series.id).value
            np.testing.assert_array_equal(values, np.arange(len(values)))
            assert len(values) >= 3 * (last + 1)
        storage.close()
    assert json.loads((folder / "last-backup.json").read_bytes())["file"] == str(copy)
    assert child.poll() is None, "recording goes on"


def fill(folder: Path) -> None:
    storage = open_storage(folder)
    number = storage.samples.series(SeriesKey("run1", "r1", "wall", "power", "power", "W", "averaged")).id
    value = np.arange(9000.0)
    value[5000] = MARK
    storage.samples.append([(number, make_samples(np.arange(9000), value))])
    storage.samples.seal("run1")
    storage.close()


def test_a_damaged_original_makes_no_copy_and_names_the_part(tmp_path: Path) -> None:
    fill(tmp_path)
    path = tmp_path / "wattmark.db"
    content = path.read_bytes()
    path.write_bytes(content.replace(struct.pack("<d", MARK), struct.pack("<d", MARK + 1)))
    assert verify(path, LAYOUT) == ["Chunk 1 of wall power of run run1 is damaged."]
    storage = open_storage(tmp_path, read_only=True)
    with pytest.raises(
        StoreError, match=r"is damaged, because the original is: Chunk 1 of wall power of run run1 is damaged"
    ):
        back_up(storage.database, tmp_path / "copy.db")
    storage.close()
    assert not list(tmp_path.glob("*copy*"))


def test_a_backup_never_replaces_the_data(tmp_path: Path) -> None:
    fill(tmp_path)
    before = (tmp_path / "wattmark.db").read_bytes()
    command = [WATTMARK, "backup", str(tmp_path / "wattmark.db"), "--data", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr.splitlines()[0]) == (
        2,
        "wattmark: The copy would overwrite the data folder itself.",
    )
    assert (tmp_path / "wattmark.db").read_bytes() == before
