"""What is recorded arrives bit for bit, once, and late if it must, on two shards of 18.16 and on the current engine."""

from __future__ import annotations

import json
import threading
import time
from uuid import uuid4

import pytest
from wattmark.fleet.clickhouse.connection import Connection
from wattmark.fleet.clickhouse.verify import verify_run
from wattmark.fleet.clickhouse.written import delete_runs
from wattmark.results.data_folder import Storage

from ..influx.recorded import T0, fill, key, odd, ordinary, record
from .conftest import CLUSTER, Connect, make
from .recorded import Bench, count, differing
from .servers import Server


def test_everything_arrives_bit_for_bit_and_sending_twice_changes_nothing(store: Connection, storage: Storage) -> None:
    run_ids = [f"run {number} 'of' \\ {uuid4()}" for number in range(2)]
    for run_id in run_ids:
        fill(storage, run_id, n=1500)
        storage.samples.series(key(run_id, "never read"))
    bench = Bench(storage, store)
    assert bench.drain() == []
    for _ in range(2):
        for run_id in run_ids:
            assert differing(storage, run_id, store) == []
            compared = verify_run(run_id, storage.samples, store)
            assert len(compared) == 3
            assert all(totals.same for totals in compared)
        assert count(store, "sample") == 2 * (1500 + 32 + 50 + 70)
        assert count(store, "run") == 2
        bench.outbox.send_again()
        assert bench.drain() == []


def test_records_are_replaced_by_later_ones_even_if_the_clock_went_back(store: Connection, storage: Storage) -> None:
    run_id = str(uuid4())
    bench = Bench(storage, store)
    for second, reason in ((1000.0, "first"), (0.0, "second")):
        bench.s = second
        storage.runs.put(record(run_id).model_copy(update={"reason": reason}))
        bench.drain()
    ((lab, status, stored),) = store.rows(f"SELECT lab, status, record FROM {store.database}.run FINAL")
    assert (lab, status, json.loads(stored)["record"]["reason"]) == ("Lab 1", "complete", "second")
    bench.lab_name = "Renamed lab"
    bench.outbox.send_again()
    bench.drain()
    assert store.rows(f"SELECT lab FROM {store.database}.run FINAL") == [("Renamed lab",)]


def test_a_deleted_run_stays_away_until_it_is_sent_again(store: Connection, storage: Storage) -> None:
    run_ids = [str(uuid4()) for _ in range(3)]
    for run_id in run_ids:
        fill(storage, run_id, n=10)
    bench = Bench(storage, store)
    bench.drain()
    assert sorted(delete_runs(store, [run_ids[0], run_ids[2], "unknown"], T0)) == sorted([run_ids[0], run_ids[2]])
    assert store.rows(f"SELECT run FROM {store.database}.run FINAL WHERE deleted = 0") == [(run_ids[1],)]
    assert count(store, "result", "deleted = 1") == 2
    assert delete_runs(store, run_ids[:1], T0) == []
    bench.outbox.send_again()
    bench.drain()
    assert count(store, "run", "deleted = 0") == 3


def test_few_samples_wait_for_more_and_go_at_the_end_of_a_run(store: Connection, storage: Storage) -> None:
    run_id = str(uuid4())
    storage.runs.put(record(run_id))
    power = storage.samples.series(key(run_id)).id
    bench = Bench(storage, store)
    bench.drain()
    seconds = []
    for second in range(25):
        bench.s = float(second)
        storage.samples.append([(power, ordinary(10, second, T0 + second * 10**9))])
        step = bench.sink.step()
        if step.sent:
            seconds.append((second, step.sent))
            step = bench.sink.step()
        assert (step.sent, step.wait_s) == (0, 1.0)
    assert seconds == [(0, 10), (10, 100), (20, 100)]
    storage.samples.append([(power, ordinary(10_000, 99, T0 + 10**12))])
    assert bench.sink.step().sent == 10_040
    storage.samples.append([(power, ordinary(5, 98, T0 + 10**14))])
    assert bench.sink.step().sent == 0
    storage.runs.put(record(run_id))
    assert [bench.sink.step().sent for _ in range(3)] == [5, 1, 0]
    storage.samples.append([(power, ordinary(5, 97, T0 + 10**15))])
    assert bench.sink.step(everything=True).sent == 5
    storage.samples.seal(run_id)
    assert differing(storage, run_id, store) == []


def test_late_samples_and_sealing_lose_nothing(store: Connection, storage: Storage) -> None:
    run_id = str(uuid4())
    bench = Bench(storage, store, batch=100)
    fill(storage, run_id, n=500)
    bench.sink.step()
    power = storage.samples.series(key(run_id)).id
    for begin_ns in (T0 - 10**12, T0 + 10**12, T0 - 2 * 10**12, T0 + 10**11):
        storage.samples.append([(power, ordinary(90, begin_ns % 97, begin_ns))])
        bench.sink.step()
        storage.samples.seal(run_id)
        bench.sink.step()
    bench.drain()
    assert differing(storage, run_id, store) == []
    storage.samples.append([(storage.samples.series(key(run_id, "late")).id, odd())])
    assert [totals.place[2] for totals in verify_run(run_id, storage.samples, store) if not totals.same] == ["late"]


