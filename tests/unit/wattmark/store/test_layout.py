"""A file tells its layout: an older one takes the steps it lacks, all or none; any other is refused with a remedy."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest
from wattmark.core.errors import StoreError
from wattmark.results.data_folder import LAYOUT, open_storage
from wattmark.store.database import FILE_NAME, Database
from wattmark.store.guards.guarded import GuardedTable
from wattmark.store.layout import APPLICATION_ID, Layout
from wattmark.store.table import StoredTable
from wattmark.store.verify import verify

NOTE = GuardedTable(
    name="note", row_name="Note {0}", key=("number",), columns={"number": "INTEGER", "text": "TEXT"}, rowid=True
)
FIRST = Layout((NOTE,))
TAG = StoredTable(name="tag", key=("name",), columns={"name": "TEXT"})
ADD_TAGS = "CREATE TABLE tag(name TEXT, PRIMARY KEY(name)) STRICT, WITHOUT ROWID;"
UPPER_CASE = "UPDATE note SET text = upper(text);"
THIRD = Layout((NOTE, TAG), (ADD_TAGS, UPPER_CASE))


def folder_of_layout_1(folder: Path) -> Path:
    database = Database(folder, FIRST)
    database.write(lambda connection: connection.execute("INSERT INTO note VALUES (7, 'fan replaced')").get)
    database.close()
    return folder / FILE_NAME


def header(path: Path) -> tuple[int, int]:
    with apsw.Connection(str(path)) as connection:
        return connection.pragma("application_id"), connection.pragma("user_version")


def test_a_new_file_says_its_layout(tmp_path: Path) -> None:
    open_storage(tmp_path).close()
    assert header(tmp_path / FILE_NAME) == (APPLICATION_ID, 1)
    assert LAYOUT.number == 1
    assert verify(tmp_path / FILE_NAME, LAYOUT) == []


def test_an_older_file_takes_the_steps_that_it_lacks(tmp_path: Path) -> None:
    path = folder_of_layout_1(tmp_path)
    Database(tmp_path, Layout((NOTE, TAG), (ADD_TAGS,))).close()
    assert header(path) == (APPLICATION_ID, 2)
    database = Database(tmp_path, THIRD)
    with database.snapshot() as connection:
        assert connection.execute("SELECT * FROM note").fetchall() == [(7, "FAN REPLACED")]
        assert connection.execute("SELECT count(*) FROM tag").get == 0
    database.close()
    assert header(path) == (APPLICATION_ID, 3)
    assert verify(path, THIRD) == []


def test_a_step_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    path = folder_of_layout_1(tmp_path)
    broken = Layout((NOTE,), (ADD_TAGS + UPPER_CASE, "INSERT INTO missing VALUES (1);"))
    with pytest.raises(StoreError, match="missing"):
        Database(tmp_path, broken)
    assert header(path) == (APPLICATION_ID, 1)
    database = Database(tmp_path, FIRST)
    with database.snapshot() as connection:
        assert connection.execute("SELECT text FROM note").get == "fan replaced"
        assert connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'tag'").get == 0
    database.close()


def test_a_reader_leaves_an_older_file_to_the_service(tmp_path: Path) -> None:
    folder_of_layout_1(tmp_path)
    with pytest.raises(StoreError, match=r"older wattmark \(layout 1\).*Start `wattmark serve` with this folder once"):
        Database(tmp_path, THIRD, read_only=True)


def test_a_newer_file_is_refused(tmp_path: Path) -> None:
    folder_of_layout_1(tmp_path)
    Database(tmp_path, THIRD).close()
    before = (tmp_path / FILE_NAME).read_bytes()
    for read_only in (False, True):
        with pytest.raises(StoreError, match=r"newer wattmark \(layout 3, this one knows 1\).*Install that version"):
            Database(tmp_path, FIRST, read_only=read_only)
    assert (tmp_path / FILE_NAME).read_bytes() == before


def test_a_file_from_before_the_first_release_is_refused(tmp_path: Path) -> None:
    with apsw.Connection(str(tmp_path / FILE_NAME)) as connection:
        connection.pragma("application_id", APPLICATION_ID)
        connection.execute("CREATE TABLE migration(version INTEGER PRIMARY KEY)")
    for read_only in (False, True):
        with pytest.raises(StoreError, match=r"before the first release.*`wattmark archive`.*`wattmark restore`"):
            Database(tmp_path, LAYOUT, read_only=read_only)


def test_an_empty_file_holds_nothing_for_a_reader(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).touch()
    with pytest.raises(StoreError, match="There is no data in"):
        Database(tmp_path, LAYOUT, read_only=True)
    Database(tmp_path, LAYOUT).close()
    Database(tmp_path, LAYOUT, read_only=True).close()
