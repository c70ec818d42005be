"""The two ways to a reader process: forked from a service that has just begun, and with an interpreter of its own."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import socket
import sys
import traceback
from typing import Protocol, Self

from wattmark.core.errors import WattmarkError
from wattmark.service.reader.work import work


class Child(Protocol):
    """A child process, as `asyncio.subprocess.Process` is one."""

    pid: int

    @property
    def returncode(self) -> int | None:
        """Exit status; None while it runs."""

    async def wait(self) -> int:
        """Wait for its end and return its exit status."""

    def kill(self) -> None:
        """End it. Raises `ProcessLookupError` where it has ended."""


class ForkedReader:
    """The first reader of a service. It shares the memory of everything imported before, and imports nothing again.

    Only for a process that has one thread: a fork copies no others, and what they hold stays held.
    """

    def __init__(self, pid: int, control: socket.socket) -> None:
        self.pid = pid
        self.control = control
        self._pidfd = os.pidfd_open(pid)
        self._ended: asyncio.Future[int] | None = None
        self.returncode: int | None = None

    @classmethod
    def fork(cls) -> Self:
        """Fork a reader that waits for its order, or for the end of this process."""
        import wattmark.service.reader.serving  # noqa: F401 - what it will need, in the memory that both share

        ours, child_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        gc.collect()
        gc.freeze()  # a collection in one process would copy what both share
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if pid == 0:
            ours.close()
            _work(child_end)
        child_end.close()
        return cls(pid, ours)

    async def wait(self) -> int:
        """Wait for its end and return its exit status."""
        if self._ended is None:
            loop = asyncio.get_running_loop()
            self._ended = loop.create_future()
            loop.add_reader(self._pidfd, self._reap, loop, self._ended)
        return await asyncio.shield(self._ended)

    def kill(self) -> None:
        """End it. Raises `ProcessLookupError` where it has ended."""
        if self.returncode is not None:
            raise ProcessLookupError
        signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def _reap(self, loop: asyncio.AbstractEventLoop, ended: asyncio.Future[int]) -> None:
        loop.remove_reader(self._pidfd)
        os.close(self._pidfd)
        self.returncode = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        ended.set_result(self.returncode)


def _work(control: socket.socket) -> None:
    """Be the reader; never returns to what the service was doing when it forked."""
    status = 1
    try:
        work(control)
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


async def start_interpreter() -> tuple[Child, socket.socket]:
    """Start a reader with an interpreter of its own; return it and the service's end of its control socket.

    Raises `WattmarkError`.
    """
    ours, child_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = [sys.executable, "-P", "-m", "wattmark.service.reader", str(child_end.fileno())]
    try:
        with child_end:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.DEVNULL,
                pass_fds=[child_end.fileno()],
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            )
    except OSError as error:
        ours.close()
        raise WattmarkError(f"The process that reads stored runs does not start: {error}.", "Free memory.") from error
    except BaseException:
        ours.close()
        raise
    return process, ours
