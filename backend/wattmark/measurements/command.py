"""Run a command as the terminal would, between two marks: same terminal, signals, environment and exit status."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from wattmark_drivers.clock import Clock

from wattmark.core.errors import InputError
from wattmark.measurements.output_copy import OutputCopy
from wattmark.workloads.marks import Mark, mark_now

_PASSED_ON = (signal.SIGTERM, signal.SIGHUP)
"""Signals that reach wattmark alone; those of the keyboard reach the command by the terminal."""
_FROM_KEYBOARD = (signal.SIGINT, signal.SIGQUIT)
_CANNOT, _NOT_FOUND = 126, 127
_SIGNALLED = 128
"""Added to the number of a signal, as shells report a command that a signal ended."""


class NotStarted(InputError):  # noqa: N818 - reads better at the raise site
    """The command could not be started; with the exit status that env(1) gives then."""

    def __init__(self, cause: str, remedy: str, status: int) -> None:
        super().__init__(cause, remedy)
        self.exit_code = status


@dataclass(frozen=True, slots=True)
class Ended:
    """A command that was run: its marks, how it ended, and the CPU time of what it waited for."""

    begin: Mark
    end: Mark
    status: int
    """Exit status; above 128 where a signal ended it."""
    signal: str | None
    """Name of the signal that ended it."""
    cpu_s: float
    interrupted: bool
    """Ctrl-C was pressed meanwhile."""


async def run_command(
    argv: Sequence[str],
    environment: Mapping[str, str],
    clock: Clock,
    *,
    to_stderr: bool = False,
    on_line: Callable[[bytes], None] | None = None,
) -> Ended:
    """Run a command to its end, and return its marks [ns] and exit status. Raises `InputError` if it cannot start.

    It shares the standard streams and the process group of this process. ``to_stderr`` redirects its
    standard output there. With ``on_line`` both its outputs are copied, and each line is handed on; a terminal stays
    one for it.
    """
    with contextlib.ExitStack() as open_streams:
        copy = OutputCopy(on_line, to_stderr=to_stderr) if on_line else None
        if copy:
            open_streams.enter_context(copy)
        streams = copy.streams if copy else (sys.stderr.fileno() if to_stderr else None, None)
        keyboard = open_streams.enter_context(_Signals())
        begin = mark_now(clock)
        process = _start(argv, environment, *streams)
        keyboard.process = process
        if copy:
            copy.begin()
        status, usage, end = await asyncio.to_thread(_wait, process, clock)
        if copy:
            await copy.finish()
    number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
    return Ended(
        begin,
        end,
        os.WEXITSTATUS(status) if number is None else _SIGNALLED + number,
        None if number is None else signal.Signals(number).name,
        usage,
        keyboard.interrupted,
    )


def _start(
    argv: Sequence[str], environment: Mapping[str, str], stdout: int | None, stderr: int | None
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(list(argv), env=environment, stdout=stdout, stderr=stderr)
    except FileNotFoundError:
        raise NotStarted(
            f"There is no program {argv[0]!r}.", "Check its name; a shell line needs sh -c.", _NOT_FOUND
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise NotStarted(
            f"The program {argv[0]!r} cannot be started: {reason}.", "Check the command.", _CANNOT
        ) from None


def _wait(process: subprocess.Popen[bytes], clock: Clock) -> tuple[int, float, Mark]:
    """Wait for a process: its wait status (wait4(2)), the CPU time of it and what it waited for [s], its end."""
    _, status, usage = os.wait4(process.pid, 0)
    end = mark_now(clock)
    process.returncode = os.waitstatus_to_exitcode(status)
    return status, usage.ru_utime + usage.ru_stime, end


class _Signals:
    """Keeps this process alive while the command is, and passes on what reaches this process alone.

    A handler, unlike a signal that is ignored, is not inherited by the command.
    """

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.interrupted = False
        self._before: dict[int, object] = {}

    def __enter__(self) -> _Signals:
        loop = asyncio.get_running_loop()
        for number in (*_FROM_KEYBOARD, *_PASSED_ON):
            if signal.getsignal(number) is not signal.SIG_IGN:
                loop.add_signal_handler(number, self._handle, number)
        return self

    def __exit__(self, *_: object) -> None:
        loop = asyncio.get_running_loop()
        for number in (*_FROM_KEYBOARD, *_PASSED_ON):
            loop.remove_signal_handler(number)

    def _handle(self, number: int) -> None:
        self.interrupted = self.interrupted or number in _FROM_KEYBOARD
        if number in _PASSED_ON and self.process is not None and self.process.returncode is None:
            os.kill(self.process.pid, number)  # not send_signal, which would collect the exit status
