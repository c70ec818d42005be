"""What a run asks of the runs that are made at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from wattmark.campaigns.clock_log import ClockLog
from wattmark.workloads.marks import Mark


@dataclass(frozen=True, slots=True)
class Start:
    """The instant at which measured work is to begin: by the clocks here, and by the server's own [ns since 1970]."""

    mark: Mark
    there_ns: int


class Companions(Protocol):
    """The other runs of a group, as one of them sees it. Waiting raises `Disturbed` when one ended early."""

    @property
    def spare_s(self) -> float:
        """Tell how much longer than planned a load must be held, because others are waited for [s]."""
        ...

    async def meet(self) -> None:
        """Wait until all have come as far."""
        ...

    def all_steady(self, mine: bool | None) -> bool:
        """Tell whether every server is steady, this one's state being ``mine`` (None: not known)."""
        ...

    async def start(self, clocks: ClockLog) -> Start | None:
        """Agree with all on the instant at which measured work begins; ``clocks`` tell this server's. None: at once."""
        ...

    def began(self, there_ns: int | None) -> None:
        """Note when the measured work really began, by the server's own clock [ns since 1970]."""
        ...

    async def compare(self, clocks: ClockLog) -> Mapping[str, Any]:
        """Wait for all at the end; give what the record tells of the group. ``clocks`` know the whole run."""
        ...

    async def until_broken(self) -> None:
        """Wait for one of the others to end early. Raises `Disturbed`; never returns."""
        ...

    async def leave(self, reason: str) -> None:
        """End early, and end the others with that; who came to the end need not leave."""
        ...


class Alone:
    """No companions: nothing is waited for."""

    spare_s = 0.0

    async def meet(self) -> None:
        """Go on at once."""

    def all_steady(self, mine: bool | None) -> bool:
        """Tell whether this one server is steady."""
        return bool(mine)

    async def start(self, clocks: ClockLog) -> Start | None:  # noqa: ARG002 - part of the protocol
        """Begin at once."""
        return None

    def began(self, there_ns: int | None) -> None:
        """Note nothing."""

    async def compare(self, clocks: ClockLog) -> Mapping[str, Any]:  # noqa: ARG002 - part of the protocol
        """Give nothing."""
        return {}

    async def until_broken(self) -> None:
        """Wait for ever."""
        await asyncio.Event().wait()

    async def leave(self, reason: str) -> None:
        """Leave nobody behind."""
