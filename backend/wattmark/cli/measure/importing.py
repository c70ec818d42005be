"""`wattmark import`: results that others measured become runs."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer
from wattmark_drivers.clock import SystemClock

from wattmark.analysis.efficiency.rule_name import RuleName
from wattmark.cli.console.audited import note_act
from wattmark.cli.console.options import AsJson, DataDir, data_dir
from wattmark.cli.console.output import emit_json
from wattmark.cli.flat_json import flat
from wattmark.cli.tables.tables import show
from wattmark.core.errors import EvaluationFailed
from wattmark.exchange.importers.mlperf.mlperf import ImportOutcome, import_mlperf
from wattmark.reports.tables.tables import results_table
from wattmark.results.data_folder import open_storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer
from wattmark.results.result import Result

app = typer.Typer(no_args_is_help=True)


@app.callback()
def importing() -> None:
    """Import results measured by others."""


@app.command("mlperf")
def mlperf(
    directory: Annotated[Path, typer.Argument(help="A published MLPerf Power result tree, or one result in it.")],
    window_rule: Annotated[RuleName, typer.Option("--window-rule", help="Rule that defines the window.")] = "complete",
    data: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Import MLPerf Power results: one run per result, with its power series, window and throughput."""
    storage = open_storage(data_dir(data))
    try:
        outcomes = import_mlperf(directory, storage.samples, storage.runs)
        results = Evaluations(storage)
        issuer = Issuer(storage, results, SystemClock())
        for outcome in outcomes:
            if outcome.run_id:
                with suppress(EvaluationFailed):  # its result says why, and is shown
                    issuer.first(results.record(outcome.run_id))
        imported = [
            results.listed(results.record(outcome.run_id), window_rule) for outcome in outcomes if outcome.run_id
        ]
        note_act(storage, "import mlperf", str(directory), *(outcome.run_id for outcome in outcomes if outcome.run_id))
    finally:
        storage.close()
    failed = [outcome for outcome in outcomes if outcome.error]
    if as_json:
        errors = [{"source": str(outcome.source), "error": str(outcome.error)} for outcome in failed]
        emit_json({"results": flat(imported), "errors": errors})
    else:
        _show(imported, failed)
    if failed:
        raise typer.Exit(2)


def _show(imported: list[Result], failed: list[ImportOutcome]) -> None:
    show(results_table(imported), "table", None)
    for result in imported:
        for note in result.notes:
            typer.echo(f"{result.run_id}: {note}")
    for outcome in failed:
        typer.echo(f"not imported: {outcome.error}", err=True)
