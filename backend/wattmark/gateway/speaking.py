"""Speakers as they are opened, fed and closed in the process that speaks."""

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
from wattmark_drivers.clock import uninterrupted_ns
from wattmark_drivers.errors import ConfigurationError, ConnectionFailed, DriverError
from wattmark_drivers.http_client.origin import tls_context
from wattmark_drivers.mqtt.address import parse_broker
from wattmark_drivers.speakers.face import Absent, Credentials, Doorway
from wattmark_drivers.speakers.indication import Indication
from wattmark_drivers.speakers.speaker import Speaker, SpeakerSpec, Surroundings, find_speaker

from wattmark.bench.address import TOPIC
from wattmark.gateway.messages import Order, Said

MOST_SHOWN = 20
"""Peers of a speaker that the page shows: those that asked last."""
LOOK_S = 0.25
"""How soon a value that has expired while the machine slept is taken away."""
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
    reported: Said | None = None
    """Who asked, as it was said last."""


class Speaking:
    """The speakers that are open; ``say`` hears what becomes of each. One that fails never disturbs another."""

    def __init__(self, say: Callable[[Said], None], elapsed_ns: Callable[[], int] = uninterrupted_ns) -> None:
        self._say = say
        self._elapsed_ns = elapsed_ns
        self._open: dict[str, _Open] = {}
        self._closing: set[asyncio.Task[None]] = set()
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
            opened.reported = Said("asked", order.name, order.number, note=made.note)
            self._show(order.name)
            if not opened.standing:
                return
            address = entry.get("url", f"{order.address}:{order.port}")
            self._say(Said("open", order.name, order.number, address=address, note=made.note))

    async def close(self, name: str) -> None:
        """Close a speaker. Never raises."""
        async with self._turns[name]:
            await self._close(name)

    async def _close_broken(self, opened: _Open) -> None:
        """Close a speaker that has failed, unless another has its place by now."""
        async with self._turns[opened.order.name]:
            if self._open.get(opened.order.name) is opened:
                await self._close(opened.order.name)

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
            if until_ns <= self._elapsed_ns():
                indication, absent = None, "stale"
            else:
                self._expire_at(opened, until_ns)
        opened.shown = indication, absent
        self._show(name)

    def _expire_at(self, opened: _Open, until_ns: int) -> None:
        """Take the value away at that instant; the timer of the event loop stands still while the machine sleeps."""
        left_s = (until_ns - self._elapsed_ns()) * 1e-9
        if left_s > 0:
            soon_s = min(left_s, LOOK_S)
            opened.expiry = asyncio.get_running_loop().call_later(soon_s, self._expire_at, opened, until_ns)
        elif self._open.get(opened.order.name) is opened:
            opened.shown = None, "stale"
            self._show(opened.order.name)

    def _show(self, name: str) -> None:
        opened = self._open.get(name)
        if opened is None or not opened.standing:
            return
        try:
            opened.speaker.show(*opened.shown)
        except Exception as error:
            opened.standing = False
            self._fail(opened.order, error)
            closing = asyncio.get_running_loop().create_task(self._close_broken(opened))
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    def _fail(self, order: Order, error: BaseException) -> None:
        match error:
            case DriverError():
                cause, remedy = error.cause, error.remedy
            case OSError():
                cause, remedy = f"It cannot be opened: {error.strerror or error}.", "Check its files and its port."
            case _:
                _log.error("The speaker %s failed.", order.name, exc_info=error)
                cause, remedy = f"The speaker failed ({error!r}).", DEFECT
        self._say(Said("failed", order.name, order.number, cause=cause, remedy=remedy))

    async def report(self) -> None:
        """Say who asked, of each speaker that was asked since the last time, and which has ended by itself."""
        for name, opened in [*self._open.items()]:
            ended = next((task for task in opened.speaker.upkeep if task.done()), None) if opened.standing else None
            if ended is not None:
                error = None if ended.cancelled() else ended.exception()
                self._fail(opened.order, error or ConnectionFailed("It has stopped to listen."))
                await self._close_broken(opened)
                continue
            askers = opened.speaker.askers.view()
            asked = Said(
                "asked",
                name,
                opened.order.number,
                askers=tuple(askers[:MOST_SHOWN]),
                requests=sum(asker.requests for asker in askers),
                refused=opened.speaker.askers.refused,
                note=opened.speaker.note,
            )
            if opened.standing and asked != opened.reported:
                opened.reported = asked
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
