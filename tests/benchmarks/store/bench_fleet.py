"""A million results of a fleet: how fast they are filtered, grouped and compared, beside SQLite and InfluxDB 1.8.

usage: python -m tests.benchmarks.store.bench_fleet [RESULTS] [LABS] [FOLDER]

The fleet lies in the current engine, in this process; one in FOLDER is kept for the next time. SQLite and InfluxDB get
the same figures as plain rows. All times are the least of some repetitions, of one run of this script.
"""

from __future__ import annotations

import shutil
import sqlite3
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from wattmark.comparison.published.library import load_published
from wattmark.fleet.clickhouse.connection import Connection
from wattmark.fleet.clickhouse.settings import ClickHouseSettings
from wattmark.fleet.reading.fleet_store import FleetStore
from wattmark.fleet.reading.fleet_tables import FleetTables
from wattmark.fleet.reading.views import FleetRunQuery, GroupQuery, RingQuery, RingsQuery
from wattmark.fleet.reading.where import Where

from tests.benchmarks.ratio import shortest_s, tell
from tests.generated_fleet import connect, store_fleet
from tests.integration.fleet.influx.servers import running

INFLUX = "1.8.3"
REPEATS = 5
COMPARED_RUNS = 10_000
COLUMNS = (
    "lab",
    "server",
    "memory",
    "dimm_count",
    "workload",
    "level",
    "efficiency",
    "efficiency_U95",
    "power",
    "created_ns",
)
AT_ONCE = 200_000
SETTINGS = ClickHouseSettings(url="http://chdb.in.process")
WORKLOAD, LEVEL = "stress-ng.stream", "8 processes"


class Timed(Connection):
    """A connection that adds up how long its answers took [s], and the processor time of this process meanwhile."""

    took = cpu = 0.0

    def rows(self, sql: str, parameters: Mapping[str, object] | None = None) -> list[tuple[Any, ...]]:
        with self._timed():
            return super().rows(sql, parameters)

    def columns(self, sql: str, parameters: Mapping[str, object] | None = None) -> list[NDArray[Any]]:
        with self._timed():
            return super().columns(sql, parameters)

    @contextmanager
    def _timed(self) -> Iterator[None]:
        begin, cpu = time.perf_counter(), time.process_time()
        try:
            yield
        finally:
            self.took += time.perf_counter() - begin
            self.cpu += time.process_time() - cpu


def grouped(tables: FleetTables) -> None:
    """Filter by workload and level, and group by memory configuration."""
    where = Where()
    where.equal("workload", WORKLOAD)
    where.equal("level", LEVEL)
    where.add("efficiency_ranked = 1")
    groups = tables.results("memory, count(), avg(efficiency), avg(power)", where, "GROUP BY memory ORDER BY memory")
    assert len(groups) == 8


def plain_columns(connection: Connection, results: int) -> Iterator[list[tuple[Any, ...]]]:
    """Iterate over the figures as rows."""
    for first in range(0, results, AT_ONCE):
        yield connection.rows(
            f"SELECT {', '.join(COLUMNS)} FROM {connection.database}.result ORDER BY run LIMIT {AT_ONCE} OFFSET {first}"
        )


def in_sqlite(folder: Path, connection: Connection, results: int) -> tuple[float, float]:
    """Measure the same question to SQLite [s], without and with an index of what is asked for."""
    with sqlite3.connect(folder / "figures.db") as database:
        database.execute(f"CREATE TABLE result ({', '.join(COLUMNS)})")
        for rows in plain_columns(connection, results):
            database.executemany(f"INSERT INTO result VALUES ({', '.join('?' * len(COLUMNS))})", rows)
        database.commit()
        question = (
            "SELECT memory, count(*), avg(efficiency), avg(power) FROM result WHERE workload = ? AND level = ? "
            "GROUP BY memory ORDER BY memory"
        )
        bare = shortest_s(lambda: database.execute(question, (WORKLOAD, LEVEL)).fetchall(), REPEATS)
        database.execute("CREATE INDEX asked ON result(workload, level, memory, efficiency, power)")
        return bare, shortest_s(lambda: database.execute(question, (WORKLOAD, LEVEL)).fetchall(), REPEATS)


def in_influx(folder: Path, connection: Connection, results: int) -> tuple[float, float]:
    """Measure the same question to InfluxDB [s], and how long writing took [s]."""
    with running(INFLUX, folder / "influx") as server:
        begin = time.perf_counter()
        for rows in plain_columns(connection, results):
            for first in range(0, len(rows), 20_000):
                server.request("/write?db=wattmark&precision=ns", _lines(rows[first : first + 20_000]))
        wrote = time.perf_counter() - begin
        asked = urllib.parse.urlencode({
            "db": "wattmark",
            "q": "SELECT count(efficiency), mean(efficiency), mean(power) FROM wattmark_result "
            f"WHERE workload = '{WORKLOAD}' AND level = '{LEVEL}' GROUP BY memory",
        })  # fmt: skip

        def ask() -> None:
            with urllib.request.urlopen(f"{server.url}/query?{asked}", timeout=600) as answer:
                assert answer.read().count(b'"memory"') == 8

        return shortest_s(ask, 2), wrote


