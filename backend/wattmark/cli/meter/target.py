"""Which device a command talks to: a name of the bench file, or a URL with its model."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.meter_url import is_url, parse_meter_url, schemes
from wattmark_drivers.settings import MeterSettings

from wattmark.core.errors import InputError
from wattmark.core.passwords import password_from_environment, password_from_file
from wattmark.instruments.entries import find_settings
from wattmark.instruments.known_bench import load_known_bench

TargetName = Annotated[
    str,
    typer.Argument(metavar="NAME|URL", help="A meter of the bench file, or SCHEME://WHERE?model=MODEL."),
]
BenchFile = Annotated[
    Path | None, typer.Option("--bench", envvar="WATTMARK_BENCH", help="Bench file that contains NAME.")
]
User = Annotated[str | None, typer.Option("--user", help="User name, if the device requires one (URL only).")]
PasswordFile = Annotated[
    Path | None, typer.Option("--password-file", help="File with the password, readable only by its owner.")
]
PasswordEnv = Annotated[
    str | None, typer.Option("--password-env", help="Name of the environment variable with the password.")
]
PrivacyPasswordFile = Annotated[
    Path | None,
    typer.Option("--privacy-password-file", help="File with the SNMPv3 privacy passphrase, if it differs."),
]


def resolve(
    target: str,
    bench: Path | None,
    user: str | None,
    password_file: Path | None,
    password_env: str | None,
    privacy_password_file: Path | None = None,
) -> MeterSettings:
    """Find the settings of a device. Raises `InputError` or `ConfigurationError` with the remedy."""
    if is_url(target):
        password = password_of(user, password_file, password_env)
        privacy = _privacy_password(privacy_password_file)
        read_url = partial(parse_meter_url, username=user, password=password, privacy_password=privacy)
        try:
            return read_url(target)
        except ConfigurationError:
            if target.partition(":")[0] in schemes():
                raise
            # The address names a maker, and the device its model. Only here, because it brings all that measures.
            from wattmark.measurements.choice import identified

            return asyncio.run(identified(target, read_url))
    if (user, password_file, password_env, privacy_password_file) != (None, None, None, None):
        raise InputError("The user and password of a bench meter come from the bench file.", "Omit these options.")
    if bench is None:
        raise InputError(
            f"{target[:80]!r} is not a URL, and no bench file was given to look it up.",
            "Give --bench FILE, or write SCHEME://WHERE?model=MODEL; `wattmark meter models` lists the models.",
        )
    return find_settings(load_known_bench(bench), target)


def with_period(settings: MeterSettings, period_s: float | None) -> MeterSettings:
    """Poll at another period than the model's or the bench file's [s]."""
    return settings if period_s is None else replace(settings, period_s=period_s)


def password_of(user: str | None, file: Path | None, variable: str | None) -> Callable[[], str] | None:
    """Return what gives the password of a device when it is asked for; None: there is none. Raises `InputError`."""
    if file is not None and variable is not None:
        raise InputError("Both --password-file and --password-env are given.", "Give one of them.")
    if file is not None:
        return lambda: password_from_file(file, user or "the device")
    if variable is not None:
        return lambda: password_from_environment(variable, user or "the device", os.environ)
    if user is None or not sys.stdin.isatty():
        return None
    answer: str = typer.prompt(f"Password of {user}", hide_input=True, err=True)
    return lambda: answer


def _privacy_password(file: Path | None) -> Callable[[], str] | None:
    return None if file is None else lambda: password_from_file(file, "the device's encryption")
