"""Power settings that a run has left on servers: undone at the start of wattmark, and again until it succeeds."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from wattmark_drivers.clock import Clock

from wattmark.campaigns.power.control import Machine, PowerControl, by_hand, entry_words
from wattmark.campaigns.power.journal import SettingsJournal
from wattmark.core.errors import Conflict, InputError, StoreError, WattmarkError

log = logging.getLogger(__name__)
RETRY_S = 60.0
AS_SOON = "It is undone as soon as the server answers and allows it."
BEFORE_NEXT = "It is undone before the next run there."


@dataclass(frozen=True, slots=True)
class Undone:
    """What became of the settings that were left on a server."""

    left: str
    """What had been set, in words."""
    notes: tuple[str, ...] = ()
    """What somebody else has changed since, and stays."""
    problem: str | None = None
    """Why it is still set; None: it is as before."""


@dataclass(frozen=True, slots=True)
class Left:
    """A server that still has settings of a run, in words without their full stop."""

    server: str
    words: str
    remedy: str | None = None
    """What has to be done by hand, where the journal cannot be read; None: it can be undone."""
    process: int | None = None
    """The wattmark that made them."""


def all_left(journal: SettingsJournal) -> list[Left]:
    """List the servers that have settings of a run; a journal that cannot be read is listed with what to do."""
    try:
        servers = journal.servers()
    except StoreError as error:
        words = f"Whether servers still have power settings of runs is not known: {error.cause.removesuffix('.')}"
        return [Left("", words, error.remedy)]
    left = []
    for server in servers:
        try:
            if (entry := journal.read(server)) is not None:
                left.append(Left(server, entry_words(entry), process=entry.process))
        except StoreError as error:
            left.append(Left(server, error.cause.removesuffix("."), error.remedy))
    return left


def require_undone(journal: SettingsJournal, server: str, address: str) -> None:
    """Raise `WattmarkError` where a machine still has settings of a run, before a program measures that undoes none."""
    journal.read(server)  # one that cannot be read may be of this machine
    if entries := journal.at(address):
        raise Conflict(f"{entry_words(entries[0])}.", "Run `wattmark doctor --restore`, then measure.")


Reach = Callable[[str], AbstractAsyncContextManager[Machine]]
"""Reaches a server of the bench by its id; raises `InputError` where the bench has none of that name."""


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
        everything = await asyncio.to_thread(all_left, self._power.journal)
        return [await self._undo(left) for left in everything if left.server not in self._in_use()]

    async def clear(self, server: str) -> None:
        """Undo what is left on a server that is about to be measured as its owner has it.

        Raises `WattmarkError` where that fails.
        """
        if await asyncio.to_thread(self._power.journal.servers):
            async with self._reach(server) as machine:
                await self._power.clear(machine)

    def notes(self) -> list[str]:
        """List the servers that still have settings of a run that does not go on, also those in use."""
        in_use, under_way = self._in_use(), self._power.under_way
        return [
            f"{left.words}. {left.remedy or (BEFORE_NEXT if left.server in in_use else AS_SOON)}"
            for left in all_left(self._power.journal)
            if left.server not in under_way
        ]

    async def _undo(self, left: Left) -> Undone:
        if left.remedy is not None:
            return self._failed(left, f"{left.words}. {left.remedy}")
        try:
            async with self._reach(left.server) as machine:
                return Undone(left.words, tuple(await self._power.restore(machine)))
        except InputError:
            lost = f"The bench file has no server {left.server} any more. Put it back, or set the server back by hand"
            return self._failed(left, f"{lost}{self._how(left.server)}.")
        except (WattmarkError, OSError) as error:
            return self._failed(left, str(error))

    def _failed(self, left: Left, problem: str) -> Undone:
        if self._told.get(left.server) != problem:
            self._told[left.server] = problem
            log.warning("%s", problem if left.words in problem else f"{left.words}: {problem}")
        return Undone(left.words, problem=problem)

    def _how(self, server: str) -> str:
        try:
            entry = self._power.journal.read(server)
        except WattmarkError:
            return ""
        return f" ({by_hand(entry)})" if entry else ""
