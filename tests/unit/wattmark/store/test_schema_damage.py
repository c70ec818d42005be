"""Damage in the schema or the header of a file is mended at the next start, in words, and costs no row."""

from __future__ import annotations

import logging
import random
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from wattmark.core.errors import StoreError
from wattmark.results.data_folder import LAYOUT, Storage, open_storage
from wattmark.runs.annotations.inclusion import Inclusion
from wattmark.store.columns import make_samples
from wattmark.store.database import FILE_NAME, Database
from wattmark.store.rebuild import kept_aside
from wattmark.store.sample_store import SeriesKey
from wattmark.store.schema import HEADER, PAGE, read_entries
from wattmark.store.verify import verify

SAMPLES = 20_000
KEY = SeriesKey("run7", "r1", "wall", "power", "power", "W", "averaged")
LAYOUT_NUMBER = 63
CHANGES = {*range(24, 28), *range(40, 44), *range(48, 52), *range(72, 100)}
"""Bytes of the header that say nothing about the data: counters, a size of a cache, room for later."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A file with samples, a document, and free pages."""
    folder = tmp_path_factory.mktemp("whole")
    storage = open_storage(folder)
    number = storage.samples.series(KEY).id
    for part in np.split(np.arange(SAMPLES), 40):
        storage.samples.append([(number, make_samples(part, part))])
    storage.samples.seal("run7")
    storage.database.write(lambda connection: connection.execute("INSERT INTO document VALUES ('k', 'n', '1')").get)
    storage.close()
    content = (folder / FILE_NAME).read_bytes()
    assert int.from_bytes(content[36:40], "big") > 3, "free pages"
    return content


class Contents(NamedTuple):
    samples: bytes
    documents: list[tuple[Any, ...]]


def contents(storage: Storage) -> Contents:
    (series,) = storage.samples.list_series("run7")
    with storage.database.snapshot() as connection:
        documents = connection.execute("SELECT kind, name, document FROM document").fetchall()
    return Contents(storage.samples.read(series.id).value.tobytes(), documents)


EXPECTED = Contents(np.arange(SAMPLES, dtype=float).tobytes(), [("k", "n", "1")])


def place(folder: Path, content: bytes) -> Path:
    for file in folder.iterdir():
        file.unlink()
    path = folder / FILE_NAME
    path.write_bytes(content)
    return path


def flipped(whole: bytes, offset: int, bit: int) -> bytes:
    hurt = bytearray(whole)
    hurt[offset] ^= 1 << bit
    return bytes(hurt)


def reopened(folder: Path) -> list[str]:
    """Open a folder, find everything in it, and write to it; return the damaged files that are kept."""
    storage = open_storage(folder)
    assert contents(storage) == EXPECTED
    storage.database.write(lambda connection: connection.execute("DELETE FROM document WHERE name = 'absent'").get)
    storage.close()
    return kept_aside(folder / FILE_NAME)


def test_a_new_file_has_the_schema_that_is_known(whole: bytes, tmp_path: Path) -> None:
    path = place(tmp_path, whole)
    assert LAYOUT.schema.laid_out(path)
    assert not LAYOUT.schema.header_changed(path)
    assert all(whole[number * PAGE :][:PAGE] == page for number, page in LAYOUT.schema.pages.items() if number > 0)
    assert reopened(tmp_path) == []


