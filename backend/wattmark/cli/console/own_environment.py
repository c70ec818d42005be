"""Environment variables that the program sets for itself, and that no command started by it is to see."""

from __future__ import annotations

import os

_OWN: set[str] = set()


def set_own(name: str, value: str) -> None:
    """Set a variable for this process, unless it is set already."""
    if name not in os.environ:
        os.environ[name] = value
        _OWN.add(name)


def callers_environment() -> dict[str, str]:
    """Return the environment that this process was started with."""
    return {name: value for name, value in os.environ.items() if name not in _OWN}
