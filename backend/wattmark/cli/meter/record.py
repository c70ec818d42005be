"""`wattmark meter record`: the dialogue with a device as a file for a bug report."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from wattmark_drivers.recording_fixture.capture import capture

from wattmark.cli.console.output import json_text
from wattmark.cli.console.output_file import ends_as
from wattmark.cli.console.plain_console import console
from wattmark.cli.meter.target import (
    BenchFile,
    PasswordEnv,
    PasswordFile,
    PrivacyPasswordFile,
    TargetName,
    User,
    resolve,
)
from wattmark.cli.tables.shown import put
from wattmark.core.version import version


def record(
    target: TargetName,
    output: Annotated[
        Path,
        typer.Option("-o", "--output", help="Write to this file (JSON).", callback=ends_as("A dialogue", "json")),
    ],
    seconds: Annotated[float, typer.Option("--seconds", min=1, max=600, help="Duration [s].")] = 10.0,
    bench: BenchFile = None,
    user: User = None,
    password_file: PasswordFile = None,
    password_env: PasswordEnv = None,
    privacy_password_file: PrivacyPasswordFile = None,
) -> None:
    """Record the requests to a device and its replies, without serial numbers, addresses and secrets.

    A device that cannot be read is recorded too; the exit code is then 1.
    """
    settings = resolve(target, bench, user, password_file, password_env, privacy_password_file)
    made = datetime.now(UTC).date().isoformat()
    document = asyncio.run(capture(settings, seconds, version=version(), made=made))
    put(json_text(document).encode(), output)
    taken = ", ".join(f"{count} × {kind}" for kind, count in document["redacted"].items()) or "nothing"
    out = console()
    out.print(f"{output}: {len(document['exchanges'])} exchanges, {len(document['readings'])} readings.")
    out.print(f"Removed: {taken}. Check the file before you pass it on.")
    if document["problem"] is not None:
        out.print(f"The device could not be read: {document['problem']}")
        raise typer.Exit(1)
