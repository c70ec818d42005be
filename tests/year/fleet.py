"""The store of a fleet: a ClickHouse server in memory that replaces rows by their keys, is away, and loses answers."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clickhouse_connect.driver.exceptions import OperationalError
from wattmark.fleet.clickhouse.connection import Connection
from wattmark.fleet.clickhouse.settings import ClickHouseSettings
from wattmark.fleet.clickhouse.sink import ClickHouseSink
from wattmark.fleet.clickhouse.tables import LAYOUT, SAMPLE, SCHEMA, TABLES
from wattmark.fleet.clickhouse.target import make_sink
from wattmark.fleet.dossiers.dossiers import Dossiers
from wattmark.fleet.sending.sinks import Target
from wattmark.store.outbox.outbox import Outbox
from wattmark_drivers.clock import Clock

TAKES_S = (0.002, 0.05)
VERSION = "26.9.1.1"


@dataclass(frozen=True, slots=True)
class _Rows:
    result_rows: list[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class _Done:
    written_rows: int
    summary: Mapping[str, str]


class FleetStore:
    """A server as its client shows it (`clickhouse_connect.driver.client.Client`), for as much as a sink asks."""

    server_version = VERSION
    server_settings: Mapping[str, object] = {}

    def __init__(self, chance: random.Random, spend_s: Callable[[float], None]) -> None:
        self._chance = chance
        self._spend_s = spend_s
        self._tables: dict[str, dict[tuple[Any, ...], tuple[Any, ...]]] = {table.name: {} for table in TABLES}
        self.away = False
        """Nothing is answered."""
        self.lost_answers = 0
        """How many of the next inserts are stored, and the answer is lost."""

    def target(self) -> Target:
        """Return it as what a service sends to."""
        settings = ClickHouseSettings(url="http://fleet:8123")
        client: Any = self

        def make(outbox: Outbox, dossiers: Dossiers, clock: Clock) -> ClickHouseSink:
            return make_sink(Connection(settings, client), settings.batch, outbox, dossiers, clock)

        return Target("ClickHouse", settings.target, True, make, lambda *_: [])

    def query(self, sql: str, parameters: Mapping[str, Any] | None = None) -> _Rows:
        self._answer()
        if "system.columns" in sql:
            columns = [(table.name, column.name, column.type) for table in TABLES for column in table.columns]
            return _Rows([*columns, (SCHEMA, "layout", "UInt32"), (SCHEMA, "software", "String")])
        if "SELECT layout" in sql:
            return _Rows([(LAYOUT, "simulation")])
        assert "max(written_ns)" in sql, sql
        runs = set((parameters or {})["runs"])
        return _Rows([(run, written) for run, written in self._written().items() if run in runs])

    def insert(self, table: str, data: Sequence[Sequence[Any]], column_names: Sequence[str], **_: Any) -> _Done:
        self._answer()
        (declared,) = (each for each in TABLES if each.name == table)
        places = [list(column_names).index(name) for name in declared.key]
        rows = list(zip(*data, strict=True))
        for row in rows:
            self._tables[table][tuple(row[place] for place in places)] = (*column_names, row)
        if self.lost_answers:
            self.lost_answers -= 1
            raise OperationalError("Error 104: the connection was reset before an answer came")
        return _Done(len(rows), {"query_id": "1"})

    def command(self, statement: str) -> int:
        self._answer()
        assert statement == "SELECT 1"
        return 1

    def close(self) -> None:
        """Close nothing."""

    def samples_by_run(self) -> Counter[str]:
        """Count the samples that are there, by run."""
        place = list(SAMPLE.key).index("run")
        return Counter(str(key[place]) for key in self._tables[SAMPLE.name])

    def _answer(self) -> None:
        self._spend_s(self._chance.uniform(*TAKES_S))
        if self.away:
            raise OperationalError("Error 111: connection refused")

    def _written(self) -> dict[str, int]:
        written: dict[str, int] = {}
        for *names, row in self._tables["run"].values():
            run, at_ns = row[names.index("run")], row[names.index("written_ns")]
            written[run] = max(written.get(run, 0), int(at_ns))
        return written
