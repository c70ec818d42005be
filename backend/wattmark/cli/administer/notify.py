"""`wattmark notify`: who is told what happens, and a message to try it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import typer
from wattmark_drivers.clock import SystemClock

from wattmark.cli.console.options import AsJson
from wattmark.cli.console.output import emit_json, visible
from wattmark.core.errors import NotFound
from wattmark.core.likely import meant_or_listed
from wattmark.reading.http_service import HERE, URL_HELP, ask_service

app = typer.Typer(no_args_is_help=True)
Url = Annotated[str, typer.Option("--url", help=URL_HELP)]
PATH = "/api/notices"
TEST_S = 60.0
"""How long a test may take: longer than the service itself waits for a way [s]."""


@app.callback()
def notify() -> None:
    """Show who is told what happens, and send a message to try it."""


@app.command("list")
def list_notifiers(url: Url = HERE, as_json: AsJson = False) -> None:
    """List the entries of `notify` of a running service: what was sent, what waits, what does not work."""
    answer = ask_service(url, "GET", PATH)
    if as_json:
        emit_json(answer)
        return
    for entry in answer["notifiers"]:
        counts = f"{entry['sent']} sent, {entry['waiting']} waiting, {entry['not_sent']} not sent"
        typer.echo(visible(f"{entry['name']}  {entry['by']} to {entry['target']}: {counts}"))
        typer.echo(visible(f"  {', '.join(entry['events'])}"))
        if entry["problem"]:
            typer.echo(visible(f"  since {entry['since']}: {entry['problem']} {entry['remedy'] or ''}".rstrip()))
    if not answer["notifiers"]:
        typer.echo("Nobody is told anything. Add `notify` to the bench file.")


@app.command("test")
def send_test(
    name: Annotated[str, typer.Argument(help="The entry, by its id in the bench file.")],
    bench: Annotated[
        Path | None, typer.Option("--bench", help="Send from here, as this bench file says, without a service.")
    ] = None,
    url: Url = HERE,
    as_json: AsJson = False,
) -> None:
    """Send a message by one entry now, and print what took it. Exit code 1: it did not arrive."""
    if bench is not None:
        answer = _sent_from_here(bench, name)
    else:
        answer = ask_service(url, "POST", f"{PATH}/{quote(name, safe='')}/test", timeout_s=TEST_S)["answer"]
    if as_json:
        emit_json({"answer": answer})
    else:
        typer.echo(visible(answer))


def _sent_from_here(file: Path, name: str) -> str:
    """Send as a bench file says, with the secrets of this environment. Raises `WattmarkError`."""
    from wattmark.bench.load import load_bench  # not for those who ask a service
    from wattmark.notices.channel import channel_of
    from wattmark.notices.notices import trial_notice

    bench = load_bench(file)
    entry = next((entry for entry in bench.notify if entry.id == name), None)
    if entry is None:
        names = [entry.id for entry in bench.notify]
        raise NotFound(f"{file} has no entry {name[:80]!r} of notify.", meant_or_listed(name, names, "Entries"))
    return channel_of(entry, bench.lab, bench.folder, os.environ)(trial_notice(name, SystemClock().utc_ns()))
