import os
import threading
import time
from pathlib import Path

import apsw
import pytest
from wattmark.core.errors import StoreError
from wattmark.results.data_folder import LAYOUT, Storage, open_storage
from wattmark.store.database import FILE_NAME, Database


def _add(name: str):
    return lambda connection: connection.execute("INSERT INTO document VALUES ('k', ?, '{}')", (name,)).get


def _names(database: Database) -> list[str]:
    with database.snapshot() as connection:
        return [name for (name,) in connection.execute("SELECT name FROM document ORDER BY name")]


def test_a_second_opener_is_told_who_holds_the_folder(tmp_path: Path) -> None:
    first = Database(tmp_path, LAYOUT)
    with pytest.raises(StoreError, match=rf"in use by process {os.getpid()}\..*--data DIR"):
        Database(tmp_path, LAYOUT)
    first.close()
    Database(tmp_path, LAYOUT).close()


def test_the_pragmas_promise_durability(storage: Storage) -> None:
    pragmas = "journal_mode", "synchronous", "foreign_keys"
    settings = storage.database.write(lambda connection: [connection.pragma(name) for name in pragmas])
    assert settings == ["wal", 2, 1]


def test_a_reader_beside_the_service_sees_what_is_committed(storage: Storage) -> None:
    reader = Database(storage.database.path.parent, LAYOUT, read_only=True)
    storage.database.write(_add("a"))
    assert _names(reader) == ["a"]
    with pytest.raises(StoreError, match="read-only"):
        reader.write(_add("b"))
    reader.close()


def test_a_snapshot_does_not_move(storage: Storage) -> None:
    with storage.database.snapshot() as connection:
        before = connection.execute("SELECT count(*) FROM document").get
        storage.database.write(_add("a"))
        assert connection.execute("SELECT count(*) FROM document").get == before
    assert _names(storage.database) == ["a"]


def test_a_snapshot_cannot_write(storage: Storage) -> None:
    with pytest.raises(StoreError), storage.database.snapshot() as connection:
        _add("a")(connection)


def test_a_reader_outlives_the_writer(tmp_path: Path) -> None:
    writer = Database(tmp_path, LAYOUT)
    writer.write(_add("a"))
    reader = Database(tmp_path, LAYOUT, read_only=True)
    assert _names(reader) == ["a"]
    writer.close()
    assert _names(reader) == ["a"]
    reader.close()


def test_jobs_that_wait_together_share_one_commit(storage: Storage) -> None:
    database = storage.database
    gate = threading.Event()
    commits: list[int] = []
    database.write(lambda connection: connection.set_commit_hook(lambda: commits.append(1) or False))
    blocking = database.submit(lambda connection: (gate.wait(60), _add("held")(connection)))
    waiting = [database.submit(_add(f"n{index:03}")) for index in range(100)]
    gate.set()
    for future in [blocking, *waiting]:
        future.result(60)
    assert len(_names(database)) == 101
    assert len(commits) <= len(["the hook", "the job that held the others", "all the others"])


def test_a_job_that_fails_takes_nobody_with_it(storage: Storage) -> None:
    database = storage.database
    gate = threading.Event()
    database.submit(lambda _: gate.wait(60))

    def half(connection: apsw.Connection) -> None:
        _add("half")(connection)
        raise StoreError("no", "never mind")

    futures = [database.submit(job) for job in (_add("a"), half, _add("a"), _add("b"))]
    gate.set()
    futures[0].result(60)
    futures[3].result(60)
    with pytest.raises(StoreError, match="no never mind"):
        futures[1].result(60)
    with pytest.raises(StoreError, match="UNIQUE"):
        futures[2].result(60)
    assert _names(database) == ["a", "b"]


def test_a_job_that_fails_alone_leaves_nothing(storage: Storage) -> None:
    def half(connection: apsw.Connection) -> None:
        _add("half")(connection)
        raise StoreError("no", "never mind")

    for wait in (storage.database.write, lambda job: storage.database.submit(job).result(60)):
        with pytest.raises(StoreError, match="no never mind"):
            wait(half)
    storage.database.write(_add("after"))
    assert _names(storage.database) == ["after"]


def test_a_caller_interrupted_in_its_own_commit_leaves_nothing(storage: Storage) -> None:
    def interrupted(connection: apsw.Connection) -> None:
        _add("half")(connection)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        storage.database.write(interrupted)
    storage.database.write(_add("after"))
    assert _names(storage.database) == ["after"]


