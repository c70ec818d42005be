"""What was set on a server and how it was before, on disk before anything is set, until all of it is undone."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from pydantic import ValidationError

from wattmark.campaigns.power.reading import Held
from wattmark.core.errors import StoreError
from wattmark.core.schema import Record
from wattmark.core.validation import first_mistake
from wattmark.core.whole_file import remove_parts, sync, write_whole
from wattmark.runs.power_settings import PowerSettings
from wattmark.store.faults import explain_os, explain_reading

FOLDER = "power-settings"
_ENDING = ".json"


class JournalEntry(Record):
    """The settings of a server that are not as they were."""

    server: str
    address: str
    """Where the server is; the same name elsewhere is another machine."""
    boot: str | None
    """What its kernel called its boot."""
    made_for: str
    """The run, in words."""
    set_at: str
    process: int | None = None
    """The wattmark that made them; while it has the data folder, it undoes them itself."""
    settings: PowerSettings
    before: tuple[Held, ...]
    """Every setting that the server had, also those that were not touched."""
    appeared: tuple[Held, ...] = ()
    """Every setting that came with one that was made, as it was then: those of CPUs that SMT has put online. They go
    with it again."""
    made: tuple[Held, ...]
    """What was written, or was about to be."""
    verified: bool = False
    """Whether all that was written was read back: until then a server may have taken another value than that."""
    after: tuple[Held, ...] | None = None
    """Every setting once all was verified; None: not known, or what follows other settings moves again."""


class SettingsJournal:
    """One file for each server with settings that are not as they were; without any there is no file."""

    def __init__(self, data_dir: Path) -> None:
        self._folder = data_dir / FOLDER

    def servers(self) -> list[str]:
        """List the servers that have an entry. Raises `StoreError` where the folder cannot be read."""
        try:
            files = list(self._folder.iterdir())  # glob finds nothing in a folder that cannot be read, and is silent
        except FileNotFoundError:
            return []
        except OSError as error:
            raise explain_reading(error, self._folder) from error
        return sorted(file.stem for file in files if file.suffix == _ENDING and file.name[0] != ".")

    def at(self, address: str) -> list[JournalEntry]:
        """List the entries of the machine at an address, under whatever names. Raises `StoreError`.

        An entry that cannot be read names no machine; `leftover` tells of it.
        """
        entries = []
        for server in self.servers():
            with suppress(StoreError):
                if (entry := self.read(server)) is not None and entry.address == address:
                    entries.append(entry)
        return entries

    def read(self, server: str) -> JournalEntry | None:
        """Read the entry of a server; None where it has none. Raises `StoreError`."""
        file = self.file(server)
        try:
            return JournalEntry.model_validate_json(file.read_bytes())
        except FileNotFoundError:
            return None
        except OSError as error:
            raise explain_reading(error, file) from error
        except ValidationError as error:
            cause = f"What was set on {server} cannot be read: {first_mistake(error)}."
            raise StoreError(cause, f"Set the server back by hand, then delete {file}.") from None

    def write(self, entry: JournalEntry) -> None:
        """Write the entry of a server; when this returns it outlasts a power cut. Raises `StoreError`."""
        file = self.file(entry.server)
        try:
            if not self._folder.is_dir():
                self._folder.mkdir(mode=0o700)
                sync(self._folder.parent)
            remove_parts(file)
            write_whole(file, entry.model_dump_json(indent=1).encode(), private=True)
        except OSError as error:
            raise explain_os(error, file) from error

    def remove(self, server: str) -> None:
        """Forget a server of which everything is undone. Raises `StoreError`."""
        file = self.file(server)
        try:
            file.unlink(missing_ok=True)
            sync(self._folder)
        except OSError as error:
            raise explain_os(error, file) from error

    def file(self, server: str) -> Path:
        """Return the file of a server's entry."""
        return self._folder / f"{server}{_ENDING}"
