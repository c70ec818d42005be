"""Results of stored runs: as issued, or evaluated where none was issued yet."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from wattmark.analysis.efficiency.rule_name import RuleName
from wattmark.core.build import build
from wattmark.core.errors import EvaluationFailed, NotFound, StoreError
from wattmark.results.data_folder import Storage
from wattmark.results.failed import failed_result
from wattmark.results.issued.failures import Failures
from wattmark.results.issued.issued_result import Issue, as_issued, with_version
from wattmark.results.issued.orders import EvaluationOrder
from wattmark.results.issued.row_store import ComparedRun
from wattmark.results.meters import result_meters
from wattmark.results.result import Result
from wattmark.runs.annotations.inclusion import Inclusion
from wattmark.runs.damaged_run import DamagedRun
from wattmark.runs.origin import lab_of, machine
from wattmark.runs.record import RunRecord, RunStatus
from wattmark.traceability.certificates.register import CertificateRegister
from wattmark.traceability.cross_calibration.record import CrossCalibrationRecord
from wattmark.traceability.cross_calibration.register import CrossCalibrations

Rule = RuleName
PAGE = 250
"""Results in memory at once while all runs are read one after the other: 16 MB."""
MOST_CACHED = 3000
"""Results in the cache for the next comparison, which has 2160 runs for 240 configurations: 195 MB."""


class Failure(NamedTuple):
    """Why a run cannot be evaluated, and what to do."""

    cause: str
    remedy: str


class ResultCache:
    """Cache of results, each with the state of record and certificates that it was computed from."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cached: dict[tuple[str, Rule], tuple[Any, Result | Failure]] = {}

    def get(self, run_id: str, rule: Rule, state: object) -> Result | Failure | None:
        """Return the cached result of this state; None where there is none."""
        cached = self._cached.get((run_id, rule))
        return cached[1] if cached is not None and cached[0] == state else None

    def put(self, run_id: str, rule: Rule, state: object, result: Result | Failure) -> None:
        """Add a result to the cache; the oldest one is removed when it is full."""
        with self._lock:
            self._cached[run_id, rule] = state, result
            if len(self._cached) > MOST_CACHED:
                del self._cached[next(iter(self._cached))]


