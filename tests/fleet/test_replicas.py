"""Twenty appliances write while replicas and shards are killed and the network is cut: nothing is lost or doubled."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from wattmark.fleet.clickhouse.connection import Connection
from wattmark.fleet.clickhouse.schema import make_schema
from wattmark.fleet.clickhouse.settings import ClickHouseSettings

from tests.fleet.appliance import Appliance
from tests.fleet.cluster import replicated
from tests.integration.fleet.clickhouse.servers import CLUSTER, PASSWORD, Server

APPLIANCES = int(os.environ.get("WATTMARK_APPLIANCES", "20"))
CUT_S = float(os.environ.get("WATTMARK_CUT_S", "600"))
BETWEEN_S = 20.0
LONGEST_S = 900.0
Shards = list[list[Server]]
_SERIES = (
    "SELECT t_ns, repeat, value, quality, u_t_s FROM wattmark.sample FINAL "
    "WHERE lab = %(lab)s AND run = %(run)s AND channel = %(channel)s ORDER BY t_ns, repeat"
)
_CONTENT = (
    "SELECT count(), sum(cityHash64(lab, run, server, source, channel, part, t_ns, repeat, value)) "
    "FROM wattmark.sample_local FINAL"
)


@pytest.fixture
def shards(tmp_path: Path) -> Iterator[Shards]:
    with replicated(tmp_path / "cluster") as servers:
        yield servers


@pytest.fixture
def connection(shards: Shards) -> Iterator[Connection]:
    opened = Connection(settings(shards[0][0]))
    make_schema(opened, cluster=CLUSTER, ttl_days=None, software="1.0", made_ns=time.time_ns())
    yield opened
    opened.close()


@pytest.fixture
def appliances(shards: Shards, connection: Connection, tmp_path: Path) -> Iterator[list[Appliance]]:
    """Appliances that each know one of the four servers."""
    servers = [server for replicas in shards for server in replicas]
    made = [
        Appliance(number, tmp_path / f"appliance{number}", settings(servers[number % len(servers)]))
        for number in range(APPLIANCES)
    ]
    for appliance in made:
        appliance.start()
    yield made
    for appliance in made:
        appliance.stop()
        appliance.close()


def settings(server: Server) -> ClickHouseSettings:
    return ClickHouseSettings(url=server.url, password=PASSWORD, timeout_s=20)


@pytest.mark.timeout(3600 + CUT_S)
def test_nothing_acknowledged_is_lost_and_nothing_is_doubled(
    shards: Shards, connection: Connection, appliances: list[Appliance]
) -> None:
    begin = time.monotonic()
    servers = [server for replicas in shards for server in replicas]
    wait_until("all have sent something", lambda: all(a.state().acknowledged for a in appliances))
    report("all write", begin, appliances)

    shards[0][1].kill()
    time.sleep(BETWEEN_S)
    report("one replica killed", begin, appliances)
    shards[0][1].start()
    time.sleep(BETWEEN_S)
    report("it is back", begin, appliances)

    for server in servers:
        server.kill()
    time.sleep(BETWEEN_S)
    report("both shards killed, all four servers", begin, appliances)
    for server in servers:
        server.start(wait=False)
    for server in servers:
        server.wait()
    time.sleep(BETWEEN_S)
    report("all are back", begin, appliances)

    for server in servers:
        assert server.proxy is not None
        server.proxy.cut = True
    time.sleep(CUT_S)
    report(f"network cut for {CUT_S:.0f} s", begin, appliances)
    for server in servers:
        assert server.proxy is not None
        server.proxy.cut = False
    for appliance in appliances:
        appliance.stop_recording()
    wait_until("everything was sent", lambda: all(a.drained() for a in appliances))
    report("all was sent", begin, appliances)
    assert [appliance.fault for appliance in appliances] == [None] * APPLIANCES
    wait_until("the replicas of each shard are equal", lambda: all(equal(replicas) for replicas in shards))
    recorded = check(connection, appliances)
    stored = [content(replicas[0])[0] for replicas in shards]
    assert sum(stored) == recorded
    before = [content(replicas[0]) for replicas in shards]

    for appliance in appliances:
        appliance.outbox.send_again()
    wait_until("everything was sent again", lambda: all(a.drained() for a in appliances))
    wait_until("the replicas of each shard are equal", lambda: all(equal(replicas) for replicas in shards))
    assert [content(replicas[0]) for replicas in shards] == before
    runs = sum(len(appliance.storage.runs.all()) for appliance in appliances)
    assert connection.rows("SELECT count() FROM wattmark.run FINAL") == [(runs,)]
    report("all was sent again", begin, appliances)
    sys.stdout.write(
        f"{recorded:,} samples of {runs} runs by {APPLIANCES} appliances, by shard {stored}: none lost, none doubled.\n"
        f"Problems that the sinks waited out: {'; '.join(sorted(set().union(*(a.problems for a in appliances))))}\n"
    )


def check(connection: Connection, appliances: Sequence[Appliance]) -> int:
    """Hold every series against what was recorded, bit for bit; returns the number of samples."""
    total = 0
    for appliance in appliances:
        for key, samples in appliance.recorded():
            t_ns, repeat, value, quality, u_t_s = connection.columns(
                _SERIES, {"lab": appliance.lab, "run": key.run_id, "channel": key.channel}
            )
            assert np.array_equal(t_ns, samples.t_ns), key
            assert np.array_equal(value, samples.value), key
            assert np.array_equal(quality, samples.quality), key
            assert np.array_equal(u_t_s, samples.u_t_s), key
            assert np.array_equal(repeat, np.arange(len(samples)) % 2), key
            total += len(samples)
    return total


def content(server: Server) -> tuple[int, int]:
    """Return number and checksum of the samples of a replica."""
    rows, checksum = server.ask(_CONTENT).split()
    return int(rows), int(checksum)


def equal(replicas: Sequence[Server]) -> bool:
    return len({content(replica) for replica in replicas}) == 1


def wait_until(what: str, holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LONGEST_S
    while not holds():
        if time.monotonic() > deadline:
            pytest.fail(f"Not within {LONGEST_S:.0f} s: {what}")
        time.sleep(0.5)


def report(what: str, begin: float, appliances: Sequence[Appliance]) -> None:
    states = [appliance.state() for appliance in appliances]
    acknowledged, waiting = sum(s.acknowledged for s in states), sum(s.waiting for s in states)
    sys.stdout.write(
        f"{time.monotonic() - begin:6.0f} s  {what}: {acknowledged:,} samples acknowledged, {waiting:,} wait\n"
    )
    sys.stdout.flush()
