"""The read side: results, traces, comparisons and tables from the store; a result is kept while its record holds."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Literal

from wattmark.analysis.rule_name import RuleName
from wattmark.analysis.slopes import AMB_MARGIN_W, AMB_W
from wattmark.annotations.record import Annotation
from wattmark.appliance.annotated import annotated
from wattmark.appliance.crosses import CrossShelf
from wattmark.appliance.kept import KeptAnswers
from wattmark.appliance.recalled import recalled, recalled_one, with_statement
from wattmark.appliance.run_view import run_view, traces_view
from wattmark.appliance.samples_file import SampleFormat, samples_file
from wattmark.build import build
from wattmark.certificates.shelf import Shelf
from wattmark.certificates.store import Stated
from wattmark.errors import InputError, NotFound
from wattmark.published.groups import published_groups
from wattmark.published.library import Library, published_out
from wattmark.published.views import PublishedOut
from wattmark.reconciliations.record import ReconciliationRecord
from wattmark.reconciliations.shelf import Reconciliations
from wattmark.reports.table import Table
from wattmark.reports.tables import compare_table, memory_table, results_table
from wattmark.results.break_even import break_even_view
from wattmark.results.break_even_views import BreakEvenOut
from wattmark.results.compare import choices, compare
from wattmark.results.evaluate import evaluate
from wattmark.results.idle_power import idle_power_w
from wattmark.results.kept_groups import KeptGroups
from wattmark.results.memory import memory_view
from wattmark.results.series import result_meters
from wattmark.results.views import CompareChoice, CompareOut, MemoryOut
from wattmark.results.yardstick import EFFICIENCY, Yardstick
from wattmark.runs.record import RunRecord, RunStatus
from wattmark.runs.result import Result
from wattmark.runs.views import RunOut, TracesOut
from wattmark.storage.open import Storage
from wattmark.storage.revision import revision

Rule = RuleName
Planted = Callable[[str], dict[str, float] | None]


class Queries:
    """Answer questions about stored runs; safe to call from several threads."""

    def __init__(self, storage: Storage, library: Library, planted: Planted = lambda _: None) -> None:
        self._storage = storage
        self._library = library
        self._planted = planted
        self._lock = threading.Lock()
        self._kept: dict[tuple[str, Rule], tuple[RunRecord, Stated, ReconciliationRecord | None, Result]] = {}
        self._shelf = Shelf()
        self._crosses = CrossShelf(storage.samples)
        self._groups = KeptGroups()
        self._answers = KeptAnswers(partial(revision, storage.database))

    def record(self, run_id: str) -> RunRecord:
        """Read the record of a run. Raises `NotFound`."""
        run = self._storage.runs.get(run_id)
        if run is None:
            raise NotFound(f"There is no run {run_id[:80]!r}.", "List the runs with `wattmark results`.")
        return run

    def shelf(self) -> Shelf:
        """Give the certificates and overrides as they stand now; they are read anew only after a change."""
        if self._storage.certificates.revision() != self._shelf.revision:
            self._shelf = self._storage.certificates.shelf()
        return self._shelf

    def result(self, run: RunRecord, rule: Rule = "complete") -> Result:
        """Give the latest stated version of a run's result; one not stated yet is evaluated with the shelf of now."""
        return self.evaluated(run, rule, self._storage.statements.last(run.run_id))

    def results(self, rule: Rule = "complete") -> list[Result]:
        """Evaluate all runs, oldest first."""
        return [result for _, result in self.measured(rule=rule)]

    def measured(self, workload: str | None = None, rule: Rule = "complete") -> list[tuple[RunRecord, Result]]:
        """Give all runs of a workload, or of all, with their results, oldest first."""
        pairs = self._answers.answer(("runs", rule), partial(self._evaluated, rule))
        return [
            (run, result if run.status is not RunStatus.RUNNING else self.result(run, rule))
            for run, result in pairs
            if workload in (None, run.workload)
        ]

    def _evaluated(self, rule: Rule) -> list[tuple[RunRecord, Result]]:
        stated, shelf = self._storage.statements.in_force(), self.shelf()
        runs = self._storage.runs.all()
        if rule == "complete":
            self._recall({run.run_id: run for run in runs if (run.run_id, rule) not in self._kept}, stated)
        return [(run, self.evaluated(run, rule, stated.get(run.run_id), shelf)) for run in runs]

    def _recall(self, runs: Mapping[str, RunRecord], stated: Mapping[str, Stated]) -> None:
        """Keep what was stated before this start, instead of evaluating it again."""
        for run_id, result in recalled(self._storage.statements, runs, stated).items():
            run, rests_on = runs[run_id], stated[run_id]
            with self._lock:
                self._kept[run_id, "complete"] = (run, rests_on, self.reconciliation(run, rests_on), result)

    def idle_power_w(self, run: RunRecord) -> float | None:
        """Average the power of a run's idle phases [W]; None where nothing tells it."""
        return idle_power_w(run, self._storage.samples)

    def results_of(self, campaign_id: str | None) -> list[Result]:
        """Evaluate the runs of one campaign in their order."""
        runs = [run for run in self._storage.runs.all() if campaign_id and run.campaign_id == campaign_id]
        return [self.result(run) for run in sorted(runs, key=lambda run: run.order)]

    def evaluated(self, run: RunRecord, rule: Rule, stated: Stated | None, shelf: Shelf | None = None) -> Result:
        """Give a result as it was stated, or evaluate it with the shelf as it stood then; kept for the very same.

        By another rule, for a record that changed since and for a version not stated yet, the run is evaluated by this
        build. ``shelf`` None reads the one of now.
        """
        shelf = self.shelf() if shelf is None else shelf
        rests_on = stated or Stated(version=0, stated_ns=0, shelf_revision=shelf.revision)
        held = self.reconciliation(run, stated)
        key = (run.run_id, rule)
        with self._lock:
            kept = self._kept.get(key)
        if kept is not None and kept[:3] == (run, rests_on, held):
            return kept[3]
        result = None
        if stated is not None and rule == "complete":
            result = recalled_one(self._storage.statements, run, stated)
        if result is None:
            on_shelf = shelf.at(rests_on.shelf_revision)
            result = evaluate(run, self._storage.samples, rule, on_shelf, rests_on.as_found, held)
            result = with_statement(result, stated and replace(stated, software=build()))
        if run.status is not RunStatus.RUNNING:
            with self._lock:
                self._kept[key] = (run, rests_on, held, result)
        return result

    def reconciliation(self, run: RunRecord, stated: Stated | None) -> ReconciliationRecord | None:
        """Find what holds the BMC of a run without a wall meter against one, as it stood when the run was stated."""
        meters = result_meters(run)
        if len(meters) != 1 or meters[0].role != "bmc":
            return None
        as_of_ns = None if stated is None else stated.stated_ns
        found = Reconciliations(self._storage.runs).in_force(run.server, meters[0].name, as_of_ns)
        return None if found is None or (found.simulated and not meters[0].simulated) else found

    def run(self, run_id: str, rule: Rule = "complete") -> RunOut:
        """Give one run whole, with its neighbours in time."""
        ids = [run.run_id for run in self._storage.runs.all()]
        run = self.record(run_id)
        at = ids.index(run_id)
        previous = ids[at - 1] if at else None
        following = ids[at + 1] if at + 1 < len(ids) else None
        said = self._storage.annotations.all().get(run_id, Annotation())
        return run_view(run, self.result(run, rule), previous, following, said)

    def traces(self, run_id: str, px: int, begin_s: float | None, end_s: float | None) -> TracesOut:
        """Give a run's series between two instants [Unix seconds] at screen resolution."""
        run = self.record(run_id)
        excluded = self._crosses.of(run, self.result(run))
        return traces_view(run, self._storage.samples, px, *_span_ns(begin_s, end_s), excluded=excluded)

    def samples(
        self, run_id: str, extension: SampleFormat, begin_s: float | None, end_s: float | None
    ) -> Iterator[bytes]:
        """Give the recorded samples of a run between two instants [Unix seconds] as a file, piece by piece."""
        run = self.record(run_id)
        return samples_file(self._storage.samples, run.run_id, extension, *_span_ns(begin_s, end_s))

    def delete(self, run_id: str) -> None:
        """Delete a run with its samples and everything that was stated or said about it."""
        self._storage.samples.delete_run(run_id)
        self._storage.runs.delete(run_id)
        self._storage.statements.delete(run_id)
        self._storage.annotations.delete(run_id)

    def choices(self) -> list[CompareChoice]:
        """List what can be compared."""
        return self._answers.answer("choices", lambda: choices(self.results(), published_groups(self._library)))

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
            lambda: compare(self.results(rule), workload, level, baseline, published, by, self._groups.build),
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
            lambda: memory_view(self.results(rule), server, workload, level, planted=planted, claim=claim),
            lambda _: self._settled(workload, level),
        )

    def break_even(self, servers: tuple[str, str], workload: str, level: str, rule: Rule = "complete") -> BreakEvenOut:
        """Find at how many DIMMs the advantage of one server over another is gone."""
        return break_even_view(self.results(rule), servers, workload, level)

    def _settled(self, workload: str, level: str) -> bool:
        """Tell whether none of the runs in question is recording: its figures change with every sample."""
        running = (workload, level, RunStatus.RUNNING)
        return not any((run.workload, run.level, run.status) == running for run in self._storage.runs.all())

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
            return annotated(results_table(self.results(rule)), self._storage.annotations.all())
        if name == "run":
            table = results_table([self.result(self.record(_need(run_id, "run_id")), rule)])
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
