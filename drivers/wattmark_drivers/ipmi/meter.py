"""A BMC as a meter: DCMI power and the sensors of its repository. Indicative only."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, Sequence

from wattmark_drivers.catalogue.declaration import Declaration
from wattmark_drivers.catalogue.ipmi_map import IpmiMap
from wattmark_drivers.clock import Clock
from wattmark_drivers.errors import BadReply, ConnectionFailed
from wattmark_drivers.exchange import require_same
from wattmark_drivers.identity import SIMULATOR_MARK, identify
from wattmark_drivers.ipmi import dcmi, fru, sdr
from wattmark_drivers.ipmi.address import IpmiAddress
from wattmark_drivers.ipmi.child import ShellDied
from wattmark_drivers.ipmi.completion_codes import INSUFFICIENT_PRIVILEGE, PRIVILEGE_REMEDY, CompletionError
from wattmark_drivers.ipmi.sensor_channels import (
    POWER,
    SensorChannels,
    ServerPower,
    chosen_server_power,
    find_server_power,
    sensor_channels,
    server_channel,
    watt_sensors,
)
from wattmark_drivers.ipmi.shell import Credentials, IpmitoolShell, NoReply, ShellReply
from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.physics import LEAST_SERVER_W
from wattmark_drivers.reading import Channel, Kind, Quality, Reading
from wattmark_drivers.settings import MeterSettings

LOG = logging.getLogger(__name__)
FAILURES_BEFORE_RESPAWN = 2
LARGEST_RAW = 0xFF
READING_UNAVAILABLE = 0x20
SENSOR_LIST_TIMEOUT_S = 30.0
MARKS = (
    (fru.COMMAND, "the inventory", fru.parse_serial),
    (dcmi.ASSET_TAG_COMMAND, "the asset tag", dcmi.parse_asset_tag),
)
"""Where a simulated BMC says that it is one: the first that is answered decides."""
DCMI_LABEL = "Server power (DCMI)"
DCMI_OFF_LABEL = "Server power (DCMI, which the BMC says is switched off)"


class IpmiMeter:
    """Polls DCMI power each time and the sensors at their own, slower period."""

    pushes = False

    def __init__(
        self,
        settings: MeterSettings,
        declaration: Declaration,
        table: IpmiMap,
        address: IpmiAddress,
        *,
        timeout_s: float,
        clock: Clock,
    ) -> None:
        self._table = table
        self._address = address
        self._timeout_s = timeout_s
        self._clock = clock
        self._credentials = Credentials(
            username=settings.username or "",
            password=settings.password,
            cipher=table.cipher if address.cipher is None else address.cipher,
            privilege=address.privilege or table.privilege,
        )
        self._settings = settings
        self._declaration = declaration
        self._identity = identify(settings, declaration)
        self._shell: IpmitoolShell | None = None
        self._failures = 0
        self._silent = False
        """Whether no reading of the last poll had a value."""
        self._unconfirmed = False
        """Whether a session was opened since the BMC's identity was last checked."""
        self._power: Channel | None = None
        """The channel of the whole server's power, where DCMI or a sum over supplies gives it."""
        self._lacks_privilege = False
        """Whether the BMC refused DCMI's power reading for lack of privilege."""
        self._has_dcmi = False
        """Whether the BMC answers DCMI's power reading."""
        self._by_dcmi = False
        """Whether that answer is the server's power."""
        self._server: ServerPower | None = None
        """The sensors that give the whole server's power where DCMI does not."""
        self._supplies: set[tuple[int, str]] = set()
        """The supplies that took power since `open`; without one of them their sum is no longer the server's power."""
        self._sensors: SensorChannels = {}
        self._listed: Mapping[tuple[int, str], Sequence[sdr.SensorRow]] = {}
        """The sensors as they were listed when the channels were chosen."""
        self._sensors_due_ns = 0
        self._newest: tuple[int | None, int] = (None, -1)
        self._newest_ns = 0

    @property
    def identity(self) -> MeterIdentity:
        """Describe the BMC; the GUID of its system serves as a serial number, known after `open`."""
        return self._identity

    @property
    def channels(self) -> Sequence[Channel]:
        """List the server's power, where the BMC gives it, and the sensors; known after `open`."""
        return [*([self._power] if self._power else []), *self._sensors.values()]

    async def open(self) -> None:
        """Open a session, try DCMI and list the sensors. Raises a `DriverError`."""
        await self.close()
        try:
            await self._start_session()
            self._unconfirmed = self._lacks_privilege = False
            answer = await self._try_dcmi()
            self._has_dcmi = answer is not None
            self._identity = identify(self._settings, self._declaration, await self._who())
            rows = await self._try_sensors()
        except BaseException:
            await self.close()
            raise
        try:
            self._choose(answer, rows)
        except BaseException:
            await self.close()
            raise
        if not self.channels:
            await self.close()
            raise ConnectionFailed(
                f"The BMC at {self._address.host} gives a session with privilege {self._credentials.privilege} neither "
                "DCMI power nor sensors.",
                self._remedy("Read the BMC by redfish://, or meter the server at the wall."),
            )

    def _remedy(self, otherwise: str) -> str:
        """Speak of the privilege only where the BMC refused for lack of it."""
        return " ".join(text for text in (PRIVILEGE_REMEDY if self._lacks_privilege else "", otherwise) if text)

    def _choose(self, answer: dcmi.DcmiPower | None, rows: Sequence[sdr.SensorRow]) -> None:
        """Choose what gives the power of the whole server: DCMI, or where it has none the sensors with a known name."""
        sensor = self._address.sensor
        server = find_server_power(rows, self._table.server_power) if sensor is None else None
        server = server if sensor is None else chosen_server_power(rows, sensor)
        # A BMC that answers takes power, so 0 W by DCMI means no measurement: a known sensor is preferred.
        self._by_dcmi = sensor is None and answer is not None and (answer.present_w > 0 or server is None)
        self._server = None if self._by_dcmi else server
        self._power = None
        if answer is not None and self._by_dcmi:
            self._power = _dcmi_channel(DCMI_LABEL if answer.active else DCMI_OFF_LABEL)
        elif server is not None and server.summed:
            self._power = server_channel(server)
        self._supplies = set()
        period_s = self._table.sensors_period_s if self._by_dcmi else None
        self._sensors = sensor_channels(rows, self._table.sensor_units, server=self._server, period_s=period_s)
        self._listed = {key: [row for row in rows if row.key == key] for key in self._sensors}
        self._sensors_due_ns = 0
        self._warn(answer, [row.name for row in watt_sensors(rows)])

    def _warn(self, answer: dcmi.DcmiPower | None, watts: Sequence[str]) -> None:
        name, privilege = self._identity.name, self._credentials.privilege
        if self._by_dcmi and answer is not None and not answer.active:
            LOG.warning(
                "Meter %s: the BMC gives %d W by DCMI but reports that its power measurement is off. "
                "Compare it with another meter.", name, answer.present_w,
            )  # fmt: skip
        if not self._by_dcmi and self._server is None and self._sensors:
            choice = f"If one of its sensors in W is that of the server, add sensor=NAME: {', '.join(watts)}."
            LOG.warning(
                "Meter %s: the BMC shows a session with privilege %s no power of the whole server, by DCMI or by a "
                "sensor with a known name. %s", name, privilege, self._remedy(choice if watts else ""),
            )  # fmt: skip

    async def read(self) -> list[Reading]:
        """Read power, and the sensors when they are due.

        Raises `BadReply` when one poll fails. A second failure in a row means a dead session (the BMC restarted or
        dropped it): a new one is opened, and `ConnectionFailed` or `AuthenticationFailed` says if that fails, or if
        another BMC answers.
        """
        try:
            readings = await self._poll()
        except (NoReply, ShellDied) as error:
            self._failures += 1
            # A busy BMC recovers within its session; an ended ipmitool does not, so it is replaced at once.
            if isinstance(error, NoReply) and self._failures < FAILURES_BEFORE_RESPAWN:
                raise
            self._unconfirmed = True
            await self._start_session()
            readings = await self._poll()
        if self._fell_silent(readings):
            self._unconfirmed = True
            await self._start_session()
            readings = await self._poll()
        if self._unconfirmed:
            await self._confirm()
        self._failures = 0
        return readings

    def _fell_silent(self, readings: Sequence[Reading]) -> bool:
        """Return whether no reading has a value any more: in a dead session ipmitool lists sensors without readings."""
        before, self._silent = self._silent, bool(readings) and all(math.isnan(item.value) for item in readings)
        return self._silent and not before

    async def supplies(self) -> Mapping[str, str]:
        """Ask for the states of the power supplies by name; empty without such sensors. Raises a `DriverError`."""
        longest_s = max(self._timeout_s, SENSOR_LIST_TIMEOUT_S)
        try:
            return sdr.parse_supplies((await self._run(sdr.SUPPLIES_COMMAND, "the power supplies", longest_s)).output)
        except (CompletionError, NoReply):
            return {}

    async def close(self) -> None:
        shell, self._shell = self._shell, None
        self._failures = 0
        if shell is not None:
            await shell.stop()

    async def _start_session(self) -> None:
        await self.close()
        self._shell = IpmitoolShell(self._address.host, self._address.port, self._credentials, self._clock)
        await self._shell.start()

    async def _run(self, command: str, what: str, timeout_s: float | None = None) -> ShellReply:
        if self._shell is None:
            raise ConnectionFailed(f"Meter {self._identity.name} is not open.")
        return await self._shell.run(command, timeout_s or self._timeout_s, what)

    async def _ask_dcmi(self) -> ShellReply:
        return await self._run(dcmi.COMMAND, "the DCMI power reading")

    async def _list_sensors(self) -> ShellReply:
        return await self._run(sdr.LIST_COMMAND, "the list of sensors", max(self._timeout_s, SENSOR_LIST_TIMEOUT_S))

    async def _try_sensors(self) -> list[sdr.SensorRow]:
        """List the sensors; a BMC with an empty or unreadable repository still gives DCMI power."""
        try:
            return sdr.parse_sensor_list((await self._list_sensors()).output)
        except (CompletionError, NoReply):
            if self._has_dcmi:
                return []
            raise

    async def _try_dcmi(self) -> dcmi.DcmiPower | None:
        try:
            return dcmi.parse_dcmi_power((await self._ask_dcmi()).output)
        except CompletionError as error:
            if error.code == INSUFFICIENT_PRIVILEGE:
                self._lacks_privilege = True
                LOG.warning("Meter %s: %s Until then only its sensors are read.", self._identity.name, error)
            return None
        except NoReply:
            raise
        except BadReply:
            return None

    async def _who(self) -> str | None:
        """Read what identifies this BMC: the mark of a simulated one, else its system's GUID.

        The mark stands in the inventory, which every user may read, and where that is not answered in the asset tag of
        DCMI; neither depends on a reading of power. None where the BMC reports nothing of all that: a refusal is an
        answer, and silence is not. Raises `NoReply`.
        """
        mark = await self._try_mark()
        if mark is not None:
            return mark
        try:
            return dcmi.parse_guid((await self._run(dcmi.GUID_COMMAND, "the GUID of the system")).output)
        except NoReply:
            raise
        except BadReply:
            return None

    async def _try_mark(self) -> str | None:
        """Read the text that begins with the mark of a simulated BMC; None for another."""
        for command, what, parse in MARKS:
            try:
                reply = await self._run(command, what, max(self._timeout_s, SENSOR_LIST_TIMEOUT_S))
                text = parse(reply.output)
            except NoReply:
                raise  # whether it is a simulated one is still open
            except BadReply:
                continue
            return text if text.startswith(SIMULATOR_MARK) else None
        return None

    async def _confirm(self) -> None:
        """Check the identity in a new session, where it was known before. Raises `Exchanged`, or `BadReply`."""
        if self._identity.serial is not None:
            require_same(self._identity, serial=await self._who())
        self._unconfirmed = False

    async def _poll(self) -> list[Reading]:
        readings = await self._read_dcmi() if self._by_dcmi else []
        now_ns = self._clock.monotonic_ns()
        if self._sensors and (not self._by_dcmi or now_ns >= self._sensors_due_ns):
            self._sensors_due_ns = now_ns + int(0.9 * self._table.sensors_period_s * 1e9)
            try:
                readings += await self._read_sensors()
            except CompletionError:
                # The power by DCMI is complete without the sensors.
                if not readings:
                    raise
        return readings

    async def _read_dcmi(self) -> list[Reading]:
        reply = await self._ask_dcmi()
        power = dcmi.parse_dcmi_power(reply.output)
        end = Quality.SATURATED if power.present_w == dcmi.LARGEST_W else Quality.GOOD
        if power.beyond_most:
            end |= Quality.ABOVE_LIMIT | Quality.IMPLAUSIBLE
        quality = end | _of_server(power.present_w) | self._freshness(power)
        return [_reading(POWER, power.present_w, "W", reply, quality, power.utc_ns)]

    def _freshness(self, power: dcmi.DcmiPower) -> Quality:
        """Mark a value stale when it and the BMC's stamp do not change for more than three updates, or polls.

        Without a stamp nothing distinguishes an old value from a constant load.
        """
        if power.time_s is None:
            return Quality.GOOD
        now_ns = self._clock.monotonic_ns()
        if (power.time_s, power.present_w) != self._newest:
            self._newest, self._newest_ns = (power.time_s, power.present_w), now_ns
        stood_s = (now_ns - self._newest_ns) / 1e9
        updates_s = max(self._identity.update_period_s, self._settings.period_s)
        longest_s = self._identity.suspicion.still_updates * updates_s
        return Quality.STALE if stood_s > longest_s else Quality.GOOD

    async def _read_sensors(self) -> list[Reading]:
        reply = await self._list_sensors()
        rows = [row for row in sdr.parse_sensor_list(reply.output) if row.key in self._sensors]
        self._require_same_sensors(rows)
        qualities = {row.key: await self._sensor_quality(row) for row in rows}
        readings = [
            _reading(channel.id, math.nan if row.value is None else row.value, channel.unit, reply, qualities[row.key])
            for row in rows
            if (channel := self._sensors[row.key])
        ]
        if self._server is None or not self._server.summed:
            return readings
        return [self._sum_supplies(self._server, rows, qualities, reply), *readings]

    def _require_same_sensors(self, rows: Sequence[sdr.SensorRow]) -> None:
        """Raise `ConnectionFailed` where a number belongs to another sensor now, as after an update of the BMC."""
        for row in rows:
            if not any(row.may_be(listed) for listed in self._listed[row.key]):
                earlier = self._listed[row.key][0]
                raise ConnectionFailed(
                    f"The BMC at {self._address.host} lists other sensors than before: {row.name} in place of "
                    f"{earlier.name}.",
                    "wattmark lists them again.",
                )

    def _sum_supplies(
        self,
        server: ServerPower,
        rows: Sequence[sdr.SensorRow],
        qualities: Mapping[tuple[int, str], Quality],
        reply: ShellReply,
    ) -> Reading:
        """Add the supplies' inputs; without one that took power before, the sum is not the server's power."""
        members = {row.key for row in server.members}
        watts = {row.key: row.value for row in rows if row.key in members and row.value is not None}
        self._supplies |= watts.keys()
        quality = Quality.GOOD if self._supplies == watts.keys() else Quality.INVALID
        for key in watts:
            quality |= qualities[key]
        total = math.fsum(watts.values()) if watts else math.nan
        return _reading(POWER, total, "W", reply, quality | _of_server(total))

    async def _sensor_quality(self, row: sdr.SensorRow) -> Quality:
        """Evaluate a reading; for watts also ask for the raw byte, which shows when the 8 bits are at their end."""
        if row.value is None:
            return Quality.INVALID
        if self._sensors[row.key].quantity != "power":
            return Quality.GOOD
        if self._sensors[row.key].id == POWER and (impossible := _of_server(row.value)):
            return impossible
        try:
            reply = await self._run(f"raw 0x04 0x2d {row.number:#04x}", f"sensor {row.name}")
        except CompletionError:
            return Quality.GOOD
        raw = dcmi.parse_raw(reply.output)
        if len(raw) >= 2 and raw[1] & READING_UNAVAILABLE:
            return Quality.INVALID
        return Quality.SATURATED if raw[:1] == bytes([LARGEST_RAW]) else Quality.GOOD


def _dcmi_channel(label: str) -> Channel:
    return Channel(POWER, "power", "W", Kind.INSTANTANEOUS, label, 1.0)


def _of_server(power_w: float) -> Quality:
    """Evaluate the power of a whole server: a BMC that answers takes power, so 0 W is the mark of no measurement."""
    return Quality.GOOD if power_w > LEAST_SERVER_W else Quality.INVALID


def _reading(
    channel: str, value: float, unit: str, reply: ShellReply, quality: Quality, device_time_ns: int | None = None
) -> Reading:
    return Reading(
        channel=channel,
        value=float(value),
        unit=unit,
        t_ns=reply.stamp.t_ns,
        u_t_ns=reply.stamp.u_t_ns,
        kind=Kind.INSTANTANEOUS,
        quality=quality,
        device_time_ns=device_time_ns,
    )
