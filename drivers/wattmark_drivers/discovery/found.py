"""Results of a scan."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FoundDevice:
    """A device or port: its place, stated or probable identity, the models that fit, and URLs for the bench file."""

    where: str
    what: str
    models: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    note: str = ""