class Evaluations:
    """Results of stored runs; safe to call from several threads."""

    def __init__(self, storage: Storage, compute: Callable[[EvaluationOrder], Result] | None = None) -> None:
        """``compute`` evaluates in another process; None: in this one."""
        self._storage = storage
        self._compute = compute or self.compute
        self._cached = ResultCache()
        self._reading = threading.Lock()
        self._register = CertificateRegister()
        self._failures = Failures()

    def record(self, run_id: str) -> RunRecord:
        """Read the record of a run. Raises `NotFound`."""
        run = self._storage.runs.get(run_id)
        if run is None:
            raise NotFound(f"There is no run {run_id[:80]!r}.", "List the runs with `wattmark results`.")
        return run

    def known(self, run_id: str) -> RunRecord:
        """Read the record of a run, or the stand-in of a damaged one. Raises `NotFound`."""
        return self._storage.runs.known(run_id) or self.record(run_id)

    def records(self, run_ids: Sequence[str]) -> list[RunRecord]:
        """Read the records of some runs, oldest first; damaged ones are excluded."""
        return [run for run in self._storage.runs.some(run_ids) if not isinstance(run, DamagedRun)]

    def tags(self) -> dict[str, tuple[str, ...]]:
        """Read the tags of all runs; runs without any are omitted."""
        return {run_id: said.tags for run_id, said in self._storage.annotations.all().items() if said.tags}

    def ids(self) -> list[str]:
        """List all runs, oldest first."""
        return self._storage.runs.ids()

    def register(self) -> CertificateRegister:
        """Return the certificates and overrides as they are now; they are read again only after a change."""
        if self._storage.certificates.revision() != self._register.revision:
            self._register = self._storage.certificates.register()
        return self._register

    def result(self, run: RunRecord, rule: Rule = "complete") -> Result:
        """Return the latest issued version of a run's result; one not issued yet is evaluated now.

        Raises `StoreError` where it cannot be read or evaluated; `shown` states it in the result instead.
        """
        return self.evaluated(run, rule, self._storage.issued.last(run.run_id))

    def issued(self, run_id: str) -> Result:
        """Return the latest result of a run, by its id. Raises `NotFound`."""
        return self.result(self.record(run_id))

    def shown(self, run: RunRecord, rule: Rule = "complete") -> Result:
        """Return a run's result as lists, pages and exports show it, with a person's decision to rank it.

        One that cannot be read or evaluated is shown as failed, with what happened and what to do.
        """
        return _with_choice(self.listed(run, rule), self._storage.annotations.inclusions())

    def beside(self) -> list[tuple[RunRecord, Result]]:
        """Return the results that the stored rows lack: of runs without a row, and of runs ranked by choice."""
        chosen = self._storage.annotations.inclusions()
        return list(self.each([*{*self._storage.results.unissued(), *chosen}]))

    def ran(self, workload: str | None = None, level: str | None = None) -> list[ComparedRun]:
        """List the runs of a workload and level, or all, as comparisons select them, without reading results."""
        return self._storage.results.ran(self.beside(), workload=workload, level=level)

    def results(self, rule: Rule = "complete", workload: str | None = None, level: str | None = None) -> list[Result]:
        """Return the results of all runs, or of a workload and level, oldest first; 65 kB each, all in memory."""
        if rule != "complete":
            runs = [run for run in self._storage.runs.listed(workload) if level in (None, run.level)]
            return [result for _, result in self.each([run.run_id for run in runs], rule)]
        beside = self.beside()
        chosen = self._storage.results.ran(beside, workload=workload, level=level)
        results = {run.run_id: result for run, result in beside}
        results |= self._issued([ran for ran in chosen if ran.id is not None])
        return [results[ran.run_id] for ran in chosen if ran.run_id in results]

    def _issued(self, chosen: Sequence[ComparedRun]) -> dict[str, Result]:
        """Read issued results, and cache them for the next comparison; who asks meanwhile waits for the same."""
        with self._reading:
            cached = {ran.run_id: self._cached.get(ran.run_id, "complete", ran.id) for ran in chosen}
            missing = {ran.run_id: ran.id for ran in chosen if cached[ran.run_id] is None}
            read = self._unchanged([*missing])
            others = [run_id for run_id in missing if run_id not in read]
            read |= {run.run_id: result for run, result in self.each(others)}
            for run_id, result in read.items():
                self._cached.put(run_id, "complete", missing[run_id], result)
            cached |= read
        return {run_id: result for run_id, result in cached.items() if isinstance(result, Result)}

    def _unchanged(self, run_ids: Sequence[str]) -> dict[str, Result]:
        """Read the issued results of runs that have a row, where they are shown as issued: not thinned, and made here.

        A row says that the record still agrees with the result, so whole records, half of the work, are not read.
        """
        results = {}
        for first in range(0, len(run_ids), PAGE):
            some = run_ids[first : first + PAGE]
            origins, issues = self._storage.runs.origins(some), self._storage.issued.in_force(some)
            known = [run_id for run_id in some if run_id in origins and run_id in issues]
            for result in self._storage.issued.latest(known):
                origin = origins[result.run_id]
                made_here = (result.source, result.server) == (origin.source, origin.server)
                if made_here and lab_of(origin.source) is None and origin.disclosure.thinned is None:
                    results[result.run_id] = with_version(result, issues[result.run_id])
        return results

    def of_configurations(self, keys: Collection[str]) -> Iterator[tuple[RunRecord, Result]]:
        """Iterate over the runs of some configurations ("<server>/<configuration>") as `measured` gives them."""
        return self.of_runs([ran.run_id for ran in self.ran() if f"{ran.server}/{ran.configuration}" in keys])

    def of_runs(self, run_ids: Sequence[str]) -> Iterator[tuple[RunRecord, Result]]:
        """Iterate over some runs as `measured` gives them."""
        return ((_at_its_lab(run, result), result) for run, result in self.each(run_ids))

    def measured(self, workload: str | None = None, rule: Rule = "complete") -> list[tuple[RunRecord, Result]]:
        """Return the runs of a workload, or all, with their results, oldest first; 65 kB each, all in memory.

        Servers are named as in the results: one of another lab is another machine, even where both have one name.
        """
        runs = {run.run_id: run for run in self._storage.runs.listed(workload)}
        results = self.results(rule, workload)
        return [(_at_its_lab(runs[result.run_id], result), result) for result in results if result.run_id in runs]

    def each(self, run_ids: Sequence[str] | None = None, rule: Rule = "complete") -> Iterator[tuple[RunRecord, Result]]:
        """Iterate over runs with their results, never more than a page of them in memory.

        They come in the order of their ids; None: all, oldest first. What was deleted meanwhile is excluded.
        """
        run_ids = self.ids() if run_ids is None else run_ids
        for first in range(0, len(run_ids), PAGE):
            yield from self._page(run_ids[first : first + PAGE], rule)

    def _page(self, run_ids: Sequence[str], rule: Rule) -> list[tuple[RunRecord, Result]]:
        """Return the results of some runs; issued ones are read together and not evaluated again."""
        runs = {run.run_id: run for run in self._storage.runs.some(run_ids)}
        chosen, issues = self._storage.annotations.inclusions(), self._storage.issued.in_force(run_ids)
        issued: dict[str, Result | None] = {}
        if rule == "complete":
            sound = [run_id for run_id in issues if run_id in runs and not isinstance(runs[run_id], DamagedRun)]
            issued = {
                result.run_id: as_issued(runs[result.run_id], result, issues[result.run_id])
                for result in self._storage.issued.latest(sound)
            }
        return [
            (runs[run_id], _with_choice(issued.get(run_id) or self.listed(runs[run_id], rule), chosen))
            for run_id in run_ids
            if run_id in runs
        ]

    def listed(self, run: RunRecord, rule: Rule = "complete") -> Result:
        """Return a run's result for a list; one that cannot be read or evaluated is shown as failed."""
        try:
            return self.result(run, rule)
        except StoreError as error:
            return failed_result(run, error)

    def results_of(self, campaign_id: str | None) -> list[Result]:
        """Return the results of one campaign in the order of its runs."""
        return [result for _, result in self.each(self.runs_of(campaign_id))]

    def runs_of(self, campaign_id: str | None) -> list[str]:
        """List the runs of one campaign in their order."""
        runs = [run for run in self._storage.runs.listed() if campaign_id and run.campaign_id == campaign_id]
        return [run.run_id for run in sorted(runs, key=lambda run: run.order)]

    def evaluated(self, run: RunRecord, rule: Rule, issue: Issue | None) -> Result:
        """Return a result as it was issued, or evaluate it with the register as it stood then.

        By another rule, for a record that changed since and for a version not issued yet, the run is evaluated by this
        build. Raises `StoreError` for a run that cannot be read whole, and `EvaluationFailed` for one that cannot be
        evaluated.
        """
        if isinstance(run, DamagedRun):
            raise run.error
        with self._failures.of(run.run_id):
            versions = [] if issue is None or rule != "complete" else self._storage.issued.of(run.run_id)
            for version in versions:
                if version.issue == issue and (issued := as_issued(run, version.result, issue)) is not None:
                    return issued
            return self._evaluated_once(run, rule, issue)

    def _evaluated_once(self, run: RunRecord, rule: Rule, issue: Issue | None) -> Result:
        register = self.register() if issue is None else self.register().at(issue.register_revision)
        cross_calibration = self.cross_calibration(run, issue)
        state = run, issue, register.revision, cross_calibration
        cached = self._cached.get(run.run_id, rule, state)
        if cached is None:
            try:
                cached = self._computed(run, rule, issue, register, cross_calibration)
            except EvaluationFailed as error:
                cached = Failure(error.cause, error.remedy)
            if run.status is not RunStatus.RUNNING:
                self._cached.put(run.run_id, rule, state, cached)
        if isinstance(cached, Failure):
            raise EvaluationFailed(*cached)
        return cached

    def recomputed(self, run: RunRecord, issue: Issue | None) -> Result:
        """Evaluate a run by this build with the inputs of an issued version; the result is not cached.

        Raises `EvaluationFailed`.
        """
        register = self.register() if issue is None else self.register().at(issue.register_revision)
        with self._failures.of(run.run_id):
            return self._computed(run, "complete", issue, register, self.cross_calibration(run, issue))

    def _computed(
        self,
        run: RunRecord,
        rule: Rule,
        issue: Issue | None,
        register: CertificateRegister,
        cross_calibration: CrossCalibrationRecord | None,
    ) -> Result:
        as_found = None if issue is None else issue.as_found
        order = EvaluationOrder(
            run=run, rule=rule, register_revision=register.revision, as_found=as_found, held=cross_calibration
        )
        return with_version(self._compute(order), issue and replace(issue, software=build()))

    def compute(self, order: EvaluationOrder) -> Result:
        """Evaluate a run in this process, with the register as it stood. Raises `EvaluationFailed`, `StoreError`."""
        from wattmark.results.evaluate import evaluate  # most of the analysis; who reads issued results needs none

        register = self.register().at(order.register_revision)
        with self._failures.of(order.run.run_id):
            return evaluate(order.run, self._storage.samples, order.rule, register, order.as_found, order.held)

    def cross_calibration(self, run: RunRecord, issue: Issue | None) -> CrossCalibrationRecord | None:
        """Find the cross-calibration of the BMC of a run without a wall meter, as it was when the run was issued."""
        meters = result_meters(run)
        if len(meters) != 1 or meters[0].role != "bmc":
            return None
        as_of_ns = None if issue is None else issue.issued_ns
        record = CrossCalibrations(self._storage.runs).in_force(machine(run), meters[0].name, as_of_ns)
        return None if record is None or (record.simulated and not meters[0].simulated) else record


def _at_its_lab(run: RunRecord, result: Result) -> RunRecord:
    """Return a record with the server as its result names it."""
    return run if run.server == result.server else run.model_copy(update={"server": result.server})


def _with_choice(result: Result, chosen: Mapping[str, Inclusion]) -> Result:
    """Add a person's choice to a result for display; issued results never hold one."""
    inclusion = chosen.get(result.run_id)
    return result if inclusion is None else result.model_copy(update={"inclusion": inclusion})
