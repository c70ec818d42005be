"""One thing examined."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing examined: what was found, and what to do unless it is ok."""

    subject: str
    state: Literal["ok", "warning", "problem"]
    found: str
    remedy: str = ""

    def as_dict(self) -> dict[str, str]:
        """Return the finding as plain data."""
        return asdict(self)
