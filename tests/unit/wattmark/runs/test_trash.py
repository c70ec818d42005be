"""The trash on disk: hidden from every reader, kept through a restart, gone after its days."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from wattmark.results.data_folder import Storage, open_storage
from wattmark.runs.trash import KEEP_DAYS, Trash

from tests.set_clock import SetClock
from tests.stored_run import PLUG_METER, make_run, store_readings

NOW_NS = 1_700_000_000_000_000_000
DAY_NS = 86_400 * 10**9


def _destroy(storage: Storage, run_id: str) -> None:
    storage.samples.delete_run(run_id)
    storage.runs.delete(run_id)


def test_the_trash_survives_a_restart_and_keeps_samples(tmp_path: Path) -> None:
    storage = open_storage(tmp_path)
    storage.runs.put(make_run("r1"))
    store_readings(storage, make_run("r1"), [0], [200.0], meter=PLUG_METER)
    storage.runs.trash(["r1"], NOW_NS)
    storage.close()
    storage = open_storage(tmp_path)
    try:
        assert storage.runs.all() == []
        assert storage.runs.get("r1") is None
        assert [(run.run_id, trashed_ns) for run, trashed_ns in storage.runs.trashed()] == [("r1", NOW_NS)]
        storage.runs.restore(["r1"])
        assert storage.runs.all() == [make_run("r1")]
        assert len(storage.samples.read(storage.samples.list_series("r1")[0].id)) == 1
    finally:
        storage.close()


def test_what_is_older_than_the_trash_keeps_goes_with_the_next_deletion(storage: Storage) -> None:
    clock = SetClock(NOW_NS)
    trash = Trash(storage.runs, partial(_destroy, storage), clock)
    for run_id in ("old", "kept", "new"):
        storage.runs.put(make_run(run_id))
    trash.move(["old"])
    clock.now_ns += DAY_NS
    trash.move(["kept"])
    clock.now_ns = NOW_NS + KEEP_DAYS * DAY_NS + 1
    assert [run.run_id for run in trash.list().runs] == ["kept", "old"]
    assert [run.run_id for run in trash.move(["new"]).runs] == ["new", "kept"]
    storage.runs.put(make_run("old"))
    assert [run.run_id for run in storage.runs.all()] == ["old"]


def test_a_record_written_again_keeps_its_tags_and_its_place(storage: Storage) -> None:
    storage.runs.put(make_run("r1"))
    storage.annotations.tag(["r1"], ["b", "a"], [])
    storage.annotations.tag(["r1"], ["a"], ["c"])
    storage.runs.put(make_run("r1"))
    assert storage.annotations.all()["r1"].tags == ("a", "b")
    storage.runs.trash(["r1"], NOW_NS)
    storage.runs.put(make_run("r1"))
    assert storage.runs.all() == []
