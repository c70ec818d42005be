"""Any SNMP device that the catalogue declares: all objects of a poll in one request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from wattmark_drivers.catalogue.declaration import Declaration
from wattmark_drivers.catalogue.snmp_map import FIRST_UNIT, SnmpMap, numbered
from wattmark_drivers.clock import Clock
from wattmark_drivers.errors import ConfigurationError, ConnectionFailed
from wattmark_drivers.exchange import require_same
from wattmark_drivers.identity import SIMULATOR_MARK, identify
from wattmark_drivers.meter import Accuracy, MeterIdentity
from wattmark_drivers.physics import behind_open_relay
from wattmark_drivers.reading import Channel, Quality, Reading
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.snmp.address import SnmpAddress
from wattmark_drivers.snmp.decode import SnmpChannel, constants, find_channel, is_of_unit
from wattmark_drivers.snmp.security import make_security
from wattmark_drivers.snmp.session import Number, SnmpAnswer, SnmpSession

POWER = "power"
DESCRIPTION = "1.3.6.1.2.1.1.1.0"
"""Every agent's description of itself (SNMPv2-MIB, sysDescr); a simulated one begins with its mark."""
UPTIME = "1.3.6.1.2.1.1.3.0"
"""How long an agent has run (SNMPv2-MIB, sysUpTime) [0.01 s]; it begins again at 0 after 2^32."""
LONGEST_SILENCE = 30 * 86_400 * 100
"""More between two polls is a step back of the uptime [0.01 s]."""
MOST_PCT = 20.0
"""A device that tells a larger limit of error of its power tells none [% of reading]."""
MOST_AT_ONCE = 40
"""Objects in one of the first requests; old agents have small buffers."""


