"""Passwords of BMCs: read from the environment or from a private file, only when they are needed."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from pathlib import Path

from wattmark.errors import InputError
from wattmark.inventory.instruments import Bmc


def read_password(bmc: Bmc, folder: Path, environment: Mapping[str, str]) -> str:
    """Read the password of a BMC. Raises `InputError` when it is not there or others can read its file."""
    if bmc.password_env is not None:
        value = environment.get(bmc.password_env)
        if not value:
            cause = f"The environment variable {bmc.password_env} with the password of {bmc.id} is not set."
            raise InputError(cause, f"Start wattmark with {bmc.password_env}=... in its environment.")
        return value
    return _from_file(bmc, folder / Path(bmc.password_file or "").expanduser())


def _from_file(bmc: Bmc, path: Path) -> str:
    try:
        mode = path.stat().st_mode
        if stat.S_IMODE(mode) & 0o077:
            raise InputError(f"The password file {path} of {bmc.id} can be read by others.", f"chmod 600 {path}")
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8 text"
        raise InputError(f"The password file {path} of {bmc.id} cannot be read: {reason}.", "Check the path.") from None
    password = text.removesuffix("\n").removesuffix("\r")
    if not password or "\n" in password:
        raise InputError(f"The password file {path} of {bmc.id} must hold one line.", "Write the password alone.")
    return password
