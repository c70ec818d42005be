"""What runs have left on servers is undone when they answer, and told until then."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from wattmark.campaigns.power.control import Machine, PowerControl
from wattmark.campaigns.power.journal import FOLDER, JournalEntry, SettingsJournal
from wattmark.campaigns.power.leftover import Leftovers, require_undone
from wattmark.campaigns.power.reading import Held
from wattmark.core.errors import Conflict, InputError, StoreError, WorkloadFailed
from wattmark.runs.power_settings import PowerSettings
from wattmark.service.doctor.left_settings import left_settings, restore_settings
from wattmark.service.settings import Settings
from wattmark.store.lock import FolderLock
from wattmark.workloads.local.local import LocalTrigger
from wattmark_drivers.clock import SystemClock

from tests.power_tree import plant_settings, texts

BENCH = """
schema: wattmark-bench/1
lab: Test
servers:
  - {id: a, access: {local: true}, configurations: [{id: two, cpu: {model: X}, os: {name: Debian, kernel: "6"}}]}
"""
ENTRY = JournalEntry(
    server="a",
    address="this machine",
    boot="boot-1",
    made_for="run 3 of campaign c",
    set_at="2026-11-30T02:00:00+00:00",
    settings=PowerSettings(power_cap_w=125),
    before=(Held(selector="cap", value="150000000", instances="no-such-package:0"),),
    made=(Held(selector="cap", value="125000000", instances="no-such-package:0"),),
)


class Lab:
    """A data folder with settings left on a server whose answer a test decides."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "tree"
        plant_settings(self.root)
        self.before = texts(self.root)
        self.folder = folder
        self.power = PowerControl(folder, SystemClock(), str(self.root))
        self.machine = Machine("a", "Server A", "this machine", LocalTrigger(SystemClock(), folder))
        self.error: Exception | None = None
        self.in_use: frozenset[str] = frozenset()
        self.leftovers = Leftovers(self.power, self.reach, SystemClock(), lambda: self.in_use)

    def reach(self, _server: str) -> AbstractAsyncContextManager[Machine]:
        @asynccontextmanager
        async def reached() -> AsyncIterator[Machine]:
            if self.error:
                raise self.error
            yield self.machine

        return reached()

    async def leave(self) -> None:
        """Make settings as a wattmark that is then killed."""
        killed = PowerControl(self.folder, SystemClock(), str(self.root))
        await killed.set_up(self.machine, PowerSettings(turbo="off"), "run 3 of campaign c")


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


async def test_a_server_that_does_not_answer_keeps_its_journal_until_it_does(lab: Lab) -> None:
    await lab.leave()
    lab.error = WorkloadFailed("Server A does not answer.", "Check the network.")
    (undone,) = await lab.leftovers.undo()
    assert undone.problem == "Server A does not answer. Check the network."
    (note,) = lab.leftovers.notes()
    assert note.startswith("Server a still has turbo off of run 3 of campaign c, set at 2")
    lab.error = None
    (undone,) = await lab.leftovers.undo()
    assert undone.problem is None
    assert lab.leftovers.notes() == []
    assert texts(lab.root) == lab.before


async def test_a_server_that_the_bench_lost_is_to_be_set_back_by_hand(lab: Lab) -> None:
    await lab.leave()
    lab.error = InputError("There is no server 'a';")
    (undone,) = await lab.leftovers.undo()
    assert undone.problem is not None
    assert "set the server back by hand (turbo: on)" in undone.problem


async def test_a_server_in_use_is_left_alone(lab: Lab) -> None:
    await lab.leave()
    lab.in_use = frozenset({"a"})
    assert await lab.leftovers.undo() == []
    assert texts(lab.root) != lab.before
    (note,) = lab.leftovers.notes()
    assert note.startswith("Server a still has turbo off of run 3 of campaign c, set at 2")
    assert note.endswith(". It is undone before the next run there.")


