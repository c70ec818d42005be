"""A trigger whose first program begins at an instant that a group has agreed on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from wattmark.workloads.trigger import Execution, Line, Trigger


class OnBarrier:
    """Starts the first program at an instant of its machine's clock [ns since 1970], all further ones at once."""

    def __init__(self, trigger: Trigger, begin_ns: int) -> None:
        self.first: Execution | None = None
        self._trigger = trigger
        self._begin_ns = begin_ns

    def start(
        self, argv: Sequence[str], on_line: Callable[[Line], None], environment: Mapping[str, str] | None = None
    ) -> AbstractAsyncContextManager[Execution]:
        """Run a program for the length of the context."""
        if self.first is not None:
            return self._trigger.start(argv, on_line, environment)
        return self._first(argv, on_line, environment)

    @asynccontextmanager
    async def _first(
        self, argv: Sequence[str], on_line: Callable[[Line], None], environment: Mapping[str, str] | None
    ) -> AsyncIterator[Execution]:
        async with self._trigger.start_at(argv, on_line, environment, begin_ns=self._begin_ns) as execution:
            self.first = execution
            yield execution

    def start_at(
        self,
        argv: Sequence[str],
        on_line: Callable[[Line], None],
        environment: Mapping[str, str] | None = None,
        *,
        begin_ns: int,
    ) -> AbstractAsyncContextManager[Execution]:
        """Run a program from another instant on."""
        return self._trigger.start_at(argv, on_line, environment, begin_ns=begin_ns)

    def workspace(self, files: Mapping[str, bytes]) -> AbstractAsyncContextManager[str]:
        """Place files in a private folder of that machine."""
        return self._trigger.workspace(files)

    async def clear(self) -> None:
        """End what an earlier wattmark left running."""
        await self._trigger.clear()

    async def cpus(self) -> int:
        """Count the CPUs that a load may use."""
        return await self._trigger.cpus()
