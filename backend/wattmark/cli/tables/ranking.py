"""`wattmark ranking`: why a run is not ranked, and a person's choice to rank it all the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated

import typer
from wattmark_drivers.clock import SystemClock

from wattmark.cli.console.audited import note_act
from wattmark.cli.console.options import AsJson, DataDir
from wattmark.cli.console.output import emit_json
from wattmark.cli.console.stored import stored
from wattmark.cli.console.writing import in_web_app, open_to_write
from wattmark.core.errors import InputError
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.pages.inclusions import Inclusions
from wattmark.results.ranking_bars import includable_rules, ranking
from wattmark.runs.annotations.views import InclusionOrder

app = typer.Typer(no_args_is_help=True)
Run = Annotated[str, typer.Argument(metavar="RUN", help="Id of the run.")]


@app.callback()
def ranking_() -> None:
    """Show why a run is not ranked, and override that decision."""


@app.command("show")
def show(run: Run, data: DataDir = None, as_json: AsJson = False) -> None:
    """Show by which quantities a run is ranked, why not by the others, and which rules can be overridden."""
    with stored(data, "are no runs") as storage:
        results = Evaluations(storage)
        result = results.shown(results.known(run))
    figures, rules = ranking(result), includable_rules(result)
    if as_json:
        emit_json({"run_id": run, "ranking": figures, "includable": rules})
        return
    for figure in figures:
        typer.echo(f"{figure.title}: {'ranked' if figure.ranked else f'not ranked. {figure.why_not}'}")
        if figure.inclusion is not None:
            typer.echo(f"  {figure.inclusion}.")
    if rules:
        typer.echo(f"Rules that can be overridden: {', '.join(rules)}")


@app.command("include")
def include(
    run: Run,
    rule: Annotated[list[str], typer.Option("--rule", help="A failed rule to override; repeatable.")],
    by: Annotated[str, typer.Option("--by", help="Your name; printed wherever the run is ranked.")],
    reason: Annotated[str, typer.Option("--reason", help="Reason; printed as well.")],
    data: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Rank a run although a rule failed. Every output shows your name and reason."""
    order = _order(by, reason, rule)
    instead = in_web_app(f"runs/{run}", "Rank anyway")
    with _changing(data, instead, "ranking include", run, *rule) as inclusions:
        chosen = inclusions.include(run, order)
        result = inclusions.result(run).model_copy(update={"inclusion": chosen})
    if as_json:
        emit_json(chosen)
        return
    typer.echo(f"{run}: override of {chosen.by} for {', '.join(chosen.rules)}.")
    for figure in ranking(result):
        typer.echo(f"{figure.title}: {'ranked' if figure.ranked else f'not ranked. {figure.why_not}'}")


@app.command("exclude")
def exclude(run: Run, data: DataDir = None) -> None:
    """Withdraw the override of a run's ranking."""
    instead = in_web_app(f"runs/{run}", "Withdraw the override")
    with _changing(data, instead, "ranking exclude", run) as inclusions:
        inclusions.exclude(run)
    typer.echo(f"{run} is ranked only where its checks allow it.")


def _order(by: str, reason: str, rules: list[str]) -> InclusionOrder:
    try:
        return InclusionOrder(by=by, reason=reason, rules=rules)
    except ValueError as error:
        raise InputError(
            "The name, the reason or a rule is not valid. Each must be a single line of text.", str(error)
        ) from None


@contextmanager
def _changing(data: Path | None, instead: str, command: str, *about: str) -> Iterator[Inclusions]:
    """Open a data folder to change it; the audit log records what was done."""
    with closing(open_to_write(data, instead)) as storage:
        yield Inclusions(storage.annotations, Evaluations(storage).issued, SystemClock())
        note_act(storage, command, *about)
