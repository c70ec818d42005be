"""Passwords, read from the environment or from a private file only when they are needed."""

from __future__ import annotations

import re
import stat
from collections.abc import Mapping
from pathlib import Path

from wattmark.core.errors import InputError


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
            raise InputError(
                f"The password file {path} of {owner} is readable by other users.", f"Run: chmod 600 {path}"
            )
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8 text"
        raise InputError(f"The password file {path} of {owner} cannot be read: {reason}.", "Check the path.") from None
    password = text.removesuffix("\n").removesuffix("\r")
    if not password or "\n" in password:
        raise InputError(
            f"The password file {path} of {owner} must contain exactly one line.", "Write only the password into it."
        )
    return password


def bearer(token: str, owner: str) -> str:
    """Write the token of ``owner`` as the value of a header.

    Raises `InputError` for one that no header can hold: libraries repeat it in what they raise.
    """
    if not re.fullmatch(r"[!-~]+", token):
        raise InputError(
            f"The token of {owner} contains a space, a line break or a character beyond ASCII.",
            "Set it to the token alone.",
        )
    return f"Bearer {token}"
