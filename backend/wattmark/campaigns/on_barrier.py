"""A trigger whose first program begins at an instant that a group has agreed on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from wattmark.workloads.forwarding import ForwardingTrigger
from wattmark.workloads.trigger import Execution, Line, Trigger


class OnBarrier(ForwardingTrigger):
    """Starts the first program at an instant of its machine's clock [ns since 1970], all further ones at once."""

    def __init__(self, trigger: Trigger, begin_ns: int) -> None:
        super().__init__(trigger)
        self.first: Execution | None = None
        self._begin_ns = begin_ns

    def start(
        self, argv: Sequence[str], on_line: Callable[[Line], None], environment: Mapping[str, str] | None = None
    ) -> AbstractAsyncContextManager[Execution]:
        """Run a program for the length of the context."""
        if self.first is not None:
            return super().start(argv, on_line, environment)
        return self._first(argv, on_line, environment)

    @asynccontextmanager
    async def _first(
        self, argv: Sequence[str], on_line: Callable[[Line], None], environment: Mapping[str, str] | None
    ) -> AsyncIterator[Execution]:
        async with self._inner.start_at(argv, on_line, environment, begin_ns=self._begin_ns) as execution:
            self.first = execution
            yield execution
