"""Results of stored runs: as stated, or evaluated once and kept while all that they rest on stays the same."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import partial

from wattmark.analysis.rule_name import RuleName
from wattmark.appliance.failures import Failures
from wattmark.appliance.kept import KeptAnswers, Newest
from wattmark.appliance.orders import EvaluationOrder
from wattmark.appliance.recalled import recalled, recalled_one, with_statement
from wattmark.build import build
from wattmark.certificates.shelf import Shelf
from wattmark.certificates.store import Stated
from wattmark.errors import NotFound, StoreError
from wattmark.reconciliations.record import ReconciliationRecord
from wattmark.reconciliations.shelf import Reconciliations
from wattmark.results.evaluate import evaluate
from wattmark.results.failed import failed_result
from wattmark.results.series import result_meters
from wattmark.runs.inclusion import Inclusion
from wattmark.runs.origin import machine
from wattmark.runs.record import RunRecord, RunStatus
from wattmark.runs.result import Result
from wattmark.storage.damaged_run import DamagedRun
from wattmark.storage.open import Storage
from wattmark.storage.revision import revision
from wattmark.uncollected import uncollected

Rule = RuleName
MANY = 1000
"""As many results at once are there to stay."""
_STEP = 50
"""As many results are read ahead at a time: 20 ms."""
PAGE = 250
"""As many results are there at once where all runs are gone through one after the other: 16 MB."""
MOST_KEPT = 4000
"""As many results are kept for who asks next: 260 MB."""
_Kept = tuple[RunRecord, Stated, ReconciliationRecord | None, Result]


class Evaluations:
    """Give the results of runs; safe to call from several threads."""

    def __init__(self, storage: Storage, compute: Callable[[EvaluationOrder], Result] | None = None) -> None:
        """``compute`` evaluates in another process; None: here."""
        self._storage = storage
        self._compute = compute or self.compute
        self._recalling = threading.Lock()
        self._kept: Newest[tuple[str, Rule], _Kept] = Newest(MOST_KEPT)
        self._shelf = Shelf()
        self._failures = Failures()
        self._answers = KeptAnswers(partial(revision, storage.database))
        self._listed_last = KeptAnswers(partial(revision, storage.database), most=1)

    def record(self, run_id: str) -> RunRecord:
        """Read the record of a run. Raises `NotFound`."""
        run = self._storage.runs.get(run_id)
        if run is None:
            raise NotFound(f"There is no run {run_id[:80]!r}.", "List the runs with `wattmark results`.")
        return run

    def known(self, run_id: str) -> RunRecord:
        """Read the record of a run, or what stands for a damaged one. Raises `NotFound`."""
        return self._storage.runs.known(run_id) or self.record(run_id)

    def ids(self) -> list[str]:
        """List all runs, oldest first."""
        return self._storage.runs.ids()

    def shelf(self) -> Shelf:
        """Give the certificates and overrides as they stand now; they are read anew only after a change."""
        if self._storage.certificates.revision() != self._shelf.revision:
            self._shelf = self._storage.certificates.shelf()
        return self._shelf

    def result(self, run: RunRecord, rule: Rule = "complete", *, keep: bool = True) -> Result:
        """Give the latest stated version of a run's result; one not stated yet is evaluated with the shelf of now.

        Whoever goes through many runs does not ``keep`` them. Raises `StoreError` where it cannot be read or
        evaluated; `shown` says so in the result instead.
        """
        return self.evaluated(run, rule, self._storage.statements.last(run.run_id), keep=keep)

    def stated(self, run_id: str) -> Result:
        """Give what stands of a run, by its id. Raises `NotFound`."""
        return self.result(self.record(run_id))

    def shown(self, run: RunRecord, rule: Rule = "complete") -> Result:
        """Give what a list, a page or an export shows of a run, with a person's choice to rank it where there is one.

        One that cannot be read or evaluated is shown as failed, with what happened and what to do.
        """
        return _with_choice(self.listed(run, rule), self._inclusions())

    def _inclusions(self) -> Mapping[str, Inclusion]:
        return self._answers.answer("inclusions", self._storage.annotations.inclusions)

    def results(self, rule: Rule = "complete", workload: str | None = None) -> list[Result]:
        """Give the results of all runs, or of a workload's, oldest first."""
        return [result for _, result in self.measured(workload, rule)]

    def measured(self, workload: str | None = None, rule: Rule = "complete") -> list[tuple[RunRecord, Result]]:
        """Give all runs of a workload, or of all, with their results, oldest first: 65 kB each, all at once."""
        pairs = self._listed_last.answer(
            ("runs", rule, workload), partial(self._all, rule, workload), lambda pairs: len(pairs) <= MOST_KEPT
        )
        return [
            (run, result if run.status is not RunStatus.RUNNING else self.shown(run, rule)) for run, result in pairs
        ]

    def each(self, run_ids: Sequence[str] | None = None, rule: Rule = "complete") -> Iterator[tuple[RunRecord, Result]]:
        """Give runs with their results one after the other, never more than a page of them at once.

        They come in the order of their ids; None: all, oldest first. What was deleted meanwhile is left out.
        """
        run_ids = self.ids() if run_ids is None else run_ids
        for first in range(0, len(run_ids), PAGE):
            yield from self._page(run_ids[first : first + PAGE], rule)

    def _page(self, run_ids: Sequence[str], rule: Rule) -> list[tuple[RunRecord, Result]]:
        with uncollected():
            pairs = self._evaluated(self._storage.runs.some(run_ids), rule)
            page = {run.run_id: (run, result) for run, result in pairs}
        return [page[run_id] for run_id in run_ids if run_id in page]

    def _all(self, rule: Rule, workload: str | None) -> list[tuple[RunRecord, Result]]:
        runs = self._storage.runs.listed(workload)
        with uncollected(lasting=len(runs) >= MANY):
            return list(self._evaluated(runs, rule, keep=len(runs) <= MOST_KEPT))

    def _evaluated(
        self, runs: Sequence[RunRecord], rule: Rule, *, keep: bool = False
    ) -> Iterator[tuple[RunRecord, Result]]:
        """Give what stands of runs; what was stated before this start is read, and not evaluated again."""
        names, shelf, chosen = [run.run_id for run in runs], self.shelf(), self._inclusions()
        stated = self._storage.statements.in_force(names)
        fresh = self._recall(runs, stated, keep=keep) if rule == "complete" else {}
        for run in runs:
            result = fresh.pop(run.run_id, None) or self.listed(run, rule, stated.get(run.run_id), shelf)
            yield run, _with_choice(result, chosen)

    def listed(
        self, run: RunRecord, rule: Rule = "complete", stated: Stated | None = None, shelf: Shelf | None = None
    ) -> Result:
        """Give a run's result for a list, in which one that cannot be read or evaluated is shown as failed alone."""
        try:
            return self.evaluated(run, rule, stated or self._storage.statements.last(run.run_id), shelf)
        except StoreError as error:
            return failed_result(run, error)

    def recall(self, most: int) -> Iterator[None]:
        """Read the stated results of the newest runs that are not there yet, a few at each step."""
        run_ids, stated = self._storage.runs.ids()[: -most - 1 : -1], self._storage.statements.in_force()
        for first in range(0, len(run_ids), _STEP):
            with uncollected():
                known = (self._storage.runs.known(run_id) for run_id in run_ids[first : first + _STEP])
                self._recall([run for run in known if run is not None], stated)
            yield

    def _recall(
        self, listed: Sequence[RunRecord], stated: Mapping[str, Stated], *, keep: bool = True
    ) -> dict[str, Result]:
        """Read what was stated before this start and is not kept yet, instead of evaluating it again."""
        with self._recalling if keep else nullcontext():
            sound = [run for run in listed if not isinstance(run, DamagedRun)]
            runs = {run.run_id: run for run in sound if (run.run_id, "complete") not in self._kept}
            results = recalled(self._storage.statements, runs, stated)
            for run_id, result in results.items() if keep else ():
                run, rests_on = runs[run_id], stated[run_id]
                entry: tuple[str, Rule] = (run_id, "complete")
                with suppress(StoreError):  # one whose reconciliation cannot be read is read when asked for
                    self._kept.put(entry, (run, rests_on, self.reconciliation(run, rests_on), result))
        return results

    def results_of(self, campaign_id: str | None) -> list[Result]:
        """Evaluate the runs of one campaign in their order."""
        return [result for _, result in self.each(self.runs_of(campaign_id))]

    def runs_of(self, campaign_id: str | None) -> list[str]:
        """List the runs of one campaign in their order."""
        runs = [run for run in self._storage.runs.listed() if campaign_id and run.campaign_id == campaign_id]
        return [run.run_id for run in sorted(runs, key=lambda run: run.order)]

    def evaluated(
        self, run: RunRecord, rule: Rule, stated: Stated | None, shelf: Shelf | None = None, *, keep: bool = True
    ) -> Result:
        """Give a result as it was stated, or evaluate it with the shelf as it stood then; kept for the very same.

        By another rule, for a record that changed since and for a version not stated yet, the run is evaluated by this
        build. ``shelf`` None reads the one of now. Raises `StoreError` for a run that cannot be read whole, and
        `EvaluationFailed` for one that cannot be evaluated.
        """
        if isinstance(run, DamagedRun):
            raise run.error
        shelf = self.shelf() if shelf is None else shelf
        with self._failures.of(run.run_id):
            return self._kept_or_evaluated(run, rule, stated, shelf, keep=keep)

    def _kept_or_evaluated(
        self, run: RunRecord, rule: Rule, stated: Stated | None, shelf: Shelf, *, keep: bool
    ) -> Result:
        rests_on = stated or Stated(version=0, stated_ns=0, shelf_revision=shelf.revision)
        try:
            held = self.reconciliation(run, stated)
        except StoreError:
            if (as_stated := self._as_stated(run, rule, stated)) is None:
                raise
            return as_stated  # what was stated stands, whatever became of what it was computed with
        kept = self._kept.get((run.run_id, rule))
        if kept is not None and kept[:3] == (run, rests_on, held):
            return kept[3]
        result = self._as_stated(run, rule, stated)
        if result is None:
            result = self._computed(run, rule, stated, shelf.at(rests_on.shelf_revision), held)
        if keep and run.status is not RunStatus.RUNNING:
            self._kept.put((run.run_id, rule), (run, rests_on, held, result))
        return result

    def _as_stated(self, run: RunRecord, rule: Rule, stated: Stated | None) -> Result | None:
        """Read what was stated; None where nothing was, or where it does not answer what is asked."""
        if stated is None or rule != "complete":
            return None
        return recalled_one(self._storage.statements, run, stated)

    def recomputed(self, run: RunRecord, stated: Stated | None) -> Result:
        """Evaluate a run by this build with what it was stated with, whatever was stated; kept by nobody.

        Raises `EvaluationFailed`.
        """
        shelf = self.shelf() if stated is None else self.shelf().at(stated.shelf_revision)
        with self._failures.of(run.run_id):
            return self._computed(run, "complete", stated, shelf, self.reconciliation(run, stated))

    def _computed(
        self, run: RunRecord, rule: Rule, stated: Stated | None, shelf: Shelf, held: ReconciliationRecord | None
    ) -> Result:
        as_found = None if stated is None else stated.as_found
        order = EvaluationOrder(run=run, rule=rule, shelf_revision=shelf.revision, as_found=as_found, held=held)
        return with_statement(self._compute(order), stated and replace(stated, software=build()))

    def compute(self, order: EvaluationOrder) -> Result:
        """Evaluate a run in this process, with the shelf as it stood. Raises `EvaluationFailed`, `StoreError`."""
        shelf = self.shelf().at(order.shelf_revision)
        with self._failures.of(order.run.run_id):
            return evaluate(order.run, self._storage.samples, order.rule, shelf, order.as_found, order.held)

    def reconciliation(self, run: RunRecord, stated: Stated | None) -> ReconciliationRecord | None:
        """Find what holds the BMC of a run without a wall meter against one, as it stood when the run was stated."""
        meters = result_meters(run)
        if len(meters) != 1 or meters[0].role != "bmc":
            return None
        as_of_ns = None if stated is None else stated.stated_ns
        found = Reconciliations(self._storage.runs).in_force(machine(run), meters[0].name, as_of_ns)
        return None if found is None or (found.simulated and not meters[0].simulated) else found


def _with_choice(result: Result, chosen: Mapping[str, Inclusion]) -> Result:
    """Add a person's choice to a result for showing it; what is stated never holds one."""
    inclusion = chosen.get(result.run_id)
    return result if inclusion is None else result.model_copy(update={"inclusion": inclusion})