def _lines(rows: list[tuple[Any, ...]]) -> bytes:
    lines = []
    for lab, server, memory, count, workload, level, efficiency, expanded, power, created in rows:
        tags = {"lab": lab, "server": server, "memory": memory, "workload": workload, "level": level}
        named = ",".join(f"{name}={value.replace(' ', chr(92) + ' ')}" for name, value in tags.items())
        fields = f"efficiency={efficiency!r},efficiency_U95={expanded!r},power={power!r},dimm_count={count}"
        lines.append(f"wattmark_result,{named} {fields} {created}")
    return "\n".join(lines).encode()


def main() -> None:
    """Print the figures."""
    results = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    labs = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    kept = Path(sys.argv[3]) if len(sys.argv) > 3 else None
    temporary = Path(tempfile.mkdtemp(dir=Path.cwd()))
    try:
        folder = kept or temporary / "fleet"
        made = folder.exists()
        connection = connect(f"chdb:{folder}", "wattmark", Timed)
        if not made:
            begin = time.perf_counter()
            store_fleet(connection, labs, results)
            say(f"stored {results:,} results of {labs} labs in {time.perf_counter() - begin:.0f} s")
        measure(connection, temporary)
        connection.close()
    finally:
        shutil.rmtree(temporary)


def measure(connection: Timed, folder: Path) -> None:
    """Measure everything on a stored fleet."""
    ((results, labs),) = connection.rows(f"SELECT count(), uniqExact(lab) FROM {connection.database}.result")
    ((size,),) = connection.rows(
        "SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND table IN ('result', 'run')"
    )
    say(f"{results:,} results of {labs:,} labs: {size / 1e9:.2f} GB, {size / results:,.0f} bytes each with its record")
    tables = FleetTables(connection)
    cpu = time.process_time()
    grouped(tables)
    cpu = time.process_time() - cpu
    ours = shortest_s(lambda: grouped(tables), REPEATS)
    bare, indexed = in_sqlite(folder, connection, results)
    influx, wrote = in_influx(folder, connection, results)
    grouping = f"{results:,} results filtered, and grouped by memory"
    for peer, took in (("SQLite", bare), ("SQLite with an index", indexed), (f"InfluxDB {INFLUX}", influx)):
        tell(grouping, 1e3 * ours, 1e3 * took, "ms", peer)
    tell(f"{grouping}: processor", 1e3 * cpu, 100, "ms", "its limit", "<= 1")
    say(f"InfluxDB {INFLUX} wrote {results / wrote:,.0f} results/s")
    store = FleetStore(SETTINGS, load_published, connection=connection)
    query = GroupQuery(workload=WORKLOAD, level=LEVEL)
    answer("compare, first page of 50 of all labs (goal: 2 s)", connection, lambda: store.compare(query))
    answer("facets of all labs", connection, lambda: store.facets(query))
    per_lab = max(1, results // labs // 4)
    some = GroupQuery(
        workload=WORKLOAD, level=LEVEL, lab=[f"Lab {k + 1:04}" for k in range(min(labs, COMPARED_RUNS // per_lab))]
    )
    answer(f"compare, 200 of {len(some.lab)} labs with {per_lab * len(some.lab):,} runs (SQL goal: 1 s)", connection,
           lambda: store.compare(some, limit=200))  # fmt: skip
    ((runs,),) = connection.rows(
        f"SELECT groupArray(run) FROM (SELECT run FROM {connection.database}.result WHERE workload = %(workload)s "
        f"AND level = %(level)s ORDER BY cityHash64(run) LIMIT {COMPARED_RUNS})",
        {"workload": WORKLOAD, "level": LEVEL},
    )
    answer(f"documents of {len(runs):,} runs anywhere in the table, read and parsed", connection,
           lambda: list(tables.documents(runs)), repeats=1)  # fmt: skip
    answer("page of 100 runs", connection, lambda: store.rows_json(FleetRunQuery()))
    answer("list of ring comparisons", connection, lambda: store.rings(RingsQuery()))
    choice = store.rings(RingsQuery(workload=WORKLOAD, level=LEVEL)).rings[0]
    asked = RingQuery(workload=WORKLOAD, level=LEVEL, model=choice.server_model, memory=choice.memory)
    answer(f"ring comparison of {choice.labs} labs, {choice.runs:,} runs", connection, lambda: store.ring(asked))


def answer(title: str, connection: Timed, work: Callable[[], object], repeats: int = 3) -> None:
    """Measure an answer, and how much of it the engine took."""
    times = []
    for _ in range(repeats):
        connection.took = connection.cpu = 0.0
        begin, cpu = time.perf_counter(), time.process_time()
        work()
        times.append((time.perf_counter() - begin, connection.took, time.process_time() - cpu, connection.cpu))
    whole, sql, cpu, sql_cpu = min(times)
    say(f"{title}: {whole:.2f} s, {sql:.2f} s of it SQL (processor: {cpu:.2f} s and {sql_cpu:.2f} s)")


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
