"""What starts a load and watches it, here or on another machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Literal, Protocol

from wattmark.workloads.marks import Mark


@dataclass(frozen=True, slots=True)
class OutputLine:
    """A printed line and the instant at which it arrived."""

    stream: Literal["stdout", "stderr"]
    text: str
    mark: Mark


class Execution(Protocol):
    """A program that runs."""

    @property
    def started(self) -> Mark:
        """Return when it was started."""
        ...

    @property
    def error_tail(self) -> str:
        """Show the last lines of its standard error, as one line."""
        ...

    async def begun(self) -> int | None:
        """Wait until it has been started; return the instant by its machine's own clock [ns since 1970].

        None where it ended without saying so.
        """
        ...

    def cpu_s(self) -> float | None:
        """Read the CPU time of the program and its living descendants [s]; None where it is not known."""
        ...

    def kill(self) -> None:
        """Stop it at once, without waiting for it."""
        ...

    async def wait(self) -> tuple[int, Mark]:
        """Wait for its end; return exit status (negative: killed by that signal) and instant.

        Raises `WorkloadFailed` when it is ended because it prints more than can be read.
        """
        ...


class Trigger(Protocol):
    """Starts programs on one machine."""

    def start(
        self, argv: Sequence[str], on_line: Callable[[OutputLine], None], environment: Mapping[str, str] | None = None
    ) -> AbstractAsyncContextManager[Execution]:
        """Run a program for the length of the context; its end, whatever the cause, leaves no process alive.

        ``on_line`` may be called in another thread. Raises `WorkloadFailed` when the program cannot be started.
        """
        ...

    def start_at(
        self,
        argv: Sequence[str],
        on_line: Callable[[OutputLine], None],
        environment: Mapping[str, str] | None = None,
        *,
        begin_ns: int,
    ) -> AbstractAsyncContextManager[Execution]:
        """Run a program from an instant of that machine's own clock on [ns since 1970; past: at once]."""
        ...

    def workspace(self, files: Mapping[str, bytes]) -> AbstractAsyncContextManager[str]:
        """Place files in a private folder of that machine; at the end of the context it is removed.

        Gives the folder's path. Raises `WorkloadFailed` when it cannot be made.
        """
        ...

    async def clear(self) -> None:
        """Stop what an earlier wattmark left running when it died."""
        ...

    async def cpus(self) -> int:
        """Count the CPUs that a load may use."""
        ...
