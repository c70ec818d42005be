"""Zip files from outside are unpacked within limits, or refused in one line."""

from __future__ import annotations

import hashlib
import stat
import zipfile
from pathlib import Path

import pytest
from wattmark.core.errors import InputError
from wattmark.importers.opened import UnpackLimits, opened, remove_scratch
from wattmark.importers.text_lines import LONGEST_LINE, TextLines


def packed(tmp_path: Path, members: dict[str, bytes]) -> Path:
    path = tmp_path / "packed.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def test_a_packed_folder_is_open_as_long_as_it_is_used(tmp_path: Path) -> None:
    with opened(packed(tmp_path, {"a/b.txt": b"words"})) as folder:
        assert (folder / "a/b.txt").read_bytes() == b"words"
    assert not folder.exists()


def test_a_single_packed_file_is_that_file(tmp_path: Path) -> None:
    with opened(packed(tmp_path, {"b.txt": b"words"})) as file:
        assert file.name == "b.txt"


@pytest.mark.parametrize("name", ["../out.txt", "/etc/out.txt", "a/../../out.txt", "a\\..\\out.txt"])
def test_names_that_leave_the_folder_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="file name"), opened(packed(tmp_path, {name: b""})):
        pass


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="200 times"), opened(packed(tmp_path, {"a": bytes(50 * 2**20)})):
        pass


def test_a_file_that_unpacks_to_more_than_it_may_is_refused(tmp_path: Path) -> None:
    path = packed(tmp_path, {"a": bytes(range(256)) * 100})
    with pytest.raises(InputError, match="GiB when unpacked"), opened(path, UnpackLimits(total_bytes=1000)):
        pass


def test_too_many_files_are_refused(tmp_path: Path) -> None:
    path = packed(tmp_path, {str(number): b"" for number in range(20)})
    with pytest.raises(InputError, match="20 files"), opened(path, UnpackLimits(members=10)):
        pass


@pytest.mark.parametrize("second", ["hpl/hpl.log", "hpl/./hpl.log", "hpl//hpl.log", "./hpl/hpl.log"])
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_file_that_is_packed_twice_is_refused(tmp_path: Path, second: str) -> None:
    """Only one of the two would be read, and nobody could say which."""
    path = tmp_path / "twice.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("hpl/hpl.log", b"first")
        archive.writestr(second, b"second")
    with pytest.raises(InputError, match=r"'hpl/hpl\.log' twice"), opened(path):
        pass


def test_only_folders_made_here_are_removed_at_start(tmp_path: Path) -> None:
    """A folder of somebody who calls it `import-20240101` stays; the name alone makes nothing ours."""
    data = tmp_path / "data"
    theirs = data / "import-20240101"
    theirs.mkdir(parents=True)
    (theirs / "words.txt").write_bytes(b"words")
    with opened(packed(tmp_path, {"a/b.txt": b"words"}), scratch_folder=data) as folder:
        remove_scratch(data)
        assert not folder.exists()
        assert [path.name for path in data.iterdir()] == ["import-20240101"]
        assert (theirs / "words.txt").read_bytes() == b"words"


def test_links_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "links.zip"
    member = zipfile.ZipInfo("link")
    member.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(member, "/etc/passwd")
    with pytest.raises(InputError, match="link"), opened(path):
        pass


def test_a_damaged_file_ends_in_one_line(tmp_path: Path) -> None:
    path = packed(tmp_path, {"a": bytes(range(256)) * 100})
    content = bytearray(path.read_bytes())
    content[60:90] = bytes(30)
    path.write_bytes(content)
    with pytest.raises(InputError) as refused, opened(path):
        pass
    assert "\n" not in str(refused.value)


def test_a_line_without_end_is_refused_before_it_fills_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_bytes(b"x" * (LONGEST_LINE + 2 * 2**16))
    with pytest.raises(InputError, match=r"long\.txt line 1"):
        list(TextLines(path, path.name))


def test_lines_keep_their_numbers_and_the_digest_is_that_of_the_bytes(tmp_path: Path) -> None:
    path = tmp_path / "lines.txt"
    path.write_bytes(b"one\r\n\xff\nthree")
    lines = TextLines(path, path.name)
    assert list(lines) == [(1, "one"), (2, "\ufffd"), (3, "three")]
    assert lines.note.bytes == 12
    assert lines.note.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
