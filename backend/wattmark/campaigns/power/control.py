"""Set the power settings of servers for a run, verify and undo them, also those that a killed wattmark left."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from wattmark_drivers.clock import Clock

from wattmark.campaigns.power.journal import JournalEntry, SettingsJournal
from wattmark.campaigns.power.reading import Knob, Reading, grouped, read_lines, same, shown, spread
from wattmark.campaigns.power.undo import Undoing
from wattmark.campaigns.power.wishes import STAGES, all_wanted, in_order, in_words, refusal
from wattmark.campaigns.server_facts import ask_server
from wattmark.core.errors import StoreError, WorkloadFailed
from wattmark.core.instants import iso
from wattmark.runs.power_settings import PowerSettings
from wattmark.workloads.trigger import Trigger

log = logging.getLogger(__name__)
TIMEOUT_S = 60.0
"""Taking hundreds of CPUs offline takes seconds."""
PASSES = 3
"""A preference that its governor holds, and files of CPUs that were offline, can be written once the rest is back."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A server whose settings are made: its id, its name for people, its address, and what starts programs on it."""

    server: str
    name: str
    address: str
    trigger: Trigger
    command: tuple[str, ...] = ()
    """The program that does what `settings.sh` does, with rights of its own; empty: the script itself."""


@cache
def _script() -> str:
    return Path(__file__).with_name("settings.sh").read_text("utf-8")


