"""Small files of another machine, many in one go."""

from __future__ import annotations

import asyncio
import re
import shlex
from collections.abc import Sequence

import asyncssh
from wattmark_drivers.errors import ConnectionFailed

from wattmark.core.errors import WorkloadFailed
from wattmark.hosts.connection import SshConnection, lost
from wattmark.hosts.probes.files import Texts

LONGEST = 65_536
MOST_CHARACTERS = 8_000_000
TIMEOUT_S = 15.0
BLOCK = 65_536
END = "+wattmark-end\n"
_READ = f'while IFS= read -r _; do head -v -c {LONGEST} -- "$@" 2>/dev/null; printf "\\n%s" "{END}"; done'
_FIND = 'for pattern; do for file in $pattern; do [ -e "$file" ] && printf "%s\\n" "$file"; done; done; exit 0'
_HEADER = re.compile(r"^==> (/.*) <==$", re.MULTILINE)
"""What `head -v` writes above each file."""


class SshFiles:
    """Reads files of a server through its SSH connection.

    A shell stays open there and starts one `head` for each reading, which a server hardly notices.
    """

    def __init__(self, connection: SshConnection) -> None:
        self._connection = connection
        self._paths: tuple[str, ...] = ()
        self._shell: asyncssh.SSHClientProcess[str] | None = None
        self._reading = asyncio.Lock()

    async def find(self, patterns: Sequence[str]) -> list[str]:
        """List the files that match absolute glob patterns, sorted. Raises `ConnectionFailed`."""
        try:
            listing = await self._connection.run(["sh", "-c", _FIND, "sh", *patterns])
        except WorkloadFailed as error:
            raise ConnectionFailed(error.cause, error.remedy) from None
        return sorted(set(listing.decode("utf-8", "replace").splitlines()))

    async def read(self, paths: Sequence[str]) -> Texts:
        """Read files; unreadable ones are excluded. Raises `ConnectionFailed`."""
        if not paths:
            return {}
        async with self._reading:
            try:
                async with asyncio.timeout(TIMEOUT_S):
                    return _files(await _answer(await self._open(tuple(paths))))
            except WorkloadFailed as error:
                raise ConnectionFailed(error.cause, error.remedy) from None
            except (asyncssh.Error, OSError, TimeoutError, ValueError) as error:
                self._let_go()
                broken = lost(self._connection.address, error)
                raise ConnectionFailed(broken.cause, broken.remedy) from None
            except asyncio.CancelledError:
                self._let_go()
                raise

    async def close(self) -> None:
        self._let_go()
        await self._connection.close()

    async def _open(self, paths: tuple[str, ...]) -> asyncssh.SSHClientProcess[str]:
        """Return the shell that reads these files, and start one where there is none."""
        if self._shell is None or self._paths != paths or self._shell.is_closing():
            self._let_go()
            opened = await self._connection.open()
            command = shlex.join(["sh", "-c", _READ, "sh", *paths])
            self._shell, self._paths = await opened.create_process(command, encoding="utf-8", errors="replace"), paths
        return self._shell

    def _let_go(self) -> None:
        shell, self._shell = self._shell, None
        if shell is not None:
            shell.close()


async def _answer(shell: asyncssh.SSHClientProcess[str]) -> str:
    """Read one complete answer. Raises ValueError for one without end."""
    shell.stdin.write("\n")
    text = ""
    while not text.endswith(END):
        block = await shell.stdout.read(BLOCK)
        if not block:
            raise ConnectionResetError("the shell there has ended")
        text += block
        if len(text) > MOST_CHARACTERS:
            raise ValueError("it sent more data than these files can contain")
    return text[: -len(END) - 1]


def _files(text: str) -> Texts:
    """Split the output into files; `head` writes an empty line before each header but the first."""
    parts = _HEADER.split(text)
    contents = dict(zip(parts[1::2], parts[2::2], strict=True))
    last = parts[-2] if len(parts) > 1 else None
    return {
        path: body
        for path, content in contents.items()
        if (body := content[1:] if path == last else content[1:].removesuffix("\n"))
    }
