"""`wattmark audit-published`: what others published, recomputed from their own logs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wattmark.audits.audit import Audit
from wattmark.audits.audit_plots import audits_plot, run_plot
from wattmark.audits.audit_table import audits_table, runs_table
from wattmark.cli.console.log_options import Round
from wattmark.cli.console.options import AsJson
from wattmark.cli.console.output import emit_json
from wattmark.cli.tables.shown import FormatOption, OutputFile, Wide, file_format, put_figure, show, view
from wattmark.core.errors import InputError
from wattmark.importers.choices import read_choices
from wattmark.importers.importer import Choices
from wattmark.importers.kinds import DETECT, importer_of
from wattmark.importers.opened import opened
from wattmark.reports.files.figure_file import FIGURE_FORMATS


def audit_published(
    path: Annotated[Path, typer.Argument(help="Folder, file or zip file with published results.")],
    kind: Annotated[str, typer.Option("--kind", help="Kind of source, as for `wattmark import`.")] = DETECT,
    runs: Annotated[bool, typer.Option("--runs", help="One row per run, instead of one per submission.")] = False,
    zone: Annotated[str | None, typer.Option("--zone", help="Time zone of stamps that name none.")] = None,
    round: Round = None,  # noqa: A002
    figure: Annotated[
        Path | None, typer.Option("--figure", help="Also draw a figure into this file: .svg, .pdf or .png.")
    ] = None,
    wide: Wide = False,
    format: FormatOption = "table",  # noqa: A002
    output: OutputFile = None,
    as_json: AsJson = False,
) -> None:
    """Show published figures beside those of their own logs: by their own rule, and over the complete window."""
    format = file_format(format, output, as_json=as_json)  # noqa: A001
    audits, refused = _audited(path, kind, read_choices(zone, round_name=round))
    if figure is not None:
        _draw(audits, figure)
    if format == "json" and output is None and not runs:
        emit_json({"audits": [_document(audit) for audit in audits]})
    else:
        _show(audits, runs=runs, wide=wide, format=format, output=output)
    if unnamed := sum(audit.round_missing for audit in audits):
        typer.echo(
            f"{unnamed} results: round not named, published figure not looked up. Name it, as in --round v1.1.",
            err=True,
        )
    if refused is not None:
        typer.echo(f"not audited: {refused}", err=True)
        raise typer.Exit(1)


def _show(audits: list[Audit], *, runs: bool, wide: bool, format: FormatOption, output: Path | None) -> None:  # noqa: A002
    tables = [runs_table(audit) for audit in audits if audit.runs] if runs else [audits_table(audits)]
    for table in tables:
        show(view(table, "", wide=True) if wide else table, format, output)


def _audited(path: Path, kind: str, choices: Choices) -> tuple[list[Audit], InputError | None]:
    """Audit what can be audited. Raises `InputError` where that is nothing."""
    with opened(path) as source:
        importer = importer_of(kind, source)
        if importer.audit is None:
            raise InputError(
                f"{importer.title} states no figure by a rule of its own.", "Import it with `wattmark import` instead."
            )
        audits: list[Audit] = []
        try:
            audits.extend(importer.audit(source, choices))
        except InputError as error:
            if not audits:
                raise
            return audits, error
        return audits, None


def _document(audit: Audit) -> dict[str, object]:
    return {**audit.model_dump(mode="json"), "difference_pct": audit.difference_pct}


def _draw(audits: list[Audit], file: Path) -> None:
    ending = file.suffix.lstrip(".").lower()
    if ending not in FIGURE_FORMATS:
        endings = ", ".join(f".{known}" for known in FIGURE_FORMATS)
        raise InputError(f"Figures are not available as {ending[:20]!r}.", f"End the file name with one of: {endings}.")
    single = audits[0] if len(audits) == 1 and audits[0].runs else None
    plot = audits_plot(audits) if single is None else run_plot(single, single.runs[0])
    put_figure(plot, ending, file)
