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
    """Return a name for a command: the program and its arguments, as far as names of runs may hold them.

    Where letters of other scripts are left out, a few digits of a hash (SHA-256) tell such commands apart.
    """
    words = " ".join([argv[0].rpartition("/")[2], *argv[1:]])
    mark = "" if words.isascii() else f"-{hashlib.sha256(os.fsencode(words)).hexdigest()[:8]}"
    return (run_name(words)[: LONGEST_RUN_NAME - len(mark)] or "command") + mark


def run_name(words: str) -> str:
    """Return words as far as names of runs may hold them; empty where they hold none."""
    return _NOT_IN_NAMES.sub("-", words)[:LONGEST_RUN_NAME].strip(" ._+-")
