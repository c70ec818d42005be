"""A folder of attributes like the kernel's, which can be pulled out and put back."""

from __future__ import annotations

import asyncio
from pathlib import Path

from wattmark_drivers.speakers.private_files import write_values


class Chip:
    """A folder that can be pulled out and put back."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._away = folder.with_name(f".{folder.name}")
        self._return: asyncio.TimerHandle | None = None

    def write(self, values: dict[str, str]) -> None:
        """Replace attributes, each at once; nothing while it is unplugged."""
        if self.folder.is_dir():
            write_values(self.folder, {name: f"{text}\n" for name, text in values.items()})

    def remove(self, name: str) -> None:
        """Remove an attribute, if it is there."""
        (self.folder / name).unlink(missing_ok=True)

    def unplug(self, seconds: float) -> None:
        """Remove the chip and restore it after ``seconds`` [s]."""
        if self.folder.is_dir():
            self.folder.rename(self._away)
            self._return = asyncio.get_running_loop().call_later(seconds, self._away.rename, self.folder)

    def stop(self) -> None:
        """Leave the folder as it is, plugged in or not."""
        if self._return is not None:
            self._return.cancel()
