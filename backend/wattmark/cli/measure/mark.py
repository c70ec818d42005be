"""`wattmark mark`: tell a running service what a load does that wattmark did not start."""

from __future__ import annotations

from typing import Annotated

import typer

from wattmark.reading.http_service import HERE, URL_HELP, ask_service

app = typer.Typer(no_args_is_help=True)
Url = Annotated[str, typer.Option("--url", help=URL_HELP)]


@app.callback()
def mark() -> None:
    """Send markers of a load that wattmark did not start to a running service."""


@app.command("begin")
def begin(url: Url = HERE) -> None:
    """Mark the start of the measured work."""
    _send(url, {"kind": "begin"})


@app.command("end")
def end(url: Url = HERE) -> None:
    """Mark the end of the measured work."""
    _send(url, {"kind": "end"})


@app.command("value")
def value(
    number: Annotated[float, typer.Argument(min=0, help="Amount or rate, as the workload declares it.")],
    url: Url = HERE,
) -> None:
    """Send a value: work done, or work per second."""
    _send(url, {"kind": "value", "value": number})


def _send(url: str, body: dict[str, object]) -> None:
    ask_service(url, "POST", "/api/markers", body)
