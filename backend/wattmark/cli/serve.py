"""`wattmark serve`: the appliance with its web app."""

from __future__ import annotations

import secrets
import socket
from pathlib import Path
from typing import Annotated

import typer

from wattmark.api.access import AccessPolicy, is_loopback
from wattmark.app import UI, create_app
from wattmark.appliance.appliance import open_appliance
from wattmark.cli.options import DataDir
from wattmark.cli.output import console
from wattmark.cli.signals import on_termination
from wattmark.event_loop import run_loop
from wattmark.server import Server, address, listen
from wattmark.settings import Settings, read_settings


def serve(
    data: DataDir = None,
    bench: Annotated[Path | None, typer.Option("--bench", help="Bench file: servers, meters, plans.")] = None,
    host: Annotated[
        str | None,
        typer.Option("--host", help="Address to listen on; off loopback a token is asked for. Default: 127.0.0.1."),
    ] = None,
    port: Annotated[
        int | None, typer.Option("--port", min=0, max=65535, help="Port; 0 takes a free one. Default: 8400.")
    ] = None,
    name: Annotated[list[str] | None, typer.Option("--name", help="A further host name of this service.")] = None,
) -> None:
    """Log power, run campaigns and serve the web app until Ctrl-C.

    WATTMARK_BENCH, WATTMARK_HOST, WATTMARK_PORT, WATTMARK_NAMES and WATTMARK_TOKEN stand for options not given.
    """
    run_loop(_serve(read_settings(data, bench=bench, host=host, port=port, names=name or None)))


async def _serve(settings: Settings) -> None:
    sock = listen(settings.host, settings.port)
    token = None if is_loopback(settings.host) else settings.token or secrets.token_urlsafe(24)
    try:
        appliance = open_appliance(settings)
    except BaseException:
        sock.close()
        raise
    policy = AccessPolicy.for_address(settings.host, token, (socket.gethostname(), *settings.names))
    server = Server(create_app(appliance, policy))
    out = console()
    if not (UI / "index.html").is_file():
        out.print("The web app is not built into this installation: run `make ui`. The API works.")
    url = address(sock) + (f"/?token={token}" if token else "")
    out.print(f"wattmark listens on {url}  (data: {settings.data_dir}; stop with Ctrl-C)")

    def end() -> None:
        appliance.end_streams()
        server.should_exit = True

    async with appliance:
        on_termination(end)
        await server.serve(sockets=[sock])
