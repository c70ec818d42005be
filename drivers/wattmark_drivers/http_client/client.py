"""One connection to one web server: one request at a time, bounded, never redirected, never retried by the library."""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass

import httpx2

from wattmark_drivers.clock import Clock, Stamp, stamp_since
from wattmark_drivers.errors import BadReply, ConfigurationError, ConnectionFailed
from wattmark_drivers.http_client.json_body import Json, parse_json
from wattmark_drivers.http_client.origin import Origin, tls_context
from wattmark_drivers.traffic import tell

KEPT_OPEN_S = 60.0
LONGEST_BODY = 1 << 20
"""No document of a plug or a BMC comes near this [bytes]."""


class TooMuch(Exception):  # noqa: N818 - never leaves the client
    """The device sent a body that is longer than any reading."""


class Compressed(Exception):  # noqa: N818 - never leaves the client
    """The device sent a compressed body although none was requested."""


class BoundedTransport(httpx2.AsyncHTTPTransport):
    """The ordinary transport with every body bounded, including those that the library reads internally."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request. The body of the answer raises `TooMuch` when it grows too long."""
        response = await super().handle_async_request(request)
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            await response.aclose()
            raise Compressed
        if isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _Bounded(response.stream)
        return response


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        length = 0
        async for chunk in self._stream:
            length += len(chunk)
            if length > LONGEST_BODY:
                raise TooMuch
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


class NoAnswer(ConnectionFailed):
    """The device did not answer in time, or broke off; the connection is closed, so a late reply is discarded."""


@dataclass(frozen=True, slots=True)
class HttpReply:
    """A device's reply and its time; ``retried`` is true for the answer to a repeated request."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    stamp: Stamp
    retried: bool = False

    def json(self, who: str) -> Json:
        """Parse the body. Raises `BadReply`."""
        return parse_json(self.body, who)


class HttpClient:
    """Sends requests to one device. ``auth`` answers the device's challenges."""

    def __init__(self, origin: Origin, timeout_s: float, clock: Clock, auth: httpx2.Auth | None = None) -> None:
        """Prepare; nothing is opened. Raises `ConfigurationError` for a bad file of authorities."""
        # The library logs each URL, and the login of some plugs is part of it.
        for name in ("httpx2", "httpcore2"):
            logging.getLogger(name).setLevel(logging.WARNING)
        self._origin = origin
        self._timeout_s = timeout_s
        self._clock = clock
        self._stream: object = None
        self.connections = 0
        """Number of connections that have carried a reply."""
        limits = httpx2.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=KEPT_OPEN_S)
        try:
            base_url = httpx2.URL(origin.url)
        except httpx2.InvalidURL:
            raise ConfigurationError(f"{origin.host} is not a host name.", "Check the address.") from None
        self._client = httpx2.AsyncClient(
            base_url=base_url,
            auth=auth,
            headers={"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "wattmark"},
            transport=BoundedTransport(verify=tls_context(origin) or False, limits=limits, trust_env=False),
            timeout=timeout_s,
            follow_redirects=False,
            trust_env=False,
        )

    @property
    def label(self) -> str:
        """Return the device's address for messages."""
        return self._origin.label

    async def get(self, path: str, headers: Mapping[str, str] | None = None) -> HttpReply:
        """Send a GET request, once more where no answer came. Raises `ConnectionFailed` or `BadReply`."""
        try:
            return await self.send("GET", path, headers=headers)
        except NoAnswer:
            reply = await self.send("GET", path, headers=headers)
            return HttpReply(reply.status, reply.headers, reply.body, reply.stamp, retried=True)

    async def send(
        self, method: str, path: str, *, json: Json = None, headers: Mapping[str, str] | None = None
    ) -> HttpReply:
        """Send one request. Raises `NoAnswer`, `ConnectionFailed` or `BadReply`; the status is not judged."""
        asked_ns = self._clock.monotonic_ns()
        tell("sent", f"{method} {path}")
        try:
            async with asyncio.timeout(self._timeout_s):
                response = await self._client.request(method, path, json=json, headers=headers)
        except (TimeoutError, httpx2.TimeoutException):
            raise NoAnswer(
                f"{self.label} does not answer within {self._timeout_s:g} s.",
                "Check the address, and that the device is on.",
            ) from None
        except httpx2.ConnectError as error:
            raise self._unreachable(error) from None
        except Compressed:
            raise BadReply(
                f"{self.label} compresses its answers, although that was not requested.",
                "Update the firmware of the device.",
            ) from None
        except TooMuch:
            raise BadReply(
                f"{self.label} sends far more data than a reading needs.", "Check that the address leads to the meter."
            ) from None
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.CookieConflict, ssl.SSLError, OSError, ValueError) as error:
            raise NoAnswer(
                f"The connection to {self.label} broke: {_first_line(error)}.", "wattmark retries automatically."
            ) from None
        tell("received", f"{response.status_code} ".encode() + response.content)
        self._count(response.extensions.get("network_stream"))
        return HttpReply(response.status_code, response.headers, response.content, stamp_since(self._clock, asked_ns))

    def _count(self, stream: object) -> None:
        if stream is not self._stream:
            self._stream = stream
            self.connections += 1

    async def close(self) -> None:
        await self._client.aclose()

    def _unreachable(self, error: httpx2.ConnectError) -> ConnectionFailed:
        words = _first_line(error)
        if "CERTIFICATE_VERIFY_FAILED" in words:
            return ConnectionFailed(
                f"The certificate of {self.label} is not trusted: {words.rsplit(': ', 1)[-1].split(' (_ssl')[0]}.",
                "Add ca=FILE with the certificate of its authority to the address, or tls=insecure to accept any "
                "certificate.",
            )
        return ConnectionFailed(
            f"No connection to {self.label}: {words}.", "Check the address, and that the device is on."
        )


def _first_line(error: Exception) -> str:
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0][:160].rstrip(".")
