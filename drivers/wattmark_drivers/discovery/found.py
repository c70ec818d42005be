"""What a scan found."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Found:
    """A device or port: where it is, what it says or seems to be, the models that fit, and URLs for the bench file."""

    where: str
    what: str
    models: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    note: str = ""
