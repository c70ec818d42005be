"""The store of a fleet, read only: runs, single runs and comparisons of all labs, by the functions of an appliance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock

from wattmark.comparison.compare.compare import counted_choices
from wattmark.comparison.compare.groups import SIMULATED
from wattmark.comparison.compare.views import CompareChoice, CompareDetails, MatrixOut
from wattmark.comparison.compare.yardstick import EFFICIENCY, ComparedBy, Yardstick
from wattmark.comparison.comparisons import Comparisons
from wattmark.comparison.memory.views import MemoryOut
from wattmark.comparison.parts.views import PartSlope, PartsOut, PooledSlope
from wattmark.comparison.published.groups import published_groups
from wattmark.comparison.published.library import Library, published_out
from wattmark.comparison.published.views import PublishedOut
from wattmark.comparison.ring.views import RingOut, RingsOut
from wattmark.comparison.scaling.sweeps import SweepOut
from wattmark.core.errors import InputError, StoreError
from wattmark.fleet.clickhouse.connection import Connection
from wattmark.fleet.clickhouse.schema import check_schema
from wattmark.fleet.clickhouse.settings import PREFIX, ClickHouseSettings
from wattmark.fleet.reading.fleet_compare import PUBLISHED, compare_page
from wattmark.fleet.reading.fleet_groups import facets
from wattmark.fleet.reading.fleet_results import FleetResults, limited_run_ids
from wattmark.fleet.reading.fleet_ring import ring_of, rings
from wattmark.fleet.reading.fleet_rows import row_facets, row_page
from wattmark.fleet.reading.fleet_run import FleetRun, as_shown
from wattmark.fleet.reading.fleet_tables import FleetTables, for_readers
from wattmark.fleet.reading.lab_names import builds_keyed, machines_named
from wattmark.fleet.reading.views import (
    FacetsOut,
    FleetCompareOut,
    FleetLab,
    FleetOut,
    FleetRunQuery,
    GroupQuery,
    RingQuery,
    RingsQuery,
)
from wattmark.fleet.reading.where import BUILD, Where
from wattmark.results.pages.listing import RunFacets
from wattmark.results.pages.run_details import RunDetails
from wattmark.results.result import Result


class FleetStore:
    """Read a fleet, whichever role the settings have; safe for several threads. Methods raise `StoreError`."""

    def __init__(
        self,
        settings: ClickHouseSettings | None,
        library: Callable[[], Library],
        *,
        alone: bool = False,
        connection: Connection | None = None,
    ) -> None:
        """``alone``: the service has nothing else. ``connection``: one that exists already."""
        self._settings = settings
        self._library = library
        self._alone = alone
        self._connection = connection
        self._opening = Lock()

    def out(self) -> FleetOut:
        """Describe the fleet, or explain why it cannot be read."""
        if self._settings is None:
            return FleetOut(target=None, alone=self._alone)
        out = FleetOut(target=self._settings.target, alone=self._alone)
        try:
            check_schema(self._connected())
            rows = self.tables.results("lab, count() AS n", Where(), "GROUP BY lab ORDER BY lab")
        except StoreError as error:
            return out.model_copy(update={"problem": error.cause, "remedy": for_readers(error).remedy})
        labs = [FleetLab(name=lab, runs=n) for lab, n in rows]
        return out.model_copy(update={"labs": labs, "runs": sum(lab.runs for lab in labs)})

    @property
    def target(self) -> str | None:
        """Return address and database, without secrets; None where no store is named."""
        return None if self._settings is None else self._settings.target

    @property
    def tables(self) -> FleetTables:
        """Return the tables. Raises `InputError` where no store is named."""
        return FleetTables(self._connected())

    def close(self) -> None:
        """Close the connection; the next question opens it again."""
        with self._opening:
            if self._connection is not None:
                self._connection.close()

    def rows_json(self, query: FleetRunQuery) -> bytes:
        """Return a page of the runs as JSON of `RunRows`."""
        return row_page(self.tables, query)

    def row_facets(self, query: FleetRunQuery) -> RunFacets:
        """Count the runs by what they can be filtered by, each value under the other filters."""
        return row_facets(self.tables, query)

    def run(self, run_id: str, *, recomputed: bool = False) -> RunDetails:
        """Return the pages of a run. Raises `NotFound`."""
        tables = self.tables
        run = FleetRun(tables, tables.run(run_id), recomputed=recomputed)
        return RunDetails(run, run.samples)

    def of_run(self, run_id: str) -> RunDetails:
        """Return the pages of a run as its lab issued it. Raises `NotFound`."""
        return self.run(run_id)

    def results(self, workload: str | None = None, level: str | None = None, labs: Sequence[str] = ()) -> list[Result]:
        """Return results as they were issued, oldest first. Raises `InputError` for too many."""
        where, tables = Where(), self.tables
        where.equal("workload", workload)
        where.equal("level", level)
        where.among("lab", labs)
        return [as_shown(result, lab) for lab, result in tables.documents(limited_run_ids(tables, where))]

    def choices(self) -> list[CompareChoice]:
        """List the workloads and levels at which configurations can be compared."""
        select = f"workload, level, uniqExact({BUILD}) AS n"
        measured = self.tables.results(select, Where(), "GROUP BY workload, level")
        return counted_choices(
            {(workload, level): n for workload, level, n in measured}, published_groups(self._library())
        )

    def facets(self, query: GroupQuery) -> FacetsOut:
        """Count the configurations by what they can be filtered by."""
        return facets(self.tables, query)

    def compare(
        self,
        query: GroupQuery,
        baseline: str | None = None,
        by: Yardstick = EFFICIENCY,
        offset: int = 0,
        limit: int = 50,
        *,
        any_version: bool = False,
    ) -> FleetCompareOut:
        """Compare a page of configurations, best first. Raises `InputError` where none matches."""
        return compare_page(self.tables, self._library, query, baseline, by, offset, limit, any_version=any_version)

    def details(
        self, workload: str, level: str, key: str, baseline: str | None = None, by: Yardstick = EFFICIENCY
    ) -> CompareDetails:
        """Find what limits the ± of one configuration, and its ratio to the baseline. Raises `InputError`."""
        return self._of_keys([key, baseline or key]).details(workload, level, key, baseline, by)

    def matrix(self, keys: Sequence[str], baseline: str, figure: ComparedBy = "efficiency") -> MatrixOut:
        """Compare configurations under every workload that they ran, as multiples of the baseline's figure."""
        return self._of_keys([*keys, baseline]).matrix(keys, baseline, figure)

    def memory(
        self,
        server: str,
        workload: str,
        level: str,
        claim: tuple[float, float] | None = None,
        *,
        modules: str | None = None,
    ) -> MemoryOut:
        """Fit watts against DIMM count for one server, named with its lab."""
        results = FleetResults(self.tables, machines_named(server))
        return self._comparisons(results).memory(server, workload, level, claim, modules=modules)

    def memory_slopes(self, workload: str, level: str, labs: Sequence[str] = ()) -> list[PartSlope]:
        """Fit watts against DIMM count for every server that ran with several. Raises `InputError` for too many."""
        several = "uniqExact(dimm_count) > 1"
        return self._of_machines(workload, level, labs, several).memory_slopes(workload, level)

    def memory_pooled(self, workload: str, level: str, labs: Sequence[str] = ()) -> list[PooledSlope]:
        """Pool watts per DIMM over the servers that have one kind of modules. Raises `InputError` for too many."""
        several = "uniqExact(dimm_count) > 1"
        return self._of_machines(workload, level, labs, several).memory_pooled(workload, level)

    def parts(self, part: str, server: str, workload: str, level: str) -> PartsOut:
        """Fit watts against the number of parts of one server, named with its lab. Raises `InputError`."""
        results = FleetResults(self.tables, machines_named(server))
        return self._comparisons(results).parts(part, server, workload, level)

    def part_slopes(self, kind: str, workload: str, level: str, labs: Sequence[str] = ()) -> list[PartSlope]:
        """Fit watts against the number of parts for every server with several runs. Raises `InputError` for too many.

        Which parts a run had is in its record, and in no column.
        """
        return self._of_machines(workload, level, labs, "count() > 1").part_slopes(kind, workload, level)

    def sweeps(self, workload: str, from_level: float | None, labs: Sequence[str] = ()) -> list[SweepOut]:
        """Return every configuration that ran at several levels. Raises `InputError` for too many."""
        several = "GROUP BY lab, server, configuration HAVING uniqExact(level) > 1"
        tables = self.tables
        swept = [
            (lab, server, configuration)
            for lab, server, configuration in tables.results(
                "lab, server, configuration", _of_labs(workload, labs), several
            )
        ]
        return self._comparisons(FleetResults.of_builds(tables, swept)).sweeps(workload, from_level)

    def rings(self, query: RingsQuery) -> RingsOut:
        """List what at least two labs measured alike."""
        return rings(self.tables, query)

    def ring(self, query: RingQuery) -> RingOut:
        """Compare the labs that measured a model. Raises `InputError` where fewer than two did."""
        return ring_of(self.tables, query)

    def published(self) -> PublishedOut:
        """Return the published articles, their figures and conclusions."""
        return published_out(self._library())

    def _of_keys(self, keys: Sequence[str]) -> Comparisons:
        measured = [key.removesuffix(SIMULATED) for key in keys if not key.startswith(PUBLISHED)]
        return self._comparisons(
            FleetResults.of_builds(self.tables, [b for key in measured for b in builds_keyed(key)])
        )

    def _of_machines(self, workload: str, level: str, labs: Sequence[str], several: str) -> Comparisons:
        """Choose the machines of some labs whose runs of a workload and level fulfil a condition in SQL."""
        where, tables = _of_labs(workload, labs), self.tables
        where.equal("level", level)
        grouped = f"GROUP BY lab, server HAVING {several}"
        machines = [(lab, server) for lab, server in tables.results("lab, server", where, grouped)]
        return self._comparisons(FleetResults(tables, machines))

    def _comparisons(self, results: FleetResults) -> Comparisons:
        return Comparisons(results, self._library)

    def _connected(self) -> Connection:
        if self._settings is None:
            raise InputError("No fleet store is configured.", f"Start the service with {PREFIX}URL.")
        with self._opening:
            if self._connection is None:
                self._connection = Connection(self._settings)
            return self._connection


def _of_labs(workload: str, labs: Sequence[str]) -> Where:
    where = Where()
    where.equal("workload", workload)
    where.among("lab", labs)
    return where