def test_a_write_waits_behind_what_was_queued_before_it(storage: Storage) -> None:
    database, gate, order = storage.database, threading.Event(), list[str]()
    blocking = database.submit(lambda _: (gate.wait(60), order.append("held")))
    later = database.submit(lambda _: order.append("queued"))
    writer = threading.Thread(target=database.write, args=(lambda _: order.append("written"),))
    writer.start()
    gate.set()
    writer.join(60)
    blocking.result(60)
    later.result(60)
    assert order == ["held", "queued", "written"]


def test_many_threads_write_every_row_once(storage: Storage) -> None:
    def write(thread: int) -> None:
        for index in range(40):
            add = _add(f"{thread}-{index}")
            storage.database.write(add) if index % 3 else storage.database.submit(add).result(30)

    threads = [threading.Thread(target=write, args=(thread,)) for thread in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(_names(storage.database)) == sorted(f"{thread}-{index}" for thread in range(6) for index in range(40))


def test_close_waits_for_a_caller_that_commits(tmp_path: Path) -> None:
    database, begun, gate = Database(tmp_path, LAYOUT), threading.Event(), threading.Event()

    def slow(connection: apsw.Connection) -> None:
        begun.set()
        gate.wait(60)
        _add("slow")(connection)

    writer = threading.Thread(target=database.write, args=(slow,))
    writer.start()
    begun.wait(60)
    closer = threading.Thread(target=database.close)
    closer.start()
    gate.set()
    closer.join(60)
    writer.join(60)
    reader = Database(tmp_path, LAYOUT, read_only=True)
    assert _names(reader) == ["slow"]
    reader.close()


def test_a_full_file_refuses_and_recovers(storage: Storage) -> None:
    database = storage.database
    database.write(_add("before"))
    pages = database.write(lambda connection: connection.pragma("page_count"))
    database.write(lambda connection: connection.pragma("max_page_count", pages))
    with pytest.raises(StoreError, match=r"^No space left to write .*Free disk space"):
        database.write(
            lambda connection: connection.execute("INSERT INTO document VALUES ('k','x',?)", ("x" * 10**6,)).get
        )
    database.write(lambda connection: connection.pragma("max_page_count", 10**6))
    database.write(_add("after"))
    assert _names(database) == ["after", "before"]


def test_close_writes_what_is_queued_and_leaves_one_file(tmp_path: Path) -> None:
    database = Database(tmp_path, LAYOUT)
    futures = [database.submit(_add(str(index))) for index in range(50)]
    database.close()
    assert all(future.done() for future in futures)
    assert sorted(path.name for path in tmp_path.iterdir()) == [FILE_NAME, "wattmark.lock"]
    with pytest.raises(StoreError, match="is closed"):
        database.write(_add("late"))
    with pytest.raises(StoreError, match="is closed"), database.snapshot():
        pass


def test_close_does_not_wait_for_a_stuck_job(tmp_path: Path) -> None:
    database = Database(tmp_path, LAYOUT)
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    stuck = database.submit(lambda connection: connection.execute(endless).get)
    begin = time.monotonic()
    database.close()
    assert time.monotonic() - begin < 30
    with pytest.raises(StoreError, match="was closed during this operation"):
        stuck.result(60)


def test_another_program_that_writes_is_named_as_the_cause(storage: Storage) -> None:
    intruder = apsw.Connection(str(storage.database.path))
    intruder.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="locked by another program"):
        storage.database.write(_add("a"))
    intruder.close()
    storage.database.write(_add("a"))


def test_text_is_not_a_database(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("these are my notes, not a database\n" * 100)
    for read_only in (False, True):
        with pytest.raises(StoreError, match=r"is not a wattmark database\. Move the file away"):
            Database(tmp_path, LAYOUT, read_only=read_only)


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    other = apsw.Connection(str(tmp_path / FILE_NAME))
    other.execute("CREATE TABLE mine(x)")
    other.close()
    before = (tmp_path / FILE_NAME).read_bytes()
    with pytest.raises(StoreError, match="is not a wattmark database"):
        Database(tmp_path, LAYOUT)
    assert (tmp_path / FILE_NAME).read_bytes() == before


def test_reading_a_folder_without_data_makes_nothing(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="There is no data in"):
        Database(tmp_path / "absent", LAYOUT, read_only=True)
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=r"file cannot be written: File exists\."):
        open_storage(tmp_path / "file")


def test_odd_folder_names(tmp_path: Path) -> None:
    folder = tmp_path / "lab 50% ? # ü"
    Database(folder, LAYOUT).close()
    reader = Database(folder, LAYOUT, read_only=True)
    assert _names(reader) == []
    reader.close()


def test_readers_in_many_threads(storage: Storage) -> None:
    failures: list[Exception] = []

    def read() -> None:
        try:
            for _ in range(50):
                _names(storage.database)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for index in range(50):
        storage.database.write(_add(str(index)))
    for thread in threads:
        thread.join()
    assert failures == []
