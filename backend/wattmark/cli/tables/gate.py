"""`wattmark gate`: is a candidate worse than a baseline? Exit code 0 no, 1 yes, 3 not known; 2 an error of any kind."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, get_args

import typer
from wattmark_drivers.errors import DriverError

from wattmark.archives.read import Archive
from wattmark.cli.console.amounts import share
from wattmark.cli.console.options import AsJson, DataDir, data_dir
from wattmark.cli.console.output import emit_json, fail, visible
from wattmark.cli.console.plain_console import console
from wattmark.cli.measure import measuring
from wattmark.cli.measure.measuring import Source, measure_series, order_of, print_figures, words
from wattmark.cli.meter.target import PasswordEnv, PasswordFile, User
from wattmark.comparison.gate.gate import gate as judge_runs
from wattmark.comparison.gate.gate import may_end
from wattmark.comparison.gate.reports import badge, junit, markdown, runs_used
from wattmark.comparison.gate.views import GateOut, Metric
from wattmark.core.errors import InputError, NotFound, WattmarkError, WorkloadFailed
from wattmark.core.instants import iso
from wattmark.core.whole_file import require_writable, whole_file
from wattmark.measurements.command import signal_name
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
ARCHIVE = ".wattmark"
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
    compare: measuring.Compared = None,
    until_known: Annotated[
        bool, typer.Option("--until-known", help="With --compare: end as soon as the verdict is known.")
    ] = False,
    at_most: Annotated[
        int, typer.Option("--at-most", min=3, max=1000, help="With --compare: how often to run each, at most.")
    ] = USUAL_BLOCKS,
    meter: measuring.Meters = None,
    ops: measuring.Ops = None,
    work: measuring.Work = None,
    unit: measuring.Unit = "operations",
    prepare: measuring.Prepare = None,
    idle: measuring.Idle = "0",
    name: measuring.Name = None,
    bench: measuring.BenchFile = None,
    user: User = None,
    password_file: PasswordFile = None,
    password_env: PasswordEnv = None,
    output: measuring.Output = None,
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
    reports = [
        (file, text)
        for file, text in ((junit_file, junit), (summary_file, markdown), (badge_file, badge))
        if file is not None
    ]
    with _errors_are_no_verdict(as_json=as_json):
        test = _Test(
            [_metric(figure) for figure in dict.fromkeys(metric or ["efficiency"])],
            share("--worse-than", worse_than),
            share("--drift", drift),
        )
        for_commands = {
            "--until-known": until_known,
            "--output": output,
            "--meter": meter,
            "--ops": ops,
            "--work": work,
            "--prepare": prepare,
        }
        needs_commands = [option for option, value in for_commands.items() if value not in (None, False, [])]
        _require_runs_or_commands(compare, baseline, candidate, needs_commands, test.drift)
        for file in (*(file for file, _ in reports), *([output] if output else [])):
            with _explained(file):
                require_writable(file)
        if compare:
            argv = read_variants((), compare, ())[0].argv
            order = order_of(argv, ops, work, unit, idle, name, to_stderr=as_json, is_compared=True)
            series = Series(order, read_variants((), compare, ()), at_most, test.margin, prepare=words(prepare))
            source = Source(tuple(meter or ()), bench, user, password_file, password_env)
            verdict = _of_commands(series, source, test, data_dir(data), output, until_known=until_known)
        else:
            verdict = _of_stored(baseline or "", candidate or "", test, data_dir(data))
        if as_json:
            emit_json(verdict)
        else:
            typer.echo(visible(_said(verdict)))
            sys.stdout.flush()
    # The one JSON document of standard output is the verdict by now.
    with _errors_are_no_verdict(as_json=False):
        for file, text in reports:
            with _explained(file), whole_file(file) as content:
                content.write(text(verdict).encode())
    raise typer.Exit(_EXIT[verdict.outcome])


@contextmanager
def _errors_are_no_verdict(*, as_json: bool) -> Iterator[None]:
    """Explain every error and end with 2; Python ends with 1 itself, which would say that something got worse."""
    try:
        with _explained_on_screen(as_json=as_json):
            yield
    except typer.Exit:
        raise
    except Exception:
        # Standard output is closed or takes nothing more; Python would try once more at its end, and set the code.
        if sys.stdout is not None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(_NO_VERDICT) from None


@contextmanager
def _explained_on_screen(*, as_json: bool) -> Iterator[None]:
    try:
        yield
    except (WattmarkError, DriverError) as error:
        raise typer.Exit(fail(error.cause, error.remedy, _NO_VERDICT, as_json=as_json)) from None
    except BrokenPipeError:
        raise
    except Exception as error:
        traceback.print_exc()
        cause, remedy = f"An error in wattmark ({type(error).__name__}): nothing was judged.", "Report the lines above."
        raise typer.Exit(fail(cause, remedy, _NO_VERDICT, as_json=as_json)) from None


@contextmanager
def _explained(file: Path) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise WattmarkError(f"Cannot write {file}: nobody reads it.", "Choose another file.") from None
    except OSError as error:
        raise WattmarkError(f"Cannot write {file}: {error.strerror}.", "Choose another file.") from error


def _require_runs_or_commands(
    compare: list[str] | None,
    baseline: str | None,
    candidate: str | None,
    needs_commands: Sequence[str],
    drift: float,
) -> None:
    """Raise `InputError` unless either two commands or two references are given, with options that are for them."""
    if compare:
        if baseline is not None or candidate is not None:
            raise InputError(
                "Both commands and stored runs are given.", "Give --compare, or --baseline and --candidate."
            )
        if len(compare) != 2:
            raise InputError(
                "A gate judges one command beside one other.", "Give --compare twice: baseline, candidate."
            )
        if drift:
            raise InputError("--drift is for stored runs, and commands are measured by turns.", "Leave --drift out.")
    elif baseline is None or candidate is None:
        raise InputError(
            "It takes two sides to judge.", "Give --baseline and --candidate, or --compare twice to measure now."
        )
    elif needs_commands:
        raise InputError(f"{needs_commands[0]} is for commands, and stored runs are judged.", "Give --compare twice.")


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
    if outcome.asked_to_end is not None:
        raise WorkloadFailed(
            f"The series was ended by {signal_name(outcome.asked_to_end)}, before its verdict was known.",
            "Its runs are stored: judge them with --baseline and --candidate, or repeat the gate.",
        )
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
    with ExitStack() as opened:
        runs = _Runs(folder, opened)
        sides = runs.of("--baseline", baseline), runs.of("--candidate", candidate)
        return judge_runs(*sides, test.metrics, test.margin, test.drift)


class _Runs:
    """Finds the results that a reference names; the data folder is opened when one needs it."""

    def __init__(self, folder: Path, opened: ExitStack) -> None:
        self._folder = folder
        self._opened = opened

    @cached_property
    def _storage(self) -> Storage:
        storage = open_storage(self._folder, read_only=True)
        self._opened.callback(storage.close)
        return storage

    @cached_property
    def _results(self) -> Evaluations:
        return Evaluations(self._storage)

    def of(self, option: str, reference: str) -> list[Result]:
        """Return the results of a reference. Raises `InputError` where it names none."""
        kind, colon, name = reference.partition(":")
        run_ids = [run_id.strip() for run_id in reference.split(",")]
        if not reference.strip() or (kind in ("tag", "campaign") and colon and not name):
            raise InputError(f"{option} {reference[:80]!r} names nothing.", REF_HELP)
        # A list of run ids may be longer than a file name can be, and Path.is_file() raises an error for it.
        if os.path.isfile(reference):  # noqa: PTH113
            return _of_archive(Path(reference))
        if reference.endswith(ARCHIVE):
            raise InputError(f"There is no file {reference[:200]}.", f"Correct the path of {option}.")
        if kind == "tag" and colon:
            tagged = {run_id for run_id, tags in self._results.tags().items() if name in tags}
            chosen = [run.run_id for run in self._storage.runs.all() if run.run_id in tagged]
        elif kind == "campaign" and colon:
            chosen = self._results.runs_of(name)
        elif "/" in reference:
            runs = self._storage.runs.all()
            chosen = _latest_series([run for run in runs if f"{run.server}/{run.configuration}" == reference])
        elif "" in run_ids:
            raise InputError(f"{option} {reference[:80]!r} names an empty run id.", "Write one comma between two ids.")
        else:
            chosen = run_ids
            self._require_known(run_ids)
        if not chosen:
            raise InputError(f"No run is named by {reference[:80]!r}.", REF_HELP)
        return [result for _, result in self._results.each(chosen)]

    def _require_known(self, run_ids: Sequence[str]) -> None:
        """Raise `NotFound` for a run that is not there, and say if it is in the trash."""
        unknown = set(run_ids).difference(self._results.ids())
        trashed = [run.run_id for run, _ in self._storage.runs.trashed() if run.run_id in unknown] if unknown else []
        if trashed:
            raise NotFound(f"Run {trashed[0]} is in the trash.", "Restore it (wattmark trash), or name another run.")
        for run_id in run_ids:
            if run_id in unknown:
                raise NotFound(f"There is no run {run_id[:80]!r}.", "List the runs with `wattmark results`.")


def _latest_series(runs: list[RunRecord]) -> list[str]:
    """Return the runs of the latest campaign or series: earlier ones may be those of another build under one name."""
    if not runs:
        return []
    latest = max(runs, key=lambda run: run.created_ns)
    chosen = [run for run in runs if run.campaign_id == latest.campaign_id]
    place = f"{latest.server}/{latest.configuration}"
    if left := len(runs) - len(chosen):
        console().print(f"{place}: the latest {len(chosen)} runs are judged, not {left} of earlier series.")
    if latest.campaign_id is None and len(chosen) > 1:
        since = iso(min(run.created_ns for run in chosen))
        console().print(f"{place}: {len(chosen)} runs that were measured one by one are judged, since {since}.")
    return [run.run_id for run in chosen]


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
