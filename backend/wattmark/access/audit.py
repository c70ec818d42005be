"""The audit log: who did what and with what outcome, each entry bound to the one before by a hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass

FIRST_HASH = "0" * 64
"""Stands before the first entry."""
SHOWN = 5
"""Most names listed in an entry; more are given as a number."""


@dataclass(frozen=True, slots=True)
class Act:
    """A requested change and its outcome.

    ``at_ns`` UTC. ``who`` is the name of a token, or "local" where no sign-in is required. ``action`` is the name of
    the route or command, ``target`` its object, ``status`` the HTTP status of the answer (0: a command).
    """

    at_ns: int
    who: str
    role: str
    address: str
    action: str
    target: str
    status: int
    request_id: str = ""


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """An act with its number, the hash of the previous entry, and its own hash."""

    number: int
    act: Act
    before: str
    hash: str


def chain_hash(number: int, act: Act, before: str) -> str:
    """Compute the SHA-256 that binds an entry to the one before, in hexadecimal."""
    text = json.dumps([before, number, asdict(act)], sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def first_broken(entries: Iterable[AuditEntry], number: int = 1, before: str = FIRST_HASH) -> int | None:
    """Find the number of the first missing or changed entry of a chain, oldest first; None where all are intact.

    What was cut from the end cannot be seen; for that, keep the newest hash elsewhere and compare it.
    """
    for expected, entry in enumerate(entries, start=number):
        whole = entry.number == expected and entry.before == before
        if not whole or entry.hash != chain_hash(entry.number, entry.act, entry.before):
            return expected
        before = entry.hash
    return None


def described(names: tuple[str, ...]) -> str:
    """Format names as one line of printable text, whatever characters they contain."""
    named = tuple(filter(None, names))
    listed = ", ".join(_printable(name) for name in named[:SHOWN])
    return listed if len(named) <= SHOWN else f"{len(named)} in all: {listed}, ..."


def _printable(name: str) -> str:
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in name)
