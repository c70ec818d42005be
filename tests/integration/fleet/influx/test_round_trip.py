"""What is recorded arrives, and comes back bit for bit, through each server."""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

import pytest
from wattmark.core.errors import StoreError
from wattmark.fleet.influx.connection import V1, V2, Connection
from wattmark.fleet.influx.settings import InfluxSettings
from wattmark.fleet.influx.verify import verify_run
from wattmark.results.data_folder import Storage

from .reading import received
from .recorded import T0, Drain, fill, key, ordinary, record, same
from .servers import Server

Make = Callable[..., InfluxSettings]


@pytest.mark.parametrize("zipped", [False, True])
def test_a_run_comes_back_bit_for_bit(influx: Server, storage: Storage, settings_for: Make, zipped: bool) -> None:
    run_id = f"run {uuid4()}"
    fill(storage, run_id)
    drain = Drain(storage, settings_for(influx, gzip=zipped))
    assert drain.all() == []
    for own, other in received(drain.connection, storage.samples, run_id):
        assert same(own, other)
    assert all(check.same for check in verify_run(run_id, storage.samples, drain.connection))


def test_what_is_sent_again_under_another_name_of_the_lab_is_read_once(
    influx_18: Server, storage: Storage, settings_for: Make
) -> None:
    run_id = f"run {uuid4()}"
    fill(storage, run_id, n=500)
    Drain(storage, settings_for(influx_18)).all()
    renamed = Drain(storage, settings_for(influx_18), "Renamed lab")
    renamed.outbox.send_again()
    renamed.all()
    for own, other in received(renamed.connection, storage.samples, run_id):
        assert same(own, other)
    assert all(check.same for check in verify_run(run_id, storage.samples, renamed.connection))


def test_the_path_of_the_server_is_found_and_kept(influx: Server, storage: Storage, settings_for: Make) -> None:
    drain = Drain(storage, settings_for(influx))
    fill(storage, f"run {uuid4()}", n=10)
    drain.all()
    assert drain.connection.write_path == (V1 if influx.version == "1.6.7" else V2)


def test_verify_tells_which_series_differ(influx_18: Server, storage: Storage, settings_for: Make) -> None:
    run_id = f"run {uuid4()}"
    fill(storage, run_id)
    drain = Drain(storage, settings_for(influx_18))
    drain.all()
    run_tag = run_id.replace(" ", chr(92) + " ")
    changed = f"wattmark,run={run_tag},server=alpha,source=wall\\,\\ left\\=1,channel=power,lab=Lab\\ 1"
    assert drain.connection.write(f"{changed} value=1.0 {T0}".encode(), 1).cause == ""
    storage.samples.append([(storage.samples.series(key(run_id, "late")).id, ordinary(3, 9))])
    differing = [check.place[2] for check in verify_run(run_id, storage.samples, drain.connection) if not check.same]
    assert differing == ["late", "power"]


def test_live_rows_arrive_before_they_are_sealed_and_only_once(
    influx_18: Server, storage: Storage, settings_for: Make
) -> None:
    run_id = f"run {uuid4()}"
    fill(storage, run_id, seal=False, n=100)
    drain = Drain(storage, settings_for(influx_18))
    drain.all()
    sent = drain.outbox.state().acknowledged
    storage.samples.seal(run_id)
    assert drain.outbox.state().waiting == 0
    power = storage.samples.series(key(run_id)).id
    storage.samples.append([(power, ordinary(10, 4, T0 + 10**12))])
    storage.samples.seal(run_id)
    drain.all()
    assert drain.outbox.state().acknowledged == sent + 10
    assert all(check.same for check in verify_run(run_id, storage.samples, drain.connection))


def test_a_missing_database_is_named(influx: Server, storage: Storage, settings_for: Make) -> None:
    connection = Connection(settings_for(influx).model_copy(update={"database": "nowhere"}))
    answer = connection.write(b"wattmark value=1 1", 1)
    assert "does not have this database or bucket" in answer.cause


def test_what_is_no_influxdb_is_told_from_its_answers(victoria: Server, storage: Storage, settings_for: Make) -> None:
    with pytest.raises(StoreError, match="VictoriaMetrics"):
        verify_run("r1", storage.samples, Connection(settings_for(victoria)))


def test_a_run_in_the_trash_waits_there(influx_18: Server, storage: Storage, settings_for: Make) -> None:
    run_id = f"run {uuid4()}"
    storage.runs.put(record(run_id))
    drain = Drain(storage, settings_for(influx_18))
    storage.runs.trash([run_id], T0)
    assert (drain.outbox.take_runs(), drain.outbox.state().waiting_runs) == ([], 0)
    storage.runs.restore([run_id])
    assert drain.outbox.state().waiting_runs == 1
    drain.all()
    assert drain.outbox.state().waiting_runs == 0
