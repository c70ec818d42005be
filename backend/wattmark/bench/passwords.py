"""Passwords of meters, BMCs, outputs and the gateway: read from a variable or a private file, only when needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from wattmark.bench.instruments import Bmc, Meter
from wattmark.core.passwords import password_from_environment, password_from_file


def password_reader(
    entry: Meter | Bmc, folder: Path, environment: Mapping[str, str], *, privacy: bool = False
) -> Callable[[], str] | None:
    """Return a function that reads the password of an instrument when called; None where the bench names none.

    ``privacy`` asks for SNMPv3's passphrase of encryption. Paths are relative to ``folder``. What is made raises
    `InputError` when the password is not there or others can read its file.
    """
    prefix = "privacy_" if privacy else ""
    variable, file = getattr(entry, f"{prefix}password_env", None), getattr(entry, f"{prefix}password_file", None)
    return secret_reader(variable, file, folder, entry.id, environment)


def secret_reader(
    variable: str | None, file: str | None, folder: Path, owner: str, environment: Mapping[str, str]
) -> Callable[[], str] | None:
    """Return a function that reads a secret of ``owner`` when called; None where neither place is named."""
    if variable is not None:
        return lambda: password_from_environment(variable, owner, environment)
    if file is not None:
        return lambda: password_from_file(folder / Path(file).expanduser(), owner)
    return None
