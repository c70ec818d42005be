"""One conversation with a TP-Link plug through python-kasa: bounded answers, one repetition, named failures."""

from __future__ import annotations

import json
from asyncio import IncompleteReadError
from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import aiohttp
from kasa import AuthenticationError, Credentials, DeviceConfig
from kasa.protocols import BaseProtocol, IotProtocol, SmartProtocol
from kasa.transports import AesTransport, BaseTransport, KlapTransport, KlapTransportV2, XorTransport

from wattmark_drivers.catalogue.kasa_map import Cipher, Dialect
from wattmark_drivers.clock import Clock, Stamp, stamp_since
from wattmark_drivers.errors import AuthenticationFailed, BadReply, ConnectionFailed, DriverError
from wattmark_drivers.kasa import xor

Request = Mapping[str, Any]


class BoundedXorTransport(XorTransport):
    """Refuse answers that no plug sends; the library would wait for as many bytes as a stranger announces."""

    async def _execute_send(self, request: str) -> dict[str, Any]:
        if self.writer is None or self.reader is None:
            raise ConnectionResetError("not connected")
        self.writer.write(xor.encode(request.encode()))
        await self.writer.drain()
        length = int.from_bytes(await self.reader.readexactly(4), "big")
        if length > xor.MOST_BYTES:
            raise ValueError(f"an answer of {length} bytes")
        document = json.loads(xor.decode(await self.reader.readexactly(length)))
        if not isinstance(document, dict):
            raise TypeError("an answer that is not an object")
        return document


class BoundedResponse(aiohttp.ClientResponse):
    """Refuse bodies that no plug sends."""

    async def read(self) -> bytes:
        """Read the body. Raises ValueError when it is too long."""
        body = bytearray()
        while not self.content.at_eof():
            body += await self.content.readany()
            if len(body) > xor.MOST_BYTES:
                raise ValueError(f"an answer of more than {xor.MOST_BYTES} bytes")
        return bytes(body)


TRANSPORTS: dict[Cipher, type[BaseTransport]] = {
    "xor": BoundedXorTransport,
    "klap1": KlapTransport,
    "klap2": KlapTransportV2,
    "aes": AesTransport,
}
PROTOCOLS: dict[Dialect, type[BaseProtocol]] = {"iot": IotProtocol, "smart": SmartProtocol}
UNREACHED = (OSError, IncompleteReadError, aiohttp.ClientError)
"""Causes of the library's errors when no reply arrived; any other cause is an unusable reply."""


@dataclass(frozen=True, slots=True)
class KasaReply:
    """A reply, and the time of its request; ``retried`` for the reply to a repeated request."""

    document: Mapping[str, Any]
    stamp: Stamp
    retried: bool = False


class KasaSession:
    """Sends one query at a time. The library repeats nothing, closes after each failure, and logs in as needed."""

    def __init__(
        self,
        host: str,
        port: int,
        dialect: Dialect,
        cipher: Cipher,
        login: Credentials | None,
        timeout_s: float,
        clock: Clock,
    ) -> None:
        self.label = f"{host}:{port}"
        self._timeout_s = timeout_s
        self._clock = clock
        self._http: aiohttp.ClientSession | None = None if cipher == "xor" else _make_http()
        config = DeviceConfig(
            host=f"[{host}]" if ":" in host and cipher != "xor" else host,
            port_override=port,
            credentials=login,
            http_client=self._http,
        )
        config.timeout = timeout_s  # type: ignore[assignment]  # declared as whole seconds, used as any number
        self._protocol = PROTOCOLS[dialect](transport=TRANSPORTS[cipher](config=config))

    async def ask(self, request: Request) -> KasaReply:
        """Send a query, and repeat it once where no readable reply arrived. Raises a `DriverError`."""
        try:
            return await self._ask(request)
        except (BadReply, ConnectionFailed):
            reply = await self._ask(request)
            return KasaReply(reply.document, reply.stamp, retried=True)

    async def close(self) -> None:
        """Close the connection. Never raises."""
        await self._protocol.close()
        if self._http is not None:
            await self._http.close()

    async def _ask(self, request: Request) -> KasaReply:
        asked_ns = self._clock.monotonic_ns()
        try:
            document = await self._protocol.query(dict(request), retry_count=0)
        except AuthenticationError:
            raise AuthenticationFailed(
                f"{self.label} rejects the login.",
                "Check user and password: those of the TP-Link account, the user is its e-mail address.",
            ) from None
        except Exception as error:  # the device decides which
            raise self._explain(error) from None
        if not isinstance(document, dict):
            raise BadReply(f"{self.label} answers no object.", "wattmark retries automatically.")
        return KasaReply(document, stamp_since(self._clock, asked_ns))

    def _explain(self, error: BaseException) -> DriverError:
        causes = [error]
        while causes[-1].__cause__ is not None and len(causes) < 10:
            causes.append(causes[-1].__cause__)
        if any(isinstance(item, UNREACHED) for item in causes):
            return ConnectionFailed(
                f"{self.label} does not answer within {self._timeout_s:g} s.",
                "Check the address, that the plug is on the network, and the protocol in the address.",
            )
        return BadReply(
            f"{self.label} answers nothing that can be read ({type(causes[-1]).__name__}).",
            "Check the model and the protocol in the address.",
        )


def _make_http() -> aiohttp.ClientSession:
    """Create an HTTP client that takes no proxy, no compressed body and no redirect."""
    tracing = aiohttp.TraceConfig()
    tracing.on_request_redirect.append(_refuse_redirect)
    return aiohttp.ClientSession(
        cookie_jar=aiohttp.CookieJar(unsafe=True, quote_cookie=False),
        response_class=BoundedResponse,
        auto_decompress=False,
        skip_auto_headers=["Accept-Encoding"],
        trace_configs=[tracing],
    )


async def _refuse_redirect(
    _session: aiohttp.ClientSession, _context: SimpleNamespace, _parameters: aiohttp.TraceRequestRedirectParams
) -> None:
    raise ValueError("a redirect")