class SnmpMeter:
    """Reads an outlet, an inlet or a whole unit."""

    pushes = False

    def __init__(
        self,
        settings: MeterSettings,
        declaration: Declaration,
        table: SnmpMap,
        address: SnmpAddress,
        *,
        timeout_s: float,
        clock: Clock,
    ) -> None:
        if address.number > table.most:
            raise ConfigurationError(
                f"Meter {settings.name}: {declaration.id} has no {table.numbered} {address.number}.",
                f"Write 1 to {table.most}.",
            )
        self._settings = settings
        self._declaration = declaration
        self._table = table
        self._address = address
        self._timeout_s = timeout_s
        self._clock = clock
        self._serial_oid: str | None = None
        self._relay_oid: str | None = None
        self._uptime: int | None = None
        self._identity = identify(settings, declaration)
        self._session: SnmpSession | None = None
        self._found: list[SnmpChannel] = []
        self._oids: list[str] = []
        measuring = declaration.range(settings.range)
        self._range = measuring.id if measuring else None

    @property
    def identity(self) -> MeterIdentity:
        """Describe the device; serial number and firmware are known after `open`."""
        return self._identity

    @property
    def channels(self) -> Sequence[Channel]:
        """List the channels: after `open` those that the device measures, before it those of the declaration."""
        channels = self._found or [
            SnmpChannel(value, self._address.number, value.scale) for value in self._table.values
        ]
        return [
            Channel(
                item.declared.channel,
                item.declared.quantity,
                item.declared.unit,
                self._declaration.kind_of(item.declared),
                item.declared.label,
                item.declared.resolution or item.factor,
                wraps_at=item.wraps_at,
            )
            for item in channels
        ]

    async def open(self) -> None:
        """Read identity, digits, units and all values once. Raises a `DriverError`."""
        await self.close()
        version = self._address.version or self._table.version
        security = make_security(self._settings, self._address, version)
        self._session = SnmpSession(self._address, security, self._timeout_s, self._clock)
        try:
            await self._session.open()
            await self._find(self._session)
        except BaseException:
            await self.close()
            raise

    async def read(self) -> list[Reading]:
        """Read all channels by one request. Raises `BadReply`, or `ConnectionFailed` when the device is gone.

        There is no connection whose end would tell of another device, so each answer carries the serial number, and
        the time since the agent started: with other firmware it may write its numbers with other digits.
        """
        if self._session is None:
            raise ConnectionFailed(f"Meter {self._settings.name} is not open.")
        answer = await self._session.get(self._oids)
        if self._identity.serial is not None:
            require_same(self._identity, serial=_text(answer.objects, self._serial_oid))
        self._require_running(answer.objects)
        relay = self._table.relay
        off = relay is not None and self._relay_oid is not None and answer.objects.get(self._relay_oid) == relay.off
        return [self._reading(channel, answer, off=off) for channel in self._found]

    def _require_running(self, objects: Mapping[str, Number]) -> None:
        """Raise `ConnectionFailed` where the agent has started anew: digits and units were read before that."""
        before, self._uptime = self._uptime, _integer(objects, UPTIME)
        if before is not None and self._uptime is not None and (self._uptime - before) % 2**32 > LONGEST_SILENCE:
            raise ConnectionFailed(
                f"Meter {self._settings.name} has restarted.", "wattmark reads its digits and units again."
            )

    async def close(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.close()

    async def _find(self, session: SnmpSession) -> None:
        number, table = self._address.number, self._table
        unit = await self._unit(session)
        self._serial_oid, firmware_oid = (
            None if oid is None else numbered(oid, number, unit) for oid in (table.serial_oid, table.firmware_oid)
        )
        self._relay_oid = None if table.relay is None else numbered(table.relay.oid, number)
        who = [oid for oid in (self._serial_oid, firmware_oid, self._relay_oid) if oid is not None]
        wanted = [oid for value in table.values for oid in (*constants(value, number),)]
        wanted += [numbered(table.accuracy.oid, number)] if table.accuracy is not None else []
        first = [SnmpChannel(value, number, 1.0).oids for value in table.values]
        objects = await _get_all(
            session, [DESCRIPTION, UPTIME, *who, *wanted, *(oid for oids in first for oid in oids)]
        )
        own = [value for value in table.values if is_of_unit(value, number, objects)]
        channels = [find_channel(value, number, objects) for value in own]
        self._found = [channel for channel in channels if channel is not None]
        if POWER not in {channel.declared.channel for channel in self._found}:
            raise ConfigurationError(
                f"{session.label} reports no power of {table.numbered} {number} where {self._declaration.id} has it.",
                f"Check the model, the {table.numbered} in the address, and the read permissions of the user or the "
                "community.",
            )
        serial, firmware = (_text(objects, oid) for oid in (self._serial_oid, firmware_oid))
        kept = (self._serial_oid, self._relay_oid, UPTIME)
        answered = [oid for oid in kept if oid is not None and objects.get(oid) is not None]
        self._uptime = _integer(objects, UPTIME)
        self._oids = list(dict.fromkeys([*(oid for channel in self._found for oid in channel.oids), *answered]))
        simulated = (_text(objects, DESCRIPTION) or "").startswith(SIMULATOR_MARK)
        identity = identify(self._settings, self._declaration, serial, firmware, simulated=simulated)
        self._identity = replace(identity, power_accuracy=self._told_accuracy(objects) or identity.power_accuracy)

    async def _unit(self, session: SnmpSession) -> int:
        """Ask which unit of a chain the number of the address belongs to; the first where nothing indicates it."""
        if self._table.unit_oid is None:
            return FIRST_UNIT
        oid = numbered(self._table.unit_oid, self._address.number)
        unit = (await session.get([oid])).objects[oid]
        return unit if isinstance(unit, int) and unit > 0 else FIRST_UNIT

    def _told_accuracy(self, objects: Mapping[str, Number]) -> Accuracy | None:
        """Return the limit of error that the device itself tells; None where it tells none."""
        place = self._table.accuracy
        reported = objects.get(numbered(place.oid, self._address.number)) if place is not None else None
        if place is None or not isinstance(reported, int) or not 0 < reported / place.per_pct <= MOST_PCT:
            return None
        source = f"The device itself, as of {self._declaration.cite(place)}"
        return Accuracy(reported / place.per_pct, 0.0, 0.0, None, source)

    def _reading(self, channel: SnmpChannel, answer: SnmpAnswer, *, off: bool) -> Reading:
        value, quality, time_ns = channel.decode(answer.objects)
        quality |= behind_open_relay(channel.declared.quantity, value) if off else Quality.GOOD
        return Reading(
            channel=channel.declared.channel,
            value=value,
            unit=channel.declared.unit,
            t_ns=answer.stamp.t_ns,
            u_t_ns=answer.stamp.u_t_ns,
            kind=self._declaration.kind_of(channel.declared),
            range=self._range,
            quality=quality | (Quality.RETRIED if answer.retried else Quality.GOOD),
            device_time_ns=time_ns,
        )


async def _get_all(session: SnmpSession, oids: Iterable[str]) -> dict[str, Number]:
    asked = list(dict.fromkeys(oids))
    objects: dict[str, Number] = {}
    for begin in range(0, len(asked), MOST_AT_ONCE):
        objects |= (await session.get(asked[begin : begin + MOST_AT_ONCE])).objects
    return objects


def _integer(objects: Mapping[str, Number], oid: str) -> int | None:
    value = objects.get(oid)
    return value if isinstance(value, int) else None


def _text(objects: Mapping[str, Number], oid: str | None) -> str | None:
    value = objects.get(oid) if oid is not None else None
    return value[:128] if isinstance(value, str) and value.strip() and value.isprintable() else None
