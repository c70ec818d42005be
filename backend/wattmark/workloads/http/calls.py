"""One call after the other to the targets of a hook: bounded, never redirected, with errors in plain words."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING

from wattmark_drivers.clock import Clock
from wattmark_drivers.errors import ConnectionFailed, DriverError
from wattmark_drivers.http_client.json_body import Json

from wattmark.core.errors import Disturbed, WorkloadFailed
from wattmark.core.extras import require
from wattmark.core.passwords import bearer
from wattmark.workloads.hook import HookAnswer
from wattmark.workloads.http.address import HttpTarget
from wattmark.workloads.marks import mark_now

if TYPE_CHECKING:
    from wattmark_drivers.http_client.client import HttpClient

SHOWN = 200
"""Characters of an answer that a message shows."""
NOTHING_RUNS = frozenset({404, 409, 410})
"""Statuses which mean that there is no such load."""
_LOOK = "See the log of the called system."


class CallRefused(WorkloadFailed):
    """The other system refused the call (a status of 300 to 499)."""


class Unreached(Disturbed):
    """No connection was made, so that no server received the call."""


class Calls:
    """The connections to the servers of a hook. All methods belong to one event loop."""

    def __init__(self, clock: Clock, timeout_s: float, authorization: str | None) -> None:
        self._clock = clock
        self._timeout_s = timeout_s
        self._authorization = authorization
        self._clients: dict[str, HttpClient] = {}

    async def call(
        self, method: str, target: HttpTarget, body: Json = None, *, accepted: frozenset[int] = frozenset()
    ) -> HookAnswer:
        """Call a target; every status of 200 to 299 succeeds, and so do those in ``accepted``. Raises `WorkloadFailed`.

        Raises `CallRefused`, `Unreached`, `Disturbed` where no answer comes, and `WorkloadFailed` for any other.
        """
        from wattmark_drivers.http_client.client import NoAnswer

        asked = mark_now(self._clock)
        try:
            reply = await self._client(target).send(method, target.path, json=body, headers=self._headers(target))
        except NoAnswer as error:
            raise Disturbed(f"{method} {target.label}: {error.cause}", _LOOK) from None
        except ConnectionFailed as error:
            raise Unreached(f"{method} {target.label}: {error.cause}", "Check the address and the network.") from None
        except DriverError as error:
            raise WorkloadFailed(f"{method} {target.label}: {error.cause}", _LOOK) from None
        text = reply.body.decode("utf-8", "replace")
        if not 200 <= reply.status < 300 and reply.status not in accepted:
            raise _no(f"{method} {target.label}", reply.status, text)
        return HookAnswer(text, asked, mark_now(self._clock))

    async def close(self) -> None:
        clients, self._clients = list(self._clients.values()), {}
        for client in clients:
            await client.close()

    def _client(self, target: HttpTarget) -> HttpClient:
        """Open a connection to a server, once. Raises `ConfigurationError` for a bad CA file."""
        if target.origin.url not in self._clients:
            from wattmark_drivers.http_client.client import HttpClient

            self._clients[target.origin.url] = HttpClient(target.origin, self._timeout_s, self._clock)
        return self._clients[target.origin.url]

    def _headers(self, target: HttpTarget) -> Mapping[str, str]:
        if self._authorization is None:
            return {}
        if not target.private:
            cause = f"The token of {target.label} would be sent over the network unencrypted."
            raise WorkloadFailed(cause, "Use https in its address.")
        return {"Authorization": self._authorization}


@contextlib.asynccontextmanager
async def opened(clock: Clock, timeout_s: float, token: str | None) -> AsyncIterator[Calls]:
    """Open connections for the length of the context. Raises `InputError` where the HTTP client is not installed."""
    require("hooks", "wattmark_drivers.http_client.client", "A hook needs")
    calls = Calls(clock, timeout_s, None if token is None else bearer(token, "a hook"))
    try:
        yield calls
    finally:
        await calls.close()


def _no(call: str, status: int, text: str) -> WorkloadFailed:
    answer = "".join(char if char.isprintable() else " " for char in text[:SHOWN]).strip()
    cause = f"{call} was answered with status {status}{f': {answer}' if answer else ''}."
    if status in (401, 403):
        return CallRefused(cause, "Check the token (token_env or token_file of the hook).")
    if 300 <= status < 400:
        return CallRefused(cause, "Redirects are not followed: enter the final address.")
    return CallRefused(cause, _LOOK) if status < 500 else WorkloadFailed(cause, _LOOK)
