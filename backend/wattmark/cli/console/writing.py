"""Open a data folder to change it; where a service uses it, say how the change is made there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wattmark.cli.console.options import data_dir
from wattmark.core.errors import StoreError, WattmarkError
from wattmark.reading.http_service import ask_service
from wattmark.results.data_folder import Storage, open_storage
from wattmark.store.lock import FolderInUse

STOPPED = "end the service (Ctrl-C in its terminal, or `systemctl stop wattmark`) and repeat the command"
BY_URL = "Repeat the command with --url {address}"
NOT_WHILE_SERVED = "A running service does not do this"
"""Of the few changes that need the data folder for themselves."""


def open_to_write(data: Path | None, instead: str) -> Storage:
    """Open a data folder to change it. Raises `StoreError` as `unless_in_use` does."""
    with unless_in_use(instead):
        return open_storage(data_dir(data))


@contextmanager
def unless_in_use(instead: str) -> Iterator[None]:
    """Raise `StoreError` where another process writes to the data folder: what it does, and what to do.

    ``instead`` is how a running service makes the same change, without a stop; {address} stands for its address. The
    process is never to be killed: it may be measuring.
    """
    try:
        yield
    except FolderInUse as held:
        if held.address is None:
            raise StoreError(
                f"{held.cause} It is another wattmark command, such as `wattmark run`, or a service that is starting.",
                "Wait until it has ended, or end it with Ctrl-C in its terminal.",
            ) from held
        running = _campaign_runs(held.address)
        when = {True: "When the campaign has ended,", False: "Or", None: "Or, when no campaign runs,"}[running]
        state = {True: " A campaign is running.", False: " No campaign is running.", None: ""}[running]
        raise StoreError(
            held.cause + state, f"{instead.replace('{address}', held.address)}. {when} {STOPPED}."
        ) from held


def in_web_app(page: str, steps: str) -> str:
    """Say where in the web app a change is made: the path of its page, and what to press there."""
    return f"In the web app, {{address}}/{page}: {steps}"


def as_request(path: str) -> str:
    """Say which request makes a change for which the web app has no page."""
    return f"Send the service POST {{address}}{path}, as {{address}}/api/docs describes"


def _campaign_runs(address: str) -> bool | None:
    """Ask a service whether it runs a campaign; None where it does not say."""
    try:
        campaign = ask_service(address, "GET", "/api/campaign")
    except WattmarkError:
        return None
    state = campaign.get("state") if isinstance(campaign, dict) else None
    return None if state is None else state == "running"
