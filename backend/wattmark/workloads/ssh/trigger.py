"""Start loads on another machine over SSH."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import platform
import re
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from functools import partial
from uuid import uuid4

import asyncssh
from wattmark_drivers.clock import Clock

from wattmark.core.errors import WorkloadFailed
from wattmark.hosts.connection import SshConnection, lost
from wattmark.workloads.ssh.execution import RemoteExecution
from wattmark.workloads.ssh.load_script import (
    HEARTBEAT,
    HEARTBEAT_S,
    PATIENCE_S,
    clear_command,
    environment_lines,
    load_command,
)
from wattmark.workloads.trigger import OutputLine

CLEAR_S = 15.0
GRACE_S = 5.0
"""How long the script may take to end a load: a second's grace for the program, and the network."""
RECENT = 1000
FOLDER = "/tmp"  # noqa: S108 - working folder on the server; files lie in private folders below it
PREFIX = f"{FOLDER}/wattmark-load-"


def owner_mark(name: str) -> str:
    """Return the mark of a machine's loads and folders; none begins like another, however alike the names are."""
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", name)[:40]
    return f"{plain}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


class SshTrigger:
    """Starts programs on one server; when it hears no heartbeat for ``patience_s``, they end."""

    def __init__(
        self,
        connection: SshConnection,
        clock: Clock,
        owner: str | None = None,
        *,
        heartbeat_s: float = HEARTBEAT_S,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._connection = connection
        self._clock = clock
        self._owner = owner_mark(owner or platform.node() or "wattmark")
        self._heartbeat_s = heartbeat_s
        self._patience_s = patience_s
        self.recent: deque[RemoteExecution] = deque(maxlen=RECENT)
        """The programs started last, in their order, with the server's own stamps."""

    @property
    def label(self) -> str:
        """Return the server's name for people."""
        return self._connection.address.label

    async def cpus(self) -> int:
        """Count the CPUs that a load may use there."""
        return int(await self._connection.run(["nproc"]))

    async def missing(self, program: str) -> bool:
        """Return whether a program is missing on the server."""
        try:
            await self._connection.run(["sh", "-c", 'command -v -- "$1" >/dev/null', "sh", program])
        except WorkloadFailed:
            await self._connection.open()
            return True
        return False

    async def clear(self) -> None:
        """Stop what an earlier wattmark of this machine left running on the server, and remove its folders there."""
        connection = await self._connection.open()
        try:
            await connection.run(clear_command(f"{self._owner}.", f"{PREFIX}{self._owner}."), timeout=CLEAR_S)
        except (asyncssh.Error, OSError, TimeoutError) as error:
            raise lost(self._connection.address, error) from None

    @contextlib.asynccontextmanager
    async def workspace(self, files: Mapping[str, bytes]) -> AsyncIterator[str]:
        """Place files in a private folder of the server. Raises `WorkloadFailed` when it cannot be made."""
        folder = (await self._connection.run(["mktemp", "-d", f"{PREFIX}{self._owner}.XXXXXXXX"])).decode().strip()
        if not folder.startswith(PREFIX):
            raise WorkloadFailed(f"{self.label} could not create a folder for the workload's files.", "Check its /tmp.")
        try:
            for name, content in files.items():
                await self._connection.run(["sh", "-c", 'cat >"$1"', "sh", f"{folder}/{name}"], content)
            yield folder
        finally:
            with contextlib.suppress(WorkloadFailed):
                await self._connection.run(["rm", "-rf", "--", folder])

    def start(
        self, argv: Sequence[str], on_line: Callable[[OutputLine], None], environment: Mapping[str, str] | None = None
    ) -> contextlib.AbstractAsyncContextManager[RemoteExecution]:
        """Run a program at once, for the length of the context."""
        return self.start_at(argv, on_line, environment, begin_ns=0)

    @contextlib.asynccontextmanager
    async def start_at(
        self,
        argv: Sequence[str],
        on_line: Callable[[OutputLine], None],
        environment: Mapping[str, str] | None = None,
        *,
        begin_ns: int,
    ) -> AsyncIterator[RemoteExecution]:
        """Run a program from an instant of the server's own clock on [ns since 1970; 0: at once].

        Raises `WorkloadFailed` when it cannot be started.
        """
        lines = environment_lines({"LC_ALL": "C.UTF-8", **(environment or {})})
        connection = await self._connection.open()
        command = load_command(argv, f"{self._owner}.{uuid4().hex}", FOLDER, begin_ns, self._patience_s)
        try:
            process = await connection.create_process(command, encoding=None)
        except (asyncssh.Error, OSError) as error:
            raise lost(self._connection.address, error) from None
        process.stdin.write(lines)
        unheard = partial(
            lost, self._connection.address, ConnectionResetError("the program on the server no longer responds")
        )
        execution = RemoteExecution(process, self._clock, on_line, unheard)
        self.recent.append(execution)
        beating = asyncio.create_task(self._beat(process))
        try:
            yield execution
        finally:
            beating.cancel()
            await self._end(execution, process)

    async def _beat(self, process: asyncssh.SSHClientProcess[bytes]) -> None:
        """Send the script a sign of life at intervals, until its standard input is closed."""
        with contextlib.suppress(OSError, asyncssh.Error):
            while True:
                process.stdin.write(HEARTBEAT)
                await self._clock.sleep(self._heartbeat_s)

    async def _end(self, execution: RemoteExecution, process: asyncssh.SSHClientProcess[bytes]) -> None:
        """Close its standard input, which makes the script end the load, and wait until it has.

        Where the connection is lost, the script has seen the same end.
        """
        with contextlib.suppress(OSError, asyncssh.Error):
            execution.kill()
        try:
            with contextlib.suppress(WorkloadFailed):
                async with asyncio.timeout(GRACE_S):
                    await execution.wait()
        except TimeoutError:
            cause = f"{self.label} did not report in time that the load has ended."
            remedy = (
                f"The load stops by itself {self._patience_s:g} s after the last contact with wattmark; check the "
                "network."
            )
            raise WorkloadFailed(cause, remedy) from None
        finally:
            process.close()
