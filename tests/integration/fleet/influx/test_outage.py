"""Whatever the server does meanwhile, in the end it has exactly the recorded series."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from wattmark.fleet.influx.settings import InfluxSettings
from wattmark.results.data_folder import Storage, open_storage

from .proxy import Fault, Proxy, proxy_to
from .reading import received
from .recorded import T0, Drain, fill, key, ordinary, same
from .servers import Server, running

Make = Callable[..., InfluxSettings]


@pytest.fixture
def proxy(influx_18: Server) -> Iterator[Proxy]:
    with proxy_to(influx_18.port) as running_proxy:
        yield running_proxy


def through(proxy: Proxy, timeout_s: float = 30, **other: object) -> InfluxSettings:
    return InfluxSettings(url=proxy.url, timeout_s=timeout_s, batch=500, **other)


def identical(storage: Storage, run_id: str, drain: Drain) -> bool:
    """Tell whether the server has the very series of the run."""
    return all(same(ours, theirs) for ours, theirs in received(drain.connection, storage.samples, run_id))


FAULTS = {
    "401": (Fault(401, "authorization failed"), "does not accept the token"),
    "403": (Fault(403, "forbidden"), "does not allow writing"),
    "404": (Fault(404, "database not found"), "does not have this database"),
    "408": (Fault(408), "too slow"),
    "422": (Fault(422, "the service is in a bad mood"), "refuses the request"),
    "400": (Fault(400, "org is required"), "refuses the request"),
    "429": (Fault(429, headers={"Retry-After": "7"}), "less often"),
    "500": (Fault(500, "engine: closed"), "failed"),
    "500 after the write": (Fault(500, "timeout", forward=True), "failed"),
    "502": (Fault(502, html="<html>Bad gateway</html>"), "failed"),
    "503": (Fault(503), "overloaded"),
    "login page": (Fault(200, html="<html>Please log in</html>"), "does not answer as InfluxDB does"),
    "redirect": (
        Fault(302, html="moved", headers={"Location": "/login"}),
        "which is not followed",
    ),
    "slow": (Fault(204, delay_s=0.4), "does not answer"),
    "slow after the write": (Fault(204, forward=True, delay_s=0.4), "does not answer"),
    "hang up": (Fault(hang_up=True), "does not answer"),
    "hang up after the write": (Fault(hang_up=True, forward=True), "does not answer"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_refusing_server_gets_everything_in_the_end(proxy: Proxy, storage: Storage, name: str) -> None:
    fault, words = FAULTS[name]
    run_id = f"run {uuid4()}"
    fill(storage, run_id, n=1200)
    drain = Drain(storage, through(proxy, timeout_s=0.3 if fault.delay_s else 30))
    drain.sink.step()
    proxy.script = [fault, fault]
    failed = drain.all()
    assert failed
    assert all(words in step.problem.cause and step.problem.remedy for step in failed if step.problem)
    assert drain.outbox.state().refused == 0
    assert drain.outbox.state().problem is None
    assert identical(storage, run_id, drain)


def test_back_off_doubles_spreads_and_keeps_to_what_the_server_asks(proxy: Proxy, storage: Storage) -> None:
    fill(storage, f"run {uuid4()}", n=10)
    drain = Drain(storage, through(proxy))
    proxy.script = [Fault(500)] * 8 + [Fault(429, headers={"Retry-After": "90"})]
    waits = [drain.sink.step().wait_s for _ in range(10)]
    assert waits == [0.75, 1.5, 3.0, 6.0, 12.0, 24.0, 45.0, 45.0, 90.0, 0.0]


def test_too_large_requests_are_split_and_stay_small(proxy: Proxy, storage: Storage) -> None:
    run_id = f"run {uuid4()}"
    fill(storage, run_id, n=3000)
    proxy.most_bytes = 8000
    drain = Drain(storage, through(proxy))
    assert drain.all() == []
    assert identical(storage, run_id, drain)
    before = proxy.writes
    power = storage.samples.series(key(run_id)).id
    storage.samples.append([(power, ordinary(200, 5, T0 + 10**13))])
    drain.all()
    assert proxy.writes - before <= 10


def test_a_proxy_that_finds_everything_too_large_gives_up_no_point(proxy: Proxy, storage: Storage) -> None:
    run_id = f"run {uuid4()}"
    fill(storage, run_id, n=600)
    drain = Drain(storage, through(proxy))
    proxy.most_bytes = 0
    problems = [drain.sink.step().problem for _ in range(3)]
    assert all(problem is not None and "too large" in problem.cause for problem in problems)
    proxy.most_bytes = None
    assert drain.all() == []
    assert drain.outbox.state().refused == 0
    assert identical(storage, run_id, drain)


def test_a_record_that_cannot_be_read_does_not_stand_in_the_way(proxy: Proxy, storage: Storage) -> None:
    broken, whole = f"run a {uuid4()}", f"run b {uuid4()}"
    fill(storage, broken, n=10)
    fill(storage, whole, n=10)
    drain = Drain(storage, through(proxy))
    storage.database.write(
        lambda connection: list(connection.execute("UPDATE run SET record = '{' WHERE run_id = ?", (broken,)))
    )
    assert drain.all() == []
    (refused,) = drain.outbox.refused()
    assert broken in refused.line
    assert "cannot be read" in refused.reason
    assert identical(storage, whole, drain)


def test_points_that_are_refused_for_ever_are_set_aside_and_the_others_arrive(
    influx: Server, storage: Storage, settings_for: Make
) -> None:
    """A field has one type per shard; this one is of a month in which nothing else happens."""
    run_id = f"run {uuid4()}"
    fill(storage, run_id, n=300, begin_ns=T0 + 40 * 86400 * 10**9)
    drain = Drain(storage, settings_for(influx))
    tags = f"wattmark,run={run_id.replace(' ', chr(92) + ' ')},server=alpha,source=wall\\,\\ left\\=1,channel=power"
    old = storage.samples.read(storage.samples.series(key(run_id)).id).t_ns[7]
    influx_field = f'{tags} part="text" {old}'
    assert drain.connection.write(influx_field.encode(), 1).cause == ""
    assert drain.all() == []
    refused = drain.outbox.refused()
    state = drain.outbox.state()
    assert state.refused == len(refused) > 0
    assert all("channel=current" in point.line and "part=1" in point.line for point in refused)
    assert all("field type conflict" in point.reason for point in refused)
    assert state.acknowledged == 300 + 32 + 120 - len(refused)


def test_a_server_that_is_killed_and_comes_back_gets_everything(tmp_path: Path, storage: Storage) -> None:
    run_id = f"run {uuid4()}"
    with running("1.8.3", tmp_path / "server") as server:
        drain = Drain(storage, InfluxSettings(url=server.url, batch=400))
        fill(storage, run_id, n=2000)
        for _ in range(3):
            assert drain.sink.step().sent
        server.kill()
        assert "does not answer" in (drain.sink.step().problem or pytest.fail("a dead server answers")).cause
        power = storage.samples.series(key(run_id)).id
        storage.samples.append([(power, ordinary(500, 6, T0 + 10**13))])
        server.start()
        drain.all()
        assert identical(storage, run_id, drain)


def test_an_hour_without_a_server_loses_nothing_and_takes_no_space(tmp_path: Path, storage: Storage) -> None:
    """The hour is that of the waits between attempts; recording and sealing go on meanwhile."""
    run_id = f"run {uuid4()}"
    with running("1.8.3", tmp_path / "server") as server:
        drain = Drain(storage, InfluxSettings(url=server.url))
        fill(storage, run_id, n=100)
        drain.all()
        server.kill()
        power = storage.samples.series(key(run_id)).id
        waited_s, attempts = 0.0, 0
        while waited_s < 3600:
            storage.samples.append([(power, ordinary(100, attempts, T0 + (attempts + 1) * 10**11))])
            storage.samples.seal(run_id)
            waited_s += drain.sink.step().wait_s
            attempts += 1
        assert drain.outbox.state().waiting == 100 * attempts
        positions = storage.database.write(lambda db: db.execute("SELECT count(*) FROM unsent").fetchall())
        assert positions == [(1,)]
        server.start()
        drain.all()
        assert identical(storage, run_id, drain)


def test_an_appliance_that_restarts_goes_on_where_it_was(influx_18: Server, tmp_path: Path) -> None:
    run_id = f"run {uuid4()}"
    settings = InfluxSettings(url=influx_18.url, batch=300)
    first = open_storage(tmp_path)
    fill(first, run_id, n=2000)
    before = Drain(first, settings)
    for _ in range(4):
        before.sink.step()
    sent = before.outbox.state().acknowledged
    first.close()
    second = open_storage(tmp_path)
    try:
        drain = Drain(second, settings)
        assert drain.outbox.state().acknowledged == sent == 1200
        drain.all()
        assert drain.outbox.state().acknowledged == 2000 + 32 + 120
        assert identical(second, run_id, drain)
    finally:
        second.close()


def test_samples_that_come_late_are_sent_and_nothing_is_lost_by_sealing(influx_18: Server, storage: Storage) -> None:
    """Sealing puts late samples before those already sent; some go twice and replace themselves."""
    run_id = f"run {uuid4()}"
    drain = Drain(storage, InfluxSettings(url=influx_18.url, batch=100))
    fill(storage, run_id, n=700)
    drain.sink.step()
    power = storage.samples.series(key(run_id)).id
    for begin_ns in (T0 - 10**12, T0 + 10**12, T0 - 2 * 10**12, T0 + 10**11):
        storage.samples.append([(power, ordinary(90, begin_ns % 97, begin_ns))])
        drain.sink.step()
        storage.samples.seal(run_id)
        drain.sink.step()
    drain.all()
    assert identical(storage, run_id, drain)


def test_secrets_are_sent_in_the_header_only(proxy: Proxy, storage: Storage) -> None:
    for login, header in (
        ({"token": "s3cret"}, "Token s3cret"),
        ({"user": "u", "password": "s3cret"}, "Basic dTpzM2NyZXQ="),
    ):
        settings = through(proxy, **login)
        Drain(storage, settings).connection.write(b"wattmark value=1 1", 1)
        assert proxy.headers[-1]["Authorization"] == header
        assert "s3cret" not in repr(settings) + settings.target
