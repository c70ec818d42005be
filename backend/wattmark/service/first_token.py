"""The first token of a service that requires a sign-in: it is needed to create all others."""

from __future__ import annotations

import os
from pathlib import Path

from wattmark.access.gate import Gate
from wattmark.access.roles import Role
from wattmark.core.passwords import password_from_file
from wattmark.service.settings import Settings
from wattmark.store.faults import explain_os

FIRST = "first"
GIVEN = "given"
FILE = "first-token"


def first_token(gate: Gate) -> str | None:
    """Create an administrator's token where no token exists; None where a sign-in is already possible."""
    if any(token.role is Role.ADMIN for token in gate.tokens.valid()):
        return None
    taken = {token.name for token in gate.tokens.all()}
    name = next(name for name in (FIRST, *(f"{FIRST}-{number}" for number in range(2, 10_000))) if name not in taken)
    return gate.tokens.create(name, Role.ADMIN)


def take_given(gate: Gate, settings: Settings) -> bool:
    """Accept the administrator's token of the settings for this start alone; return whether there is one."""
    if settings.token_file is not None:
        gate.tokens.accept(GIVEN, Role.ADMIN, password_from_file(settings.token_file, "the administrator"))
    elif settings.token is not None:
        gate.tokens.accept(GIVEN, Role.ADMIN, settings.token.get_secret_value())
    return settings.token_file is not None or settings.token is not None


def keep_privately(secret: str, data_dir: Path) -> Path:
    """Write a secret to a file that only its owner can read. Raises `StoreError`."""
    path = data_dir / FILE
    try:
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(f"{secret}\n")
    except OSError as error:
        raise explain_os(error, path) from error
    return path
