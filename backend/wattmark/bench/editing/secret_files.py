"""Passwords that were given in the browser: private files in the data folder, which only the drivers read."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from wattmark.bench.editing.bound import digest_of
from wattmark.core.errors import InputError, StoreError
from wattmark.core.whole_file import write_whole

UNUSED_S = 3600.0
"""Age at which a password that no bench names is removed [s]: its form was abandoned."""
LONGEST = 1024
_OWNER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}")
_NAME = re.compile(rf"{_OWNER.pattern}-(?P<digest>[0-9a-f]{{32}})-[0-9a-f]{{8}}")


@dataclass(frozen=True, slots=True)
class SecretFiles:
    """The folder of the passwords. Every password gets a separate file, so that an old bench finds its old one.

    The file's name holds a digest of the address that the password was given for, and the password goes nowhere else.
    """

    folder: Path

    def store(self, owner: str, password: str, bound: str) -> Path:
        """Put a password into a new private file, for the address ``bound`` (`bound.py`).

        Raises `InputError`, `StoreError`; neither repeats it.
        """
        if not _OWNER.fullmatch(owner):
            raise InputError(
                "The owner of the password is not a meter or BMC.", "Set the owner to the id of a meter or BMC."
            )
        if not password or len(password) > LONGEST or any(ord(char) < 32 for char in password):
            raise InputError(
                "The password is not a single line of text.", f"Give 1 to {LONGEST} characters without line ends."
            )
        path = self.folder / f"{owner}-{digest_of(bound)}-{secrets.token_hex(4)}"
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.folder.chmod(0o700)
            write_whole(path, password.encode(), private=True)
        except OSError as error:
            cause = f"The password cannot be stored in {self.folder}: {error.strerror or error}."
            raise StoreError(cause, "Free space in the data folder, or give wattmark write access to it.") from None
        return path

    def keeps(self, bench_folder: Path, file: str, bound: str) -> bool:
        """Return whether a file that a bench names is kept here, for that address. Looks at names alone."""
        path = bench_folder / file
        name = _NAME.fullmatch(path.name)
        own = path.parent in (self.folder, self.folder.resolve()) and ".." not in path.parts
        return own and name is not None and name["digest"] == digest_of(bound)

    def forget_unused(self, texts: Collection[str]) -> None:
        """Remove the passwords that none of the texts names, unless they were given just now."""
        for path in self.folder.iterdir() if self.folder.is_dir() else ():
            old = time.time() - path.stat().st_mtime > UNUSED_S
            if old and not any(path.name in text for text in texts):
                path.unlink(missing_ok=True)
