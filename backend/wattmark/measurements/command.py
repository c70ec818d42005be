"""Run a command as the terminal would, between two marks: same terminal, signals, environment and exit status."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wattmark_drivers.clock import Clock

from wattmark.core.errors import InputError
from wattmark.measurements.output_copy import OutputCopy
from wattmark.workloads.marks import Mark, mark_now

_PASSED_ON = (signal.SIGTERM, signal.SIGHUP)
"""Signals that reach wattmark alone; those of the keyboard reach the command by the terminal."""
_FROM_KEYBOARD = (signal.SIGINT, signal.SIGQUIT)
_CANNOT, _NOT_FOUND = 126, 127
SIGNALLED = 128
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
    asked_to_end: int | None
    """Number of the signal that meanwhile asked wattmark to end: Ctrl-C, or SIGTERM as from timeout(1)."""
    output_problem: str | None = None
    """Why some of its output was lost; its status is then not 0, as without wattmark."""


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
    standard output there. With ``on_line`` both its outputs are copied, and each line until its end is handed on; a
    terminal stays one for it.
    """
    with contextlib.ExitStack() as open_streams:
        copy = OutputCopy(on_line, to_stderr=to_stderr) if on_line else None
        if copy:
            open_streams.enter_context(copy)
        streams = copy.streams if copy else (sys.stderr.fileno() if to_stderr else None, None)
        signals = open_streams.enter_context(_Signals())
        begin = mark_now(clock)
        process = _start(argv, environment, *streams)
        signals.process = process
        if copy:
            copy.begin()
        status, usage, end = await asyncio.to_thread(_wait, process, clock)
        if copy:
            await copy.finish()
    number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
    problem = copy.problem if copy else None
    return Ended(
        begin,
        end,
        (os.WEXITSTATUS(status) or int(problem is not None)) if number is None else SIGNALLED + number,
        None if number is None else signal_name(number),
        usage,
        signals.asked_to_end,
        problem,
    )


def signal_name(number: int) -> str:
    """Return the name of a signal as kill(1) takes it; real-time signals are counted from the first of them."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIGRTMIN+{number - signal.SIGRTMIN}" if number > signal.SIGRTMIN else f"signal {number}"


def require_program(argv: Sequence[str], environment: Mapping[str, str]) -> None:
    """Look a program up as execvp(3) will. Raises `NotStarted` where it is not there, or nobody may run it."""
    if shutil.which(argv[0], path=environment.get("PATH", os.defpath)) is None:
        raise _not_started(argv[0], _errno_of(argv[0], environment), environment)


def _start(
    argv: Sequence[str], environment: Mapping[str, str], stdout: int | None, stderr: int | None
) -> subprocess.Popen[bytes]:
    """Start a command with all descriptors that this process inherited; its own are closed by exec (PEP 446)."""
    try:
        return subprocess.Popen(list(argv), env=environment, stdout=stdout, stderr=stderr, close_fds=False)
    except OSError as error:
        raise _not_started(argv[0], error.errno or 0, environment) from None
    except ValueError as error:
        raise NotStarted(
            f"The program {argv[0]!r} cannot be started: {error}.", "Check the command.", _CANNOT
        ) from None


def _errno_of(program: str, environment: Mapping[str, str]) -> int:
    """Return why a program cannot be run: something of its name is there, or not."""
    folders = [""] if "/" in program else environment.get("PATH", os.defpath).split(os.pathsep)
    return errno.EACCES if any((Path(folder) / program).exists() for folder in folders) else errno.ENOENT


def _not_started(program: str, number: int, environment: Mapping[str, str]) -> NotStarted:
    """Explain why a program was not started, with the exit status of env(1)."""
    file = shutil.which(program, path=environment.get("PATH", os.defpath))
    if number == errno.ENOENT and file is not None:
        return NotStarted(
            f"{program!r} is there, and what it is to be run by is not: {_interpreter(file)}.",
            "Install that, or run the program by another one.",
            _NOT_FOUND,
        )
    if number == errno.ENOENT:
        return NotStarted(f"There is no program {program!r}.", "Check its name; a shell line needs sh -c.", _NOT_FOUND)
    if number == errno.ENOEXEC:
        return NotStarted(
            f"{program!r} is neither a program of this machine nor a script with #! in its first line.",
            f"Run it by its interpreter, such as: sh {program}",
            _CANNOT,
        )
    if number == errno.EACCES:
        return NotStarted(f"{program!r} may not be executed.", f"Allow it: chmod +x {program}", _CANNOT)
    return NotStarted(
        f"The program {program!r} cannot be started: {os.strerror(number)}.", "Check the command.", _CANNOT
    )


def _interpreter(file: str) -> str:
    """Return what a script names in its first line; for others it is the loader of its libraries."""
    with Path(file).open("rb") as script:
        first = script.readline(256)
    return first[2:].decode("utf-8", "replace").strip() if first.startswith(b"#!") else "the loader of its libraries"


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
        self.asked_to_end: int | None = None
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
        self.asked_to_end = self.asked_to_end or number
        if number in _PASSED_ON and self.process is not None and self.process.returncode is None:
            os.kill(self.process.pid, number)  # not send_signal, which would collect the exit status
