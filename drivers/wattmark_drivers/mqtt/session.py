"""One connection to an MQTT broker: what arrives is stamped at once and bounded, and failures are named."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import secrets
import socket
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import aiomqtt
from paho.mqtt.reasoncodes import ReasonCode

from wattmark_drivers.clock import Clock
from wattmark_drivers.errors import AuthenticationFailed, ConnectionFailed
from wattmark_drivers.http_client.origin import tls_context
from wattmark_drivers.mqtt.address import MqttAddress
from wattmark_drivers.traffic import tell

MOST_BYTES = 1 << 16
MOST_KEPT_BYTES = 1 << 22
"""A bridge's list of its devices takes some kilobytes for each."""
MOST_WAITING = 256
"""Messages that wait to be read; older ones are dropped."""
REFUSED_LOGINS = frozenset({4, 5, 134, 135})
"""Bad user name or password, not authorised: in MQTT 3.1.1 (3.2.2.3) and in MQTT 5 (3.2.2.2)."""
REFUSED = 128
"""From here on a code of a broker is a refusal (MQTT 3.1.1, 3.9.3; MQTT 5, 2.4)."""
KEEP_ALIVE_S = 15
LEAVE_S = 1.0
QUIET = logging.getLogger(f"{__name__}.library")
"""The libraries log each failure; the meter reports it once."""
QUIET.setLevel(logging.CRITICAL + 1)
PROTOCOLS = {"3.1.1": aiomqtt.ProtocolVersion.V311, "5": aiomqtt.ProtocolVersion.V5}


@dataclass(frozen=True, slots=True)
class Arrival:
    """A message and its arrival [monotonic ns]; ``kept`` marks one that the broker retained from earlier."""

    topic: str
    payload: bytes
    kept: bool
    t_ns: int


