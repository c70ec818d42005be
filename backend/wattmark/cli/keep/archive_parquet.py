"""`wattmark archive --parquet`: add runs to a cold archive that other programs query."""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from pathlib import Path

import typer
from wattmark_drivers.clock import SystemClock

from wattmark.bench.load import load_bench
from wattmark.cli.console.log_progress import work_shown
from wattmark.cli.console.output import emit_json
from wattmark.fleet.parquet.archive import LeaveOut, ParquetArchive
from wattmark.fleet.parquet.outcome import Added, Compared
from wattmark.fleet.parquet.s3 import SCHEME, Bucket
from wattmark.fleet.parquet.target import Folder, ParquetTarget
from wattmark.instruments.known_bench import OWN_BENCH
from wattmark.results.data_folder import Storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.runs.record import RunRecord

BENCH = "WATTMARK_BENCH"


def add_to_parquet(
    where: str,
    folder: Path,
    storage: Storage,
    results: Evaluations,
    runs: Sequence[RunRecord],
    lab: str,
    leave_out: LeaveOut | None,
    lost: dict[str, str],
    *,
    verify: bool,
    as_json: bool,
) -> None:
    """Add runs, compare them where asked, and say what was done. Exit code 1: some are missing or differ."""
    target: ParquetTarget = Bucket(where) if where.startswith(SCHEME) else Folder(Path(where))
    name = lab or _lab_of_bench(folder) or socket.gethostname()
    with ParquetArchive(storage, results, target, name, SystemClock().utc_ns) as archive, work_shown(target.name):
        added = archive.add(runs, leave_out)
        compared = archive.compare([run for run in runs if run.run_id not in lost]) if verify else None
    if as_json:
        emit_json(_as_json(where, added, lost, compared))
    else:
        _show(where, added, lost, compared)
    if lost or (compared is not None and compared.differing):
        raise typer.Exit(1)


def _lab_of_bench(folder: Path) -> str:
    bench = Path(os.environ.get(BENCH) or folder / OWN_BENCH)
    return load_bench(bench).lab if bench.exists() else ""


def _as_json(where: str, added: Added, lost: dict[str, str], compared: Compared | None) -> dict[str, object]:
    verified = None
    if compared is not None:
        verified = {
            "same": compared.same,
            "thinned": compared.thinned,
            "differing": compared.differing,
            "samples": compared.samples,
        }
    return {
        "parquet": where,
        "new": added.new,
        "replaced": added.replaced,
        "unchanged": added.unchanged,
        "elsewhere": added.elsewhere,
        "excluded": lost,
        "samples": added.samples,
        "bytes": added.bytes,
        "verified": verified,
    }


def _show(where: str, added: Added, lost: dict[str, str], compared: Compared | None) -> None:
    typer.echo(
        f"{where}: {_runs(len(added.new))} added, {len(added.replaced)} replaced, {len(added.unchanged)} unchanged; "
        f"{added.samples} samples, {added.bytes / 1e6:.1f} MB"
    )
    if added.elsewhere:
        typer.echo(f"{_runs(len(added.elsewhere))} left as another data folder archived them there")
    if compared is not None:
        typer.echo(f"{_runs(len(compared.same))} read back, {compared.samples} samples identical to the data folder")
        if compared.thinned:
            typer.echo(f"{_runs(len(compared.thinned))} not compared: thinned in the data folder")
        for run_id, difference in compared.differing.items():
            typer.echo(f"different: {run_id}: {difference}", err=True)
    for run_id, cause in lost.items():
        typer.echo(f"excluded: {run_id}: {cause}", err=True)


def _runs(n: int) -> str:
    return f"{n} run{'' if n == 1 else 's'}"
