"""Comparisons of stored results: configurations side by side, watts against DIMM count, published figures beside."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from wattmark.analysis.comparison.comparison import System
from wattmark.comparison.compare.best_setting import with_best_settings
from wattmark.comparison.compare.built_groups import MOST_ANSWERS, BuiltGroups, Remembered
from wattmark.comparison.compare.compare import MOST_OFFERED, choices, compare
from wattmark.comparison.compare.differences import DifferencesOut, run_differences
from wattmark.comparison.compare.facts import Facts
from wattmark.comparison.compare.groups import SIMULATED, group_key
from wattmark.comparison.compare.installations import installations
from wattmark.comparison.compare.load import full_by_name
from wattmark.comparison.compare.result_source import ResultSource
from wattmark.comparison.compare.views import (
    CompareChoice,
    CompareDetails,
    CompareGroup,
    CompareOut,
    ComparePair,
    MatrixOut,
)
from wattmark.comparison.compare.yardstick import EFFICIENCY, ComparedBy, Yardstick
from wattmark.comparison.factors.matrix import matrix
from wattmark.comparison.memory.break_even import break_even_view
from wattmark.comparison.memory.memory import memory_choices, memory_view
from wattmark.comparison.memory.module_kinds import DIMMS
from wattmark.comparison.memory.populations import joined, own_seen, published_seen, with_populations
from wattmark.comparison.memory.predicted import PredictedMemoryOut, predicted_memory
from wattmark.comparison.memory.published_memory import PublishedMemoryOut, published_memory
from wattmark.comparison.memory.views import MemoryChoice, MemoryOut
from wattmark.comparison.memory.yearly_cost import Energy
from wattmark.comparison.parts.fitted_parts import FittedPart, parts_of
from wattmark.comparison.parts.parts import part_choices, parts_break_even, pooled_parts, server_parts, slopes_of_parts
from wattmark.comparison.parts.pooled_slopes import pooled_slopes
from wattmark.comparison.parts.rates import BYTES
from wattmark.comparison.parts.slopes import part_slopes
from wattmark.comparison.parts.views import PartBreakEvenOut, PartChoice, PartSlope, PartsOut, PooledSlope
from wattmark.comparison.published.groups import published_groups
from wattmark.comparison.published.imported import ImportedResults
from wattmark.comparison.published.imported_groups import IDLE, KEY, ImportedGroups
from wattmark.comparison.published.library import Library, published_out
from wattmark.comparison.published.published_result import PublishedSummary
from wattmark.comparison.published.views import PublishedOut
from wattmark.comparison.scaling.load_curves import load_curves
from wattmark.comparison.scaling.published_levels import published_curves, published_load_levels
from wattmark.comparison.scaling.scaling_views import LoadCurvesOut, LoadLevelsOut, PublishedCurvesOut
from wattmark.comparison.scaling.sweeps import SweepOut, sweeps
from wattmark.comparison.suites.suite import find_suite, load_suites
from wattmark.comparison.suites.suite_report import beside, suite_out, suite_ran, suite_report
from wattmark.comparison.suites.suite_views import SuiteOut, SuiteReportOut
from wattmark.core.errors import InputError, NotFound
from wattmark.core.likely import meant_or_listed
from wattmark.core.texts import first_of
from wattmark.results.issued.evaluations import PAGE, Rule
from wattmark.results.issued.row_store import ComparedRun
from wattmark.results.result import Result
from wattmark.runs.record import RunRecord

Planted = Callable[[str], dict[str, float] | None]
"""What was put into the load model of a simulated server; None: nothing that is known."""


class Comparisons:
    """Compare the results of a data folder or of a part of a fleet; safe to call from several threads."""

    def __init__(
        self,
        results: ResultSource,
        library: Callable[[], Library],
        planted: Planted = lambda _: None,
        imported: ImportedResults | None = None,
    ) -> None:
        self._results = results
        self._library = library
        self._imported = None if imported is None else ImportedGroups(imported)
        self._planted = planted
        self._built = BuiltGroups()
        self._answers: Remembered[CompareOut] = Remembered(MOST_ANSWERS)
        self._curves: Remembered[LoadCurvesOut] = Remembered(MOST_ANSWERS)
        self._facts = Facts(results)
        self._parts: dict[str, list[FittedPart]] = {}
        """Parts of the runs that could be read, by their ids; the configuration of a run does not change."""

    def choices(self) -> list[CompareChoice]:
        imported = [] if self._imported is None else self._imported.standing()
        return choices(self._results.ran(), [*published_groups(self._library()), *imported])

    def compare(
        self,
        workload: str,
        level: str,
        baseline: str | None = None,
        by: Yardstick = EFFICIENCY,
        rule: Rule = "complete",
        server: str | None = None,
        *,
        any_version: bool = False,
    ) -> CompareOut:
        """Compare configurations under one workload and level, published figures beside them; or those of a server."""
        state = () if self._imported is None else self._imported.results.state()
        results, published = self._results.results(rule, workload, level), self._published(workload, level)
        if server is not None:
            servers = dict.fromkeys((*(r.server for r in results), *(g.server for g in published)))
            results = [result for result in results if result.server == server]
            published = [group for group in published if group.server == server]
            if not results and not published:
                cause = f"Server {server[:80]!r} has no result of {workload[:80]} at {level[:80]}."
                raise InputError(cause, meant_or_listed(server[:80], list(servers), "Servers"))
        fitted = self._fitted(workload)
        compared = self._answers.of(
            (workload, level, baseline, by, rule, server, any_version, state),
            results,
            fitted,
            lambda: compare(
                results,
                workload,
                level,
                baseline,
                published,
                by,
                build=self._built.build,
                fitted=fitted,
                budgets=False,
                any_version=any_version,
            ),
        )

        def systems(keys: Collection[str]) -> dict[str, System]:
            runs = {group.key: frozenset(group.runs) for group in compared.groups if group.key in keys}
            built = {
                key: self._built.build([result for result in results if result.run_id in chosen], fitted).by(by.figure)
                for key, chosen in runs.items()
            }
            return {key: system for key, system in built.items() if system is not None}

        return with_best_settings(self._facts.added(compared), systems, by, any_version=any_version)

    def pairs(
        self,
        workload: str,
        level: str,
        keys: Sequence[str],
        by: Yardstick = EFFICIENCY,
        rule: Rule = "complete",
        server: str | None = None,
        *,
        any_version: bool = False,
    ) -> list[ComparePair]:
        """Compare every two of some configurations, in words; p-values are adjusted for all of the comparison.

        ``server`` is that of the comparison. Raises `InputError` for an unknown first one.
        """
        results = self._results.results(rule, workload, level)
        compared = compare(
            results if server is None else [result for result in results if result.server == server],
            workload,
            level,
            keys[0],
            by=by,
            build=self._built.build,
            fitted=self._fitted(workload),
            budgets=False,
            any_version=any_version,
            described=frozenset(keys),
        )
        with_facts = self._facts.added(compared)
        return [*(pair for pair in with_facts.pairs if pair.key in keys), *with_facts.other_pairs]

    def details(
        self, workload: str, level: str, key: str, baseline: str | None = None, by: Yardstick = EFFICIENCY
    ) -> CompareDetails:
        """Find what limits the ± of one configuration, and its ratio to the baseline. Raises `InputError`."""
        chosen = {key.removesuffix(SIMULATED), (baseline or key).removesuffix(SIMULATED)}
        results = [r for r in self._results.results("complete", workload, level) if group_key(r) in chosen]
        published = [g for g in self._published(workload, level) if g.key in (key, baseline)]
        fitted = self._fitted(workload)
        compared = compare(results, workload, level, baseline or key, published, by, fitted=fitted)
        group = next((g for g in compared.groups if g.key == key), None)
        if group is None:
            raise InputError(f"There is no {key[:160]!r} in this comparison.", "Choose one of its groups.")
        return CompareDetails(
            key=key,
            baseline=baseline,
            budget=group.efficiency_budget,
            dominant=group.efficiency_dominant,
            pair=next((pair for pair in compared.pairs if pair.key == key), None),
        )

    def differences(self, a: str, b: str) -> DifferencesOut:
        """List what two runs declare and disclose differently; of configurations the last ones of the same work.

        Raises `NotFound`, and `InputError` for published figures.
        """
        ran = self._results.ran()
        left, right = self._called(a, ran), self._called(b, ran)
        works = [(run.workload, run.level) for run in left]
        common = [work for work in works if any((run.workload, run.level) == work for run in right)]
        chosen = [
            [run.run_id for run in runs if not common or (run.workload, run.level) == common[-1]][-1]
            for runs in (left, right)
        ]
        records = {record.run_id: record for record in self._results.records(chosen)}
        if missing := [run_id for run_id in chosen if run_id not in records]:
            raise NotFound(f"The record of run {missing[0]} cannot be read.", "See `wattmark doctor`.")
        return run_differences(records[chosen[0]], records[chosen[1]])

    def _called(self, name: str, ran: Sequence[ComparedRun]) -> Sequence[ComparedRun | RunRecord]:
        """List the runs of a configuration "<server>/<configuration>", oldest first, or the one run of an id."""
        key = name.removesuffix(SIMULATED)
        runs = self._of_kind([run for run in ran if key == group_key(run)], simulated=key != name)
        if runs := runs or self._results.records([name]):
            return runs
        if name.startswith(KEY):
            raise InputError(
                f"{name[:160]!r} is a published figure: it has no run that states its environment.",
                "Name measured runs or configurations.",
            )
        names = dict.fromkeys(called for run in ran for called in (group_key(run), run.run_id))
        offered = [called for called in names if called.startswith(name)]
        raise NotFound(
            f"There is no run and no configuration {name[:160]!r}.",
            f"Names that begin so: {first_of(offered, MOST_OFFERED)}."
            if offered
            else "Name a run by its id, or a configuration as SERVER/CONFIGURATION; `wattmark results` lists them.",
        )

    def _of_kind(self, ran: Sequence[ComparedRun], *, simulated: bool) -> Sequence[ComparedRun | RunRecord]:
        """Choose the simulated runs of a configuration, or those that have its plain name in a comparison.

        These are simulated as well in work that was never measured.
        """
        records = self._results.records([run.run_id for run in ran])
        by_simulators = {record.run_id for record in records if any(meter.simulated for meter in record.meters)}
        if simulated:
            return [run for run in ran if run.run_id in by_simulators]
        measured = {(run.workload, run.level) for run in ran if run.run_id not in by_simulators}
        return [run for run in ran if run.run_id not in by_simulators or (run.workload, run.level) not in measured]

    def matrix(self, keys: Sequence[str], baseline: str, figure: ComparedBy = "efficiency") -> MatrixOut:
        """Compare configurations under every workload that they ran, as multiples of the baseline's figure."""
        return matrix(self._results.of_configurations({*keys, baseline}), list(keys), baseline, figure)

    def memory(
        self,
        server: str,
        workload: str,
        level: str,
        claim: tuple[float, float] | None = None,
        rule: Rule = "complete",
        modules: str | None = None,
    ) -> MemoryOut:
        """Fit watts against DIMM count for one server, and test the slope against a claim [W/DIMM] with its margin.

        ``modules``: their kind; None: the one with most DIMM counts. ``claim`` None: nothing is claimed.
        """
        planted, fitted = self._planted(server), self._fitted(workload)
        results = [r for r in self._results.results(rule, workload, level) if r.server == server]
        records = self._results.records([r.run_id for r in results])
        levels = self._all_levels(server, workload, rule) if any(r.unit in BYTES for r in records) else []
        return memory_view(results, server, workload, level, planted, claim, fitted, modules, records, levels)

    def _all_levels(self, server: str, workload: str, rule: Rule) -> list[tuple[RunRecord, Result]]:
        """Return the runs of a server and workload at all levels, with their results."""
        results = [r for r in self._results.results(rule, workload) if r.server == server]
        records = {record.run_id: record for record in self._results.records([r.run_id for r in results])}
        return [(records[r.run_id], r) for r in results if r.run_id in records]

    def memory_choices(self) -> list[MemoryChoice]:
        """List the servers, workloads and levels that ran with known DIMM counts, those with most counts first."""
        return memory_choices(self._results.ran())

    def memory_slopes(self, workload: str, level: str) -> list[PartSlope]:
        """Fit watts against DIMM count for every server and kind of modules."""
        return part_slopes(self._results.results("complete", workload, level), DIMMS, self._fitted(workload))

    def memory_pooled(self, workload: str, level: str) -> list[PooledSlope]:
        """Pool watts per DIMM over the servers that have one kind of modules, for each kind."""
        return pooled_slopes(self._results.results("complete", workload, level), DIMMS, self._fitted(workload))

    def published_memory(
        self, kind: str | None = None, level: str | None = None, workload: str | None = None
    ) -> PublishedMemoryOut:
        """Fit watts against DIMM count over the imported results of one kind of modules. Raises `InputError`."""
        return published_memory(self._summaries(), kind, level, workload)

    def memory_predicted(
        self,
        ways: Sequence[str],
        energy: Energy,
        kind: str | None = None,
        level: str | None = None,
        workload: str | None = None,
    ) -> PredictedMemoryOut:
        """Predict what ways of populating a server would draw, from own and published servers with several of them.

        ``level`` None: active idle, to which every run with an idle phase belongs; another one is of ``workload``.
        Raises `InputError`.
        """
        at = level or IDLE
        if at != IDLE and workload is None:
            raise InputError(f"The load level {at[:80]!r} is one of a workload.", "Name the workload too.")
        chosen = None if at == IDLE else workload
        run_ids, newest = with_populations(self._results.ran(chosen, None if at == IDLE else at))
        pairs = list(self._results.of_runs(run_ids))
        records, counted = {run.run_id: run for run, _ in pairs}, [result for _, result in pairs]
        published = [each for each in self._summaries() if chosen in (None, each.workload)]
        own = replace(own_seen(counted, records, at), newest=newest)
        seen = joined(own, published_seen(published, at))
        return predicted_memory(seen, ways, energy, workload=chosen, level=at, kind=kind)

    def load_curves(self, workload: str) -> LoadCurvesOut:
        """Return every configuration that ran a workload at two loads or more: power and work per joule over load."""
        results, fitted = self._results.results(workload=workload), self._fitted(workload)

        def computed() -> LoadCurvesOut:
            records = {record.run_id: record for record in self._results.records([r.run_id for r in results])}
            known = [(records[r.run_id], r) for r in results if r.run_id in records]
            return load_curves(known, workload)

        return self._curves.of(workload, results, fitted, computed)

    def suites(self) -> list[SuiteOut]:
        """List the suites of graduated loads, each with the configurations that ran a part of it."""
        suites = load_suites().values()
        worklets = {name for suite in suites for name in suite.workloads}
        names = dict.fromkeys(run.workload for run in self._results.ran() if run.workload in worklets)
        results = [result for name in names for result in self._results.results(workload=name)]
        records = {record.run_id: record for record in self._results.records([r.run_id for r in results])}
        known = [(records[r.run_id], r) for r in results if r.run_id in records]
        return [suite_out(suite, suite_ran(suite, known)) for suite in suites]

    def suite(self, name: str, key: str) -> SuiteReportOut:
        """Return what a suite says of a configuration, published curves beside it. Raises `InputError`."""
        suite = find_suite(name)
        report = suite_report(suite, self._results.of_configurations([key.removesuffix(SIMULATED)]), key)
        return beside(report, self.published_curves(None, []))

    def published_curves(self, workload: str | None, keys: Sequence[str]) -> PublishedCurvesOut:
        """Return the imported results of a workload over their loads, in figures; those of the keys in full."""
        return published_curves(self._summaries(), workload, keys)

    def published_curve(self, key: str) -> LoadLevelsOut | None:
        """Return an imported result over its loads; None where there is none of this key."""
        named = (result for result in self._summaries() if f"{KEY}{result.id}" == key)
        return next(map(published_load_levels, named), None)

    def break_even(
        self, servers: tuple[str, str], workload: str, level: str, rule: Rule = "complete"
    ) -> PartBreakEvenOut:
        """Find at how many DIMMs the advantage of one server over another is gone."""
        results, fitted = self._results.results(rule, workload, level), self._fitted(workload)
        records = self._results.records([r.run_id for r in results if r.server in servers])
        return break_even_view(results, servers, workload, level, fitted, records)

    def part_choices(self) -> list[PartChoice]:
        """List the parts that servers ran one workload and level with several counts of."""
        ran = self._results.ran()
        missing = [run.run_id for run in ran if run.run_id not in self._parts]
        for first in range(0, len(missing), PAGE):
            some = missing[first : first + PAGE]
            self._parts |= parts_of(self._results.records(some))
        return part_choices(ran, self._parts)

    def parts(self, part: str, server: str, workload: str, level: str, rule: Rule = "complete") -> PartsOut:
        """Fit watts against the number of parts of one server, such as "drive: Intel S3500". Raises `InputError`."""
        results = [r for r in self._results.results(rule, workload, level) if r.server == server]
        records = self._results.records([r.run_id for r in results])
        return server_parts(results, records, part, (server, workload, level), self._fitted(workload))

    def part_slopes(self, kind: str, workload: str, level: str) -> list[PartSlope]:
        """Fit watts against the number of parts of a kind for every server and model."""
        results = self._results.results("complete", workload, level)
        records = self._results.records([r.run_id for r in results])
        return slopes_of_parts(results, records, kind, self._fitted(workload))

    def part_pooled(self, kind: str, workload: str, level: str) -> list[PooledSlope]:
        """Pool watts per part of a kind over the servers that have one model, for each model."""
        results = self._results.results("complete", workload, level)
        records = self._results.records([r.run_id for r in results])
        return pooled_parts(results, records, kind, self._fitted(workload))

    def part_break_even(
        self,
        first: tuple[str, str],
        second: tuple[str, str],
        workload: str,
        level: str,
        rule: Rule = "complete",
    ) -> PartBreakEvenOut:
        """Hold two lines of watts over parts against each other, each a server and a name of parts."""
        results = self._results.results(rule, workload, level)
        records = self._results.records([r.run_id for r in results if r.server in (first[0], second[0])])
        return parts_break_even(results, records, (first, second), workload, level, self._fitted(workload))

    def _summaries(self) -> tuple[PublishedSummary, ...]:
        """List the imported results."""
        return () if self._imported is None else self._imported.results.summaries()

    def _published(self, workload: str, level: str) -> list[CompareGroup]:
        """Return the published figures of a workload: imported ones at this level or at full load, all others."""
        if self._imported is None:
            return published_groups(self._library(), workload)
        stand = [at for of, at in self._imported.standing() if of == workload and full_by_name(at)]
        levels = dict.fromkeys([level, *stand] if full_by_name(level) is not False else [level])
        imported = [group for at in levels for group in self._imported.of(workload, at)]
        return [*published_groups(self._library(), workload), *imported]

    def _fitted(self, workload: str) -> dict[str, str]:
        """Return the installation of each run of a workload, at any level."""
        return installations(self._results.ran(workload))

    def sweeps(self, workload: str, from_level: float | None) -> list[SweepOut]:
        """Return every configuration that ran a workload at several levels, averaged over ``from_level`` and higher."""
        return sweeps(self._results.results(workload=workload), workload, from_level)

    def published(self) -> PublishedOut:
        return published_out(self._library())
