"""How an instrument takes a message apart (IEEE 488.2, 7.4): units, their path, header and data. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class Unit(NamedTuple):
    """One command or query of a message."""

    header: str
    data: str


def units(message: str) -> Iterator[Unit]:
    """Split a message; a unit without a leading colon continues in the group of the one before it."""
    path = ""
    for text in message.split(";"):
        header, _, data = text.strip().partition(" ")
        if not header:
            continue
        if not header.startswith(("*", ":")) and path:
            header = f"{path}:{header}"
        if not header.startswith("*"):
            path = header.rpartition(":")[0]
        yield Unit(header, data.strip())
