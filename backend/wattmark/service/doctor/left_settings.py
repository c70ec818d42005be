"""Power settings that runs have left on servers: told, and undone on request."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

from wattmark_drivers.clock import SystemClock

from wattmark.campaigns.power.control import PowerControl
from wattmark.campaigns.power.journal import SettingsJournal
from wattmark.campaigns.power.leftover import Leftovers, Undone, all_left
from wattmark.campaigns.servers import reached
from wattmark.instruments.bench_editor import open_bench_editor
from wattmark.service.doctor.finding import Finding
from wattmark.service.settings import Settings
from wattmark.store.lock import FolderLock, writer_of

SUBJECT = "power settings"
REMEDY = "A running service undoes it after the run. Else start the service, or run `wattmark doctor --restore`."


def left_settings(data_dir: Path) -> Iterator[Finding]:
    """Tell which servers still have settings of a run; nothing where none has.

    Those that the wattmark which has the folder made are of a run that goes on, or that it undoes itself: a service
    names them in its state where it cannot.
    """
    writer = writer_of(data_dir)
    for left in all_left(SettingsJournal(data_dir)):
        if writer is None or left.process != writer:
            yield Finding(SUBJECT, "warning", left.words, left.remedy or REMEDY)


def restore_settings(settings: Settings) -> list[Finding]:
    """Undo what runs have left on servers, as the service does at its start.

    Raises `FolderInUse` while another wattmark has the data folder, and `WattmarkError` for a bench file with mistakes
    or a journal that cannot be read.
    """
    if not SettingsJournal(settings.data_dir).servers():
        return [Finding(SUBJECT, "ok", "no server has settings of a run")]
    clock = SystemClock()
    lock = FolderLock(settings.data_dir)
    try:
        bench = open_bench_editor(settings.bench, settings.data_dir, clock).bench
        power = PowerControl(settings.data_dir, clock)
        leftovers = Leftovers(power, lambda server: reached(bench.server(server), bench, clock), clock)
        return [_finding(undone) for undone in asyncio.run(leftovers.undo())]
    finally:
        lock.release()


def _finding(undone: Undone) -> Finding:
    if undone.problem is not None:
        return Finding(SUBJECT, "problem", undone.problem, "Repeat `wattmark doctor --restore` when that is done.")
    return Finding(SUBJECT, "ok", " ".join((f"{undone.left}: undone.", *undone.notes)))