def test_a_result_that_cannot_be_read_does_not_stand_in_the_way(store: Connection, storage: Storage) -> None:
    broken, whole = f"a {uuid4()}", f"b {uuid4()}"
    for run_id in (broken, whole):
        fill(storage, run_id, n=10)
    bench = Bench(storage, store)
    storage.database.write(
        lambda connection: list(connection.execute("UPDATE run SET record = '{' WHERE run_id = ?", (broken,)))
    )
    assert bench.drain() == []
    (refused,) = bench.outbox.refused()
    assert broken in refused.line
    assert store.rows(f"SELECT run FROM {store.database}.run FINAL") == [(whole,)]


@pytest.fixture
def cluster(shards: tuple[Server, Server], connect: Connect) -> Connection:
    connections = [connect(shard) for shard in shards]
    for connection in connections:
        make(connection, CLUSTER)
    return connections[0]


def test_an_hour_without_the_server_costs_nothing(
    cluster: Connection, shards: tuple[Server, Server], storage: Storage
) -> None:
    run_id = str(uuid4())
    fill(storage, run_id, n=100)
    bench = Bench(storage, cluster)
    bench.drain()
    power = storage.samples.series(key(run_id)).id
    proxy = shards[0].proxy
    assert proxy is not None
    proxy.cut = True
    try:
        begin_s, steps = bench.s, 0
        while bench.s - begin_s < 3600:
            storage.samples.append([(power, ordinary(9, steps, T0 + 10**12 + steps * 10**10))])
            step = bench.sink.step()
            steps += 1
            assert step.sent == 0
            bench.s += step.wait_s
        state = bench.outbox.state()
        assert "does not answer" in str(state.problem)
        assert state.remedy == "Nothing is lost: it is sent when the server answers."
        assert steps < 100
    finally:
        proxy.cut = False
    assert bench.drain() == []
    storage.samples.seal(run_id)
    assert bench.outbox.state().problem is None
    assert differing(storage, run_id, cluster) == []


def test_an_answer_that_is_lost_acknowledges_nothing_and_doubles_nothing(
    cluster: Connection, shards: tuple[Server, Server], storage: Storage
) -> None:
    run_id = str(uuid4())
    fill(storage, run_id, n=800)
    bench = Bench(storage, cluster, batch=300)
    proxy = shards[0].proxy
    assert proxy is not None
    proxy.cut_answers, proxy.inserts = 3, 0
    failed = bench.drain()
    assert failed
    assert proxy.inserts >= 7
    assert count(cluster, "sample") == 800 + 32 + 50 + 70
    assert differing(storage, run_id, cluster) == []


def test_the_page_of_a_proxy_that_asks_for_a_login_acknowledges_nothing(
    cluster: Connection, shards: tuple[Server, Server], storage: Storage
) -> None:
    run_id = str(uuid4())
    fill(storage, run_id, n=300)
    bench = Bench(storage, cluster, batch=100)
    assert bench.sink.step().sent == 100
    proxy = shards[0].proxy
    assert proxy is not None
    proxy.login = True
    try:
        problems = [bench.sink.step().problem for _ in range(3)]
    finally:
        proxy.login = False
    assert all(problem and "does not answer as ClickHouse does" in problem.cause for problem in problems), problems
    assert bench.outbox.state().acknowledged == 100
    assert bench.drain() == []
    assert differing(storage, run_id, cluster) == []


def test_a_shard_that_is_killed_while_it_takes_samples(
    cluster: Connection, shards: tuple[Server, Server], storage: Storage
) -> None:
    """Both shards are killed with -9 in turn, at any moment, and started again: all that was recorded is there once."""
    run_ids = [f"run {number}" for number in range(4)]
    for run_id in run_ids:
        fill(storage, run_id, n=6000)
    bench = Bench(storage, cluster, batch=500)
    killed = threading.Event()

    def kill() -> None:
        for shard in (shards[1], shards[0]):
            time.sleep(0.25)
            shard.kill()
            killed.set()
            time.sleep(0.3)
            shard.start()

    thread = threading.Thread(target=kill)
    thread.start()
    problems = []
    for _ in range(2000):
        step = bench.sink.step()
        if step.problem is not None:
            problems.append(step.problem)
            time.sleep(0.02)
        elif not step.sent and killed.is_set():
            if not thread.is_alive():
                break
            bench.outbox.send_again()
    thread.join()
    assert bench.drain() == []
    assert problems
    assert all("shard" in problem.cause or "does not answer" in problem.cause for problem in problems), problems
    for run_id in run_ids:
        assert differing(storage, run_id, cluster) == []
    assert count(cluster, "sample") == 4 * (6000 + 32 + 50 + 70)
    runs = [shard.ask(f"SELECT uniq(run) FROM {cluster.database}.sample_local").strip() for shard in shards]
    assert sorted(runs) in (["1", "3"], ["2", "2"])


@pytest.mark.parametrize("user", ["reader", "default"])
def test_a_sink_that_may_not_write_or_finds_no_schema_says_so_and_goes_on_later(
    shards: tuple[Server, Server], connect: Connect, storage: Storage, user: str
) -> None:
    admin = connect(shards[0])
    fill(storage, str(uuid4()), n=50)
    bench = Bench(storage, connect(shards[0], user=user))
    problem = bench.sink.step().problem
    assert problem is not None
    assert "does not have a database" in problem.cause
    make(admin)
    if user == "reader":
        problem = bench.sink.step().problem
        assert problem is not None
        assert "does not allow this user" in problem.cause
        assert "Grant SELECT and INSERT" in problem.remedy
        assert count(admin, "sample") == 0
    else:
        assert bench.drain() == []
        assert count(admin, "sample") == 50 + 32 + 50 + 70
