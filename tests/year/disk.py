"""A disk under SQLite that loses what was not synchronised when the power goes, fills up, fails, and is slow."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import apsw

SECTOR = 512
"""What a disk writes whole or not at all [bytes]."""
BASE = "unix"
SHARED_MEMORY = "-shm"
POWER_IS_OFF = "the power is off"
Trouble = Literal["full", "broken"]


@dataclass(slots=True)
class _Image:
    """A file as it would be after a power cut, and what was written since it was synchronised last."""

    durable: bytearray
    pending: list[tuple[int, bytes] | int] = field(default_factory=list)
    """Writes at an offset, and lengths that it was cut to."""


class Disk(apsw.VFS):
    """The default file system of SQLite while it is mounted; its files lie in memory (tmpfs), under ``folder``."""

    def __init__(self, folder: Path, chance: random.Random, spend_s: Callable[[float], None]) -> None:
        self._name = f"disk-{id(self)}"
        super().__init__(self._name, BASE, makedefault=True)
        self._folder = f"{folder}/"
        self._chance = chance
        self._spend_s = spend_s
        self._images: dict[str, _Image] = {}
        self.sync_s = (0.0005, 0.004)
        """How long a synchronisation takes."""
        self.trouble: Trouble | None = None
        """What writing runs into."""
        self.dead = False
        """The power is off: nothing is written any more."""
        self.cut_after: int | None = None
        """Writes and synchronisations until the power goes off; None: it stays on."""
        self.open_files = 0

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        path = name.filename() if isinstance(name, apsw.URIFilename) else (name or "")
        if not path.startswith(self._folder):
            return apsw.VFSFile(BASE, name, flags)
        file = Path(path)
        if path not in self._images:
            self._images[path] = _Image(bytearray(file.read_bytes() if file.exists() else b""))
        return _File(self, path, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        if self.dead:
            raise apsw.IOError(POWER_IS_OFF)
        self._images.pop(filename, None)
        super().xDelete(filename, syncdir)

    def before_writing(self, path: str) -> _Image:
        """Return the image of a file that is about to change. Raises `apsw.Error` where the disk does not take it."""
        if self.cut_after is not None and not self.dead:
            self.cut_after -= 1
            self.dead = self.cut_after < 0
        if self.dead:
            raise apsw.IOError(POWER_IS_OFF)
        if self.trouble == "full":
            raise apsw.FullError("no space left")
        if self.trouble == "broken":
            raise apsw.IOError("the disk does not answer")
        return self._images.setdefault(path, _Image(bytearray()))

    def synchronise(self, path: str) -> None:
        """Make a file safe from a power cut; takes time."""
        image = self.before_writing(path)
        self._spend_s(self._chance.uniform(*self.sync_s))
        for change in image.pending:
            _apply(image.durable, change)
        image.pending.clear()

    def lose_power(self) -> int:
        """Leave each file as a power cut would: some of what was not synchronised, some torn. Returns changes lost.

        All files must be closed.
        """
        lost = 0
        for path, image in self._images.items():
            lost += self._tear(image)
            Path(path).write_bytes(image.durable)
            Path(f"{path}{SHARED_MEMORY}").unlink(missing_ok=True)
        self.dead, self.cut_after = False, None
        return lost

    def _tear(self, image: _Image) -> int:
        whole = self._chance.randint(0, len(image.pending))
        for change in image.pending[:whole]:
            _apply(image.durable, change)
        lost = 0
        for change in image.pending[whole:]:
            if isinstance(change, int):
                lost += 1
                continue
            offset, data = change
            sectors = [at for at in range(0, len(data), SECTOR) if self._chance.random() < 0.5]
            lost += len(sectors) * SECTOR < len(data)
            for at in sectors:
                _apply(image.durable, (offset + at, data[at : at + SECTOR]))
        image.pending.clear()
        return lost


class _File(apsw.VFSFile):
    """A file of the disk; locks, shared memory and reading are those of the system."""

    def __init__(self, disk: Disk, path: str, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        super().__init__(BASE, name, flags)
        self._disk = disk
        self._path = path
        disk.open_files += 1

    def xWrite(self, data: bytes, offset: int) -> None:
        image = self._disk.before_writing(self._path)
        super().xWrite(data, offset)
        image.pending.append((offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:
        image = self._disk.before_writing(self._path)
        super().xTruncate(newsize)
        image.pending.append(newsize)

    def xSync(self, flags: int) -> None:
        self._disk.synchronise(self._path)

    def xClose(self) -> None:
        self._disk.open_files -= 1
        super().xClose()


def _apply(image: bytearray, change: tuple[int, bytes] | int) -> None:
    if isinstance(change, int):
        del image[change:]
        return
    offset, data = change
    image.extend(bytes(max(0, offset - len(image))))
    image[offset : offset + len(data)] = data
