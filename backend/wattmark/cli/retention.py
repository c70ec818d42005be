"""`wattmark retention`: thin the raw samples of old runs, never their results."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated

import typer
from wattmark_drivers.clock import SystemClock

from wattmark.appliance.queries import Queries
from wattmark.appliance.retention import Retention, ThinnedRun
from wattmark.appliance.statements import Statements
from wattmark.cli.audited import note_act
from wattmark.cli.options import AsJson, DataDir, data_dir
from wattmark.cli.output import emit_json
from wattmark.published.library import load_published
from wattmark.storage.open import open_storage


def retention(
    older_than: Annotated[
        float, typer.Option("--older-than", min=0, envvar="WATTMARK_THIN_AFTER_DAYS", help="Days to keep raw samples.")
    ],
    apply: Annotated[bool, typer.Option("--apply", help="Do it. Without this nothing is changed.")] = False,
    data: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Thin raw samples of old runs to means of 1 s with their extremes; without --apply only say what that would do.

    Results are stated first and stay. A service with WATTMARK_THIN_AFTER_DAYS does this by itself once a day.
    """
    with closing(open_storage(data_dir(data), read_only=not apply)) as storage:
        queries, clock = Queries(storage, load_published()), SystemClock()
        room = Retention(storage, Statements(storage, queries, clock), clock)
        done = list(room.apply(older_than) if apply else room.plan(older_than))
        if apply:
            note_act(storage, "retention", *(one.run_id for one in done if one.problem is None))
    if as_json:
        runs = [{**asdict(one), "saved_bytes": one.saved_bytes} for one in done]
        emit_json({"applied": apply, "older_than_days": older_than, "runs": runs})
    else:
        _show(done, apply)


def _show(done: Iterable[ThinnedRun], apply: bool) -> None:
    done = list(done)
    for one in done:
        day = datetime.fromtimestamp(one.created_ns * 1e-9, UTC).date().isoformat()
        told = one.problem or f"{one.samples_before:,} -> {one.samples_after:,} samples"
        typer.echo(f"{one.run_id}  {day}  {'left as it is: ' if one.problem else ''}{told}")
    saved, runs = sum(one.saved_bytes for one in done), sum(one.problem is None for one in done)
    what = f"{runs} run{'' if runs == 1 else 's'}, {saved / 1e6:.1f} MB"
    if apply:
        typer.echo(f"Thinned: {what}; the space is used again by new runs.")
    else:
        typer.echo(f"Would be thinned: {what}. Do it with --apply.")
    if runs and not apply:
        typer.echo("Lost for ever: every single sample within a second but its smallest and largest value.")
        typer.echo("Archive first what others may want to recompute: wattmark archive --all -o FILE")
