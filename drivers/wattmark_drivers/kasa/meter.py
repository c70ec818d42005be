"""Any TP-Link plug or strip that the catalogue declares."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from kasa import Credentials

from wattmark_drivers.catalogue.declaration import Declaration
from wattmark_drivers.catalogue.kasa_map import KasaMap, KasaPlace, KasaValue
from wattmark_drivers.clock import Clock
from wattmark_drivers.errors import BadReply, ConfigurationError, ConnectionFailed
from wattmark_drivers.exchange import require_same
from wattmark_drivers.http_client.secret import fetch_password
from wattmark_drivers.identity import identify
from wattmark_drivers.kasa.address import KasaAddress
from wattmark_drivers.kasa.session import KasaReply, KasaSession, Request
from wattmark_drivers.kasa.values import IDENTITY, child_id, find_places, relay_is_off, value_at, who_is
from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.physics import behind_open_relay
from wattmark_drivers.reading import Channel, Quality, Reading
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.traffic import tell

POWER = "power"


class KasaMeter:
    """Queries identity and values together, so that each reply identifies its sender; a strip takes two queries."""

    pushes = False

    def __init__(
        self,
        settings: MeterSettings,
        declaration: Declaration,
        table: KasaMap,
        address: KasaAddress,
        *,
        timeout_s: float,
        clock: Clock,
    ) -> None:
        self._settings = settings
        self._declaration = declaration
        self._table = table
        self._address = address
        self._cipher = address.cipher or table.ciphers[0]
        if self._cipher not in table.ciphers:
            raise ConfigurationError(
                f"Meter {settings.name}: {declaration.id} does not speak {self._cipher}.",
                f"Choose the protocol among {', '.join(table.ciphers)}.",
            )
        if address.outlet > table.outlets:
            raise ConfigurationError(
                f"Meter {settings.name}: {declaration.id} has no outlet {address.outlet}.",
                f"Write 1 to {table.outlets}.",
            )
        self._timeout_s = timeout_s
        self._clock = clock
        self._identity = identify(settings, declaration)
        self._session: KasaSession | None = None
        self._child: str | None = None
        self._places: dict[str, KasaPlace] = {}
        measuring = declaration.range(settings.range)
        self._range = measuring.id if measuring else None

    @property
    def identity(self) -> MeterIdentity:
        """Describe the plug; serial number (its MAC address) and firmware are known after `open`."""
        return self._identity

    @property
    def channels(self) -> Sequence[Channel]:
        """List the declared channels; after `open` those that this device has."""
        return [
            Channel(item.channel, item.quantity, item.unit, self._declaration.kind_of(item), item.label, item.step)
            for item in self._table.values
            if not self._places or item.channel in self._places
        ]

    async def open(self) -> None:
        """Ask who the device is, and for all values once. Raises a `DriverError`."""
        await self.close()
        session = KasaSession(
            self._address.host,
            self._address.at(self._cipher),
            self._table.dialect,
            self._cipher,
            self._login(),
            self._timeout_s,
            self._clock,
        )
        self._session = session
        try:
            await self._find(session)
        except BaseException:
            await self.close()
            raise

    async def read(self) -> list[Reading]:
        """Read all channels. Raises `BadReply`, or `ConnectionFailed` when the plug is gone or is another one."""
        if self._session is None:
            raise ConnectionFailed(f"Meter {self._settings.name} is not open.")
        if self._child is not None:
            who = await self._session.ask(self._request(IDENTITY["iot"]))
            self._confirm(who)
            reply = await self._session.ask(self._values_request())
        else:
            reply = await self._session.ask(self._request(IDENTITY[self._table.dialect], *self._table.requests))
            self._confirm(reply)
            who = reply
        self._tell(reply)
        outlet = None if self._child is None else self._address.outlet
        off = relay_is_off(self._table.dialect, who.document, outlet)
        return [
            self._reading(item, self._places[item.channel], reply, relay_off=off)
            for item in self._table.values
            if item.channel in self._places
        ]

    async def close(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def _login(self) -> Credentials | None:
        """Return the login; None for a conversation that has none."""
        if self._cipher == "xor":
            return None
        return Credentials(self._settings.username or "", fetch_password(self._settings))

    async def _find(self, session: KasaSession) -> None:
        table = self._table
        reply = await session.ask(self._request(IDENTITY[table.dialect]))
        who = who_is(table.dialect, reply.document)
        if who.model not in table.models:
            raise ConfigurationError(
                f"{session.label} is a {(who.model or 'device without a model')[:40]!r}, "
                f"and {self._declaration.id} is for {', '.join(table.models)}.",
                "Choose the model that fits the device.",
            )
        self._child = child_id(reply.document, self._address.outlet) if table.outlets > 1 else None
        if table.outlets > 1 and self._child is None:
            raise BadReply(f"{session.label} tells of no outlet {self._address.outlet}.", "Check the address.")
        reply = await session.ask(self._values_request())
        self._places = find_places(table, reply.document)
        self._tell(reply)
        if POWER not in self._places:
            raise ConfigurationError(
                f"{session.label} reports no power where {self._declaration.id} has it.",
                "Check the model, and that this outlet measures.",
            )
        self._identity = identify(self._settings, self._declaration, who.serial, who.firmware)

    def _values_request(self) -> Request:
        request = self._request(*self._table.requests)
        return request if self._child is None else {"context": {"child_ids": [self._child]}, **request}

    def _request(self, *parts: str) -> Request:
        if self._table.dialect == "smart":
            return dict.fromkeys(parts)
        request: dict[str, dict[str, Any]] = {}
        for part in parts:
            module, _, command = part.partition("/")
            request.setdefault(module, {})[command] = {}
        return request

    def _confirm(self, reply: KasaReply) -> None:
        who = who_is(self._table.dialect, reply.document)
        require_same(self._identity, serial=who.serial, firmware=who.firmware)

    def _tell(self, reply: KasaReply) -> None:
        """Report the exchange without what a device tells of its owner (place, network, names)."""
        if self._table.dialect == "smart":
            measured = {name: reply.document.get(name) for name in self._table.requests}
        else:
            measured = {name: reply.document.get(name.partition("/")[0]) for name in self._table.requests}
        tell("sent", json.dumps(list(self._table.requests)))
        tell("received", json.dumps(measured, default=str))

    def _reading(self, declared: KasaValue, place: KasaPlace, reply: KasaReply, *, relay_off: bool) -> Reading:
        value, quality = value_at(declared, place, reply.document)
        if relay_off:
            quality |= behind_open_relay(declared.quantity, value)
        return Reading(
            channel=declared.channel,
            value=value,
            unit=declared.unit,
            t_ns=reply.stamp.t_ns,
            u_t_ns=reply.stamp.u_t_ns,
            kind=self._declaration.kind_of(declared),
            range=self._range,
            quality=quality | (Quality.RETRIED if reply.retried else Quality.GOOD),
        )
