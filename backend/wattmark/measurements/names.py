"""Names of what is measured: those that a person gives, and that of a command."""

from __future__ import annotations

import hashlib
import os
import re

from wattmark.core.errors import InputError
from wattmark.core.inputs import is_printable

LONGEST_NAME = 200
LONGEST_RUN_NAME = 64
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9 ._+-]+")


def require_name(option: str, text: str) -> None:
    """Refuse what is no name of a workload, a configuration or a unit: not one printable line. Raises `InputError`."""
    if not text.strip() or not is_printable(text) or len(text) > LONGEST_NAME:
        raise InputError(
            f"{option} {text[:40]!r} is not a name.",
            f"Write one line of up to {LONGEST_NAME} characters that can be printed.",
        )


def name_of(argv: tuple[str, ...]) -> str:
    """Return a name for a command: the program and its arguments, as far as names of runs may hold them."""
    words = " ".join([argv[0].rpartition("/")[2], *argv[1:]])
    return run_name(words) or f"command{_mark(words)}"


def run_name(words: str) -> str:
    """Return words as far as names of runs may hold them; empty where they hold none.

    Where letters of other scripts are left out, or an end that is too long, a few digits of a hash (SHA-256) tell such
    names apart.
    """
    name = _NOT_IN_NAMES.sub("-", words).strip(" ._+-")
    if not name or (words.isascii() and len(name) <= LONGEST_RUN_NAME):
        return name
    mark = _mark(words)
    return name[: LONGEST_RUN_NAME - len(mark)] + mark


def _mark(words: str) -> str:
    return f"-{hashlib.sha256(os.fsencode(words)).hexdigest()[:8]}"
