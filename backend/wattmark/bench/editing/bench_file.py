"""The bench file on disk: its text, its version, and how it is written."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from wattmark.bench.yaml_source import read_text
from wattmark.core.errors import StoreError
from wattmark.core.whole_file import remove_parts, write_whole

NEW = "schema: wattmark-bench/1\nlab: Lab\n"
"""Content of a new bench file."""


WAY_OUT = (
    "Move the file into the data folder and omit --bench and WATTMARK_BENCH, or give wattmark write access to its "
    "folder (a container must mount the folder, not only the file)."
)


@dataclass(frozen=True, slots=True)
class Text:
    """A text of the bench file and its version."""

    text: str
    exists: bool = True

    @property
    def version(self) -> str:
        """Return the text by its hash."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class BenchFile:
    """The file at a path, which may not be there yet."""

    path: Path
    must_exist: bool = False
    """Whether the file was named explicitly, so that its absence is a mistake."""

    def read(self) -> Text:
        """Read the text as it is now. Raises `InputError` where it cannot be read, is no text or too long."""
        if self.must_exist or self.path.exists():
            return Text(read_text(self.path))
        return Text(NEW, exists=False)

    def write(self, text: str) -> None:
        """Write the text whole or not at all. Raises `StoreError` with the remedy."""
        try:
            write_whole(self.path, text.encode())
        except OSError as error:
            reason = error.strerror or str(error)
            raise StoreError(f"The bench file {self.path} cannot be written: {reason}.", WAY_OUT) from error

    @property
    def fixed(self) -> bool:
        """Return whether it cannot be written, as far as permissions and mounts show.

        A file is replaced by one written beside it, so its folder counts, and it must not be a mount point.
        """
        target = Path(os.path.realpath(self.path))
        folder = target.parent
        if not folder.is_dir() or not os.access(folder, os.W_OK):
            return True
        return target.is_file() and target.stat().st_dev != folder.stat().st_dev

    def tidy(self) -> None:
        """Remove the temporary files of a service that was killed while writing."""
        if self.path.parent.is_dir():
            remove_parts(self.path)
