"""What the store of alarms can do."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from concurrent.futures import Future
from typing import Protocol

from wattmark.alarms.record import AlarmRecord

KEPT_ALARMS = 10_000
"""As many are kept; older ones that are over make room. About 3 MB."""


class AlarmStore(Protocol):
    """Keep alarms durably; one that is over never changes."""

    def put(self, alarms: Sequence[AlarmRecord]) -> Future[None]:
        """Queue new alarms and newer states of known ones; done when they are on disk."""
        ...

    def before(self, number: int | None, limit: int) -> list[AlarmRecord]:
        """Read the newest alarms with a smaller number (None: of all), newest first; damaged ones are left out."""
        ...

    def between(self, sources: Collection[str], begin_ns: int, end_ns: int) -> list[AlarmRecord]:
        """Read the alarms of some sources that lasted into [begin, end], oldest first [UTC ns]."""
        ...

    def going(self) -> list[AlarmRecord]:
        """Read the alarms that go on, oldest first."""
        ...

    def last_number(self) -> int:
        """Tell the largest number; 0 before the first alarm."""
        ...
