"""Set the power settings of servers for a run, verify and undo them, also those that a killed wattmark left."""

from __future__ import annotations

import asyncio
import logging
import os
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from wattmark_drivers.clock import Clock

from wattmark.campaigns.power.journal import JournalEntry, SettingsJournal
from wattmark.campaigns.power.reading import VERSION, Knob, Reading, grouped, read_lines, same, spread
from wattmark.campaigns.power.undo import Undoing
from wattmark.campaigns.power.wishes import MOST_NAMED, STAGES, all_wanted, in_order, in_words, listed, not_as, refusal
from wattmark.campaigns.server_facts import ask_server
from wattmark.core.errors import StoreError, WorkloadFailed
from wattmark.core.instants import iso
from wattmark.runs.power_settings import PowerSettings
from wattmark.workloads.trigger import Trigger

log = logging.getLogger(__name__)
TIMEOUT_S = 60.0
"""Taking hundreds of CPUs offline takes seconds."""
AGAIN, BETWEEN_S = 10, 0.5
"""How often files of CPUs that came online are tried again, and after which time [s]."""
PASSES = 3
"""A preference that its governor holds, and files of CPUs that were offline, can be written once the rest is back; SMT
goes off after what it takes along."""


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
        self._under_way: set[str] = set()

    @property
    def under_way(self) -> frozenset[str]:
        """Name the servers that have settings of a run which goes on: nobody has left these."""
        return frozenset(self._under_way)

    async def set_up(self, machine: Machine, settings: PowerSettings, made_for: str) -> None:
        """Make settings and verify them by reading them back; what an earlier run left is undone first.

        ``made_for`` names the run. Raises `WattmarkError` where one cannot be made; `restore` then undoes the others.
        """
        async with self._locks[machine.server]:
            await self._clear(machine)
            if settings:
                self._under_way.add(machine.server)
                await self._set_up(machine, settings, made_for)

    async def clear(self, machine: Machine) -> None:
        """Undo what earlier runs left on a server that is to be measured as its owner has it.

        Raises `WattmarkError` where that fails, or where the same machine has settings of a run under another name.
        """
        async with self._locks[machine.server]:
            await self._clear(machine)

    async def restore(self, machine: Machine) -> list[str]:
        """Undo what was set on a server, in reverse order; return what others or a reboot have changed, in words.

        Without anything to undo the server is not asked. Raises `WattmarkError` where something is not undone: the
        journal keeps it.
        """
        async with self._locks[machine.server]:
            try:
                return await self._restore(machine)
            finally:
                self._under_way.discard(machine.server)

    async def differences(self, machine: Machine, settings: PowerSettings) -> list[str]:
        """Say in a few sentences which of the settings that were made a server does not have any more.

        Raises `WattmarkError` where it does not answer.
        """
        async with self._locks[machine.server]:
            now = await self._ask(machine)
        try:
            wrong = [f"{words}." for words in not_as(all_wanted(settings, now), now)]
        except WorkloadFailed as error:
            return [error.cause]
        more = len(wrong) - MOST_NAMED
        rest = (
            "1 more setting is not as it was made." if more == 1 else f"{more} more settings are not as they were made."
        )
        return [*wrong[:MOST_NAMED], *([rest] if more > 0 else [])]

    async def _clear(self, machine: Machine) -> None:
        self._under_way.discard(machine.server)
        await self._restore(machine)
        await asyncio.to_thread(self._refuse_another_name, machine)

    def _refuse_another_name(self, machine: Machine) -> None:
        """Raise `WorkloadFailed` where the same machine still has settings of a run under another name."""
        for entry in self.journal.at(machine.address):
            if entry.server != machine.server:
                cause = f"{entry_words(entry)}, and {machine.name} is the same machine ({machine.address})."
                remedy = f"Name it {entry.server} until that is undone. Or set it back by hand ({by_hand(entry)}), and"
                raise WorkloadFailed(cause, f"{remedy} delete {self.journal.file(entry.server)}.")

    async def _set_up(self, machine: Machine, settings: PowerSettings, made_for: str) -> None:
        before = now = await self._ask(machine)
        if machine.command and before.version != VERSION:
            raise _other_version(machine, before.version)
        entry: JournalEntry | None = None
        made: dict[Knob, str] = {}
        appeared: dict[Knob, str] = {}
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
                process=os.getpid(),
                settings=settings,
                before=grouped(before.values),
                appeared=grouped(appeared),
                made=grouped(made),
            )
            await asyncio.to_thread(self.journal.write, entry)
            now = await self._write(machine, in_order(changes), appeared.keys())
            if now.refused:
                raise refusal(machine.name, now.refused, changes, now)
            known = before.values.keys() | appeared.keys()
            appeared |= {knob: value for knob, value in now.values.items() if knob not in known}
        if wrong := not_as(all_wanted(settings, now), now):
            remedy = "State a value that it takes, and stop programs that set it too (tuned, power-profiles-daemon)."
            raise WorkloadFailed(f"{wrong[0]} on {machine.name}.", remedy)
        if entry is not None:
            await asyncio.to_thread(self.journal.write, entry.changed(verified=True, after=grouped(now.values)))

    async def _restore(self, machine: Machine) -> list[str]:
        entry = await asyncio.to_thread(self.journal.read, machine.server)
        if entry is None:
            return []
        if entry.address != machine.address:
            cause = f"{entry_words(entry)}, but the bench file now has that server at {machine.address}."
            raise WorkloadFailed(cause, f"Set {entry.address} back by hand ({by_hand(entry)}).")
        try:
            now = await self._ask(machine)
        except WorkloadFailed as error:  # who measures the server has not asked for this exchange
            raise WorkloadFailed(f"{entry_words(entry)}. {error.cause}", error.remedy) from error
        undoing = Undoing(entry, now)
        owned, notes = undoing.own(), [*undoing.changed_by_others(), *undoing.gone_with_the_boot()]
        if entry.after is not None:
            try:
                await asyncio.to_thread(self.journal.write, entry.changed(after=None))
            except StoreError as error:  # a full disk must not keep the server as it is
                log.warning("%s: %s", machine.name, error)
        for _ in range(PASSES):
            if left := _not_as(owned, now):
                now = await self._ask(machine, in_order(undoing.next_of(left), backwards=True))
        self._require_undone(machine, entry, owned, now)
        if not undoing.rebooted:
            self._require_readable(machine, entry, now)
        await asyncio.to_thread(self.journal.remove, machine.server)
        for words in notes:
            log.warning("%s: %s", machine.name, words)
        return notes

    def _require_undone(self, machine: Machine, entry: JournalEntry, owned: Mapping[Knob, str], now: Reading) -> None:
        """Raise `WorkloadFailed` where a server is not as it was."""
        if left := _not_as(owned, now):
            failed = refusal(machine.name, now.refused, left, now) if now.refused else None
            why = failed.cause if failed else f"It has {listed({knob: now.values[knob] for knob in left})}."
            remedy = failed.remedy if failed else f"Set it back by hand ({by_hand(entry)})."
            raise WorkloadFailed(f"{entry_words(entry)}. {why}", remedy)

    def _require_readable(self, machine: Machine, entry: JournalEntry, now: Reading) -> None:
        """Raise `WorkloadFailed` where a server does not show any more whether a setting that was made is undone."""
        if lost := [knob for knob in spread(entry.made) if knob in spread(entry.before) and knob not in now.values]:
            cause = f"{entry_words(entry)}. The {in_words(lost[0])} cannot be read there any more."
            remedy = f"Bring back its driver or device. Or set it back by hand ({by_hand(entry)}), and delete"
            raise WorkloadFailed(cause, f"{remedy} {self.journal.file(machine.server)}.")

    async def _write(self, machine: Machine, changes: Mapping[Knob, str], appeared: Collection[Knob]) -> Reading:
        """Write values, again while files that have just appeared may not be written: udev gives the right later."""
        now = await self._ask(machine, changes)
        for _ in range(AGAIN):
            if not any(refused.why == "not permitted" and refused.knob in appeared for refused in now.refused):
                break
            await self._clock.sleep(BETWEEN_S)
            now = await self._ask(machine, changes)
        return now

    async def _ask(self, machine: Machine, changes: Mapping[Knob, str] | None = None) -> Reading:
        """Write values, in their order, and read all settings. Raises `WorkloadFailed` where the server is silent."""
        program = machine.command or ("sh", "-c", _script(), "sh")
        words = [word for held in grouped(changes or {}) for word in (held.selector, held.value, held.instances)]
        status, lines = await ask_server(machine.trigger, (*program, self._root, *words), TIMEOUT_S)
        reading = read_lines(lines)
        if reading.ended:
            return reading
        who = f"{machine.command[0]} on {machine.name}" if machine.command else machine.name
        if status is None:
            cause = f"{who} did not report the power settings within {TIMEOUT_S:g} s."
            raise WorkloadFailed(cause, "Find out what keeps it busy, such as a driver of a GPU, then try again.")
        cause = f"{who} did not report all power settings (exit status {status})."
        if machine.command:
            raise WorkloadFailed(cause, "Check settings_command in the bench file and the line in sudoers.")
        raise WorkloadFailed(cause, "Check that sh runs there, then try again.")


