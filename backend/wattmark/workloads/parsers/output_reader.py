"""Read what a program prints, line by line, with the instant of arrival, until the program has ended."""

from __future__ import annotations

import os
import selectors
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import IO, Literal

from wattmark_drivers.clock import Clock

from wattmark.workloads.marks import Mark, mark_now
from wattmark.workloads.parsers.flow import OutputFlow
from wattmark.workloads.parsers.printed_lines import PrintedLines
from wattmark.workloads.trigger import OutputLine

BLOCK = 65_536
BLOCKS_AT_END = 32
"""More than any pipe holds, and an end for a child that never stops printing."""


@dataclass
class _Stream:
    """A stream with its unfinished line."""

    name: Literal["stdout", "stderr"]
    lines: PrintedLines = field(default_factory=PrintedLines)

    def take(self, data: bytes, mark: Mark) -> Iterator[OutputLine]:
        return (OutputLine(self.name, text, mark) for text in self.lines.take(data))

    def finish(self, mark: Mark) -> Iterator[OutputLine]:
        return (OutputLine(self.name, text, mark) for text in self.lines.finish())


def read_output(
    process: subprocess.Popen[bytes], pidfd: int, clock: Clock, on_line: Callable[[OutputLine], None]
) -> tuple[int, Mark]:
    """Read both streams until the program exits; return exit status and instant, and leave it unreaped.

    What children print after that is not waited for, because one that hangs would hold the pipe open.
    Raises `WorkloadFailed` when more is printed than can be read; nobody reads on then, so that it can print no more.
    """
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(pidfd, selectors.EVENT_READ)
            _register(selector, process.stdout, _Stream("stdout"))
            _register(selector, process.stderr, _Stream("stderr"))
            ended = _pump(selector, pidfd, clock, OutputFlow(), on_line)
    finally:
        os.close(pidfd)
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
    return _exit_status(process), ended


def _register(selector: selectors.BaseSelector, pipe: IO[bytes] | None, stream: _Stream) -> None:
    if pipe is not None:
        os.set_blocking(pipe.fileno(), False)
        selector.register(pipe.fileno(), selectors.EVENT_READ, stream)


def _pump(
    selector: selectors.BaseSelector, pidfd: int, clock: Clock, flow: OutputFlow, on_line: Callable[[OutputLine], None]
) -> Mark:
    while True:
        ready = [key for key, _ in selector.select()]
        mark = mark_now(clock)
        ended = any(key.fd == pidfd for key in ready)
        for key in list(selector.get_map().values()) if ended else ready:
            if key.fd != pidfd and not _drain(key.fd, key.data, mark, flow, on_line, BLOCKS_AT_END if ended else 1):
                selector.unregister(key.fd)
        if ended:
            for key in selector.get_map().values():
                for line in key.data.finish(mark) if key.data else ():
                    on_line(line)
            return mark


def _drain(
    fd: int, stream: _Stream, mark: Mark, flow: OutputFlow, on_line: Callable[[OutputLine], None], blocks: int
) -> bool:
    """Read what is available now; return False when the stream is closed."""
    for _ in range(blocks):
        try:
            data = os.read(fd, BLOCK)
        except BlockingIOError:
            return True
        flow.take(data, mark.monotonic_ns)
        for line in stream.take(data, mark) if data else stream.finish(mark):
            on_line(line)
        if not data:
            return False
    return True


def _exit_status(process: subprocess.Popen[bytes]) -> int:
    """Read the exit status without reaping; where it has been reaped already, its owner has the status."""
    try:
        info = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    except ChildProcessError:
        return process.wait()
    if info is None:
        return process.wait()
    return int(info.si_status if info.si_code == os.CLD_EXITED else -info.si_status)