async def test_settings_of_a_run_that_goes_on_are_left_by_nobody(lab: Lab) -> None:
    lab.in_use = frozenset({"a"})
    await lab.power.set_up(lab.machine, PowerSettings(turbo="off"), "run 4 of campaign c")
    assert lab.leftovers.notes() == []
    await lab.power.restore(lab.machine)
    assert lab.power.under_way == frozenset()


async def test_settings_that_could_not_be_undone_after_their_run_are_told_while_the_server_is_in_use(lab: Lab) -> None:
    lab.in_use = frozenset({"a"})
    await lab.power.set_up(lab.machine, PowerSettings(turbo="off"), "run 4 of campaign c")
    silent = Machine("a", "Server A", "this machine", lab.machine.trigger, ("false",))
    with pytest.raises(WorkloadFailed, match=r"did not report all power settings \(exit status 1\)"):
        await lab.power.restore(silent)
    (note,) = lab.leftovers.notes()
    assert "still has turbo off of run 4 of campaign c" in note


async def test_a_server_is_as_before_when_somebody_measures_it(lab: Lab) -> None:
    await lab.leave()
    await lab.leftovers.clear("a")
    assert texts(lab.root) == lab.before
    assert lab.power.journal.servers() == []


async def test_a_server_that_cannot_be_set_back_is_not_measured(lab: Lab) -> None:
    await lab.leave()
    lab.error = WorkloadFailed("Server A does not answer.", "Check the network.")
    with pytest.raises(WorkloadFailed, match="does not answer"):
        await lab.leftovers.clear("a")


async def test_who_undoes_nothing_measures_no_machine_with_settings_of_a_run(lab: Lab) -> None:
    """Under whatever name; of a machine elsewhere, and of a journal of one that has another name, nothing is said."""
    journal = lab.power.journal
    require_undone(journal, "laptop", "this machine")
    await lab.leave()
    with pytest.raises(Conflict, match=r"still has turbo off of run 3 .* Run `wattmark doctor --restore`, then"):
        require_undone(journal, "laptop", "this machine")
    require_undone(journal, "laptop", "root@10.0.0.9:22")
    journal.file("laptop").write_text("{")
    with pytest.raises(StoreError, match="What was set on laptop cannot be read"):
        require_undone(journal, "laptop", "root@10.0.0.9:22")


