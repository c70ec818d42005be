"""A trigger that forwards all calls to another one; subclasses override what they change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager

from wattmark.workloads.trigger import Execution, OutputLine, Trigger


class ForwardingTrigger:
    """Starts programs by another trigger."""

    def __init__(self, inner: Trigger) -> None:
        self._inner = inner

    def start(
        self, argv: Sequence[str], on_line: Callable[[OutputLine], None], environment: Mapping[str, str] | None = None
    ) -> AbstractAsyncContextManager[Execution]:
        """Run a program for the length of the context."""
        return self._inner.start(argv, on_line, environment)

    def start_at(
        self,
        argv: Sequence[str],
        on_line: Callable[[OutputLine], None],
        environment: Mapping[str, str] | None = None,
        *,
        begin_ns: int,
    ) -> AbstractAsyncContextManager[Execution]:
        """Run a program from an instant of its machine's own clock on [ns since 1970]."""
        return self._inner.start_at(argv, on_line, environment, begin_ns=begin_ns)

    def workspace(self, files: Mapping[str, bytes]) -> AbstractAsyncContextManager[str]:
        """Place files in a private folder of that machine."""
        return self._inner.workspace(files)

    async def clear(self) -> None:
        """Stop what an earlier wattmark left running."""
        await self._inner.clear()

    async def cpus(self) -> int:
        """Count the CPUs that a load may use."""
        return await self._inner.cpus()
