"""`wattmark queue`: the plans that a running service will start, in their order."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

import typer

from wattmark.cli.console.options import AsJson
from wattmark.cli.console.output import emit_json, visible
from wattmark.core.instants import iso
from wattmark.reading.http_service import HERE, URL_HELP, ask_service

app = typer.Typer(no_args_is_help=True)
Url = Annotated[str, typer.Option("--url", help=URL_HELP)]
Entry = Annotated[str, typer.Argument(help="The plan in the queue, as `wattmark queue list` names it.")]
PATH = "/api/campaign/queue"


@app.callback()
def queue() -> None:
    """Show and change the queue of plans of a running service."""


@app.command("list")
def list_plans(url: Url = HERE, as_json: AsJson = False) -> None:
    """List the plans that wait, those that their calendars will add, and what became of the latest ones."""
    _show(ask_service(url, "GET", PATH), as_json=as_json)


@app.command("add")
def add(
    plan: Annotated[str, typer.Argument(help="Name of a plan of the bench.")], url: Url = HERE, as_json: AsJson = False
) -> None:
    """Put a plan at the end of the queue: it drives its servers to full load at its turn."""
    _show(ask_service(url, "POST", PATH, {"plan": plan}), as_json=as_json)


@app.command("move")
def move(
    entry: Entry,
    position: Annotated[int, typer.Argument(min=1, help="Its new place; 1 is started next.")],
    url: Url = HERE,
    as_json: AsJson = False,
) -> None:
    """Move a plan that waits to another place."""
    _show(ask_service(url, "PUT", f"{PATH}/{quote(entry, safe='')}", {"position": position - 1}), as_json=as_json)


@app.command("remove")
def remove(entry: Entry, url: Url = HERE, as_json: AsJson = False) -> None:
    """Remove a plan that waits; one that runs is stopped in the web app."""
    _show(ask_service(url, "DELETE", f"{PATH}/{quote(entry, safe='')}"), as_json=as_json)


def _show(answer: Any, *, as_json: bool) -> None:
    if as_json:
        emit_json(answer)
        return
    for place, waiting in enumerate(answer["waiting"], 1):
        whose = f"queued by {waiting['by']}" if waiting["by"] else "by its calendar"
        typer.echo(visible(f"{place}. {waiting['plan']}  {waiting['entry']}, {whose}, since {_time(waiting['due_s'])}"))
    typer.echo(visible(answer["held"] or "No plan waits."))
    for plan in answer["scheduled"]:
        due = "no further time" if plan["next_s"] is None else f"next at {_time(plan['next_s'])}"
        typer.echo(visible(f"{plan['plan']}: {plan['calendar']}, {due}"))
    for taken in answer["taken"]:
        why = f": {taken['message']}" if taken["message"] else ""
        typer.echo(visible(f"{_time(taken['at_s'])}  {taken['plan']}  {taken['outcome']}{why}"))


def _time(at_s: float) -> str:
    return iso(round(at_s) * 10**9).replace("+00:00", "Z")