class PowerControl:
    """Makes and undoes settings. One server at a time is changed by one caller; the data folder has one wattmark."""

    def __init__(self, data_dir: Path, clock: Clock, root: str = "") -> None:
        """``root`` is put before every path on the servers: tests bring their own tree."""
        self.journal = SettingsJournal(data_dir)
        self._clock = clock
        self._root = root
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def set_up(self, machine: Machine, settings: PowerSettings, made_for: str) -> None:
        """Make settings and verify them by reading them back; what an earlier run left is undone first.

        ``made_for`` names the run. Raises `WattmarkError` where one cannot be made; `restore` then undoes the others.
        """
        async with self._locks[machine.server]:
            await self._restore(machine)
            await asyncio.to_thread(self._refuse_another_name, machine)
            if settings:
                await self._set_up(machine, settings, made_for)

    async def restore(self, machine: Machine) -> list[str]:
        """Undo what was set on a server, in reverse order; return what somebody else has changed meanwhile, in words.

        Without anything to undo the server is not asked. Raises `WattmarkError` where something is not undone: the
        journal keeps it.
        """
        async with self._locks[machine.server]:
            return await self._restore(machine)

    def _refuse_another_name(self, machine: Machine) -> None:
        """Raise `WorkloadFailed` where the same machine still has settings of a run under another name."""
        for server in self.journal.servers():
            try:
                entry = None if server == machine.server else self.journal.read(server)
            except StoreError:  # told by the doctor and at the service; it names no machine
                continue
            if entry is not None and entry.address == machine.address:
                cause = f"{entry_words(entry)}, and {machine.name} is the same machine ({machine.address})."
                remedy = f"Name it {server} until that is undone. Or set it back by hand ({by_hand(entry)}), and delete"
                raise WorkloadFailed(cause, f"{remedy} {self.journal.file(server)}.")

    async def _set_up(self, machine: Machine, settings: PowerSettings, made_for: str) -> None:
        before = now = await self._ask(machine)
        entry: JournalEntry | None = None
        made: dict[Knob, str] = {}
        for stage in STAGES:
            targets = all_wanted(settings, now, stage)
            changes = {knob: value for knob, value in targets.items() if not same(knob, now.values.get(knob), value)}
            if not changes:
                continue
            made |= changes
            entry = JournalEntry(
                server=machine.server,
                address=machine.address,
                boot=before.boot,
                made_for=made_for,
                set_at=iso(self._clock.utc_ns()),
                settings=settings,
                before=grouped(before.values),
                made=grouped(made),
            )
            await asyncio.to_thread(self.journal.write, entry)
            now = await self._ask(machine, in_order(changes))
            if now.refused:
                raise refusal(machine.name, now.refused, changes, now)
        _require(machine, all_wanted(settings, now), now)
        if entry is not None:
            await asyncio.to_thread(self.journal.write, entry.changed(verified=True, after=grouped(now.values)))

    async def _restore(self, machine: Machine) -> list[str]:
        entry = await asyncio.to_thread(self.journal.read, machine.server)
        if entry is None:
            return []
        if entry.address != machine.address:
            cause = f"{entry_words(entry)}, but the bench file now has that server at {machine.address}."
            raise WorkloadFailed(cause, f"Set {entry.address} back by hand ({by_hand(entry)}).")
        now = await self._ask(machine)
        undoing = Undoing(entry, now)
        owned, others = undoing.own(), undoing.changed_by_others()
        if entry.after is not None:
            try:
                await asyncio.to_thread(self.journal.write, entry.changed(after=None))
            except StoreError as error:  # a full disk must not keep the server as it is
                log.warning("%s: %s", machine.name, error)
        for _ in range(PASSES):
            if left := _not_as(owned, now):
                now = await self._ask(machine, in_order(left, backwards=True))
        if left := _not_as(owned, now):
            failed = refusal(machine.name, now.refused, left, now) if now.refused else None
            what = ", ".join(f"{in_words(knob)} {shown(knob, now.values.get(knob))}" for knob in list(left)[:3])
            why = failed.cause if failed else f"It has {what}."
            raise WorkloadFailed(f"{entry_words(entry)}. {why}", failed.remedy if failed else "Set it back by hand.")
        if lost := [knob for knob in spread(entry.made) if knob in spread(entry.before) and knob not in now.values]:
            cause = f"{entry_words(entry)}. The {in_words(lost[0])} cannot be read there any more."
            remedy = f"Bring back its driver or device. Or set it back by hand ({by_hand(entry)}), and delete"
            raise WorkloadFailed(cause, f"{remedy} {self.journal.file(machine.server)}.")
        await asyncio.to_thread(self.journal.remove, machine.server)
        for words in others:
            log.warning("%s: %s", machine.name, words)
        return others

    async def _ask(self, machine: Machine, changes: Mapping[Knob, str] | None = None) -> Reading:
        """Write values, in their order, and read all settings. Raises `WorkloadFailed` where the server is silent."""
        program = machine.command or ("sh", "-c", _script(), "sh")
        words = [word for held in grouped(changes or {}) for word in (held.selector, held.value, held.instances)]
        status, lines = await ask_server(machine.trigger, (*program, self._root, *words), TIMEOUT_S)
        reading = read_lines(lines)
        if reading.ended:
            return reading
        if machine.command:
            cause = f"{machine.command[0]} on {machine.name} did not report the power settings (status {status})."
            raise WorkloadFailed(cause, "Check settings_command in the bench file and the line in sudoers.")
        raise WorkloadFailed(f"{machine.name} did not report its power settings in time.", "Try again.")


def entry_words(entry: JournalEntry) -> str:
    """Say what is still set on a server: "Server a still has turbo off of run 3 of campaign c1"."""
    return f"Server {entry.server} still has {entry.settings.words()} of {entry.made_for}, set at {entry.set_at}"


def by_hand(entry: JournalEntry) -> str:
    """List how settings were before, for who restores them by hand."""
    before, made = spread(entry.before), spread(entry.made)
    old = {knob: before[knob] for knob in in_order(made, backwards=True) if knob in before}
    return "; ".join(f"{held.selector} {held.instances}: {held.value}" for held in grouped(old))


def _not_as(owned: Mapping[Knob, str], now: Reading) -> dict[Knob, str]:
    """Return the settings that are there and not as they were."""
    return {
        knob: value for knob, value in owned.items() if knob in now.values and not same(knob, now.values[knob], value)
    }


def _require(machine: Machine, targets: Mapping[Knob, str], now: Reading) -> None:
    for knob, value in targets.items():
        if not same(knob, taken := now.values.get(knob), value):
            cause = f"The {in_words(knob)} of {machine.name} took {shown(knob, taken)} instead of {shown(knob, value)}."
            remedy = "State a value that it takes, and stop programs that set it too (tuned, power-profiles-daemon)."
            raise WorkloadFailed(cause, remedy)
