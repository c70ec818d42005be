"""The read side: runs, traces, comparisons and tables from the store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from wattmark.analysis.slopes import AMB_MARGIN_W, AMB_W
from wattmark.annotations.record import Annotation
from wattmark.appliance.annotated import annotated
from wattmark.appliance.crosses import CrossShelf
from wattmark.appliance.evaluations import Evaluations, Rule
from wattmark.appliance.orders import EvaluationOrder, MadeRows
from wattmark.appliance.run_list import RunList
from wattmark.appliance.run_view import run_view, traces_view
from wattmark.errors import EvaluationFailed, InputError
from wattmark.published.groups import published_groups
from wattmark.published.library import Library, published_out
from wattmark.published.views import PublishedOut
from wattmark.rawdata.blocks import Block, blocks
from wattmark.reports.table import Table
from wattmark.reports.tables import compare_table, memory_table, results_table
from wattmark.results.break_even import break_even_view
from wattmark.results.break_even_views import BreakEvenOut
from wattmark.results.compare import choices, compare
from wattmark.results.kept_groups import KeptGroups
from wattmark.results.memory import memory_view
from wattmark.results.views import CompareChoice, CompareOut, MemoryOut
from wattmark.results.yardstick import EFFICIENCY, Yardstick
from wattmark.runs.listing import ResultPage, ResultQuery, RunQuery, RunRows
from wattmark.runs.result import Result
from wattmark.runs.views import RunOut, TracesOut
from wattmark.storage.open import Storage

Planted = Callable[[str], dict[str, float] | None]


class Queries(Evaluations):
    """Answer questions about stored runs; safe to call from several threads."""

    def __init__(
        self,
        storage: Storage,
        library: Library,
        planted: Planted = lambda _: None,
        hurry: Callable[[], None] = lambda: None,
        compute: Callable[[EvaluationOrder], Result] | None = None,
    ) -> None:
        super().__init__(storage, compute)
        self._alone = compute is None
        self._library = library
        self._planted = planted
        self._crosses = CrossShelf(storage.samples)
        self._groups = KeptGroups()
        self._list = RunList(storage, self, hurry)

    def rows(self, query: RunQuery) -> RunRows:
        """Give a part of the list of runs, one line each, without reading whole results."""
        return self._list.page(query)

    def page(self, query: ResultQuery) -> ResultPage:
        """Give whole results of a part of the list of runs."""
        listed = self._list.whole_page(query)
        results = [result for _, result in self.each([row.run_id for row in listed.rows])]
        return ResultPage(total=listed.total, matching=listed.matching, results=results, next_offset=listed.next_offset)

    def make_rows(self) -> Iterator[None]:
        """Make the rows of the list of runs that wait to be made, a few at each step."""
        return self._list.make()

    def made_rows(self) -> MadeRows:
        """Hand over rows that were made here and are not on disk, for the process that writes."""
        return self._list.hand_over()

    def sum_up(self) -> None:
        """Make every row of the list of runs that is not there yet, where no other process does."""
        if self._alone:
            self._list.rows()

    def run(self, run_id: str, rule: Rule = "complete") -> RunOut:
        """Give one run whole, with its neighbours in time; one that cannot be read or evaluated says why."""
        ids = self._storage.runs.ids()
        run = self.known(run_id)
        at = ids.index(run_id) if run_id in ids else -1
        previous = ids[at - 1] if at > 0 else None
        following = ids[at + 1] if 0 <= at < len(ids) - 1 else None
        said = self._storage.annotations.all().get(run_id, Annotation())
        return run_view(run, self.shown(run, rule), previous, following, said)

    def whole(self, run_ids: Sequence[str]) -> Iterator[RunOut]:
        """Give runs whole, one after the other, without their neighbours in time."""
        said = self._storage.annotations.all()
        for run, result in self.each(run_ids):
            yield run_view(run, result, None, None, said.get(run.run_id, Annotation()))

    def traces(self, run_id: str, px: int, begin_s: float | None, end_s: float | None) -> TracesOut:
        """Give a run's series between two instants [Unix seconds] at screen resolution."""
        run = self.record(run_id)
        try:
            excluded = self._crosses.of(run, self.result(run))
        except EvaluationFailed:
            excluded = []
        return traces_view(run, self._storage.samples, px, *_span_ns(begin_s, end_s), excluded=excluded)

    def samples(self, run_id: str, begin_s: float | None, end_s: float | None) -> Iterator[Block]:
        """Give the recorded samples of a run between two instants [Unix seconds], block by block."""
        samples = self._storage.samples
        return blocks(samples, samples.list_series(self.record(run_id).run_id), *_span_ns(begin_s, end_s))

    def delete(self, run_id: str) -> None:
        """Delete a run with its samples and everything that was stated or said about it."""
        self._storage.samples.delete_run(run_id)
        self._storage.runs.delete(run_id)
        self._storage.statements.delete(run_id)
        self._storage.annotations.delete(run_id)

    def choices(self) -> list[CompareChoice]:
        """List what can be compared."""
        return self._answers.answer("choices", lambda: choices(self._list.rows(), published_groups(self._library)))

    def compare(
        self,
        workload: str,
        level: str,
        baseline: str | None = None,
        by: Yardstick = EFFICIENCY,
        rule: Rule = "complete",
    ) -> CompareOut:
        """Compare configurations under one workload and level, published figures beside them."""
        published = published_groups(self._library, workload)
        return self._answers.answer(
            ("compare", workload, level, baseline, by, rule),
            lambda: compare(
                self.results(rule, workload), workload, level, baseline, published, by, build=self._groups.build
            ),
            lambda _: self._settled(workload, level),
        )

    def memory(
        self,
        server: str,
        workload: str,
        level: str,
        claim: tuple[float, float] = (AMB_W, AMB_MARGIN_W),
        rule: Rule = "complete",
    ) -> MemoryOut:
        """Fit watts against DIMM count for one server, and hold the slope against a claim [W/DIMM] with its margin."""
        planted = self._planted(server)
        return self._answers.answer(
            ("memory", server, workload, level, claim, rule),
            lambda: memory_view(self.results(rule, workload), server, workload, level, planted=planted, claim=claim),
            lambda _: self._settled(workload, level),
        )

    def break_even(self, servers: tuple[str, str], workload: str, level: str, rule: Rule = "complete") -> BreakEvenOut:
        """Find at how many DIMMs the advantage of one server over another is gone."""
        return break_even_view(self.results(rule, workload), servers, workload, level)

    def _settled(self, workload: str, level: str) -> bool:
        """Tell whether none of the runs in question is recording: its figures change with every sample."""
        return not any((run.workload, run.level) == (workload, level) for run in self._storage.runs.running())

    def published(self) -> PublishedOut:
        """Give the published library."""
        return published_out(self._library)

    def table(
        self,
        name: Literal["results", "compare", "memory", "run"],
        *,
        run_id: str | None = None,
        server: str | None = None,
        workload: str | None = None,
        level: str | None = None,
        baseline: str | None = None,
        by: Yardstick = EFFICIENCY,
        claim: tuple[float, float] = (AMB_W, AMB_MARGIN_W),
        rule: Rule = "complete",
    ) -> Table:
        """Build a table for export. Raises `InputError` naming the parameter that is missing."""
        if name == "results":
            return annotated(
                results_table(result for _, result in self.each(rule=rule)), self._storage.annotations.all()
            )
        if name == "run":
            table = results_table([self.shown(self.known(_need(run_id, "run_id")), rule)])
            return annotated(table, self._storage.annotations.all())
        workload, level = _need(workload, "workload"), _need(level, "level")
        if name == "compare":
            return compare_table(self.compare(workload, level, baseline, by, rule))
        return memory_table(self.memory(_need(server, "server"), workload, level, claim, rule))


def _need(value: str | None, name: str) -> str:
    if value is None:
        raise InputError(f"This table needs the parameter {name}.", f"Add {name}=... to the request.")
    return value


def _span_ns(begin_s: float | None, end_s: float | None) -> tuple[int | None, int | None]:
    if begin_s is not None and end_s is not None and end_s <= begin_s:
        raise InputError("The end of the range lies before its beginning.", "Exchange begin_s and end_s.")
    return _ns(begin_s), _ns(end_s)


def _ns(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * 1e9)
