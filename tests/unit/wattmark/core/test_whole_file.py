"""A file is there whole or as it was."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest
from wattmark.cli.tables.shown import put
from wattmark.core import whole_file
from wattmark.core.errors import WattmarkError
from wattmark.core.whole_file import part_beside, remove_parts, require_writable, write_whole


def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "x.csv"
    target.write_bytes(b"old")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(whole_file.os, "fsync", full)
    with pytest.raises(WattmarkError, match="No space left on device"):
        put(b"new and longer", target)
    assert target.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["x.csv"]


def test_a_real_limit_of_file_size_leaves_no_part(tmp_path: Path) -> None:
    child = os.fork()
    if child == 0:
        import resource
        import signal

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        try:
            write_whole(tmp_path / "y.csv", b"x" * 100_000)
        except OSError as error:
            os._exit(7 if error.errno == errno.EFBIG else 1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["é" * 127, "𝄞" * 63, "n" * 255])
def test_a_file_of_the_longest_name_is_written_and_its_parts_removed(tmp_path: Path, name: str) -> None:
    target = tmp_path / name
    write_whole(target, b"new")
    part_beside(target).touch()
    remove_parts(target)
    assert [(entry.name, entry.read_bytes()) for entry in tmp_path.iterdir()] == [(name, b"new")]


def test_links_modes_and_devices_stay_what_they_are(tmp_path: Path) -> None:
    real = tmp_path / "real.csv"
    real.write_bytes(b"old")
    real.chmod(0o640)
    link = tmp_path / "link.csv"
    link.symlink_to(real)
    write_whole(link, b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    write_whole(Path("/dev/null"), b"gone")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    """Every writer of whole files, an archive's too, so that `-o` to a pipe does not replace it."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        require_writable(pipe)
        with whole_file.whole_file(pipe) as file:
            file.write(b"a verdict")
        assert os.read(reader, 100) == b"a verdict"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]


def test_what_cannot_be_written_is_known_before_there_is_what_to_write(tmp_path: Path) -> None:
    file = tmp_path / "old.md"
    file.write_bytes(b"old")
    for sound in (file, tmp_path / "new.md", Path("/dev/null")):
        require_writable(sound)
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]
    for broken, error in ((tmp_path, IsADirectoryError), (tmp_path / "no" / "file", FileNotFoundError),
                          (file / "below", NotADirectoryError), (Path("/proc/new.md"), OSError)):  # fmt: skip
        with pytest.raises(error):
            require_writable(broken)
