"""Small files of another machine, many in one go, however many CPUs it has."""

from __future__ import annotations

import asyncio
import re
import shlex
from collections.abc import Iterator, Sequence

import asyncssh
from wattmark_drivers.errors import ConnectionFailed

from wattmark.core.errors import WorkloadFailed
from wattmark.hosts.connection import SshConnection, lost
from wattmark.hosts.probes.files import Texts

LONGEST = 4 << 20
"""No file is longer [bytes]: /proc/stat has some 100 for each CPU, of which Linux takes 8192."""
MOST_CHARACTERS = 32 << 20
AT_ONCE = 500_000
"""Characters of paths for one `head`: all arguments of a program together may have 2 MiB (execve(2), ARG_MAX)."""
NOT_STARTED = 126
"""From this status on, a shell could not start a program (POSIX, 2.8.2)."""
TIMEOUT_S = 15.0
BLOCK = 65_536
END = "+wattmark-end\n"
_READ = (
    'while IFS= read -r paths && [ -n "$paths" ]; do set -- "$@" "$paths"; done; '
    f'while IFS= read -r _; do for paths; do eval "head -v -c {LONGEST + 1} -- $paths" 2>/dev/null; '
    f'printf "\\n+wattmark-status %d\\n" $?; done; printf "%s\\n" "{END.strip()}"; done'
)
"""Takes lines of quoted paths until an empty line, then answers each line with all files.

The paths come in lines and not as arguments, of which the kernel takes none longer than 128 KiB (MAX_ARG_STRLEN).
"""
_STATUS = re.compile(r"\n\+wattmark-status (\d+)\n")
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
                    answer = await _answer(await self._open(tuple(paths)))
                return self._files(answer)
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
            command = shlex.join(["sh", "-c", _READ, "sh"])
            self._shell, self._paths = await opened.create_process(command, encoding="utf-8", errors="replace"), paths
            self._shell.stdin.write("".join(f"{line}\n" for line in (*_lines(paths), "")))
        return self._shell

    def _files(self, answer: str) -> Texts:
        """Read the files out of a whole answer. Raises `ConnectionFailed` where some were not read, or are cut."""
        label = self._connection.address.label
        parts = _STATUS.split(answer)
        texts: dict[str, str] = {}
        for part, status in zip(parts[::2], parts[1::2], strict=False):
            if int(status) >= NOT_STARTED:
                raise ConnectionFailed(
                    f"head cannot be started on {label} for {len(self._paths)} files (status {status}).",
                    "Install GNU coreutils there; a stack limit below 8 MiB (ulimit -s) allows too few arguments.",
                )
            texts |= _split(part)
        too_long = next((path for path, text in texts.items() if len(text.encode()) > LONGEST), None)
        if too_long is not None:
            raise ConnectionFailed(
                f"{too_long} on {label} is longer than {LONGEST >> 20} MiB.",
                "It is no file that tells figures: report the kernel of that server to the makers of wattmark.",
            )
        return texts

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
    return text.removesuffix(END)


def _lines(paths: Sequence[str]) -> Iterator[str]:
    """Write paths for the shell, quoted, as many in a line as one program may get as arguments."""
    line = ""
    for word in map(shlex.quote, paths):
        if line and len(line) + len(word) >= AT_ONCE:
            yield line
            line = ""
        line = f"{line} {word}" if line else word
    yield line


def _split(text: str) -> Texts:
    """Split the output of one `head` into files; `head` writes an empty line before each header but the first."""
    parts = _HEADER.split(text)
    contents = dict(zip(parts[1::2], parts[2::2], strict=True))
    last = parts[-2] if len(parts) > 1 else None
    return {
        path: body
        for path, content in contents.items()
        if (body := content[1:] if path == last else content[1:].removesuffix("\n"))
    }
