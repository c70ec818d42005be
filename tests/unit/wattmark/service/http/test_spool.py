"""Files of requests: bounded in number, and never in the room that samples need."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import IO

import pytest
from wattmark.core.errors import StoreError, WattmarkError
from wattmark.web.spool import Spool


def test_a_closed_file_makes_room_for_one_other(tmp_path: Path) -> None:
    spool = Spool(tmp_path, most=2, kept_free=0)
    first, second = spool.open(), spool.open()
    with pytest.raises(WattmarkError, match="2 large file transfers are already in progress"):
        spool.open()
    first.close()
    first.close()
    third = spool.open()
    with pytest.raises(WattmarkError):
        spool.open()
    second.close()
    third.close()
    assert list(tmp_path.iterdir()) == []


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    with Spool(tmp_path, kept_free=0).open() as file:
        file.write(b"x" * 100_000)
        file.write(b"end")
        assert file.seek(0, 2) == 100_003
        file.seek(100_000)
        assert file.read() == b"end"


def write(file: IO[bytes], size: int) -> None:
    file.write(bytes(size))
    file.flush()


@pytest.mark.parametrize("size", [10, 2**20])
def test_the_last_room_is_not_for_archives(tmp_path: Path, size: int) -> None:
    spool = Spool(tmp_path, most=1, kept_free=2**62)
    for _ in range(2):
        with pytest.raises(OSError, match="No space left") as refused, spool.open() as file:
            write(file, size)
        assert refused.value.errno == errno.ENOSPC


def test_a_folder_that_takes_no_file_keeps_no_place(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "none", most=1)
    for _ in range(2):
        with pytest.raises(StoreError, match="cannot be written: No such file or directory"):
            spool.open()
