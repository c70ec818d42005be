"""A folder that cannot be read is told, and not passed over."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest
from wattmark.core.errors import InputError, WattmarkError
from wattmark.core.folders import walk
from wattmark.fleet.parquet.target import Folder
from wattmark.importers.mlperf.mlperf_tree import find_results
from wattmark.importers.phoronix.phoronix import recognises
from wattmark.importers.source_tree import files_of


@pytest.fixture
def locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree with a folder that cannot be read. Root may read each, so the call refuses: EACCES of opendir(3)."""
    for name in ("b/two.txt", "a/one.txt", "b/closed/three.txt", "lost+found/nothing"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    scandir = os.scandir

    def refusing(path: Any = ".") -> Any:
        if Path(path).name in ("closed", "lost+found"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    return tmp_path


def test_a_tree_is_walked_in_order(locked: Path) -> None:
    (locked / "b/closed/three.txt").unlink()
    (locked / "b/closed").rmdir()
    assert list(walk(locked)) == [
        (locked, ["a", "b"], []),
        (locked / "a", [], ["one.txt"]),
        (locked / "b", [], ["two.txt"]),
    ]
    assert files_of(locked) == [locked / "a/one.txt", locked / "b/two.txt"]


def test_a_folder_that_cannot_be_read_is_no_empty_one(locked: Path) -> None:
    with pytest.raises(PermissionError):
        list(walk(locked))
    words = f"{locked}/b/closed cannot be read: Permission denied. Give this user access to it"
    with pytest.raises(InputError, match=words):
        files_of(locked)
    with pytest.raises(InputError, match=words):
        find_results(locked)
    with pytest.raises(InputError, match=words):
        recognises(locked)


def test_an_archive_of_which_a_part_cannot_be_read_is_not_listed_without_it(locked: Path) -> None:
    with pytest.raises(WattmarkError, match="Permission denied"):
        Folder(locked).files("b")
    assert Folder(locked).files("a") == ["a/one.txt"]
    assert Folder(locked).files("nowhere") == []