class MqttSession:
    """Subscribes to topics and publishes questions. Messages wait in the order of arrival."""

    def __init__(
        self,
        address: MqttAddress,
        username: str | None,
        password: str,
        timeout_s: float,
        clock: Clock,
        will: aiomqtt.Will | None = None,
    ) -> None:
        self._origin = address.origin
        self.label = address.origin.label
        self.client_id = f"wattmark-{secrets.token_hex(4)}"
        self._timeout_s = timeout_s
        self._clock = clock
        self._arrivals: deque[Arrival] = deque(maxlen=MOST_WAITING)
        self._came = asyncio.Event()
        self._lost: ConnectionFailed | None = None
        self._listening: asyncio.Task[None] | None = None
        self._client = aiomqtt.Client(
            address.origin.host,
            address.origin.port,
            username=username or ("" if password else None),
            password=password or None,
            identifier=self.client_id,
            logger=QUIET,
            protocol=PROTOCOLS[address.version],
            timeout=timeout_s,
            keepalive=KEEP_ALIVE_S,
            max_queued_incoming_messages=MOST_WAITING,
            tls_context=tls_context(address.origin),
            will=will,
        )
        self._joined = False

    async def open(self, topics: Sequence[str] = ()) -> None:
        """Connect and subscribe to topics, if any. Raises `ConnectionFailed` or `AuthenticationFailed`."""
        await self._reach()
        self._joined = True
        try:
            await self._client.__aenter__()
        except aiomqtt.MqttCodeError as error:
            raise self._refusal(error) from None
        except aiomqtt.MqttError as error:
            raise self._unreachable(str(error)) from None
        self._listening = asyncio.create_task(self._listen(), name=f"MQTT {self.label}")
        if topics:
            await self._subscribe(topics)

    async def _reach(self) -> None:
        """Connect once, and leave: the library connects in a thread that the end of the process waits for.

        Raises `ConnectionFailed` where nobody answers.
        """
        try:
            async with asyncio.timeout(self._timeout_s):
                _, writer = await asyncio.open_connection(self._origin.host, self._origin.port)
        except TimeoutError:
            raise self._unreachable(f"no answer within {self._timeout_s:g} s") from None
        except socket.gaierror as error:  # its number is none of the system's
            raise self._unreachable(error.strerror or str(error)) from None
        except OSError as error:
            raise self._unreachable(os.strerror(error.errno) if error.errno else str(error)) from None
        writer.close()

    async def _subscribe(self, topics: Sequence[str]) -> None:
        try:
            codes = await self._client.subscribe([(topic, 0) for topic in topics])
        except aiomqtt.MqttError as error:
            raise self._broken(error) from None
        numbers = [code.value if isinstance(code, ReasonCode) else code for code in codes]
        for topic, number in zip(topics, numbers, strict=False):
            if number >= REFUSED:
                raise AuthenticationFailed(
                    f"The broker {self.label} does not let this user read {topic}.",
                    "Allow it in the broker's access list.",
                )

    async def publish(self, topic: str, payload: str, *, confirmed: bool = False, kept: bool = False) -> None:
        """Publish a message. Raises `ConnectionFailed`.

        ``confirmed`` waits until the broker has acknowledged it; the broker gives a ``kept`` one to later subscribers.
        """
        if self._lost is not None:
            raise self._lost
        tell("sent", f"{topic} {payload}")
        try:
            await self._client.publish(topic, payload, qos=int(confirmed), retain=kept)
        except (aiomqtt.MqttError, ValueError) as error:
            raise self._broken(error) from None

    async def next(self, until_ns: int) -> Arrival | None:
        """Wait for the next message until an instant [monotonic ns]; None when none came.

        Raises `ConnectionFailed` when the connection is gone.
        """
        while not self._arrivals:
            if self._lost is not None:
                raise self._lost
            left_s = (until_ns - self._clock.monotonic_ns()) / 1e9
            if left_s <= 0:
                return None
            self._came.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(left_s):
                    await self._came.wait()
        return self._arrivals.popleft()

    async def close(self) -> None:
        """Leave the broker. Never raises."""
        listening, self._listening = self._listening, None
        if listening is not None:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)
        if self._joined:
            self._joined = False
            self._client.timeout = LEAVE_S
            with contextlib.suppress(aiomqtt.MqttError):
                await self._client.__aexit__(None, None, None)

    async def _listen(self) -> None:
        try:
            async for message in self._client.messages:
                self._take(message, self._clock.monotonic_ns())
        except aiomqtt.MqttError as error:
            self._lost = self._broken(error)
        self._came.set()

    def _take(self, message: aiomqtt.Message, t_ns: int) -> None:
        payload = message.payload
        if not isinstance(payload, bytes) or len(payload) > (MOST_KEPT_BYTES if message.retain else MOST_BYTES):
            return
        topic = message.topic.value
        tell("received", f"{topic} ".encode() + payload)
        self._arrivals.append(Arrival(topic, payload, message.retain, t_ns))
        self._came.set()

    def _refusal(self, error: aiomqtt.MqttCodeError) -> ConnectionFailed | AuthenticationFailed:
        if _number(error.rc) in REFUSED_LOGINS:
            return AuthenticationFailed(
                f"The broker {self.label} rejects the login.", "Check user and password: those of the broker."
            )
        return ConnectionFailed(
            f"The broker {self.label} refuses the connection: {error.rc}.",
            "Check its settings, and the version of MQTT in the address.",
        )

    def _unreachable(self, words: str) -> ConnectionFailed:
        if "CERTIFICATE_VERIFY_FAILED" in words:
            return ConnectionFailed(
                f"The certificate of {self.label} is not trusted: {words.rsplit(': ', 1)[-1].split(' (_ssl')[0]}.",
                "Add ca=FILE with the certificate of its authority to the address, or tls=insecure to accept any "
                "certificate.",
            )
        reason = (words.splitlines() or ["no answer"])[0][:160].rstrip(".")
        return ConnectionFailed(
            f"No connection to the broker {self.label}: {reason}.",
            "Check the address, that the broker runs, and whether it wants TLS (mqtts).",
        )

    def _broken(self, error: Exception) -> ConnectionFailed:
        words = (str(error).splitlines() or ["no reason given"])[0][:160].rstrip(".")
        return ConnectionFailed(
            f"The connection to the broker {self.label} broke: {words}.", "wattmark retries automatically."
        )


def _number(code: int | ReasonCode | None) -> int:
    """Return the number of a broker's code."""
    if isinstance(code, ReasonCode):
        return int(code.value)
    return -1 if code is None else code
