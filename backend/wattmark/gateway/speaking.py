"""Speakers as they are opened, fed and closed, wherever they run: in a process of their own, or in a command."""

from __future__ import annotations

import asyncio
import logging
import ssl
import stat
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from wattmark_drivers.catalogue import find_model
from wattmark_drivers.errors import ConfigurationError, DriverError
from wattmark_drivers.http_client.origin import tls_context
from wattmark_drivers.mqtt.address import parse_broker
from wattmark_drivers.speakers.face import Absent, Credentials, Doorway
from wattmark_drivers.speakers.indication import Indication
from wattmark_drivers.speakers.speaker import Speaker, SpeakerSpec, Surroundings, find_speaker

from wattmark.gateway.messages import Order, Said

TOPIC = "wattmark"
"""Topic of a device whose broker is named without one."""
MOST_SHOWN = 20
"""Peers of a speaker that the page shows: those that asked last."""
DEFECT = "This is a defect of wattmark: please report it."
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Open:
    order: Order
    speaker: Speaker
    folder: TemporaryDirectory[str]
    standing: bool = False
    """Whether it has started."""
    expiry: asyncio.TimerHandle | None = None
    shown: tuple[Indication | None, Absent | None] = (None, "waiting")
    told: Said | None = None


class Speaking:
    """The speakers that are open; ``say`` hears what becomes of each. One that fails never disturbs another."""

    def __init__(self, say: Callable[[Said], None]) -> None:
        self._say = say
        self._open: dict[str, _Open] = {}
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        """By name: a speaker is closed before the next one takes its port."""

    async def open(self, order: Order) -> None:
        """Open a speaker in place of one of that name, and say whether it stands. Never raises."""
        async with self._turns[order.name]:
            await self._close(order.name)
            folder = TemporaryDirectory(prefix="wattmark-speaker-")
            try:
                made = find_speaker(order.engine)(_spec(order, Path(folder.name)))
                opened = self._open[order.name] = _Open(order, made, folder)
                entry = await made.start()
            except Exception as error:
                self._fail(order, error)
                await self._close(order.name)
                folder.cleanup()
                return
            opened.standing = True
            self._show(order.name)
            address = entry.get("url", f"{order.address}:{order.port}")
            self._say(Said("open", order.name, order.number, address=address))

    async def close(self, name: str) -> None:
        """Close a speaker. Never raises."""
        async with self._turns[name]:
            await self._close(name)

    async def _close(self, name: str) -> None:
        opened = self._open.pop(name, None)
        if opened is None:
            return
        if opened.expiry is not None:
            opened.expiry.cancel()
        try:
            await opened.speaker.stop()
        except Exception:
            _log.exception("The speaker %s does not close.", name)
        opened.folder.cleanup()

    async def close_all(self) -> None:
        """Close every speaker."""
        await asyncio.gather(*[self.close(name) for name in [*self._open]])

    def show(self, name: str, indication: Indication | None, absent: Absent | None, until_ns: int) -> None:
        """Show what a meter shows, until an instant [monotonic ns]: nobody repeats it later, whatever happens."""
        opened = self._open.get(name)
        if opened is None:
            return
        if opened.expiry is not None:
            opened.expiry.cancel()
            opened.expiry = None
        if indication is not None:
            left_s = (until_ns - time.monotonic_ns()) * 1e-9
            if left_s <= 0:
                indication, absent = None, "stale"
            else:
                opened.expiry = asyncio.get_running_loop().call_later(left_s, self._expire, name)
        opened.shown = indication, absent
        self._show(name)

    def _expire(self, name: str) -> None:
        opened = self._open.get(name)
        if opened is not None:
            opened.shown = None, "stale"
            self._show(name)

    def _show(self, name: str) -> None:
        opened = self._open.get(name)
        if opened is None or not opened.standing:
            return
        try:
            opened.speaker.show(*opened.shown)
        except Exception as error:
            self._fail(opened.order, error)

    def _fail(self, order: Order, error: Exception) -> None:
        match error:
            case DriverError():
                cause, remedy = error.cause, error.remedy
            case OSError():
                cause, remedy = f"It cannot be opened: {error.strerror or error}.", "Check its files and its port."
            case _:
                _log.error("The speaker %s failed.", order.name, exc_info=error)
                cause, remedy = f"The speaker failed ({error!r}).", DEFECT
        self._say(Said("failed", order.name, order.number, cause=cause, remedy=remedy))

    def report(self) -> None:
        """Say who asked, of each speaker that was asked since the last time."""
        for name, opened in self._open.items():
            askers = opened.speaker.askers.view()
            asked = Said(
                "asked",
                name,
                opened.order.number,
                askers=tuple(askers[:MOST_SHOWN]),
                requests=sum(asker.requests for asker in askers),
                refused=opened.speaker.askers.refused,
            )
            if askers and asked != opened.told:
                opened.told = asked
                self._say(asked)


def _spec(order: Order, folder: Path) -> SpeakerSpec:
    password = order.password
    credentials = None if password is None else Credentials(order.username or "", lambda: password)
    name, port, door = "device", order.port, Doorway(order.address, order.most_clients, credentials, _tls(order))
    if order.url is not None:
        broker = parse_broker(order.url, TOPIC)
        name, port = broker.topic, broker.origin.port
        door = Doorway(broker.origin.host, order.most_clients, credentials, tls_context(broker.origin))
    return SpeakerSpec(
        name=name,
        declaration=find_model(order.model),
        serial=1,
        around=Surroundings(folder, time.time),
        port=port,
        supplies=order.supplies,
        largest_w=order.largest_w,
        face=order.face,
        door=door,
        publish_s=order.period_s,
    )


def _tls(order: Order) -> ssl.SSLContext | None:
    """Build what HTTPS needs. Raises `ConfigurationError` where a file cannot be used."""
    if order.certificate_file is None or order.key_file is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        if stat.S_IMODE(Path(order.key_file).stat().st_mode) & 0o077:
            raise ConfigurationError(
                f"The key file {order.key_file} is readable by other users.", f"Run: chmod 600 {order.key_file}"
            )
        context.load_cert_chain(order.certificate_file, order.key_file)
    except OSError as error:
        raise ConfigurationError(
            f"The certificate {order.certificate_file} and its key cannot be used: {error.strerror or error}.",
            "Give PEM files that belong together.",
        ) from None
    return context
