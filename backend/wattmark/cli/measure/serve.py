"""`wattmark serve`: the appliance with its web app."""

from __future__ import annotations

import asyncio
import logging
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from wattmark.access.http.middleware import AccessPolicy
from wattmark.cli.console.options import DataDir
from wattmark.cli.console.plain_console import console
from wattmark.cli.console.signals import on_termination
from wattmark.cli.console.writing import unless_in_use
from wattmark.core.event_loop import give_way_soon, run_loop
from wattmark.core.hardening import protect_memory, take_variables
from wattmark.core.open_files import allow_open_files
from wattmark.service.app import UI, create_app
from wattmark.service.first_token import first_token, keep_privately, take_given
from wattmark.service.fleet_service import FleetService, open_fleet_service
from wattmark.service.metrics.figures import Figures
from wattmark.service.process.collector import settle
from wattmark.service.process.logs import Format, log_as_json
from wattmark.service.process.server import Server, address, addresses, listen
from wattmark.service.process.service_manager import OWN, ServiceManager
from wattmark.service.reader.child import ForkedReader
from wattmark.service.reader.keeper import Reader
from wattmark.service.reader.start import StartOrder
from wattmark.service.service import Service, open_service
from wattmark.service.settings import Settings, read_settings

log = logging.getLogger("wattmark.serve")
TOKEN = "WATTMARK_TOKEN"  # noqa: S105 - the name of a variable


def serve(
    data: DataDir = None,
    bench: Annotated[Path | None, typer.Option("--bench", help="Bench file: servers, meters, plans.")] = None,
    host: Annotated[
        str | None,
        typer.Option(
            "--host", help="Address to listen on; other than loopback, a sign-in is required. Default: 127.0.0.1."
        ),
    ] = None,
    port: Annotated[
        int | None, typer.Option("--port", min=0, max=65535, help="Port; 0 chooses a free one. Default: 8400.")
    ] = None,
    name: Annotated[list[str] | None, typer.Option("--name", help="Additional host name of this service.")] = None,
    sign_in: Annotated[
        bool | None, typer.Option("--sign-in", help="Require a sign-in on loopback too.", show_default=False)
    ] = None,
    fleet: Annotated[
        str | None,
        typer.Option("--fleet", help="Show the fleet in the ClickHouse at this address instead; no bench, no meters."),
    ] = None,
    log_format: Annotated[
        Format | None, typer.Option("--log-format", help="Log format. Default: text on a terminal, otherwise json.")
    ] = None,
    page: Annotated[
        str | None,
        typer.Option("--open", metavar="PAGE", help="Open a page of the web app in a browser, such as runs."),
    ] = None,
) -> None:
    """Log power, run campaigns and serve the web app until Ctrl-C; or show a fleet.

    WATTMARK_BENCH, WATTMARK_HOST, WATTMARK_PORT, WATTMARK_NAMES, WATTMARK_SIGN_IN, WATTMARK_SESSION_HOURS,
    WATTMARK_LOG_FORMAT and WATTMARK_TOKEN_FILE (a private file with an administrator's token) stand for options not
    given.
    """
    options = {"bench": bench, "host": host, "port": port, "names": name or None}
    settings = read_settings(data, **options, sign_in=sign_in, log_format=log_format)
    manager = ServiceManager(take_variables(TOKEN, *OWN))
    protect_memory()
    allow_open_files()
    give_way_soon()
    as_json = (settings.log_format or ("text" if sys.stderr.isatty() else "json")) == "json"
    if as_json:
        log_as_json(sys.stderr)
    open_it: Callable[[], Service | FleetService]
    if fleet is None:
        first = ForkedReader.fork()
        open_it = partial(_open_appliance, settings, Reader(StartOrder(settings.data_dir, as_json), first=first))
    else:
        open_it = partial(_open_fleet, settings, fleet)
    run_loop(_serve(settings, open_it, manager, log.info if as_json else console().print, page))


def _open_appliance(settings: Settings, reader: Reader) -> Service:
    with unless_in_use("Open that service in a browser"):
        return open_service(settings, figures=Figures(), reader=reader)


def _open_fleet(settings: Settings, url: str) -> FleetService:
    with unless_in_use("Open that service in a browser, or give this one a folder of its own with --data DIR"):
        return open_fleet_service(settings, url, Figures())


async def _serve(
    settings: Settings,
    open_it: Callable[[], Service | FleetService],
    manager: ServiceManager,
    say: Callable[[str], None],
    page: str | None,
) -> None:
    sock = listen(settings.host, settings.port)
    try:
        service = open_it()
    except BaseException:
        sock.close()
        raise
    policy = AccessPolicy.for_address(settings.host, settings.sign_in, (socket.gethostname(), *settings.names))
    server = Server(create_app(service, policy))

    def end() -> None:
        manager.notify("STOPPING=1")
        service.end_streams()
        server.should_exit = True

    async with service:
        service.announce(address(sock))
        on_termination(end)
        if policy.sign_in:
            _show_way_in(service, settings, say)
        else:
            say("Every user of this machine has full access. To require a sign-in, use `wattmark serve --sign-in`.")
        say(f"wattmark listens on {addresses(sock)}  (data: {settings.data_dir}; stop with Ctrl-C)")
        if not (UI / "index.html").is_file():
            say("The web app is not built into this installation: run `make ui`. The API works.")
        settle()
        manager.notify("READY=1")
        if isinstance(service, Service):
            service.follow_queue()
        alive = asyncio.create_task(manager.keep_alive(), name="watchdog")
        if page is not None:
            _open_in_browser(f"{address(sock)}/{page.lstrip('/')}", say)
        await server.serve(sockets=[sock])
        alive.cancel()


def _open_in_browser(url: str, say: Callable[[str], None]) -> None:
    """Open a page in a browser; where none can be started its address is what helps."""

    def start() -> None:
        if not webbrowser.open(url):
            say(f"No browser could be started. Open {url}")

    # The socket listens already: a browser that comes before the service answers waits there.
    threading.Thread(target=start, name="browser", daemon=True).start()


def _show_way_in(service: Service | FleetService, settings: Settings, say: Callable[[str], None]) -> None:
    """Say how to sign in. A new token is shown once, on a terminal alone: a log would keep it."""
    if take_given(service.gate, settings):
        return
    secret = first_token(service.gate)
    if secret is None:
        say("Sign in with a token. To create one, stop the service and run `wattmark token create`.")
    elif sys.stderr.isatty():
        say(f"Sign in with this administrator token. It is not shown again: {secret}")
    else:
        path = keep_privately(secret, settings.data_dir)
        say(f"Sign in with the administrator token in {path}, then delete that file.")
