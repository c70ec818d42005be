"""What every store of check loads can do."""

from __future__ import annotations

from typing import Protocol

from wattmark.check_loads.record import CheckLoad, CheckReading


class CheckLoadStore(Protocol):
    """Keep check loads and their readings durably; a reading never changes."""

    def add(self, load: CheckLoad) -> None:
        """Insert a check load; durable when it returns. Raises `Conflict` when the name is taken."""
        ...

    def add_reading(self, reading: CheckReading) -> None:
        """Insert a reading. Raises `Conflict` when the load has one of the very same instant."""
        ...

    def get(self, name: str) -> CheckLoad | None:
        """Read one check load; None where there is none."""
        ...

    def all(self) -> list[CheckLoad]:
        """Read all check loads by name."""
        ...

    def readings(self, name: str) -> list[CheckReading]:
        """Read the readings of a check load, oldest first."""
        ...
