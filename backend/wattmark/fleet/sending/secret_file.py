"""A token or password in a separate file."""

from __future__ import annotations

import stat
from pathlib import Path

from wattmark.core.errors import InputError


def read_secret(path: Path, server: str) -> str:
    """Read the one line of a secret file. Raises `InputError` where others can read it, naming whose secret it is."""
    try:
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise InputError(
                f"{path}, the secret file of {server}, is readable by other users.", f"Run: chmod 600 {path}"
            )
        secret = path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8 text"
        raise InputError(f"{path}, the secret file of {server}, cannot be read: {reason}.", "Check the path.") from None
    if not secret or len(secret.split()) != 1:
        raise InputError(f"{path} must contain only the token or password of {server}.", "Write exactly one line.")
    return secret
