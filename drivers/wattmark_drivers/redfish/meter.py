"""A BMC as a meter by Redfish: power at each poll, supplies, temperatures and fans in between. Indicative only."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from wattmark_drivers.catalogue.declaration import Declaration
from wattmark_drivers.catalogue.redfish_map import RedfishMap
from wattmark_drivers.clock import Clock, Stamp
from wattmark_drivers.errors import AuthenticationFailed, BadReply, ConnectionFailed
from wattmark_drivers.exchange import require_same
from wattmark_drivers.http_client.client import HttpClient
from wattmark_drivers.http_client.reconnects import Reconnects
from wattmark_drivers.http_client.secret import fetch_password
from wattmark_drivers.identity import identify
from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.reading import Channel, Quality, Reading
from wattmark_drivers.redfish.address import RedfishAddress
from wattmark_drivers.redfish.chassis import check, firmware_of, is_off, serial_of
from wattmark_drivers.redfish.discovery import POWER, RedfishSource, discover
from wattmark_drivers.redfish.session import Credentials, RedfishSession, Resource
from wattmark_drivers.redfish.supplies import SupplyCheck
from wattmark_drivers.redfish.supply_states import supply_states
from wattmark_drivers.redfish.values import Value
from wattmark_drivers.redfish.walk import Walker
from wattmark_drivers.settings import MeterSettings


@dataclass(slots=True)
class _Polled:
    """A source that is polled, and when it is due again [monotonic ns]; None asks whether the server is on."""

    source: RedfishSource | None
    due_ns: int


class RedfishMeter:
    """Polls the resource with the power each time, and the slow ones in turns."""

    pushes = False

    def __init__(
        self,
        settings: MeterSettings,
        declaration: Declaration,
        table: RedfishMap,
        address: RedfishAddress,
        *,
        timeout_s: float,
        clock: Clock,
    ) -> None:
        self._settings = settings
        self._declaration = declaration
        self._table = table
        self._address = address
        self._timeout_s = timeout_s if address.wait_s is None else float(address.wait_s)
        self._clock = clock
        self._identity = identify(settings, declaration)
        self._session: RedfishSession | None = None
        self._reconnects = Reconnects(clock)
        self._chassis = ""
        self._channels: list[Channel] = []
        self._fast: list[RedfishSource] = []
        self._slow: list[_Polled] = []
        self._first: list[Reading] = []
        self._told: dict[str, tuple[int, int]] = {}
        self._host: Resource | None = None
        self._supplies = SupplyCheck()
        self._power_w: float | None = None

    @property
    def identity(self) -> MeterIdentity:
        """Describe the BMC; serial number of the chassis and firmware are known after `open`."""
        return self._identity

    @property
    def channels(self) -> Sequence[Channel]:
        """List what the chassis measures; known after `open`."""
        return self._channels

    async def open(self) -> None:
        """Log in and find the chassis and its resources. Raises a `DriverError`."""
        await self.close()
        client = HttpClient(self._address.origin, self._timeout_s, self._clock)
        credentials = Credentials(self._settings.username, partial(fetch_password, self._settings), self._address.login)
        self._session = RedfishSession(client, credentials, self._table.root)
        try:
            await self._discover(self._session)
        except BaseException:
            await self.close()
            raise

    async def read(self) -> list[Reading]:
        """Read power, and the slow resources that are due; without an answer from those, power alone.

        Raises `BadReply` when this reading is lost, `ConnectionFailed` or `AuthenticationFailed` when the BMC is, or
        when it is another one.
        """
        if self._session is None:
            raise ConnectionFailed(f"Meter {self._settings.name} is not open.")
        readings = [reading for source in self._fast for reading in await self._poll(self._session, source)]
        first, self._first = self._first, []
        readings += first
        now_ns = self._clock.monotonic_ns()
        for item in self._due(now_ns):
            item.due_ns = now_ns + int(0.9 * self._table.sensors_period_s * 1e9)
            with contextlib.suppress(BadReply, AuthenticationFailed, ConnectionFailed):
                readings += await self._poll_slow(self._session, item.source)
        if self._reconnects.due(self._session.connection):
            await self._confirm(self._session)
        return readings

    async def supplies(self) -> Mapping[str, str]:
        """Ask for the states of the power supplies by name; empty where none is stated. Raises a `DriverError`."""
        if self._session is None:
            raise ConnectionFailed(f"Meter {self._settings.name} is not open.")
        return await supply_states(Walker(self._session), await self._session.get(self._chassis))

    async def close(self) -> None:
        """Log out."""
        session, self._session = self._session, None
        if session is not None:
            await session.stop()

    async def _confirm(self, session: RedfishSession) -> None:
        """Check the serial number, where it was known before. Raises `Exchanged`, or the error of its answer."""
        if self._identity.serial is not None:
            require_same(self._identity, serial=serial_of(await session.get(self._chassis)))
        self._reconnects.confirm(session.connection)

    def _due(self, now_ns: int) -> list[_Polled]:
        """Choose the slow resources that waited longest: as many as must be read at each poll to get round in time."""
        polls = self._table.sensors_period_s / self._settings.period_s
        due = [item for item in self._slow if item.due_ns <= now_ns]
        return sorted(due, key=lambda item: item.due_ns)[: math.ceil(len(self._slow) / max(1.0, polls))]

    async def _discover(self, session: RedfishSession) -> None:
        root = await session.start()
        walker = Walker(session)
        kind = self._declaration.rhythm.kind
        address = self._address
        discovered = await discover(walker, root, self._table, address.chassis, kind, address.sensor)
        firmware = await firmware_of(walker, discovered.chassis)
        self._identity = identify(self._settings, self._declaration, serial_of(discovered.chassis), firmware)
        self._chassis = discovered.chassis.path
        self._host = discovered.host
        self._supplies, self._power_w = SupplyCheck(), None
        self._reconnects.confirm(session.connection)
        self._channels = discovered.channels
        self._fast = [source for source in discovered.sources if not source.declared.slow]
        self._told = {}
        for source in self._fast:
            self._readings(source, [part.resource for part in source.parts])
        self._begin_turns([source for source in discovered.sources if source.declared.slow])

    def _begin_turns(self, slow: list[RedfishSource]) -> None:
        """Schedule the slow resources: the values of discovery with the first poll, later turns over a period."""
        for source in slow:
            self._supplies.observe(source.values([part.resource.document for part in source.parts]).values())
        self._first = [
            reading for source in slow for reading in self._readings(source, [part.resource for part in source.parts])
        ]
        turns: list[RedfishSource | None] = [*slow, *([] if self._host is None else [None])]
        now_ns, step_ns = self._clock.monotonic_ns(), self._table.sensors_period_s * 1e9 / max(1, len(turns))
        self._slow = [_Polled(source, now_ns + int(n * step_ns)) for n, source in enumerate(turns, 1)]

    async def _poll_slow(self, session: RedfishSession, source: RedfishSource | None) -> list[Reading]:
        if source is not None:
            return await self._poll(session, source)
        if self._host is not None:
            host = await session.get(self._host.path)
            check(host)
            self._host = host
        return []

    async def _poll(self, session: RedfishSession, source: RedfishSource) -> list[Reading]:
        resources = [await session.get(part.resource.path) for part in source.parts]
        for resource in resources:
            check(resource)
        return self._readings(source, resources)

    def _readings(self, source: RedfishSource, resources: Sequence[Resource]) -> list[Reading]:
        values = source.values([resource.document for resource in resources])
        self._supplies.observe(values.values())
        resource = _together(resources)
        return [self._reading(channel, values.get(channel.id), resource) for channel in source.channels]

    def _reading(self, channel: Channel, value: Value | None, resource: Resource) -> Reading:
        quality = Quality.INVALID if value is None else self._judge(value)
        told_ns = None if value is None else value.device_time_ns
        return Reading(
            channel=channel.id,
            value=math.nan if value is None else value.value,
            unit=channel.unit,
            t_ns=resource.stamp.t_ns,
            u_t_ns=resource.stamp.u_t_ns,
            kind=channel.kind,
            quality=quality
            | self._freshness(channel, told_ns)
            | (Quality.RETRIED if resource.retried else Quality.GOOD),
            device_time_ns=told_ns,
        )

    def _judge(self, value: Value) -> Quality:
        """Judge a value also by the BMC's other data: whether the server is off, and the limits of its supplies."""
        if (value.declared.positive or value.channel == POWER) and is_off(self._host):
            return value.quality | Quality.HOST_OFF
        if value.channel == POWER:
            self._power_w = value.value if value.quality.usable else None
        contradicts = self._supplies.judge(value, self._power_w)
        return value.quality | (Quality.IMPLAUSIBLE if contradicts else Quality.GOOD)

    def _freshness(self, channel: Channel, told_ns: int | None) -> Quality:
        """Mark a value stale when the BMC's own time of it does not change; without one staleness is unknown."""
        if told_ns is None:
            return Quality.GOOD
        now_ns = self._clock.monotonic_ns()
        before_ns, since_ns = self._told.get(channel.id, (-1, now_ns))
        if told_ns != before_ns:
            self._told[channel.id] = (told_ns, now_ns)
            return Quality.GOOD
        stood_s = (now_ns - since_ns) / 1e9
        updates_s = max(self._identity.update_period_s, self._settings.period_s, channel.period_s or 0.0)
        longest_s = self._identity.suspicion.still_updates * updates_s
        return Quality.STALE if stood_s > longest_s else Quality.GOOD


def _together(resources: Sequence[Resource]) -> Resource:
    """Combine the stamps of resources whose values are added: their middle, and how far the reading of them spread."""
    if len(resources) == 1:
        return resources[0]
    first = min(resource.stamp.t_ns - resource.stamp.u_t_ns for resource in resources)
    last = max(resource.stamp.t_ns + resource.stamp.u_t_ns for resource in resources)
    stamp = Stamp((first + last) // 2, (last - first) // 2)
    return Resource(resources[0].path, None, stamp, any(resource.retried for resource in resources))
