"""`wattmark gate`: is a candidate worse than a baseline? Exit code 0 no, 1 yes, 3 not known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, get_args

import typer
from wattmark_drivers.errors import DriverError

from wattmark.archives.read import Archive
from wattmark.cli.console.amounts import share
from wattmark.cli.console.options import AsJson, DataDir, data_dir
from wattmark.cli.console.output import emit_json, fail
from wattmark.cli.console.plain_console import console
from wattmark.cli.measure.measuring import (
    BenchFile,
    Compared,
    Idle,
    Meters,
    Name,
    Ops,
    Output,
    Prepare,
    Source,
    Unit,
    Work,
    measure_series,
    order_of,
    print_figures,
    words,
)
from wattmark.cli.meter.target import PasswordEnv, PasswordFile, User
from wattmark.comparison.gate.gate import gate as judge_runs
from wattmark.comparison.gate.gate import may_end
from wattmark.comparison.gate.reports import badge, junit, markdown, runs_used
from wattmark.comparison.gate.views import GateOut, Metric
from wattmark.core.errors import InputError, WattmarkError, WorkloadFailed
from wattmark.core.whole_file import whole_file
from wattmark.measurements.screen import Figures
from wattmark.measurements.series import USUAL_BLOCKS, Series
from wattmark.measurements.variants import read_variants
from wattmark.results.data_folder import Storage, open_storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.result import Result
from wattmark.runs.record import RunRecord

_EXIT = {"no regression": 0, "regression": 1, "not known": 3}
_NO_VERDICT = 2
"""Exit code of every error: 1 says that something got worse."""
REF_HELP = (
    "Runs: an archive file, tag:NAME, campaign:ID, SERVER/CONFIGURATION (its latest series), or run ids with commas."
)


@dataclass(frozen=True, slots=True)
class _Test:
    """What is judged, and how strictly."""

    metrics: Sequence[Metric]
    margin: float
    drift: float


def gate(
    baseline: Annotated[
        str | None, typer.Option("--baseline", metavar="REF", help="The runs to compare with, stored or in an archive.")
    ] = None,
    candidate: Annotated[
        str | None, typer.Option("--candidate", metavar="REF", help="The runs to judge, named alike.")
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", help="efficiency, throughput, power or energy; repeatable. Default: efficiency."),
    ] = None,
    worse_than: Annotated[
        str, typer.Option("--worse-than", metavar="PCT", help="Largest loss that does not matter.")
    ] = "2%",
    drift: Annotated[
        str,
        typer.Option("--drift", metavar="PCT", help="Bound of what else differs between runs not made by turns."),
    ] = "0%",
    compare: Compared = None,
    until_known: Annotated[
        bool, typer.Option("--until-known", help="With --compare: end as soon as the verdict is known.")
    ] = False,
    at_most: Annotated[
        int, typer.Option("--at-most", min=3, max=1000, help="With --compare: how often to run each, at most.")
    ] = USUAL_BLOCKS,
    meter: Meters = None,
    ops: Ops = None,
    work: Work = None,
    unit: Unit = "operations",
    prepare: Prepare = None,
    idle: Idle = "0",
    name: Name = None,
    bench: BenchFile = None,
    user: User = None,
    password_file: PasswordFile = None,
    password_env: PasswordEnv = None,
    output: Output = None,
    data: DataDir = None,
    as_json: AsJson = False,
    junit_file: Annotated[Path | None, typer.Option("--junit", help="Write JUnit XML to this file.")] = None,
    summary_file: Annotated[Path | None, typer.Option("--summary", help="Write Markdown to this file.")] = None,
    badge_file: Annotated[Path | None, typer.Option("--badge", help="Write a badge (SVG) to this file.")] = None,
) -> None:
    """Judge whether runs are worse than a baseline by more than matters, and not by noise.

    Give stored runs with --baseline and --candidate, or two command lines with --compare: the baseline, then the
    candidate. These are measured by turns, as `wattmark measure` does.

    Exit code 0: they are not, within 95 %. 1: they are. 2: an error. 3: the runs cannot tell; the text says why.
    """
    try:
        test = _Test(
            [_metric(figure) for figure in metric or ["efficiency"]],
            share("--worse-than", worse_than),
            share("--drift", drift),
        )
        _require_runs_or_commands(compare, baseline, candidate, until_known=until_known)
        if compare:
            argv = read_variants((), compare, ())[0].argv
            order = order_of(argv, ops, work, unit, idle, name, to_stderr=as_json, is_compared=True)
            series = Series(order, read_variants((), compare, ()), at_most, test.margin, prepare=words(prepare))
            source = Source(tuple(meter or ()), bench, user, password_file, password_env)
            verdict = _of_commands(series, source, test, data_dir(data), output, until_known=until_known)
        else:
            verdict = _of_stored(baseline or "", candidate or "", test, data_dir(data))
        for file, text in ((junit_file, junit), (summary_file, markdown), (badge_file, badge)):
            if file is not None:
                _write(file, text(verdict))
    except (WattmarkError, DriverError) as error:
        raise typer.Exit(fail(error.cause, error.remedy, _NO_VERDICT, as_json=as_json)) from None
    if as_json:
        emit_json(verdict)
    else:
        typer.echo(_said(verdict))
    raise typer.Exit(_EXIT[verdict.outcome])


def _require_runs_or_commands(
    compare: list[str] | None, baseline: str | None, candidate: str | None, *, until_known: bool
) -> None:
    """Raise `InputError` unless either two commands or two references are given."""
    if compare:
        if baseline or candidate:
            raise InputError(
                "Both commands and stored runs are given.", "Give --compare, or --baseline and --candidate."
            )
        if len(compare) != 2:
            raise InputError(
                "A gate judges one command beside one other.", "Give --compare twice: baseline, candidate."
            )
    elif not baseline or not candidate:
        raise InputError(
            "It takes two sides to judge.", "Give --baseline and --candidate, or --compare twice to measure now."
        )
    elif until_known:
        raise InputError("Stored runs do not become more.", "Give --compare twice, so that they can be repeated.")


def _of_commands(
    series: Series, source: Source, test: _Test, folder: Path, output: Path | None, *, until_known: bool
) -> GateOut:
    """Measure two commands by turns, until their verdict is known if that is asked for."""
    names = [variant.name for variant in series.variants]

    def sides(results: Sequence[Result]) -> tuple[list[Result], list[Result]]:
        baseline, candidate = ([result for result in results if result.configuration == name] for name in names)
        return baseline, candidate

    if until_known:
        series = replace(series, is_decided=lambda results: may_end(*sides(results), test.metrics, test.margin))
    outcome = measure_series(series, source, folder, output, _show)
    return judge_runs(*sides([run.result for run in outcome.runs]), test.metrics, test.margin, drift=0.0)


def _show(figures: Figures) -> None:
    """Print the figures of a run. Raises `WorkloadFailed` where its command failed: there is nothing to judge then."""
    print_figures(figures)
    measured = figures.measured
    if measured.status:
        how = f"was ended by {measured.signal}" if measured.signal else f"ended with status {measured.status}"
        raise WorkloadFailed(
            f"The command of {figures.result.configuration} {how}.", "A gate judges commands that succeed: correct it."
        )


def _of_stored(baseline: str, candidate: str, test: _Test, folder: Path) -> GateOut:
    storage = open_storage(folder, read_only=True)
    try:
        runs = _Runs(storage)
        return judge_runs(runs.of(baseline), runs.of(candidate), test.metrics, test.margin, test.drift)
    finally:
        storage.close()


class _Runs:
    """Finds the results that a reference names."""

    def __init__(self, storage: Storage) -> None:
        self._results = Evaluations(storage)
        self._storage = storage

    def of(self, reference: str) -> list[Result]:
        """Return the results of a reference. Raises `InputError` where it names none."""
        if Path(reference).is_file():
            return _of_archive(Path(reference))
        runs = self._storage.runs.all()
        kind, _, name = reference.partition(":")
        if kind == "tag":
            tagged = {run_id for run_id, tags in self._results.tags().items() if name in tags}
            chosen = [run for run in runs if run.run_id in tagged]
        elif kind == "campaign":
            chosen = [run for run in runs if run.campaign_id == name]
        elif "/" in reference:
            chosen = _latest_series([run for run in runs if f"{run.server}/{run.configuration}" == reference])
        else:
            return [self._results.result(self._results.record(run_id)) for run_id in reference.split(",")]
        if not chosen:
            raise InputError(f"No run is named by {reference[:80]!r}.", REF_HELP)
        return [self._results.result(run) for run in chosen]


def _latest_series(runs: list[RunRecord]) -> list[RunRecord]:
    """Return the runs of the latest campaign or series: earlier ones may be those of another build under one name."""
    if not runs:
        return runs
    latest = max(runs, key=lambda run: run.created_ns)
    chosen = [run for run in runs if run.campaign_id == latest.campaign_id]
    if left := len(runs) - len(chosen):
        place = f"{latest.server}/{latest.configuration}"
        console().print(f"{place}: the latest {len(chosen)} runs are judged, not {left} of earlier series.")
    return chosen


def _of_archive(file: Path) -> list[Result]:
    try:
        with file.open("rb") as content:
            results = [run.result for run in Archive(content, str(file)).runs()]
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}.", "Check the path.") from None
    if not results:
        raise InputError(f"{file} holds no run.", "Give an archive with runs.")
    return results


def _metric(name: str) -> Metric:
    known: tuple[Metric, ...] = get_args(Metric)
    if name not in known:
        raise InputError(f"There is no figure {name[:40]!r} to judge.", f"Choose among: {', '.join(known)}.")
    return known[known.index(name)]


def _said(verdict: GateOut) -> str:
    return f"{verdict.outcome} ({verdict.workload}, {verdict.level}; {runs_used(verdict)})\n{verdict.text}"


def _write(file: Path, text: str) -> None:
    try:
        with whole_file(file) as output:
            output.write(text.encode())
    except OSError as error:
        raise WattmarkError(f"Cannot write {file}: {error.strerror}.", "Choose another file.") from error
