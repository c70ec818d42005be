"""What adding runs to an archive did, and what comparing them found."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Added:
    """Outcomes of the requested runs."""

    new: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)
    """Another data folder has archived them there."""
    samples: int = 0
    bytes: int = 0


@dataclass(slots=True)
class Compared:
    """What the archive has of runs, beside the data folder."""

    same: list[str] = field(default_factory=list)
    thinned: list[str] = field(default_factory=list)
    """Their samples were thinned in the data folder; the archive may have all of them."""
    differing: dict[str, str] = field(default_factory=dict)
    samples: int = 0