async def test_a_journal_folder_that_cannot_be_read_is_not_an_empty_one(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root may read every folder, so the system call refuses as it does for others: EACCES of opendir(3)."""
    await lab.leave()
    folder = lab.folder / FOLDER

    iterdir = Path.iterdir

    def denied(path: Path) -> Iterator[Path]:
        if path == folder:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return iterdir(path)

    monkeypatch.setattr(Path, "iterdir", denied)
    words = f"{folder} cannot be read: Permission denied"
    with pytest.raises(StoreError, match=re.escape(words)):
        lab.power.journal.servers()
    (note,) = lab.leftovers.notes()
    assert note.startswith(f"Whether servers still have power settings of runs is not known: {words}. Give this user")
    (undone,) = await lab.leftovers.undo()
    assert undone.problem == note
    (finding,) = left_settings(lab.folder)
    assert (finding.state, words in finding.found) == ("warning", True)
    with pytest.raises(StoreError, match=re.escape(words)):
        await lab.power.set_up(lab.machine, PowerSettings(), "run 4 of campaign c")


def test_a_journal_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    journal = SettingsJournal(tmp_path)
    journal.write(ENTRY)
    (tmp_path / "power-settings/a.json").write_text('{"server": "a"}')
    with pytest.raises(StoreError, match="Set the server back by hand"):
        journal.read("a")
    (finding,) = left_settings(tmp_path)
    assert finding.state == "warning"
    assert "cannot be read" in finding.found


def test_a_journal_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    journal = SettingsJournal(tmp_path)
    assert journal.servers() == []
    journal.write(ENTRY)
    journal.write(ENTRY.changed(verified=True))
    assert journal.servers() == ["a"]
    assert journal.read("a") == ENTRY.changed(verified=True)
    journal.remove("a")
    assert journal.read("a") is None


@pytest.mark.parametrize("restore", [left_settings, lambda folder: restore_settings(Settings(data_dir=folder))])
def test_the_doctor_says_nothing_is_left_or_nothing(tmp_path: Path, restore: Callable[[Path], object]) -> None:
    assert [finding.state for finding in restore(tmp_path)] in ([], ["ok"])


def test_the_doctor_tells_and_restores_on_request(tmp_path: Path) -> None:
    """The journal names no file, so that nothing of this machine is set."""
    (tmp_path / "bench.yaml").write_text(BENCH)
    SettingsJournal(tmp_path).write(ENTRY.changed(before=(), made=()))
    (told,) = left_settings(tmp_path)
    assert (told.state, told.found) == (
        "warning",
        "Server a still has power cap 125 W of run 3 of campaign c, set at 2026-11-30T02:00:00+00:00",
    )
    assert "wattmark doctor --restore" in told.remedy
    (restored,) = restore_settings(Settings(data_dir=tmp_path))
    assert restored.state == "ok"
    assert restored.found.endswith(": undone.")
    assert list(left_settings(tmp_path)) == []


def test_settings_of_a_campaign_that_goes_on_are_none_that_were_left(tmp_path: Path) -> None:
    """The wattmark that has the data folder undoes what it made; what another one made before it is left."""
    journal, lock = SettingsJournal(tmp_path), FolderLock(tmp_path)
    journal.write(ENTRY.changed(process=os.getpid()))
    assert list(left_settings(tmp_path)) == []
    journal.write(ENTRY.changed(process=os.getpid() + 1))
    assert len(list(left_settings(tmp_path))) == 1
    journal.write(ENTRY)
    assert len(list(left_settings(tmp_path))) == 1
    journal.write(ENTRY.changed(process=os.getpid()))
    lock.release()
    assert len(list(left_settings(tmp_path))) == 1


async def test_a_journal_says_which_wattmark_made_the_settings(lab: Lab) -> None:
    await lab.leave()
    entry = lab.power.journal.read("a")
    assert entry is not None
    assert entry.process == os.getpid()


def test_what_cannot_be_read_any_more_is_not_undone(tmp_path: Path) -> None:
    """A GPU whose driver does not answer, or a module that is unloaded, may still have the limit in the same boot."""
    (tmp_path / "bench.yaml").write_text(BENCH)
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    SettingsJournal(tmp_path).write(ENTRY.changed(boot=boot))
    (restored,) = restore_settings(Settings(data_dir=tmp_path))
    assert restored.state != "ok"
    assert "The power cap of package no-such-package:0 cannot be read there any more." in restored.found
    assert SettingsJournal(tmp_path).servers() == ["a"]


async def test_a_journal_that_cannot_be_read_stops_no_other(lab: Lab) -> None:
    await lab.leave()
    (lab.power.journal.file("a").with_name("0-old.json")).write_text("{")
    lab.error = InputError("There is no server 'a';")
    old, a = await lab.leftovers.undo()
    assert old.problem is not None
    assert old.problem.startswith("What was set on 0-old cannot be read: ")
    assert old.problem.endswith(f"Set the server back by hand, then delete {lab.power.journal.file('0-old')}.")
    assert a.problem is not None


async def test_a_full_disk_does_not_keep_a_server_from_being_restored(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    await lab.leave()

    def full(_journal: SettingsJournal, _entry: JournalEntry) -> None:
        raise StoreError("The disk is full.", "Free some space.")

    monkeypatch.setattr(SettingsJournal, "write", full)
    (undone,) = await lab.leftovers.undo()
    assert undone.problem is None
    assert texts(lab.root) == lab.before
