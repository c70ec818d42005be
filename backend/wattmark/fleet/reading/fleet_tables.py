"""The tables of a fleet as they are read: lists and counts from plain columns, records and results by their runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from numpy.typing import NDArray

from wattmark.core.errors import NotFound, StoreError
from wattmark.core.instants import iso
from wattmark.fleet.clickhouse.problems import WAIT
from wattmark.fleet.clickhouse.settings import PREFIX
from wattmark.fleet.dossiers.dossier import Dossier, read_dossier
from wattmark.fleet.reading.lab_names import named_server
from wattmark.fleet.reading.where import Where
from wattmark.results.issued.row_store import ComparedRun
from wattmark.results.result import Result

AT_ONCE = 250
"""Runs whose documents are asked for at once."""
_ACROSS = "do_not_merge_across_partitions_select_final"
"""A run stays in the month of its creation, so that months need not be compared with each other."""


class Answering(Protocol):
    """What answers queries: a connection."""

    @property
    def database(self) -> str: ...
    @property
    def target(self) -> str: ...

    def knows(self, setting: str) -> bool:
        """Return whether the server has a setting of that name."""
        ...

    def rows(self, sql: str, parameters: Mapping[str, object] | None = None) -> list[tuple[Any, ...]]:
        """Query rows. Raises `StoreError`."""
        ...

    def columns(self, sql: str, parameters: Mapping[str, object] | None = None) -> list[NDArray[Any]]:
        """Query columns as arrays. Raises `StoreError`."""
        ...


@dataclass(frozen=True, slots=True)
class FleetRow:
    """A run as the fleet has it: the lab that recorded it, and its dossier with the result as issued last."""

    lab: str
    dossier: Dossier


class FleetTables:
    """Query the tables; safe for several threads where the connection is. All methods raise `StoreError`."""

    def __init__(self, connection: Answering) -> None:
        self._connection = connection

    @property
    def target(self) -> str:
        return self._connection.target

    def results(self, select: str, where: Where, rest: str = "") -> list[tuple[Any, ...]]:
        """Query plain columns of the latest row of each result; ``rest`` groups, orders and limits them."""
        return self.query(self.select(select, where, rest), where.parameters)

    def select(self, select: str, where: Where, rest: str = "") -> str:
        """Write the same as a query, which may stand inside another one."""
        return f"SELECT {select} FROM {self._table('result')} FINAL WHERE {where.sql} {rest}"  # noqa: S608

    def query(self, sql: str, parameters: Mapping[str, object]) -> list[tuple[Any, ...]]:
        """Query rows."""
        with _explained():
            return self._connection.rows(f"{sql}{self._settings()}", parameters)

    def runs(self, select: str, where: Where, rest: str = "") -> list[tuple[Any, ...]]:
        """Query plain columns of the latest row of each run."""
        sql = f"SELECT {select} FROM {self._table('run')} FINAL WHERE {where.sql} {rest}"  # noqa: S608
        return self.query(sql, where.parameters)

    def samples(self, select: str, where: str, rest: str, parameters: Mapping[str, object]) -> list[NDArray[Any]]:
        """Query columns of samples, each sample once, as arrays."""
        sql = f"SELECT {select} FROM {self._table('sample')} FINAL WHERE {where} {rest}"  # noqa: S608
        with _explained():
            return self._connection.columns(sql, parameters)

    def lines(self, run_ids: Sequence[str]) -> dict[str, tuple[str, str]]:
        """Read labs and rows of the list of runs, as JSON."""
        return {run_id: (lab, line) for run_id, lab, line in self._latest("result", "line", run_ids)}

    def documents(self, run_ids: Sequence[str]) -> Iterator[tuple[str, Result]]:
        """Read labs and results as they were issued last, in the order of the runs; deleted ones are excluded."""
        for first in range(0, len(run_ids), AT_ONCE):
            some = run_ids[first : first + AT_ONCE]
            latest = {run_id: (lab, text) for run_id, lab, text in self._latest("result", "document", some)}
            for run_id in some:
                if run_id in latest:
                    lab, text = latest[run_id]
                    yield lab, _read_result(text, run_id)

    def records(self, run_ids: Sequence[str]) -> dict[str, FleetRow]:
        """Read labs and dossiers, without results."""
        rows = self._latest("run", "record", run_ids)
        return {run_id: FleetRow(lab, read_dossier(text.encode(), run_id)) for run_id, lab, text in rows}

    def run(self, run_id: str) -> FleetRow:
        """Read a run with its result. Raises `NotFound`."""
        row = self.records([run_id]).get(run_id)
        if row is None:
            raise NotFound(f"The fleet has no run {run_id[:80]!r}.", "Reload the list.")
        result = next((result for _, result in self.documents([run_id])), None)
        return FleetRow(row.lab, row.dossier.model_copy(update={"result": result}))

    def ran(self, where: Where) -> list[ComparedRun]:
        """List the runs with an issued result as comparisons select them, oldest first; servers with their labs."""
        names = "run, lab, server, configuration, workload, level, dimm_count, created_ns, status"
        return [
            ComparedRun(
                None,
                run_id,
                named_server(server, lab),
                configuration,
                workload,
                level,
                dimms,
                iso(created_ns, "microseconds"),
                None,
                status,
            )
            for run_id, lab, server, configuration, workload, level, dimms, created_ns, status in self.results(
                names, where, "ORDER BY created_ns, run"
            )
        ]

    def _latest(self, table: str, column: str, run_ids: Sequence[str]) -> Iterator[tuple[str, str, str]]:
        """Read a large column by the primary key, without the work of FINAL on all other rows."""
        for first in range(0, len(run_ids), AT_ONCE):
            sql = f"""SELECT run, lab, {column}, deleted FROM {self._table(table)} PREWHERE run IN %(runs)s
              ORDER BY run, written_ns DESC LIMIT 1 BY run"""  # noqa: S608
            with _explained():
                rows = self._connection.rows(sql, {"runs": tuple(run_ids[first : first + AT_ONCE])})
            yield from ((run_id, lab, text) for run_id, lab, text, deleted in rows if not deleted)

    def _table(self, name: str) -> str:
        return f"{self._connection.database}.{name}"

    def _settings(self) -> str:
        return f" SETTINGS {_ACROSS} = 1" if self._connection.knows(_ACROSS) else ""


def for_readers(error: StoreError) -> StoreError:
    """Return a failure of the server with the remedy for a reader; a sink only has to wait."""
    if not error.remedy.endswith(WAIT):
        return error
    more = error.remedy.removesuffix(WAIT).strip()
    return StoreError(error.cause, more or f"Try again when the server runs, or correct {PREFIX}URL.")


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except StoreError as error:
        raise for_readers(error) from error


def _read_result(text: str, run_id: str) -> Result:
    try:
        return Result.model_validate_json(text)
    except ValueError:
        raise StoreError(
            f"The result of run {run_id} in the fleet store cannot be read.",
            "Update this wattmark, or send the run again: wattmark store sync --again.",
        ) from None
