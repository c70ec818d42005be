"""Power settings that a run has left on servers: undone at the start of wattmark, and again until it succeeds."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from wattmark_drivers.clock import Clock

from wattmark.campaigns.power.control import Machine, PowerControl, by_hand, entry_words
from wattmark.campaigns.power.journal import SettingsJournal
from wattmark.core.errors import InputError, WattmarkError

log = logging.getLogger(__name__)
RETRY_S = 60.0


@dataclass(frozen=True, slots=True)
class Undone:
    """What became of the settings that were left on a server."""

    server: str
    left: str
    """What had been set, in words."""
    notes: tuple[str, ...] = ()
    """What somebody else has changed since, and stays."""
    problem: str | None = None
    """Why it is still set; None: it is as before."""


def left_words(journal: SettingsJournal, server: str) -> str:
    """Say what a run has left on a server, or why that is not known."""
    try:
        entry = journal.read(server)
    except WattmarkError as error:
        return str(error).removesuffix(".")
    return f"Server {server} still has power settings of a run" if entry is None else entry_words(entry)


class Reach(Protocol):
    """Reaches a server of the bench by its id. Raises `InputError` where the bench has none of that name."""

    def __call__(self, server: str, /) -> AbstractAsyncContextManager[Machine]: ...


class Leftovers:
    """Undoes what runs have left on servers; ``in_use`` names those that are being measured, which are left alone."""

    def __init__(
        self, power: PowerControl, reach: Reach, clock: Clock, in_use: Callable[[], Collection[str]] = frozenset
    ) -> None:
        self._power = power
        self._reach = reach
        self._clock = clock
        self._in_use = in_use
        self._told: dict[str, str] = {}
        """What was last logged of each server, so that it does not fill the log every minute."""

    async def run(self) -> None:
        """Undo what is left, now and again until it is cancelled."""
        while True:
            for undone in await self.undo():
                if undone.problem is None:
                    log.warning("%s: undone. %s", undone.left, " ".join(undone.notes))
            await self._clock.sleep(RETRY_S)

    async def undo(self) -> list[Undone]:
        """Undo what is left on every server that is not in use; never raises for one that cannot be reached."""
        servers = await asyncio.to_thread(self._power.journal.servers)
        return [await self._undo(server) for server in servers if server not in self._in_use()]

    def notes(self) -> list[str]:
        """List the servers that still have settings of a run, without those in use."""
        journal, in_use = self._power.journal, self._in_use()
        left = [left_words(journal, server) for server in journal.servers() if server not in in_use]
        return [f"{words}. It is undone as soon as the server answers and allows it." for words in left]

    async def _undo(self, server: str) -> Undone:
        left = left_words(self._power.journal, server)
        try:
            async with self._reach(server) as machine:
                return Undone(server, left, tuple(await self._power.restore(machine)))
        except InputError:
            how = self._how(server)
            problem = (
                f"The bench file has no server {server} any more. Put it back, or set the server back by hand{how}."
            )
        except WattmarkError as error:
            problem = str(error)
        if self._told.get(server) != problem:
            self._told[server] = problem
            log.warning("%s: %s", left, problem)
        return Undone(server, left, problem=problem)

    def _how(self, server: str) -> str:
        try:
            entry = self._power.journal.read(server)
        except WattmarkError:
            return ""
        return f" ({by_hand(entry)})" if entry else ""
