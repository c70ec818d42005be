"""What was set on a server and how it was before, on disk before anything is set, until all of it is undone."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from wattmark.campaigns.power.reading import Held
from wattmark.core.errors import StoreError
from wattmark.core.schema import Record
from wattmark.core.validation import first_mistake
from wattmark.core.whole_file import remove_parts, sync, write_whole
from wattmark.runs.power_settings import PowerSettings
from wattmark.store.faults import explain_os

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
    settings: PowerSettings
    before: tuple[Held, ...]
    """Every setting that the server had, also those that were not touched."""
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
        """List the servers that have an entry."""
        try:
            return sorted(file.stem for file in self._folder.glob(f"[!.]*{_ENDING}"))
        except OSError:
            return []

    def read(self, server: str) -> JournalEntry | None:
        """Read the entry of a server; None where it has none. Raises `StoreError`."""
        file = self.file(server)
        try:
            return JournalEntry.model_validate_json(file.read_bytes())
        except FileNotFoundError:
            return None
        except OSError as error:
            raise explain_os(error, file) from error
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
