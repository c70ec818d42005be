"""Passwords of meters and BMCs: read from the environment or from a private file, only when they are needed."""

from __future__ import annotations

import stat
from collections.abc import Callable, Mapping
from pathlib import Path

from wattmark.errors import InputError
from wattmark.inventory.instruments import Bmc, Meter


def password_reader(
    entry: Meter | Bmc, folder: Path, environment: Mapping[str, str], *, privacy: bool = False
) -> Callable[[], str] | None:
    """Make what reads the password of an instrument when it is called; None where the bench names none.

    ``privacy`` asks for SNMPv3's passphrase of encryption. Paths are relative to ``folder``. What is made raises
    `InputError` when the password is not there or others can read its file.
    """
    prefix = "privacy_" if privacy else ""
    variable, file = getattr(entry, f"{prefix}password_env", None), getattr(entry, f"{prefix}password_file", None)
    if variable is not None:
        return lambda: password_from_environment(variable, entry.id, environment)
    if file is not None:
        return lambda: password_from_file(folder / Path(file).expanduser(), entry.id)
    return None


def password_from_environment(variable: str, owner: str, environment: Mapping[str, str]) -> str:
    """Read the password of ``owner`` from a variable. Raises `InputError` when it is not set."""
    value = environment.get(variable)
    if not value:
        cause = f"The environment variable {variable} with the password of {owner} is not set."
        raise InputError(cause, f"Start wattmark with {variable}=... in its environment.")
    return value


def password_from_file(path: Path, owner: str) -> str:
    """Read the password of ``owner`` from a private file. Raises `InputError` when others can read it."""
    try:
        mode = path.stat().st_mode
        if stat.S_IMODE(mode) & 0o077:
            raise InputError(f"The password file {path} of {owner} can be read by others.", f"chmod 600 {path}")
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8 text"
        raise InputError(f"The password file {path} of {owner} cannot be read: {reason}.", "Check the path.") from None
    password = text.removesuffix("\n").removesuffix("\r")
    if not password or "\n" in password:
        raise InputError(f"The password file {path} of {owner} must hold one line.", "Write the password alone.")
    return password
