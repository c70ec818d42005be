"""What the service and the process that speaks tell each other: one JSON text a line, over its pipes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from wattmark_drivers.speakers.face import Absent, Asker, Face
from wattmark_drivers.speakers.indication import Behind, Indication

LONGEST = 2**20
"""Longest line [bytes]."""


@dataclass(frozen=True, slots=True)
class Order:
    """A speaker to open. ``name`` distinguishes it from the others; the password is for its clients, or its broker."""

    name: str
    number: int
    """Of this opening; what is said of another one is of the past."""
    engine: str
    model: str
    port: int
    address: str
    most_clients: int
    face: Face
    username: str | None = None
    password: str | None = None
    certificate_file: str | None = None
    key_file: str | None = None
    url: str | None = None
    period_s: float | None = None
    largest_w: float | None = None
    """Most that the meters can show [W]; None where the range of one is not known."""

    def __repr__(self) -> str:
        """Show no password."""
        return f"Order({self.name!r})"


@dataclass(frozen=True, slots=True)
class Said:
    """What became of a speaker: open at an address, failed for a reason, or asked by others; or that all is alive."""

    kind: Literal["open", "failed", "asked", "alive"]
    name: str = ""
    number: int = 0
    address: str | None = None
    cause: str = ""
    remedy: str = ""
    askers: tuple[Asker, ...] = ()
    """The peers that asked last."""
    requests: int = 0
    """Of all peers that are remembered."""
    refused: int = 0
    note: str | None = None
    """What clients of a speaker that is open lack at present; None where they lack nothing."""


def open_line(order: Order) -> bytes:
    """Write the order to open a speaker."""
    return _line({"do": "open", "order": asdict(order)})


def close_line(name: str) -> bytes:
    """Write the order to close a speaker."""
    return _line({"do": "close", "name": name})


def show_line(name: str, indication: Indication | None, absent: Absent | None, until_ns: int) -> bytes:
    """Write what a speaker shows until an instant [monotonic ns]; later it shows nothing, by itself."""
    shown = None if indication is None else asdict(indication)
    return _line({"do": "show", "name": name, "shown": shown, "absent": absent, "until_ns": until_ns})


def said_line(said: Said) -> bytes:
    """Write what became of a speaker."""
    return _line(asdict(said))


def order_of(document: Mapping[str, Any]) -> Order:
    """Read an order to open a speaker."""
    order = dict(document["order"])
    return Order(**{**order, "face": Face(**order["face"])})


def indication_of(document: Mapping[str, Any]) -> Indication | None:
    """Read what a speaker shall show."""
    shown = document["shown"]
    if shown is None:
        return None
    behind = None if shown["behind"] is None else Behind(**shown["behind"])
    lists = {name: tuple(shown[name]) for name in ("phases", "parts_ns")}
    return Indication(**{**shown, **lists, "behind": behind})


def said_of(line: bytes) -> Said:
    """Read what became of a speaker."""
    document = json.loads(line)
    askers: Sequence[Mapping[str, Any]] = document["askers"]
    return Said(**{**document, "askers": tuple(Asker(**asker) for asker in askers)})


def _line(document: Mapping[str, Any]) -> bytes:
    return json.dumps(document, allow_nan=False, separators=(",", ":")).encode() + b"\n"
