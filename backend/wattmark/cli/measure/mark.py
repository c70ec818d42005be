"""`wattmark mark`: measure what a shell does, or tell a service what a load does that it did not start."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wattmark.cli.console.amounts import seconds
from wattmark.cli.console.options import AsJson
from wattmark.cli.console.output import emit_json, visible
from wattmark.cli.console.plain_console import console
from wattmark.cli.measure.shell_window import OPEN_FIRST, ShellWindow, default_file
from wattmark.client import AS_IS, HERE, URL
from wattmark.core.errors import InputError
from wattmark.reading.http_service import URL_HELP, ask_service

UNIT, AT_MOST = "operations", "1h"
app = typer.Typer(no_args_is_help=True)
Url = Annotated[str, typer.Option("--url", envvar=URL, help=URL_HELP)]
State = Annotated[
    Path | None, typer.Option("--state", help="File that remembers the measurement. Default: one for this user.")
]


@app.callback()
def mark() -> None:
    """Measure what a shell does on a running service, or send it the markers that a plan waits for.

    `begin NAME` opens a measurement, and the other commands are about it. `begin` without a name sends a marker to the
    run of a plan, and so do `value` and `end` while no measurement is open.
    """


@app.command("begin")
def begin(
    name: Annotated[
        str | None, typer.Argument(help="Name of the workload in results. Without it, a marker for a plan.")
    ] = None,
    server: Annotated[
        str | None, typer.Option("--server", help="Server of the bench that works. Default: the only one.")
    ] = None,
    configuration: Annotated[
        str, typer.Option("--configuration", help="Name of what is measured, to compare it with another.")
    ] = AS_IS,
    unit: Annotated[str, typer.Option("--unit", help="What is counted.")] = UNIT,
    at_most: Annotated[
        str, typer.Option("--at-most", metavar="TIME", help="When it is dropped if nobody ends it: 10min, 8h.")
    ] = AT_MOST,
    url: Url = HERE,
    state: State = None,
) -> None:
    """Begin the measured work: returns when the meters have given enough readings."""
    window = ShellWindow(state or default_file())
    if name is None:
        if (server, configuration, unit, at_most) != (None, AS_IS, UNIT, AT_MOST):
            raise InputError("A measurement has a name.", "Give it: wattmark mark begin NAME.")
        _say_dropped(window.drop_left())
        _send(url, {"kind": "begin"})
        return
    order = {
        "name": name,
        "server": server,
        "configuration": configuration,
        "unit": unit,
        "at_most_s": seconds(at_most),
    }
    _say_dropped(window.begin(url, order))


@app.command("end")
def end(
    ops: Annotated[float | None, typer.Option("--ops", min=0, help="Work that was done, as a number.")] = None,
    as_json: AsJson = False,
    url: Url = HERE,
    state: State = None,
) -> None:
    """End the measured work, and print its figures."""
    window = ShellWindow(state or default_file())
    if not window.is_open:
        if ops is not None or as_json:
            raise InputError("No measurement is open.", OPEN_FIRST)
        _send(url, {"kind": "end"})
        return
    figures, result = window.end(ops)
    if as_json:
        emit_json(figures)
    else:
        typer.echo(visible(str(result)))


@app.command("value")
def value(
    number: Annotated[
        float, typer.Argument(min=0, help="Work done since the last value; in a plan, as its workload declares it.")
    ],
    url: Url = HERE,
    state: State = None,
) -> None:
    """Count work done, or work per second."""
    window = ShellWindow(state or default_file())
    if window.is_open:
        window.value(number)
    else:
        _send(url, {"kind": "value", "value": number})


@app.command("label")
def label(
    text: Annotated[str, typer.Argument(help="Name of the part of the work that begins.")], state: State = None
) -> None:
    """Begin a part of the measured work, which gets figures of its own."""
    ShellWindow(state or default_file()).label(text)


@app.command("drop")
def drop(state: State = None) -> None:
    """Drop the measurement that is open."""
    ShellWindow(state or default_file()).drop()


def _say_dropped(name: str | None) -> None:
    if name is not None:
        console().print(f"The measurement {name!r} was open, and is dropped.")


def _send(url: str, body: dict[str, object]) -> None:
    ask_service(url, "POST", "/api/markers", body)
