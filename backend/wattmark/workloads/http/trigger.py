"""A trigger that begins and ends loads by HTTP calls, and leaves everything else to the trigger of the server."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from wattmark_drivers.clock import Clock
from wattmark_drivers.http_client.json_body import Json

from wattmark.core.errors import Disturbed, WattmarkError, WorkloadFailed
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.forwarding import ForwardingTrigger
from wattmark.workloads.hook import Hook, HookAnswer
from wattmark.workloads.http.address import HttpTarget, parse_target
from wattmark.workloads.http.calls import NOTHING_RUNS, CallRefused, Calls, Unreached, opened
from wattmark.workloads.trigger import Trigger

TRIES = 3
"""Attempts to end a load before giving up."""
PAUSE_S = 0.5
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Caller:
    """The run that a call reports to the other system; ``run_id`` None: no run is under way."""

    run_id: str | None
    server: str
    configuration: str | None = None


class HttpHook(ForwardingTrigger):
    """Makes the calls of one workload. ``ca_file`` is a full path; ``token`` is read when a call is made."""

    def __init__(
        self,
        declaration: Declaration,
        hook: Hook,
        inner: Trigger,
        caller: Caller,
        clock: Clock,
        *,
        token: Callable[[], str] | None = None,
        ca_file: str | None = None,
    ) -> None:
        super().__init__(inner)
        self._declaration = declaration
        self._hook = hook
        self._caller = caller
        self._clock = clock
        self._token = token
        self._ca_file = ca_file

    async def clear(self) -> None:
        """Stop what an earlier wattmark left running when it died; an answer that nothing runs is accepted too."""
        async with self._opened() as calls:
            await calls.call(
                self._hook.end.method, self._target(self._hook.end.url), self._body("clear"), accepted=NOTHING_RUNS
            )

    @contextlib.asynccontextmanager
    async def load(self, level: int | None, seconds: int) -> AsyncIterator[BegunLoad]:
        """Start the load, and stop it however the context ends. Raises `WorkloadFailed`.

        The end is requested even where the begin call was not answered, because it may have arrived; not where it was
        refused or never left.
        """
        async with self._opened() as calls:
            end = _End(calls, self._hook, self._target(self._hook.end.url), self._body("end"), self._clock)
            poll = self._target(self._hook.poll.url) if self._hook.poll else None
            answer = await self._begun(calls, end, level, seconds)
            try:
                yield BegunLoad(answer, calls, poll, end)
            except BaseException as error:
                await end.after(error)
                raise
            await end.confirmed()

    async def _begun(self, calls: Calls, end: _End, level: int | None, seconds: int) -> HookAnswer:
        """Send the begin call; where it may have arrived unanswered, send the end call too."""
        order = {**self._body("begin"), "level": level, "seconds": seconds}
        try:
            return await calls.call(self._hook.begin.method, self._target(self._hook.begin.url), order)
        # Refused or never sent: no load can be running, so there is nothing to end.
        except (CallRefused, Unreached):
            raise
        except BaseException as error:
            await end.after(error)
            raise

    def _opened(self) -> AbstractAsyncContextManager[Calls]:
        return opened(self._clock, self._hook.timeout_s, self._token() if self._token else None)

    def _target(self, url: str) -> HttpTarget:
        return parse_target(url, self._declaration.parameter_values(), self._ca_file)

    def _body(self, event: str) -> dict[str, Json]:
        caller = self._caller
        return {
            "event": event,
            "run_id": caller.run_id,
            "server": caller.server,
            "configuration": caller.configuration,
            "workload": self._declaration.id,
            "parameters": dict(self._declaration.parameter_values()),
        }


class BegunLoad:
    """A load that has started."""

    def __init__(self, begun: HookAnswer, calls: Calls, poll: HttpTarget | None, end: _End) -> None:
        self.begun = begun
        self._calls = calls
        self._poll = poll
        self._end = end

    async def poll(self) -> HookAnswer:
        """Poll its progress, once more where no answer came. Raises `WorkloadFailed`."""
        assert self._poll is not None  # noqa: S101 - asked only where the hook has one
        with contextlib.suppress(Disturbed):
            return await self._calls.call("GET", self._poll)
        return await self._calls.call("GET", self._poll)

    async def end(self) -> HookAnswer:
        """Stop the load. Raises `WorkloadFailed` when the end is not confirmed."""
        return await self._end.confirmed()


class _End:
    """The end of one load: requested until it is confirmed, then never again."""

    def __init__(self, calls: Calls, hook: Hook, target: HttpTarget, body: Json, clock: Clock) -> None:
        self._calls = calls
        self._hook = hook
        self._target = target
        self._body = body
        self._clock = clock
        self._asking: asyncio.Future[HookAnswer] | None = None

    async def confirmed(self) -> HookAnswer:
        """Stop the load, once; cancelling the caller does not break off the call. Raises `WorkloadFailed`."""
        if self._asking is None:
            self._asking = asyncio.ensure_future(self._ask())
        try:
            return await asyncio.shield(self._asking)
        except asyncio.CancelledError:
            await asyncio.wait({self._asking})
            raise

    async def after(self, error: BaseException) -> None:
        """Stop the load after an error; a load that may still run is added to that error's cause."""
        try:
            await self.confirmed()
        except WattmarkError as failure:
            _LOG.error("%s", failure)
            if isinstance(error, WattmarkError) and error is not failure:
                raise _as(error, f"{error.cause} {failure.cause}", failure.remedy) from None

    async def _ask(self) -> HookAnswer:
        for _ in range(TRIES - 1):
            with contextlib.suppress(WorkloadFailed):
                return await self._calls.call(self._hook.end.method, self._target, self._body)
            await self._clock.sleep(PAUSE_S)
        try:
            return await self._calls.call(self._hook.end.method, self._target, self._body)
        except WorkloadFailed as error:
            cause = f"The load at {self._target.label} may still run: {error.cause}"
            raise _as(error, cause, "Stop the load there; the next campaign asks for its end again.") from None


def _as(error: WattmarkError, cause: str, remedy: str) -> WorkloadFailed:
    """Build an error with more detail; a disturbed run stays repeatable."""
    return (Disturbed if isinstance(error, Disturbed) else WorkloadFailed)(cause, remedy)
