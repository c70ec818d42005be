"""`wattmark signing-key`: the key with which archives of a data folder are signed."""

from __future__ import annotations

from typing import Annotated

import typer

from wattmark.archives.signature import KEY_FILE, create_signing_key, load_signing_key
from wattmark.cli.console.options import AsJson, DataDir, data_dir
from wattmark.cli.console.output import emit_json
from wattmark.core.errors import InputError


def signing_key(
    create: Annotated[bool, typer.Option("--create", help="Make a key; archives are signed from then on.")] = False,
    data: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Print the public key of a data folder, for others to check archives with."""
    path = data_dir(data) / KEY_FILE
    key = create_signing_key(path) if create else load_signing_key(path)
    if key is None:
        raise InputError("This data folder has no signing key.", "Make one with `wattmark signing-key --create`.")
    if as_json:
        emit_json({"public_key": key.public.text, "file": str(path)})
        return
    typer.echo(key.public.text)
    if create:
        typer.echo(
            "Archives are signed from now on (by a service: from its next start on). Publish the line above, and "
            f"keep a copy of {path} in a safe place.",
            err=True,
        )
