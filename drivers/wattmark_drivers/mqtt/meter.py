"""Any device that the catalogue declares with MQTT topics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import or_

from wattmark_drivers.catalogue.declaration import Declaration
from wattmark_drivers.catalogue.mqtt_map import MqttMap, MqttMessage, MqttRequest
from wattmark_drivers.catalogue.scpi_setting import OFF, ON
from wattmark_drivers.clock import Clock, Stamp, stamp_between
from wattmark_drivers.errors import BadReply, ConfigurationError, ConnectionFailed
from wattmark_drivers.exchange import require_same
from wattmark_drivers.http_client.json_body import MISSING, parse_json, point
from wattmark_drivers.http_client.secret import fetch_password
from wattmark_drivers.identity import identify
from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.mqtt.address import MqttAddress
from wattmark_drivers.mqtt.conversation import Conversation, DeviceRefuses, MqttAnswer, Silent
from wattmark_drivers.mqtt.pace import PaceWatch
from wattmark_drivers.mqtt.session import Arrival, MqttSession
from wattmark_drivers.mqtt.values import Who, merge, who_is
from wattmark_drivers.physics import behind_open_relay
from wattmark_drivers.plugs.values import PlugValue, require_one_power, values_of
from wattmark_drivers.reading import Channel, Quality, Reading
from wattmark_drivers.settings import MeterSettings

POWER = "power"
LISTEN = "listen"
LATE_INTERVALS = 3
"""Number of intervals without a message after which a device is late."""


class MqttMeter:
    """Queries the values at each poll where the device can be queried, otherwise waits for its messages.

    What the broker kept from earlier is never a reading.
    """

    def __init__(
        self,
        settings: MeterSettings,
        declaration: Declaration,
        table: MqttMap,
        address: MqttAddress,
        *,
        timeout_s: float,
        clock: Clock,
    ) -> None:
        self._settings = settings
        self._declaration = declaration
        self._table = table
        self._address = address
        self._output = table.first_output if address.output is None else address.output
        last = table.first_output + table.outputs - 1
        if not table.first_output <= self._output <= last:
            raise ConfigurationError(
                f"Meter {settings.name}: {declaration.id} has no output {self._output}.",
                f"Write {table.first_output} to {last}.",
            )
        self._timeout_s = timeout_s
        self._clock = clock
        self._question = (table.request, table.answer) if table.request and table.answer else None
        listen = settings.options.get(LISTEN, OFF)
        if listen not in (ON, OFF):
            raise ConfigurationError(
                f"Meter {settings.name}: the option {LISTEN} is {listen}.", f"Write {ON} or {OFF}."
            )
        self._only_listens = self._question is None or listen == ON
        self._listens = self._only_listens
        self._power_at = next(item.pointer for item in table.measured if item.channel == POWER)
        self._present = {item.channel for item in table.measured}
        self._pace: PaceWatch | None = None
        self._half_trip_ns = 0
        self._identity = self._identify(Who())
        self._session: MqttSession | None = None
        self._conversation: Conversation | None = None
        measuring = declaration.range(settings.range)
        self._range = measuring.id if measuring else None

    @property
    def pushes(self) -> bool:
        """Return whether it is only listened to; complete after `open`, since a bridge reports what can be queried."""
        return self._listens

    @property
    def identity(self) -> MeterIdentity:
        """Describe the device; serial number and firmware are known after `open`, its pace as readings come."""
        return self._identity

    @property
    def channels(self) -> Sequence[Channel]:
        """List the declared channels; after `open` those that this device has."""
        return [
            Channel(item.channel, item.quantity, item.unit, self._declaration.kind_of(item), item.label, item.step)
            for item in self._table.measured
            if item.channel in self._present
        ]

    async def open(self) -> None:
        """Join the broker and ask who the device is, and for all values once. Raises a `DriverError`."""
        await self.close()
        password = fetch_password(self._settings)
        session = MqttSession(self._address, self._settings.username, password, self._timeout_s, self._clock)
        self._session = session
        conversation = Conversation(session, self._table, self._address, self._output, self._timeout_s, self._clock)
        try:
            await session.open(conversation.topics)
            await self._find(conversation)
        except BaseException:
            await self.close()
            raise
        conversation.changed = False
        self._conversation = conversation

    async def read(self) -> list[Reading]:
        """Read all channels. Raises `BadReply`, or `ConnectionFailed` when the device is gone or is another one."""
        conversation = self._conversation
        if conversation is None:
            raise ConnectionFailed(f"Meter {self._settings.name} is not open.")
        if self._question is None or self._listens:
            readings = await self._next_published(conversation)
        else:
            readings = await self._poll(conversation, *self._question)
        if conversation.changed:
            who = await self._who(conversation)
            require_same(self._identity, serial=who.serial, firmware=who.firmware)
            conversation.changed = False
        return readings

    async def close(self) -> None:
        session, self._session, self._conversation = self._session, None, None
        if session is not None:
            await session.close()

    async def _find(self, conversation: Conversation) -> None:
        """Determine the device's identity, whether it can be queried, and its channels."""
        table, label = self._table, conversation.label
        who = await self._who(conversation)
        if table.models and who.model not in table.models:
            raise ConfigurationError(
                f"{label} is a {(who.model or 'device without a model')[:40]!r}, "
                f"and {self._declaration.id} is for {', '.join(table.models)}.",
                "Choose the model that fits the device.",
            )
        units = {item.channel: who.units.get(item.pointer.removeprefix("/"), item.unit) for item in table.measured}
        if units[POWER] != "W":
            raise ConfigurationError(
                f"{label} reports its power in {units[POWER][:16]}, and {self._declaration.id} is for W.",
                "Update the bridge, or set the device so that it reports W.",
            )
        self._listens = self._only_listens or not who.asks
        self._present = {item.channel for item in table.measured if units[item.channel] == item.unit}
        powerless = not who.power
        if who.power and who.asks and self._question is not None:
            request, message = self._question
            try:
                answer, _ = await self._ask(conversation, request, message)
            except DeviceRefuses as error:
                named = f" ({who.model[:40]})" if who.model else ""
                raise ConfigurationError(error.cause.replace(" refuses", f"{named} refuses"), error.remedy) from None
            self._half_trip_ns = answer.stamp.u_t_ns
            present = [item.declared for item in self._values(answer.document) if item.present and self._is_ours(item)]
            self._present = {item.channel for item in present}
            pointers = {item.pointer for item in present}
            conversation.absent = frozenset(level for level in message.levels if f"/{level}" not in pointers)
            powerless = POWER not in self._present
        if powerless:
            named = f" is a {who.model[:40]!r} and" if who.model else ""
            raise ConfigurationError(
                f"{label}{named} reports no power where {self._declaration.id} has it.",
                "Check the model, and that this output measures power.",
            )
        self._pace = PaceWatch(self._clock.utc_ns(), table.publish_more) if self._listens else None
        self._identity = self._identify(who)

    async def _who(self, conversation: Conversation) -> Who:
        answers = []
        for identity in self._table.identity:
            if identity.request is None:
                document = await conversation.kept(identity.answer)
            else:
                document = (await self._ask(conversation, identity.request, identity.answer))[0].document
            power = self._power_at.rpartition("/")[2]
            answers.append(who_is(identity, document, self._address.topic, power))
        return reduce(or_, answers)

    async def _ask(
        self, conversation: Conversation, request: MqttRequest, message: MqttMessage
    ) -> tuple[MqttAnswer, bool]:
        """Send a query, repeated once without a readable reply; return whether the reply may be to the earlier one."""
        whole = self._has_power if request is self._table.request else lambda _: True
        try:
            answer = await conversation.ask(request, message, whole)
        except DeviceRefuses:
            raise
        except (BadReply, Silent):
            return await conversation.ask(request, message, whole), True
        return answer, answer.late

    async def _poll(self, conversation: Conversation, request: MqttRequest, message: MqttMessage) -> list[Reading]:
        answer, retried = await self._ask(conversation, request, message)
        if answer.sender is not None:
            require_same(self._identity, serial=answer.sender, firmware=self._identity.firmware)
        extra = Quality.RETRIED if retried else Quality.GOOD
        values = [item for item in self._values(answer.document) if self._is_ours(item)]
        return [self._reading(item, answer.stamp, extra) for item in values]

    async def _next_published(self, conversation: Conversation) -> list[Reading]:
        """Wait for the next message with values. Raises `BadReply` when it is late, or `ConnectionFailed`."""
        topics = conversation.topics_of(self._table.published)
        patience_s = max(self._timeout_s, LATE_INTERVALS * self._identity.update_period_s)
        until_ns = self._clock.monotonic_ns() + int(patience_s * 1e9)
        while (arrival := await conversation.hear(until_ns)) is not None:
            if arrival.kept or arrival.topic not in topics:
                continue
            published = self._published(arrival, topics[arrival.topic])
            values = [item for item in published if item.present and self._is_ours(item)]
            if values:
                return self._published_readings(values, arrival)
        conversation.require_objects()
        raise BadReply(
            f"{conversation.label} published no reading for {patience_s:.0f} s.", f"{self._table.publish_more}."
        )

    def _published(self, arrival: Arrival, level: str) -> list[PlugValue]:
        if level:
            return self._values(merge({level: arrival.payload}, arrival.topic))
        return self._values(point(parse_json(arrival.payload, arrival.topic), self._table.published.root))

    def _published_readings(self, values: list[PlugValue], arrival: Arrival) -> list[Reading]:
        arrived = stamp_between(self._clock, arrival.t_ns, arrival.t_ns)
        stamp = Stamp(arrived.t_ns, arrived.u_t_ns + self._half_trip_ns)
        if self._pace is not None and any(item.declared.channel == POWER for item in values):
            self._pace.add(arrival.t_ns, stamp.t_ns)
            self._identity = replace(
                self._identity,
                update_period_s=self._pace.interval_s or self._identity.update_period_s,
                pace=self._pace.measured,
            )
        return [self._reading(item, stamp, Quality.GOOD) for item in values]

    def _values(self, document: object) -> list[PlugValue]:
        if self._address.output is None:
            require_one_power(self._table.reads, document, self._address.topic, self._table.first_output)
        values = values_of(self._table.reads, document, self._output, self._table.first_output)
        if self._conversation is None or not self._conversation.relay_off:
            return values
        return [
            replace(item, quality=item.quality | behind_open_relay(item.declared.quantity, item.value))
            for item in values
        ]

    def _is_ours(self, value: PlugValue) -> bool:
        return value.declared.channel in self._present

    def _has_power(self, document: object) -> bool:
        return point(document, self._power_at.replace("{output}", str(self._output))) is not MISSING

    def _identify(self, who: Who) -> MeterIdentity:
        identity = identify(
            self._settings,
            self._declaration,
            who.serial,
            who.firmware,
            update_period_s=self._table.published_s if self._listens else None,
        )
        return identity if self._pace is None else replace(identity, pace=self._pace.measured)

    def _reading(self, value: PlugValue, stamp: Stamp, extra: Quality) -> Reading:
        return Reading(
            channel=value.declared.channel,
            value=value.value,
            unit=value.declared.unit,
            t_ns=stamp.t_ns,
            u_t_ns=stamp.u_t_ns,
            kind=self._declaration.kind_of(value.declared),
            range=self._range,
            quality=value.quality | extra,
        )
