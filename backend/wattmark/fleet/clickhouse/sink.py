"""Drain an outbox into ClickHouse: few large inserts, each acknowledged by the server before the outbox moves on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from wattmark.core.errors import StoreError
from wattmark.fleet.clickhouse.columns import Columns, row_columns, sample_columns
from wattmark.fleet.clickhouse.connection import Connection
from wattmark.fleet.clickhouse.problems import ClickHouseProblem
from wattmark.fleet.clickhouse.schema import Types, check_schema
from wattmark.fleet.clickhouse.tables import RESULT, RUN, SAMPLE, ClickHouseTable
from wattmark.fleet.clickhouse.written import written_after
from wattmark.fleet.dossiers.dossier import Dossier
from wattmark.fleet.dossiers.rows import result_columns, run_columns
from wattmark.fleet.sending.step import SendingProblem, Step, wait_s
from wattmark.store.outbox.outbox import Outbox
from wattmark.store.outbox.outbox_types import OutboxLoad, RefusedLine, RunToSend

ENOUGH = 10_000
"""Number of samples that justifies a separate insert."""
COLLECT_S = 10.0
"""How long fewer samples wait for more [s]."""
RUNS = 100
"""Records in one insert."""
_IDLE_S = 1.0
_COLLECTED_THERE = {"async_insert": 1, "wait_for_async_insert": 1}
"""A current server joins small inserts of many appliances, and answers when they are stored."""


class RunRecords(Protocol):
    """What knows the runs that samples belong to."""

    def gather(self, run_id: str) -> Dossier | None:
        """Collect everything about a run but its samples; None where the run is gone."""
        ...

    def lab(self, run_id: str) -> str:
        """Name the lab that recorded a run."""
        ...


class ClickHouseSink:
    """Drain an outbox into a server. One thread calls `step`."""

    def __init__(
        self,
        outbox: Outbox,
        connection: Connection,
        records: RunRecords,
        *,
        utc_ns: Callable[[], int],
        monotonic_ns: Callable[[], int],
        random: Callable[[], float],
        batch: int,
    ) -> None:
        self._outbox = outbox
        self._connection = connection
        self._records = records
        self._utc_ns = utc_ns
        self._monotonic_ns = monotonic_ns
        self._random = random
        self._batch = batch
        self._types: Types | None = None
        self._inserted_ns: int | None = None
        self._failures = 0

    def step(self, *, everything: bool = False) -> Step:
        """Insert the next samples, or the records of the next runs, if that is due. Raises `StoreError`.

        Samples are due when there are enough of them, or some have waited, or the record of a run changed, as it does
        at its end. ``everything``: whatever waits is due.
        """
        if not (everything or self._due()):
            return Step(0, _IDLE_S)
        try:
            self._types = self._types or check_schema(self._connection)
            load = self._outbox.take(self._batch)
            if load is not None:
                return self._send_load(load, self._types)
            runs = self._outbox.take_runs(RUNS)
            return self._send_runs(runs, self._types) if runs else Step(0, _IDLE_S)
        except ClickHouseProblem as problem:
            return self._failed(problem)

    def _due(self) -> bool:
        state = self._outbox.state()
        if self._failures or state.waiting_runs or state.waiting >= ENOUGH:
            return True
        now = self._monotonic_ns()
        collected = self._inserted_ns is None or now - self._inserted_ns >= COLLECT_S * 1e9
        return bool(state.waiting) and collected

    def _send_load(self, load: OutboxLoad, types: Types) -> Step:
        columns, refused = sample_columns(load.slices, self._records.lab)
        rows = len(columns["t_ns"])
        if rows:
            self._insert(SAMPLE, columns, types, {} if rows >= ENOUGH else _COLLECTED_THERE)
        self._outbox.acknowledge(load, self._utc_ns(), refused)
        self._inserted_ns = self._monotonic_ns()
        return self._succeeded(rows)

    def _send_runs(self, runs: Sequence[RunToSend], types: Types) -> Step:
        """Send the results first: a run that is listed has its result."""
        dossiers, refused = self._dossiers(runs)
        if dossiers:
            written = written_after(self._connection, [dossier.record.run_id for dossier in dossiers], self._utc_ns())
            results = [
                row
                for dossier in dossiers
                if (row := result_columns(dossier, written[dossier.record.run_id])) is not None
            ]
            if results:
                self._insert(RESULT, row_columns(RESULT, results), types, _COLLECTED_THERE)
            rows = [run_columns(dossier, written[dossier.record.run_id]) for dossier in dossiers]
            self._insert(RUN, row_columns(RUN, rows), types, _COLLECTED_THERE)
        self._outbox.acknowledge_runs(runs, self._utc_ns(), refused)
        return self._succeeded(len(runs))

    def _dossiers(self, runs: Sequence[RunToSend]) -> tuple[list[Dossier], list[RefusedLine]]:
        """Gather dossiers; one that cannot be read here does not block the others."""
        dossiers, refused = [], []
        for run in runs:
            try:
                dossier = self._records.gather(run.run_id)
            except StoreError as error:
                refused.append(RefusedLine(f"record of run {run.run_id}", str(error)))
                continue
            if dossier is not None:
                dossiers.append(dossier)
        return dossiers, refused

    def _insert(self, table: ClickHouseTable, columns: Columns, types: Types, settings: Mapping[str, object]) -> None:
        self._connection.insert(table.name, columns, [types[table.name][name] for name in columns], settings)

    def _failed(self, problem: ClickHouseProblem) -> Step:
        self._failures += 1
        self._types = None
        self._outbox.note_problem(problem.cause, problem.remedy, self._utc_ns())
        return Step(0, wait_s(self._failures, self._random), SendingProblem(problem.cause, problem.remedy))

    def _succeeded(self, sent: int) -> Step:
        self._failures = 0
        return Step(sent, 0.0)
