"""`wattmark retention`: thin the raw samples of old runs, never their results."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated

import typer
from wattmark_drivers.clock import SystemClock

from wattmark.cli.console.audited import note_act
from wattmark.cli.console.options import AsJson, DataDir, data_dir
from wattmark.cli.console.output import emit_json
from wattmark.cli.console.writing import open_to_write
from wattmark.results.data_folder import open_storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer
from wattmark.results.pages.retention import Retention, ThinnedRun


def retention(
    older_than: Annotated[
        float, typer.Option("--older-than", min=0, envvar="WATTMARK_THIN_AFTER_DAYS", help="Days to keep raw samples.")
    ],
    apply: Annotated[
        bool, typer.Option("--apply", help="Apply the change. Without this option nothing is changed.")
    ] = False,
    data: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Thin raw samples of old runs to means of 1 s with their extremes; without --apply only say what that would do.

    Results are issued first and stay. A service with WATTMARK_THIN_AFTER_DAYS does this by itself once a day.
    """
    instead = "A service that was started with WATTMARK_THIN_AFTER_DAYS thins by itself once a day"
    with closing(open_to_write(data, instead) if apply else open_storage(data_dir(data), read_only=True)) as storage:
        results, clock = Evaluations(storage), SystemClock()
        thinning = Retention(storage, Issuer(storage, results, clock), clock)
        done = list(thinning.apply(older_than) if apply else thinning.plan(older_than))
        if apply:
            note_act(storage, "retention", *(run.run_id for run in done if run.problem is None))
    if as_json:
        runs = [{**asdict(run), "saved_bytes": run.saved_bytes} for run in done]
        emit_json({"applied": apply, "older_than_days": older_than, "runs": runs})
    else:
        _show(done, apply)


def _show(done: Iterable[ThinnedRun], apply: bool) -> None:
    done = list(done)
    for run in done:
        day = datetime.fromtimestamp(run.created_ns * 1e-9, UTC).date().isoformat()
        outcome = run.problem or f"{run.samples_before:,} -> {run.samples_after:,} samples"
        typer.echo(f"{run.run_id}  {day}  {'left as it is: ' if run.problem else ''}{outcome}")
    saved, runs = sum(run.saved_bytes for run in done), sum(run.problem is None for run in done)
    total = f"{runs} run{'' if runs == 1 else 's'}, {saved / 1e6:.1f} MB"
    if apply:
        typer.echo(f"Thinned: {total}; new runs reuse the space.")
    else:
        typer.echo(f"Would be thinned: {total}. Add --apply to do it.")
    if runs and not apply:
        typer.echo(
            "Of each second only the mean, the smallest and the largest value are kept. The other samples are lost."
        )
        typer.echo("To keep full samples, write an archive first: wattmark archive --all -o FILE")
