"""The changes of the bench file, each with the text before it; the oldest are forgotten."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from wattmark.bench.editing.views import ChangeHead
from wattmark.core.errors import StoreError
from wattmark.core.whole_file import write_whole
from wattmark.store.faults import explain_reading

KEPT = 100
_SUFFIX = ".json"


class Change(ChangeHead):
    """A change: its text before, the versions before and after, and which change it takes back, if it does."""

    before: str
    after: str
    undoes: int | None = None
    text: str


@dataclass(frozen=True, slots=True)
class History:
    """The changes that are kept in a folder, one file each."""

    folder: Path
    limit: int = KEPT

    def changes(self, version: str) -> list[Change]:
        """List the changes, the oldest first. ``version`` is that of the file now: a change that was noted but, because
        the service was killed, never made is excluded. Raises `StoreError`.
        """
        changes = [change for name in self._names() if (change := self._read(name)) is not None]
        never_made = changes and changes[-1].before == version != changes[-1].after
        return changes[:-1] if never_made else changes

    def next_undo(self, version: str) -> Change | None:
        """Find the change to undo next; None where there is none or the file was changed by hand since."""
        changes = self.changes(version)
        taken_back = {change.undoes for change in changes}
        open_ones = [change for change in changes if change.undoes is None and change.number not in taken_back]
        if not open_ones or changes[-1].after != version:
            return None
        return open_ones[-1]

    def note(self, change: Change) -> None:
        """Keep a change and forget the oldest ones. Raises `StoreError`."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(self.folder / f"{change.number:08}{_SUFFIX}", change.model_dump_json().encode(), private=True)
            for name in self._names()[: -self.limit]:
                name.unlink(missing_ok=True)
        except OSError as error:
            cause = f"The change cannot be recorded in {self.folder}: {error.strerror or error}."
            raise StoreError(cause, "Free space in the data folder, or give wattmark write access to it.") from error

    def next_number(self) -> int:
        """Return the number of the next change."""
        names = self._names()
        return int(names[-1].stem) + 1 if names else 1

    def _names(self) -> list[Path]:
        """List the files of the changes. Raises `StoreError` where they cannot be listed: none is not the same."""
        try:
            files = list(self.folder.iterdir())
        except FileNotFoundError:
            return []
        except OSError as error:
            raise explain_reading(error, self.folder) from error
        return sorted(file for file in files if file.suffix == _SUFFIX and file.stem.isdecimal())

    @staticmethod
    def _read(name: Path) -> Change | None:
        """Read a change; a damaged one is treated as deleted."""
        try:
            return Change.model_validate_json(name.read_bytes())
        except (OSError, ValidationError):
            return None
