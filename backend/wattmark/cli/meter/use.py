"""`wattmark meter use`: the meter that measures this machine from now on."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Annotated

import typer
from wattmark_drivers.clock import SystemClock
from wattmark_drivers.meter_url import parse_meter_url

from wattmark.cli.console.options import DataDir, data_dir
from wattmark.cli.console.writing import in_web_app, open_to_write
from wattmark.cli.meter.target import PasswordEnv, PasswordFile, User, password_of
from wattmark.core.errors import InputError
from wattmark.instruments.bench_editor import open_bench_editor
from wattmark.instruments.known_bench import OWN_BENCH
from wattmark.measurements.choice import identified
from wattmark.measurements.own_bench import remember


def use(
    target: Annotated[str, typer.Argument(metavar="URL", help="SCHEME://WHERE?model=MODEL, or MAKER://HOST.")],
    user: User = None,
    password_file: PasswordFile = None,
    password_env: PasswordEnv = None,
    data: DataDir = None,
) -> None:
    """Remember a meter as the one that measures this machine, for `wattmark measure` and the web app."""
    if password_env is not None or (user is not None and password_file is None):
        raise InputError("A password is remembered as a file only.", "Give --password-file FILE.")
    read_url = partial(parse_meter_url, username=user, password=password_of(user, password_file, None))
    settings = asyncio.run(identified(target, read_url))
    folder = data_dir(data)
    open_to_write(data, in_web_app("bench", "Add meter")).close()
    server = remember(open_bench_editor(None, folder, SystemClock(), by_owner=True), settings, password_file)
    typer.echo(f"{settings.model} at {settings.url} measures {server} from now on ({folder / OWN_BENCH}).")
