"""Lines of a source that an importer did not understand: counted, and the first of them shown."""

from __future__ import annotations

from dataclasses import dataclass, field

MOST_SHOWN = 20
_LONGEST = 120


@dataclass(frozen=True, slots=True)
class UnreadLine:
    """One line that was not understood, cut to a readable length."""

    file: str
    line: int
    text: str
    why: str


@dataclass(slots=True)
class Unread:
    """Lines that were not understood: how many, and the first of them."""

    count: int = 0
    first: list[UnreadLine] = field(default_factory=list)
    lines: int = 0
    """Lines of readings in all, where the importer counts them."""

    def add(self, file: str, line: int, text: str, why: str) -> None:
        """Count a line, and keep it if it is one of the first."""
        self.count += 1
        if len(self.first) < MOST_SHOWN:
            shown = "".join(c if c.isprintable() else "\ufffd" for c in text[:_LONGEST])
            self.first.append(UnreadLine(file, line, shown, why))

    def extend(self, other: Unread) -> None:
        """Add what another reader did not understand."""
        self.count += other.count
        self.first = [*self.first, *other.first][:MOST_SHOWN]
