"""`wattmark mark`: tell a running service what a load does that wattmark did not start."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from typing import Annotated

import typer

from wattmark.errors import InputError, WattmarkError

TIMEOUT_S = 10.0
TOKEN = "WATTMARK_TOKEN"  # noqa: S105 - the name of a variable
app = typer.Typer(no_args_is_help=True)
Url = Annotated[str, typer.Option("--url", help=f"Address of the service; {TOKEN} holds its token where it has one.")]
HERE = "http://127.0.0.1:8400"


@app.callback()
def mark() -> None:
    """Tell a running service what a load does that wattmark did not start."""


@app.command("begin")
def begin(url: Url = HERE) -> None:
    """Say that the work that counts begins now."""
    _send(url, {"kind": "begin"})


@app.command("end")
def end(url: Url = HERE) -> None:
    """Say that the work that counts ends now."""
    _send(url, {"kind": "end"})


@app.command("value")
def value(
    number: Annotated[float, typer.Argument(min=0, help="Amount or rate, as the workload declares it.")],
    url: Url = HERE,
) -> None:
    """Give a number: work done, or work per second."""
    _send(url, {"kind": "value", "value": number})


def _send(url: str, body: dict[str, object]) -> None:
    if not url.startswith(("http://", "https://")):
        raise InputError(f"{url} is no address of a service.", f"Write it like {HERE}.")
    headers = {"Content-Type": "application/json"}
    if token := os.environ.get(TOKEN):
        headers["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(f"{url.rstrip('/')}/api/markers", json.dumps(body).encode(), headers)  # noqa: S310 - checked above
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S):  # noqa: S310 - checked above
            return
    except urllib.error.HTTPError as error:
        raise WattmarkError(*_words(error)) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise WattmarkError(f"{url} does not answer: {reason}.", "Start the service: wattmark serve.") from None


def _words(error: urllib.error.HTTPError) -> tuple[str, str]:
    """Take cause and remedy from the service's answer."""
    try:
        answer = json.loads(error.read(65_536))
        return str(answer["cause"]), str(answer["remedy"])
    except (ValueError, KeyError, TypeError, OSError):
        return f"The service refused the mark with status {error.code}.", "Look at its log."
