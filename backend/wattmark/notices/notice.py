"""One thing that people are told, in words that hold no secret."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from wattmark.bench.address import masked
from wattmark.bench.notify import Event

LONGEST = 1000
"""Characters of a text; a longer one is cut."""
SIMULATED = " (simulated)"


Told = Event | Literal["test"]
"""An event, or that somebody tries an entry out."""


@dataclass(frozen=True, slots=True)
class Notice:
    """What happened, when [UTC ns], and in which words; ``title`` and ``text`` are one line each."""

    event: Told
    title: str
    text: str
    at_ns: int
    simulated: bool = False
    """Whether a simulator measured what it is about."""


def make_notice(event: Told, title: str, text: str, at_ns: int, *, simulated: bool = False) -> Notice:
    """Make a notice of words that may come from devices and programs: one printable line each, without secrets."""
    mark = SIMULATED if simulated else ""
    return Notice(event, f"{_line(title, LONGEST // 10)}{mark}", _line(text, LONGEST), at_ns, simulated)


def _line(text: str, most: int) -> str:
    plain = " ".join("".join(sign if sign.isprintable() else " " for sign in masked(text)).split())
    return plain if len(plain) <= most else f"{plain[: most - 1]}…"
