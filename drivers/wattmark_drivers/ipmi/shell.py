"""A session with a BMC: `ipmitool shell` kept open, one command at a time.

The password reaches ipmitool in the environment of the child process (`-E`, IPMI_PASSWORD), which only this user and
root can read. It is never an argument, which every user can list, and never a file, which can be left behind.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from dataclasses import dataclass
from tempfile import TemporaryDirectory

from wattmark_drivers.clock import Clock, Stamp, stamp_since
from wattmark_drivers.errors import BadReply, ConfigurationError, ConnectionFailed
from wattmark_drivers.ipmi.completion_codes import CompletionError
from wattmark_drivers.ipmi.home import write_small_vendor_file
from wattmark_drivers.ipmi.refusal import explain_refusal

PROMPT = b"ipmitool> "
START_TIMEOUT_S = 10.0
STOP_TIMEOUT_S = 1.0
IDLE_S = 20.0
"""A session expires in the BMC after about a minute without a command; ask something harmless well before [s]."""
PATIENCE = ("-N", "1", "-R", "2")
"""Wait 1 s for an answer, send again twice: a silent BMC costs 3 s, an absent one 6 s."""
KEEP_ALIVE = "raw 0x06 0x01"
LONGEST_OUTPUT = 1 << 20
_CODE = re.compile(r"rsp=0x([0-9a-fA-F]{2})|\(([cd][0-9a-f])\)")
_NOISE = ("Get HPM.x Capabilities request failed",)


class NoReply(BadReply):
    """The BMC did not answer a command; the session may be dead."""


class ShellDied(ConnectionFailed):
    """The program ended or hangs; a new one is needed."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """Who asks, and how the session is protected."""

    username: str
    password: Callable[[], str] | None
    cipher: int
    privilege: str


@dataclass(frozen=True, slots=True)
class ShellReply:
    """What a command printed, and when it was answered."""

    output: str
    stamp: Stamp


class IpmitoolShell:
    """One child process; not reusable after `stop`."""

    def __init__(self, host: str, port: int, credentials: Credentials, clock: Clock) -> None:
        self._host = host
        self._port = port
        self._credentials = credentials
        self._clock = clock
        self._lock = asyncio.Lock()
        self._process: Process | None = None
        self._errors_fd = -1
        self._home: TemporaryDirectory[str] | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._asked_ns = 0

    async def start(self) -> None:
        """Open the session. Raises `ConfigurationError`, `AuthenticationFailed` or `ConnectionFailed`."""
        try:
            self._process = await self._spawn()
            async with asyncio.timeout(START_TIMEOUT_S):
                await self._until_prompt(self._process)
        except TimeoutError:
            await self.stop()
            raise ShellDied(f"ipmitool got no session with {self._place} in {START_TIMEOUT_S:g} s.") from None
        except asyncio.IncompleteReadError:
            errors = self._take_errors()
            await self.stop()
            raise explain_refusal(errors, self._place, self._credentials.cipher, self._credentials.privilege) from None
        except BaseException:
            await self.stop()
            raise
        self._asked_ns = self._clock.monotonic_ns()
        self._keeper = asyncio.create_task(self._keep_alive())

    async def run(self, command: str, timeout_s: float, what: str) -> ShellReply:
        """Run a command; ``what`` names it in errors.

        Raises `CompletionError` and `NoReply`; after `ShellDied` only `stop` makes sense.
        """
        async with self._lock:
            process = self._process
            if process is None or process.stdin is None or process.returncode is not None:
                raise ShellDied(f"ipmitool for {self._place} has ended.")
            self._take_errors()
            self._asked_ns = self._clock.monotonic_ns()
            output = await self._converse(process, command, timeout_s)
            stamp = stamp_since(self._clock, self._asked_ns)
            errors = self._take_errors()
        self._judge(what, output, errors)
        return ShellReply(output, stamp)

    async def stop(self) -> None:
        """Say exit, so that the BMC frees its session; then end the process. Never raises."""
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.gather(self._keeper, return_exceptions=True)
            self._keeper = None
        process, self._process = self._process, None
        if process is not None:
            await _end(process)
        if self._errors_fd >= 0:
            os.close(self._errors_fd)
            self._errors_fd = -1
        if self._home is not None:
            self._home.cleanup()
            self._home = None

    @property
    def _place(self) -> str:
        return f"{self._host}:{self._port}"

    async def _spawn(self) -> Process:
        self._home = TemporaryDirectory(prefix="wattmark-ipmitool-")
        write_small_vendor_file(self._home.name)
        password = self._fetch_password()
        environment = {"PATH": os.environ.get("PATH", os.defpath), "HOME": self._home.name, "LC_ALL": "C"}
        self._errors_fd, child_errors = os.pipe()
        os.set_blocking(self._errors_fd, False)
        try:
            return await asyncio.create_subprocess_exec(
                *self._arguments(),
                stdin=PIPE,
                stdout=PIPE,
                stderr=child_errors,
                limit=LONGEST_OUTPUT,
                env=environment | {"IPMI_PASSWORD": password},
            )
        except FileNotFoundError:
            raise ConfigurationError(
                "The program ipmitool is missing.", "Install it: apt-get install ipmitool."
            ) from None
        except ValueError:
            raise ConfigurationError(f"The user or password for {self._place} has a NUL character.") from None
        finally:
            os.close(child_errors)

    def _fetch_password(self) -> str:
        try:
            return self._credentials.password() if self._credentials.password else ""
        except Exception as error:
            raise ConfigurationError(f"The password for {self._place} cannot be had: {error}") from None

    def _arguments(self) -> list[str]:
        """Write the command line; anybody on this machine can read it."""
        session = ["-C", str(self._credentials.cipher), "-L", self._credentials.privilege, *PATIENCE]
        target = ["-H", self._host, "-p", str(self._port), "-U", self._credentials.username, "-E"]
        return ["ipmitool", "-I", "lanplus", *session, *target, "shell"]

    async def _converse(self, process: Process, command: str, timeout_s: float) -> str:
        try:
            async with asyncio.timeout(timeout_s):
                assert process.stdin is not None  # noqa: S101 - the pipe is always there
                process.stdin.write(f"{command}\n".encode())
                await process.stdin.drain()
                answer = await self._until_prompt(process)
        except TimeoutError:
            raise ShellDied(f"ipmitool for {self._place} hangs for {timeout_s:g} s.") from None
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            raise ShellDied(f"ipmitool for {self._place} has ended.") from None
        text = answer.decode("utf-8", "replace").removesuffix(PROMPT.decode())
        return text.removeprefix(f"{command}\n")

    async def _until_prompt(self, process: Process) -> bytes:
        assert process.stdout is not None  # noqa: S101 - the pipe is always there
        return await process.stdout.readuntil(PROMPT)

    def _judge(self, what: str, output: str, errors: str) -> None:
        """Find out whether the command worked; the shell gives no status."""
        said = [line for line in errors.splitlines() if line.strip() and not line.startswith(_NOISE)]
        code = next((match for line in said if (match := _CODE.search(line))), None)
        if output.strip():
            return
        if code is not None:
            raise CompletionError(what, int(code[1] or code[2], 16))
        detail = f" ({said[-1].strip()[:120]})" if said else ""
        raise NoReply(f"The BMC at {self._place} does not answer{detail}.", "A new session is tried by itself.")

    def _take_errors(self) -> str:
        """Read what standard error holds by now; it precedes the prompt, so it is complete."""
        taken = b""
        with contextlib.suppress(BlockingIOError):
            while self._errors_fd >= 0 and (chunk := os.read(self._errors_fd, 65536)):
                taken += chunk
        return taken.decode("utf-8", "replace")

    async def _keep_alive(self) -> None:
        while True:
            await self._clock.sleep(IDLE_S)
            if self._clock.monotonic_ns() - self._asked_ns >= IDLE_S * 0.9e9:
                with contextlib.suppress(BadReply, ConnectionFailed):
                    await self.run(KEEP_ALIVE, START_TIMEOUT_S, "a sign of life")


async def _end(process: Process) -> None:
    if process.stdin is not None and process.returncode is None:
        with contextlib.suppress(OSError, RuntimeError):
            process.stdin.write(b"exit\n")
            process.stdin.close()
    try:
        async with asyncio.timeout(STOP_TIMEOUT_S):
            await process.communicate()
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.communicate()
