"""Read a device for a while and keep the whole dialogue."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote, urlsplit

from wattmark_drivers.catalogue import find_model
from wattmark_drivers.clock import Clock, SystemClock
from wattmark_drivers.errors import BadReply, DriverError
from wattmark_drivers.factory import create_meter
from wattmark_drivers.leave import leave
from wattmark_drivers.meter import Meter
from wattmark_drivers.recording_fixture.fixture import Dialogue, fixture
from wattmark_drivers.recording_fixture.redact import Redactor
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.traffic import Direction, listening

MOST_EXCHANGES = 20_000


async def capture(
    settings: MeterSettings, seconds: float, *, version: str, made: str, clock: Clock | None = None
) -> dict[str, Any]:
    """Open a device, read it for ``seconds`` [s], close it, and write the redacted document.

    A device that cannot be opened or breaks off gives a document too, with its ``problem``: that is what bug reports
    are about. Raises `ConfigurationError` for settings that name no device.
    """
    clock = clock or SystemClock()
    meter = create_meter(settings, clock)
    dialogue = Dialogue(clock.utc_ns())

    def hear(direction: Direction, data: bytes) -> None:
        if len(dialogue.exchanges) < MOST_EXCHANGES:
            dialogue.exchanges.append((clock.utc_ns(), direction, data))

    with listening(hear):
        try:
            await _read(meter, settings.period_s, seconds, dialogue, clock)
        except DriverError as error:
            dialogue.problem = str(error)
        finally:
            await leave(meter)
    dialogue.channels = tuple(meter.channels)
    identity = meter.identity
    redactor = _redactor(settings, identity.serial)
    return fixture(dialogue, settings, find_model(settings.model), identity, redactor, made=made, version=version)


async def _read(meter: Meter, period_s: float, seconds: float, dialogue: Dialogue, clock: Clock) -> None:
    await meter.open()
    end_ns = clock.monotonic_ns() + int(seconds * 1e9)
    while clock.monotonic_ns() < end_ns:
        try:
            dialogue.readings += await meter.read()
        except BadReply as error:
            dialogue.problem = str(error)
        if not meter.pushes:
            await clock.sleep(period_s)


def _redactor(settings: MeterSettings, serial: str | None) -> Redactor:
    redactor = Redactor()
    redactor.learn(serial, "serial")
    redactor.learn(urlsplit(settings.url).hostname, "host")
    redactor.learn(settings.username, "user")
    for secret in (settings.password, settings.privacy_password):
        if secret is not None:
            redactor.learn(secret(), "secret")
    place = urlsplit(settings.url)
    if not place.hostname and not place.path.startswith("/dev/"):
        redactor.learn(unquote(place.path), "host")
    return redactor
