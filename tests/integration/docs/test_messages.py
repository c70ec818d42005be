"""The messages of the troubleshooting page are the program's own words."""

from __future__ import annotations

import re

from .pages import DOCS, ROOT

CELL = re.compile(r"^\| `([^`]+)` \|", re.M)
SOURCES = ("backend/wattmark", "drivers/wattmark_drivers")
FIELD = re.compile(r"\{[^{}\n]*(?:\{[^{}\n]*\}[^{}\n]*)*\}")
JOINT = re.compile(r'"\s*\n\s*f?"')


def test_every_message_is_said_somewhere() -> None:
    texts = [
        FIELD.sub("…", JOINT.sub("", file.read_text())) for folder in SOURCES for file in (ROOT / folder).rglob("*.py")
    ]
    messages = CELL.findall((DOCS / "guide/troubleshoot.md").read_text())
    assert len(messages) > 30
    assert [message for message in messages if not any(_pieces_in(message, text) for text in texts)] == []


def _pieces_in(message: str, text: str) -> bool:
    pieces = [piece.strip() for piece in message.split("…") if len(piece.strip()) > 3]
    return all(piece in text for piece in pieces)