def _other_version(machine: Machine, version: str | None) -> WorkloadFailed:
    """Explain that the copy of the script on a server is not that of this wattmark; what is left is undone by it."""
    copy, ours = machine.command[-1], Path(__file__).with_name("settings.sh")
    is_version = f"version {version}" if version else "an old copy"
    return WorkloadFailed(
        f"{copy} on {machine.name} is {is_version} of the settings script; this wattmark needs version {VERSION}.",
        f"Copy {ours} to that server and replace it there as root: `install -m 755 settings.sh {copy}`.",
    )


def entry_words(entry: JournalEntry) -> str:
    """Say what is still set on a server: "Server a still has turbo off of run 3 of campaign c1"."""
    return f"Server {entry.server} still has {entry.settings.words()} of {entry.made_for}, set at {entry.set_at}"


def by_hand(entry: JournalEntry) -> str:
    """List how settings were before, for who restores them by hand."""
    before = spread(entry.before) | spread(entry.appeared)
    return listed({knob: before[knob] for knob in in_order(spread(entry.made), backwards=True) if knob in before})


def _not_as(owned: Mapping[Knob, str], now: Reading) -> dict[Knob, str]:
    """Return the settings that are there and not as they were."""
    return {
        knob: value for knob, value in owned.items() if knob in now.values and not same(knob, now.values[knob], value)
    }
