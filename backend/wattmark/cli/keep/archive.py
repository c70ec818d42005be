"""`wattmark archive`: runs with everything that they rest on as one file."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO, Annotated

import typer
from wattmark_drivers.clock import SystemClock

from wattmark.cli.console.options import AsJson, DataDir, data_dir
from wattmark.cli.console.output import emit_json
from wattmark.core.errors import StoreError, WattmarkError
from wattmark.core.whole_file import whole_file
from wattmark.exchange.archives.data_folder import Archives
from wattmark.results.data_folder import open_storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer
from wattmark.runs.record import RunRecord


def archive(
    output: Annotated[Path, typer.Option("-o", "--output", help="File to write.")],
    runs: Annotated[list[str] | None, typer.Argument(metavar="RUN", help="These runs.")] = None,
    campaign: Annotated[str | None, typer.Option("--campaign", help="All runs of this campaign.")] = None,
    every: Annotated[bool, typer.Option("--all", help="All runs.")] = False,
    lab: Annotated[str, typer.Option("--lab", help="Name of your lab, shown to others. Default: the host name.")] = "",
    notes: Annotated[bool, typer.Option("--with-notes", help="Include tags and notes.")] = False,
    data: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Write runs as one file that others can read, recompute and restore; a service may run meanwhile."""
    storage = open_storage(data_dir(data), read_only=True)
    try:
        results = Evaluations(storage)
        archives = Archives(storage, results, Issuer(storage, results, SystemClock()))
        chosen = archives.choose(runs or (), campaign, every=every)
        lost: dict[str, str] = {}
        leave_out = None if runs else partial(_leave_out, lost)
        size = _write(output, partial(archives.write, runs=chosen, lab=lab, notes=notes, leave_out=leave_out))
    finally:
        storage.close()
    if as_json:
        packed = sorted(run.run_id for run in chosen if run.run_id not in lost)
        emit_json({"archive": str(output), "bytes": size, "runs": packed, "excluded": lost})
    else:
        n = len(chosen) - len(lost)
        typer.echo(f"{output}: {n} run{'' if n == 1 else 's'}, {size / 1e6:.1f} MB")
        for run_id, cause in lost.items():
            typer.echo(f"excluded: {run_id}: {cause}", err=True)
    if lost:
        raise typer.Exit(1)


def _leave_out(lost: dict[str, str], run: RunRecord, error: StoreError) -> None:
    lost[run.run_id] = error.cause


def _write(output: Path, write: Callable[[IO[bytes]], None]) -> int:
    try:
        with whole_file(output) as file:
            write(file)
            return file.tell()
    except OSError as error:
        raise WattmarkError(f"Cannot write {output}: {error.strerror}.", "Choose another file with -o.") from error