def test_a_malformed_schema_is_rebuilt_and_the_damaged_file_kept(
    whole: bytes, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    hurt = whole.replace(b"CREATE TABLE chunk_data(", b"CREATE TABLE chunk_data\x08")
    path = place(tmp_path, hurt)
    with pytest.raises(StoreError, match=r"damaged in its schema or header .*Start `wattmark serve` with this folder"):
        open_storage(tmp_path, read_only=True)
    with caplog.at_level(logging.ERROR):
        assert reopened(tmp_path) == ["wattmark.db.damaged-1"]
    assert "has been rebuilt; the damaged file is kept as wattmark.db.damaged-1. Nothing else in it is" in caplog.text
    assert (tmp_path / "wattmark.db.damaged-1").read_bytes() == hurt
    assert sorted(file.name for file in tmp_path.iterdir()) == [FILE_NAME, "wattmark.db.damaged-1", "wattmark.lock"]
    assert verify(path, LAYOUT) == []
    shutil.copyfile(tmp_path / "wattmark.db.damaged-1", path)
    assert reopened(tmp_path) == ["wattmark.db.damaged-1", "wattmark.db.damaged-2"]


@pytest.mark.parametrize(
    ("written", "hurt"),
    [
        (b"CREATE TABLE document(kind", b"CREATE TABLE document(kinf"),
        (b"document_crc_comes AFTER INSERT", b"document_crc_cGmes AFTER INSERT"),
        (b"raise(ABORT, 'the audit log never", b"raise(IBORT, 'the audit log never"),
    ],
    ids=["a column", "a trigger's name", "a trigger's statement"],
)
def test_a_schema_that_still_makes_sense_is_rebuilt_too(
    whole: bytes, tmp_path: Path, written: bytes, hurt: bytes
) -> None:
    place(tmp_path, whole.replace(written, hurt))
    assert written in whole
    assert len(reopened(tmp_path)) == 1
    with Database(tmp_path, LAYOUT, read_only=True).snapshot() as connection:
        assert read_entries(connection) == LAYOUT.schema.entries


def test_a_table_that_would_begin_elsewhere_is_found(whole: bytes, tmp_path: Path) -> None:
    """Two tables on one page would write over each other."""
    path = place(tmp_path, whole)
    roots = {name: entry.root for (_, name), entry in LAYOUT.schema.entries.items()}
    old, new = (b"documentdocument%c" % root for root in (roots["document"], roots["trash"]))
    assert old in whole
    path.write_bytes(whole.replace(old, new))
    assert len(reopened(tmp_path)) == 1


@pytest.mark.parametrize("page", LAYOUT.schema.pages)
def test_a_page_of_the_schema_that_is_lost(whole: bytes, tmp_path: Path, page: int) -> None:
    path = place(tmp_path, whole[: page * PAGE] + bytes(PAGE) + whole[(page + 1) * PAGE :])
    assert len(reopened(tmp_path)) == 1
    assert verify(path, LAYOUT) == []


def test_any_bit_of_the_schema(whole: bytes, tmp_path: Path) -> None:
    chance = random.Random(12)
    rebuilt = 0
    for _ in range(12):
        offset = chance.choice(list(LAYOUT.schema.pages)) * PAGE + chance.randrange(PAGE)
        place(tmp_path, flipped(whole, offset, chance.randrange(8)))
        rebuilt += len(reopened(tmp_path))
    assert rebuilt > 4, "others are in places that nothing uses"


def test_each_byte_of_the_header(whole: bytes, tmp_path: Path) -> None:
    chance = random.Random(100)
    for offset in chance.sample(sorted(set(range(HEADER)) - CHANGES - {LAYOUT_NUMBER}), 20):
        path = place(tmp_path, flipped(whole, offset, chance.randrange(8)))
        kept = reopened(tmp_path)
        assert verify(path, LAYOUT) == []
        assert len(kept) == 1, offset
    for offset in chance.sample(sorted(CHANGES), 3):
        place(tmp_path, flipped(whole, offset, 3))
        assert reopened(tmp_path) == []


def test_a_number_of_layout_that_cannot_be_is_damage(whole: bytes, tmp_path: Path) -> None:
    for bit in (0, 7):
        place(tmp_path, flipped(whole, LAYOUT_NUMBER, bit))
        assert len(reopened(tmp_path)) == 1
    place(tmp_path, flipped(whole, LAYOUT_NUMBER, 1))
    with pytest.raises(StoreError, match=r"newer wattmark \(layout 3"):
        open_storage(tmp_path)


def test_what_waits_in_the_log_is_kept(whole: bytes, tmp_path: Path) -> None:
    """Killed, with the last commits in the log alone, and the schema damaged."""
    live, dead = tmp_path / "live", tmp_path / "dead"
    live.mkdir()
    dead.mkdir()
    place(live, whole)
    storage = open_storage(live)
    storage.annotations.include("run7", Inclusion(at="2026-11-28T12:00:00Z", by="kim", reason="r", rules=("duration",)))
    hurt = (live / FILE_NAME).read_bytes().replace(b"CREATE TABLE run_tag(", b"CREATE TABLE run_tag\x08")
    (dead / FILE_NAME).write_bytes(hurt)
    shutil.copyfile(live / f"{FILE_NAME}-wal", dead / f"{FILE_NAME}-wal")
    storage.close()
    assert len(reopened(dead)) == 1
    storage = open_storage(dead, read_only=True)
    assert list(storage.annotations.inclusions()) == ["run7"]
    storage.close()


def test_commits_that_a_damaged_log_hides_are_counted(
    whole: bytes, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """SQLite reads a log up to the first frame whose checksum is wrong, and says nothing of the others."""
    live, dead = tmp_path / "live", tmp_path / "dead"
    live.mkdir()
    dead.mkdir()
    path = place(live, whole)
    storage = open_storage(live)
    for _ in range(5):
        storage.database.write(
            lambda connection: connection.execute("INSERT INTO document SELECT 'k', count(*), '1' FROM document").get
        )
    log = path.with_name(f"{FILE_NAME}-wal").read_bytes()
    file = path.read_bytes()
    storage.close()
    frame = 24 + PAGE
    frames = [log[begin : begin + frame] for begin in range(32, len(log) - frame + 1, frame)]
    commits = [number for number, content in enumerate(frames) if content[4:8] != bytes(4)]
    assert len(commits) == 5
    for missing, place_in_log, words in (
        (0, None, ""),
        (3, commits[2], "the last 3 commits in it cannot be read"),
        (1, commits[4], "The last commit in the log"),
    ):
        place(dead, file)
        hurt = bytearray(log)
        if place_in_log is not None:
            hurt[32 + place_in_log * frame + 24 + 2000] ^= 4
        (dead / f"{FILE_NAME}-wal").write_bytes(hurt)
        caplog.clear()
        storage = open_storage(dead)
        assert len(contents(storage).documents) == 1 + 5 - missing
        storage.close()
        assert words in caplog.text
        assert bool(words) == bool(caplog.records)


def test_a_truncated_file_keeps_what_is_left(whole: bytes, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = place(tmp_path, whole[: -3 * PAGE - 700])
    with caplog.at_level(logging.ERROR):
        storage = open_storage(tmp_path)
    storage.close()
    problems = verify(path, LAYOUT)
    assert problems
    assert all(problem in caplog.text for problem in problems)
    assert kept_aside(path) == ["wattmark.db.damaged-1"]


@pytest.mark.parametrize("left", [50, HEADER, 2 * PAGE, 30 * PAGE])
def test_a_file_that_has_lost_most_is_refused(whole: bytes, tmp_path: Path, left: int) -> None:
    path = place(tmp_path, whole[:left])
    for read_only in (False, True):
        with pytest.raises(StoreError, match=r"wattmark.db is damaged .*Restore it from a backup"):
            open_storage(tmp_path, read_only=read_only)
    assert path.read_bytes() == whole[:left]


def test_an_empty_file_where_runs_may_have_been_is_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    place(tmp_path, b"")
    with caplog.at_level(logging.WARNING):
        open_storage(tmp_path).close()
    assert "wattmark.db is empty: a new database begins" in caplog.text


def test_a_full_disk_leaves_the_damaged_file(whole: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hurt = whole.replace(b"CREATE TABLE run_tag(", b"CREATE TABLE run_tag\x08")
    path = place(tmp_path, hurt)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfile", full)
    with pytest.raises(StoreError, match=r"No space left to write .*Free disk space"):
        open_storage(tmp_path)
    assert path.read_bytes() == hurt
    assert kept_aside(path) == []
