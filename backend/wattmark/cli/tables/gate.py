"""`wattmark gate`: is a candidate worse than a baseline? Exit code 0 no, 1 yes, 3 not known."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, get_args

import typer

from wattmark.archives.read import Archive
from wattmark.cli.console.amounts import share
from wattmark.cli.console.options import AsJson, DataDir, data_dir
from wattmark.cli.console.output import emit_json
from wattmark.comparison.gate.gate import gate as judge_runs
from wattmark.comparison.gate.reports import badge, junit, markdown
from wattmark.comparison.gate.views import GateOut, Metric
from wattmark.core.errors import InputError, WattmarkError
from wattmark.core.whole_file import whole_file
from wattmark.results.data_folder import Storage, open_storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.result import Result

_EXIT = {"no regression": 0, "regression": 1, "not known": 3}
REF_HELP = "Runs: an archive file, tag:NAME, campaign:ID, SERVER/CONFIGURATION, or run ids with commas."


def gate(
    baseline: Annotated[str, typer.Option("--baseline", metavar="REF", help=REF_HELP)],
    candidate: Annotated[str, typer.Option("--candidate", metavar="REF", help="The runs to judge, named alike.")],
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
    data: DataDir = None,
    as_json: AsJson = False,
    junit_file: Annotated[Path | None, typer.Option("--junit", help="Write JUnit XML to this file.")] = None,
    summary_file: Annotated[Path | None, typer.Option("--summary", help="Write Markdown to this file.")] = None,
    badge_file: Annotated[Path | None, typer.Option("--badge", help="Write a badge (SVG) to this file.")] = None,
) -> None:
    """Judge whether runs are worse than a baseline by more than matters, and not by noise.

    Exit code 0: they are not, within 95 %. 1: they are. 3: the runs cannot tell; the text says how many more would.
    """
    margin, bound = share("--worse-than", worse_than), share("--drift", drift)
    metrics = [_metric(name) for name in metric or ["efficiency"]]
    storage = open_storage(data_dir(data), read_only=True)
    try:
        runs = _Runs(storage)
        verdict = judge_runs(runs.of(baseline), runs.of(candidate), metrics, margin, bound)
    finally:
        storage.close()
    for file, text in ((junit_file, junit), (summary_file, markdown), (badge_file, badge)):
        if file is not None:
            _write(file, text(verdict))
    if as_json:
        emit_json(verdict)
    else:
        typer.echo(_said(verdict))
    raise typer.Exit(_EXIT[verdict.outcome])


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
            chosen = [run for run in runs if f"{run.server}/{run.configuration}" == reference]
        else:
            return [self._results.result(self._results.record(run_id)) for run_id in reference.split(",")]
        if not chosen:
            raise InputError(f"No run is named by {reference[:80]!r}.", REF_HELP)
        return [self._results.result(run) for run in chosen]


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
    runs = f"{len(verdict.candidate)} runs against {len(verdict.baseline)}"
    return f"{verdict.outcome} ({verdict.workload}, {verdict.level}; {runs})\n{verdict.text}"


def _write(file: Path, text: str) -> None:
    try:
        with whole_file(file) as output:
            output.write(text.encode())
    except OSError as error:
        raise WattmarkError(f"Cannot write {file}: {error.strerror}.", "Choose another file.") from error
