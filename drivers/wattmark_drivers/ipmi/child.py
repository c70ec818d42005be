"""The child process `ipmitool shell`: a line in, everything up to the next prompt out.

The password reaches ipmitool through a pipe (`-f /dev/fd/N`) that is empty once it is read. It is never an argument,
which every user can list; never in the environment, which all programs of this user, loads too, can read for as long
as ipmitool runs; and never in a file, which can be left behind.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from asyncio.subprocess import PIPE
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from wattmark_drivers.broken import BROKEN
from wattmark_drivers.errors import ConfigurationError, ConnectionFailed
from wattmark_drivers.parent_death import die_with_parent

PROMPT = b"ipmitool> "
STOP_TIMEOUT_S = 1.0
LONGEST_OUTPUT = 1 << 20
VENDORS = Path(".local/usr/share/misc/enterprise-numbers.txt")
"""Where ipmitool 1.8.19 first searches for the names of vendors; an empty file makes it refuse to start."""
ONE_VENDOR = "0\n  Reserved\n    Internet Assigned Numbers Authority\n      iana&iana.org\n"


class ShellDied(ConnectionFailed):
    """The program ended, hangs or is out of step; a new one is needed."""


class ShellEnded(ShellDied):
    """The program ended."""


class IpmitoolChild:
    """One process with a separate home folder: with one vendor in its list it starts in 8 ms instead of 30."""

    def __init__(self) -> None:
        self._home = TemporaryDirectory(prefix="wattmark-ipmitool-")
        self._errors_fd, self._errors_end = os.pipe()
        os.set_blocking(self._errors_fd, False)
        self._process: asyncio.subprocess.Process | None = None
        self._in_step = False
        self._echoes: bool | None = None

    @property
    def pid(self) -> int | None:
        """Process id while it runs."""
        return self._process.pid if self._process else None

    @property
    def home(self) -> Path:
        """Home folder of the process."""
        return Path(self._home.name)

    async def start(self, arguments: Sequence[str], password: str, timeout_s: float) -> None:
        """Start it and wait for the first prompt. Raises `ConfigurationError`, `ShellEnded` or `ShellDied`."""
        (self.home / VENDORS).parent.mkdir(parents=True)
        (self.home / VENDORS).write_text(ONE_VENDOR, "ascii")
        path = os.environ.get("PATH", os.defpath)
        environment = {"PATH": path, "HOME": self._home.name, "LC_ALL": "C"}
        with contextlib.ExitStack() as files:
            files.callback(os.close, self._errors_end)
            password_fd = _pipe_of(password)
            files.callback(os.close, password_fd)
            try:
                self._process = await asyncio.create_subprocess_exec(
                    "ipmitool",
                    *("-f", f"/dev/fd/{password_fd}"),
                    *arguments,
                    stdin=PIPE,
                    stdout=PIPE,
                    stderr=self._errors_end,
                    limit=LONGEST_OUTPUT,
                    env=environment,
                    pass_fds=(password_fd,),
                    preexec_fn=die_with_parent(),
                )
            except FileNotFoundError:
                remedy = "Install it: apt-get install ipmitool."
                raise ConfigurationError("The program ipmitool is missing.", remedy) from None
            except ValueError:
                raise ConfigurationError("The user name of a BMC contains a NUL character.") from None
        await self._until_prompt(b"", timeout_s)

    async def ask(self, line: str, timeout_s: float) -> str:
        """Send a line and return what it prints. Raises `ShellDied`; a cancelled call leaves the child out of step."""
        if not self._in_step:
            raise ShellDied("ipmitool is out of sync.")
        self.take_errors()
        echo = f"{line}\n"
        output = await self._until_prompt(echo.encode(), timeout_s)
        echoed = output.startswith(echo)
        if self._echoes and not echoed:
            self._in_step = False
            raise ShellDied("ipmitool is out of sync: this is the rest of another answer.")
        self._echoes = echoed
        return output.removeprefix(echo)

    def take_errors(self) -> str:
        """Read the present content of standard error; it was written before the prompt, so it is complete."""
        taken = b""
        with contextlib.suppress(BlockingIOError):
            while chunk := os.read(self._errors_fd, 65536):
                taken += chunk
        return taken.decode("utf-8", "replace")

    async def end(self) -> None:
        """Stop the process after "exit", which makes the BMC free its session. Never raises."""
        if self._process is not None:
            await _end(self._process)
            self._process = None
        os.close(self._errors_fd)
        self._home.cleanup()

    async def _until_prompt(self, data: bytes, timeout_s: float) -> str:
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise ShellEnded("ipmitool does not run.")
        self._in_step = False
        try:
            async with asyncio.timeout(timeout_s):
                process.stdin.write(data)
                await process.stdin.drain()
                output = await process.stdout.readuntil(PROMPT)
        except TimeoutError:
            raise ShellDied(f"ipmitool has not responded for {timeout_s:g} s.") from None
        except (*BROKEN, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            raise ShellEnded("ipmitool has ended.") from None
        self._in_step = True
        return output.decode("utf-8", "replace").removesuffix(PROMPT.decode())


def _pipe_of(password: str) -> int:
    """Return the end of a pipe from which a password can be read once."""
    reading, writing = os.pipe()
    os.write(writing, password.encode() + b"\n")
    os.close(writing)
    return reading


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.stdin is not None and process.returncode is None:
        with contextlib.suppress(*BROKEN):
            process.stdin.write(b"exit\n")
            process.stdin.close()
    try:
        async with asyncio.timeout(STOP_TIMEOUT_S):
            await process.communicate()
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.communicate()
