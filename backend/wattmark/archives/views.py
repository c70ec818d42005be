"""What the service answers about a restored archive."""

from __future__ import annotations

from typing import Literal

from wattmark.schema import Schema


class RestoredOut(Schema):
    """One run of an archive; ``differences`` are fields of its result that come out otherwise here."""

    run_id: str
    state: Literal["imported", "already here"]
    differences: list[str]


class RestorationOut(Schema):
    """What an archive brought: its lab, the version that wrote it, its runs, what was left out."""

    lab: str
    software: str
    runs: list[RestoredOut]
    notes: list[str]
