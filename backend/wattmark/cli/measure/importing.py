"""`wattmark import`: results that others measured become runs and published figures."""

from __future__ import annotations

import getpass
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from wattmark_drivers.clock import SystemClock

from wattmark.analysis.efficiency.rule_name import RuleName
from wattmark.cli.console.audited import note_act
from wattmark.cli.console.log_options import Begin, From, Phases, Power, PrecisionOf, Round, To, Zone
from wattmark.cli.console.log_progress import progress_shown
from wattmark.cli.console.options import AsJson, DataDir, data_dir
from wattmark.cli.console.output import emit_json
from wattmark.cli.console.writing import in_web_app, open_to_write
from wattmark.cli.measure.mapping import find_mapping
from wattmark.cli.result_json import result_json
from wattmark.cli.tables.shown import show
from wattmark.core.errors import InputError
from wattmark.importers.choices import read_choices, read_part, read_phases
from wattmark.importers.csv_mapping.mapping import CsvMapping
from wattmark.importers.importer import Choices
from wattmark.importers.kinds import DETECT, IMPORTERS
from wattmark.importers.opened import opened
from wattmark.importers.outcome import ImportOutcome, exit_code
from wattmark.importers.preview_table import preview_table
from wattmark.importers.published_imports import PublishedImports
from wattmark.importers.unread import MOST_SHOWN, Unread
from wattmark.results.data_folder import Storage, open_storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer
from wattmark.results.result import Result
from wattmark.results.tables.results_table import results_table
from wattmark.store.database import FILE_NAME

INSTEAD = in_web_app("archives", "Import published results")
_KINDS_HELP = f"{DETECT}, or one of: {', '.join(importer.kind for importer in IMPORTERS)}."


def importing(
    kind: Annotated[str, typer.Argument(help=f"Kind of source: {_KINDS_HELP}")],
    path: Annotated[Path, typer.Argument(help="Folder, file or zip file with the results.")],
    preview: Annotated[bool, typer.Option("--preview", help="Show what it would bring, and store nothing.")] = False,
    mapping: Annotated[
        str | None,
        typer.Option("--mapping", help="Mapping of the columns of a CSV file: a kept one, or a file."),
    ] = None,
    zone: Zone = None,
    power: Power = None,
    precision: PrecisionOf = None,
    begin: Begin = None,
    start: From = None,
    end: To = None,
    phases: Phases = None,
    round: Round = None,  # noqa: A002
    window_rule: Annotated[RuleName, typer.Option("--window-rule", help="Rule that defines the window.")] = "complete",
    data: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Import results measured by others: a run for each with samples, published figures for those without."""
    parts = read_part(start, end)
    if phases is not None:
        if parts:
            raise InputError("--phases says where each part begins and ends.", "Leave --from and --to out.")
        parts = read_phases(phases)
    choices = read_choices(zone, power, precision, begin, parts, getpass.getuser(), round)
    with opened(path) as source, ExitStack() as held:
        if preview:
            storage = open_storage(_folder_to_preview(data_dir(data), held), read_only=True)
        else:
            storage = open_to_write(data, INSTEAD)
        try:
            chosen = find_mapping(storage, kind, mapping)
            if preview:
                _preview(kind, source, storage, choices, chosen, as_json=as_json)
            else:
                _import(kind, source, str(path), storage, choices, chosen, window_rule, as_json=as_json)
        finally:
            storage.close()


def _folder_to_preview(folder: Path, held: ExitStack) -> Path:
    """Return the data folder, or an empty one where there is none yet: a preview needs nothing that is stored."""
    if (folder / FILE_NAME).is_file():
        return folder
    empty = Path(held.enter_context(TemporaryDirectory(prefix="wattmark-preview-")))
    open_to_write(empty, INSTEAD).close()
    return empty


def _preview(
    kind: str, source: Path, storage: Storage, choices: Choices, mapping: CsvMapping | None, *, as_json: bool
) -> None:
    imports = PublishedImports(storage, Evaluations(storage), None)
    with progress_shown(source, silent=as_json):
        importer, results = imports.preview(kind, source, choices, mapping)
    show(preview_table(importer, results), "json" if as_json else "table", None)
    for result in results:
        _show_unread(result.unread)
    if any(result.error for result in results):
        raise typer.Exit(2)


def _import(
    kind: str,
    source: Path,
    name: str,
    storage: Storage,
    choices: Choices,
    mapping: CsvMapping | None,
    window_rule: RuleName,
    *,
    as_json: bool,
) -> None:
    results = Evaluations(storage)
    imports = PublishedImports(storage, results, Issuer(storage, results, SystemClock()))
    with progress_shown(source, silent=as_json):
        done = imports.bring_in(kind, source, choices, mapping)
    run_ids = [outcome.run_id for outcome in done.outcomes if outcome.run_id]
    imported = [results.listed(results.record(run_id), window_rule) for run_id in run_ids]
    figures = [outcome.figures_id for outcome in done.outcomes if outcome.figures_id]
    note_act(storage, f"import {done.importer.kind}", name, *run_ids, *figures)
    failed = [outcome for outcome in done.outcomes if outcome.error]
    if as_json:
        errors = [{"source": str(outcome.source), "error": str(outcome.error)} for outcome in failed]
        audits = [audit.id for audit in done.audits]
        unread = unread_json([outcome.unread for outcome in done.outcomes])
        shown = [result_json(result) for result in imported]
        emit_json({"results": shown, "figures": figures, "audits": audits, "errors": errors, **unread})
    else:
        _show(imported, done.outcomes)
        if done.not_audited and not failed:
            typer.echo(f"not audited: {done.not_audited}", err=True)
    if failed:
        raise typer.Exit(exit_code(done.outcomes))


def _show(imported: list[Result], outcomes: list[ImportOutcome]) -> None:
    if imported:
        show(results_table(imported), "table", None)
    for result in imported:
        for note in result.notes:
            typer.echo(f"{result.run_id}: {note}")
    for outcome in outcomes:
        if outcome.figures_id:
            typer.echo(f"{outcome.figures_id}: {outcome.source}")
            for note in outcome.notes:
                typer.echo(f"{outcome.figures_id}: {note}")
        _show_unread(outcome.unread)
        if outcome.error:
            typer.echo(f"not imported: {outcome.error}", err=True)


def unread_json(parts: Sequence[Unread]) -> dict[str, object]:
    """Return how many lines were not understood, and the first of them."""
    first = [line for part in parts for line in part.first][:MOST_SHOWN]
    return {"unread": sum(part.count for part in parts), "unread_lines": [asdict(line) for line in first]}


def _show_unread(unread: Unread) -> None:
    for line in unread.first:
        typer.echo(f"not understood: {line.file} line {line.line}: {line.text!r} ({line.why})", err=True)
    if unread.count > len(unread.first):
        typer.echo(f"not understood: {unread.count - len(unread.first)} more lines", err=True)
