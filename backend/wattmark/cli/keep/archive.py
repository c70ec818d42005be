"""`wattmark archive`: runs with everything that they rest on as one file, or as Parquet files for other programs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO, Annotated

import typer
from wattmark_drivers.clock import SystemClock

from wattmark.archives.data_folder import Archives
from wattmark.archives.published import published_with
from wattmark.archives.signature import KEY_FILE, load_signing_key
from wattmark.cli.console.log_progress import work_shown
from wattmark.cli.console.options import AsJson, DataDir, data_dir
from wattmark.cli.console.output import emit_json
from wattmark.cli.console.output_file import ARCHIVE_FILE, ends_as
from wattmark.cli.keep.archive_parquet import add_to_parquet
from wattmark.cli.keep.chosen_runs import require_choice
from wattmark.core.errors import InputError, StoreError, WattmarkError
from wattmark.core.whole_file import whole_file
from wattmark.results.data_folder import open_storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer
from wattmark.runs.record import RunRecord


def archive(
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="File to write.", callback=ends_as(*ARCHIVE_FILE))
    ] = None,
    parquet: Annotated[
        str | None,
        typer.Option(
            "--parquet",
            metavar="DIR|s3://BUCKET/PREFIX",
            help="Add the runs as Parquet files that DuckDB, Polars and Spark read, instead of writing one file.",
        ),
    ] = None,
    runs: Annotated[list[str] | None, typer.Argument(metavar="RUN", help="These runs.")] = None,
    campaign: Annotated[str | None, typer.Option("--campaign", help="All runs of this campaign.")] = None,
    every: Annotated[bool, typer.Option("--all", help="All runs, published figures and audits.")] = False,
    lab: Annotated[
        str,
        typer.Option(
            "--lab",
            help="Name of your lab, shown to others. Default: the host name (--parquet: of the bench file).",
        ),
    ] = "",
    notes: Annotated[bool, typer.Option("--with-notes", help="Include tags and notes.")] = False,
    licence: Annotated[
        str, typer.Option("--license", help="What others may do with the data: an SPDX name (CC-BY-4.0) or an address.")
    ] = "",
    verify: Annotated[
        bool, typer.Option("--verify", help="With --parquet: read all samples of the runs back and compare every bit.")
    ] = False,
    data: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Write runs as one file that others can read, recompute and restore, signed if the data folder has a key.

    With --parquet, runs that are new or have changed are added to a folder or bucket for other programs to query; it
    cannot be restored. A service may run meanwhile.
    """
    _check_options(output, parquet, file_only=notes or bool(licence), parquet_only=verify)
    require_choice(runs, campaign, every=every)
    folder = data_dir(data)
    signing_key = None if parquet else load_signing_key(folder / KEY_FILE)
    storage = open_storage(folder, read_only=True)
    try:
        results = Evaluations(storage)
        archives = Archives(storage, results, Issuer(storage, results, SystemClock()), signing_key=signing_key)
        chosen = archives.choose(runs or (), campaign, every=every)
        lost: dict[str, str] = {}
        leave_out = None if runs else partial(_leave_out, lost)
        if parquet is not None:
            add_to_parquet(
                parquet, folder, storage, results, chosen, lab, leave_out, lost, verify=verify, as_json=as_json
            )
            return
        write = partial(
            archives.write, runs=chosen, lab=lab, notes=notes, every=every, licence=licence, leave_out=leave_out
        )
        published = published_with(storage.runs, chosen, every=every).text
        file = output or Path()
        with work_shown(file.name):
            size = _write(file, write)
    finally:
        storage.close()
    if as_json:
        packed = sorted(run.run_id for run in chosen if run.run_id not in lost)
        key = None if signing_key is None else signing_key.public.text
        emit_json({"archive": str(output), "bytes": size, "runs": packed, "excluded": lost, "signed_by": key})
    else:
        n = len(chosen) - len(lost)
        beside = f" with {published}" if published else ""
        signed = "" if signing_key is None else ", signed"
        megabytes = "" if size is None else f", {size / 1e6:.1f} MB"
        typer.echo(f"{output}: {n} run{'' if n == 1 else 's'}{beside}{megabytes}{signed}")
        for run_id, cause in lost.items():
            typer.echo(f"excluded: {run_id}: {cause}", err=True)
    if lost:
        raise typer.Exit(1)


def _leave_out(lost: dict[str, str], run: RunRecord, error: StoreError) -> None:
    lost[run.run_id] = error.cause


def _write(output: Path, write: Callable[[IO[bytes]], None]) -> int | None:
    """Write the archive; return its size [bytes], None for a pipe, which does not say how much it took."""
    try:
        with whole_file(output) as file:
            write(file)
            return file.tell() if file.seekable() else None
    except OSError as error:
        raise WattmarkError(f"Cannot write {output}: {error.strerror}.", "Choose another file with -o.") from error


def _check_options(output: Path | None, parquet: str | None, *, file_only: bool, parquet_only: bool) -> None:
    """Raise `InputError` for options that do not go together."""
    if (output is None) == (parquet is None):
        raise InputError("Where to write to is not clear.", "Give either -o FILE or --parquet DIR.")
    if parquet is not None and file_only:
        raise InputError("--with-notes and --license belong to an archive file.", "Use them with -o FILE.")
    if parquet is None and parquet_only:
        raise InputError("--verify belongs to --parquet.", "Verify an archive file with `wattmark verify FILE`.")
