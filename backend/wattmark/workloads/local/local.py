"""Start loads on this machine."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import tempfile
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path

from wattmark_drivers.clock import Clock

from wattmark.core.errors import WorkloadFailed
from wattmark.workloads.local.guard import Guard
from wattmark.workloads.local.process_group import (
    MARKER,
    kill_orphans,
    new_marker,
    offer_to_the_kernel,
    signal_group,
    tree_cpu_s,
)
from wattmark.workloads.local.strays import STRAYS, adopt_orphans
from wattmark.workloads.marks import Mark, mark_now
from wattmark.workloads.parsers.output_reader import read_output
from wattmark.workloads.trigger import OutputLine

INHERITED = ("PATH", "HOME", "TMPDIR", "USER", "LOGNAME")
"""Variables that a load inherits: never those that hold passwords."""
TAIL_LINES = 5


class LocalTrigger:
    """Starts programs in separate process groups, without a shell, and leaves no process behind."""

    def __init__(self, clock: Clock, folder: Path, grace_s: float = 1.0) -> None:
        self._clock = clock
        self._folder = folder
        self._grace_s = grace_s

    async def cpus(self) -> int:
        """Count the CPUs that this process may use."""
        return len(os.sched_getaffinity(0))

    @contextlib.asynccontextmanager
    async def workspace(self, files: Mapping[str, bytes]) -> AsyncIterator[str]:
        """Place files in a private folder. Raises `WorkloadFailed` when it cannot be made."""
        try:
            folder = tempfile.TemporaryDirectory(prefix="wattmark-load-", ignore_cleanup_errors=True)
            for name, content in files.items():
                (Path(folder.name) / name).write_bytes(content)
        except OSError as error:
            cause = f"The workload's files cannot be placed in {tempfile.gettempdir()}: {error.strerror}."
            raise WorkloadFailed(cause, "Free space there, or set TMPDIR to another folder.") from None
        with folder as path:
            yield path

    async def clear(self) -> None:
        """Stop what an earlier wattmark left running on this machine when it died."""
        await asyncio.to_thread(kill_orphans)

    def start(
        self, argv: Sequence[str], on_line: Callable[[OutputLine], None], environment: Mapping[str, str] | None = None
    ) -> contextlib.AbstractAsyncContextManager[LocalExecution]:
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
    ) -> AsyncIterator[LocalExecution]:
        """Run a program from an instant on [ns since 1970; past: at once], for the length of the context.

        Raises `WorkloadFailed` when it cannot be started.
        """
        adopt_orphans()
        marker = new_marker()
        guard = Guard(marker, _inherited())
        try:
            if (left_s := (begin_ns - self._clock.utc_ns()) / 1e9) > 0:
                await self._clock.sleep(left_s)
            process = self._spawn(argv, {**(environment or {}), MARKER: marker})
            offer_to_the_kernel(process.pid)
            execution = LocalExecution(process, self._clock, on_line)
            try:
                yield execution
            finally:
                await self._end(execution, process)
        finally:
            await asyncio.to_thread(guard.end)
            await asyncio.to_thread(STRAYS.kill, guard.started)

    def _spawn(self, argv: Sequence[str], added: Mapping[str, str]) -> subprocess.Popen[bytes]:
        try:
            return STRAYS.start(
                list(argv),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=self._folder,
                env={**_inherited(), "LC_ALL": "C.UTF-8", **added},
            )
        except FileNotFoundError:
            raise WorkloadFailed(
                f"The program {argv[0]} is not installed there;", "install it or give its path."
            ) from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise WorkloadFailed(f"The program {argv[0]} cannot be started: {reason}.", "Check the command.") from None

    async def _end(self, execution: LocalExecution, process: subprocess.Popen[bytes]) -> None:
        """Stop the program; the leader stays unreaped until its group is dead, so that its number is not used again."""
        try:
            if not execution.ended and self._grace_s:
                signal_group(process.pid, signal.SIGTERM)
                with contextlib.suppress(TimeoutError, WorkloadFailed):
                    async with asyncio.timeout(self._grace_s):
                        await execution.wait()
        finally:
            signal_group(process.pid, signal.SIGKILL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=5)


def _inherited() -> dict[str, str]:
    return {name: os.environ[name] for name in INHERITED if name in os.environ}


class LocalExecution:
    """A program on this machine, watched by a dedicated thread so that stamps do not wait for the event loop."""

    def __init__(self, process: subprocess.Popen[bytes], clock: Clock, on_line: Callable[[OutputLine], None]) -> None:
        self.started = mark_now(clock)
        self._process = process
        self._clock = clock
        self._on_line = on_line
        self._tail: deque[str] = deque(maxlen=TAIL_LINES)
        self._loop = asyncio.get_running_loop()
        self._exit: asyncio.Future[tuple[int, Mark]] = self._loop.create_future()
        pidfd = os.pidfd_open(process.pid)
        threading.Thread(target=self._watch, args=(pidfd,), daemon=True, name=f"load-{process.pid}").start()

    @property
    def ended(self) -> bool:
        """Return whether the program has ended."""
        return self._exit.done()

    @property
    def error_tail(self) -> str:
        """Show the last lines of its standard error, as one line."""
        return " | ".join(self._tail)[-500:]

    async def begun(self) -> int | None:
        """Return when it was started [ns since 1970]."""
        return self.started.utc_ns

    def cpu_s(self) -> float | None:
        """Read the CPU time of the program and its descendants [s]."""
        return tree_cpu_s(self._process.pid)

    def kill(self) -> None:
        """Stop the program and its group at once (SIGKILL)."""
        signal_group(self._process.pid, signal.SIGKILL)

    async def wait(self) -> tuple[int, Mark]:
        """Wait for the end of the program itself; its children may live on until the context ends.

        Raises `WorkloadFailed` when it prints more than can be read.
        """
        return await asyncio.shield(self._exit)

    def _watch(self, pidfd: int) -> None:
        end: tuple[int, Mark] | WorkloadFailed
        try:
            end = read_output(self._process, pidfd, self._clock, self._take)
        except WorkloadFailed as failure:
            end = failure
        with contextlib.suppress(RuntimeError):  # the loop may be closed when the program outlived it
            self._loop.call_soon_threadsafe(self._finish, end)

    def _finish(self, end: tuple[int, Mark] | WorkloadFailed) -> None:
        if self._exit.done():
            return
        if isinstance(end, WorkloadFailed):
            self._exit.set_exception(end)
            self._exit.exception()  # marks it as retrieved: perhaps nobody awaits it any more
        else:
            self._exit.set_result(end)

    def _take(self, line: OutputLine) -> None:
        if line.stream == "stderr" and line.text.strip():
            self._tail.append(line.text.strip())
        self._on_line(line)
