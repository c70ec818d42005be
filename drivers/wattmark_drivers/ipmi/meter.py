"""A BMC as a meter: DCMI power and the sensors of its repository. Indicative only."""

from __future__ import annotations

import contextlib
import logging
import math
from collections.abc import Sequence

from wattmark_drivers.catalogue.declaration import Declaration
from wattmark_drivers.catalogue.ipmi_map import IpmiMap
from wattmark_drivers.clock import Clock
from wattmark_drivers.errors import BadReply, ConnectionFailed
from wattmark_drivers.exchange import require_same
from wattmark_drivers.identity import SIMULATOR_MARK, identify
from wattmark_drivers.ipmi import dcmi, sdr
from wattmark_drivers.ipmi.address import IpmiAddress
from wattmark_drivers.ipmi.child import ShellDied
from wattmark_drivers.ipmi.completion_codes import INSUFFICIENT_PRIVILEGE, CompletionError
from wattmark_drivers.ipmi.sensor_channels import POWER, SensorChannels, sensor_channels
from wattmark_drivers.ipmi.shell import Credentials, IpmitoolShell, NoReply, ShellReply
from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.reading import Channel, Kind, Quality, Reading
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.stale import PERIODS

LOG = logging.getLogger(__name__)
FAILURES_BEFORE_RESPAWN = 2
LARGEST_RAW = 0xFF
READING_UNAVAILABLE = 0x20
SENSOR_LIST_TIMEOUT_S = 30.0
DCMI_CHANNEL = Channel(POWER, "power", "W", Kind.INSTANTANEOUS, "Server power (DCMI)", 1.0)


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
        self._unconfirmed = False
        """Whether a session was opened since the BMC said who it is."""
        self._has_dcmi = False
        self._sensors: SensorChannels = {}
        self._sensors_due_ns = 0
        self._newest: tuple[int, int] = (-1, -1)
        self._newest_ns = 0

    @property
    def identity(self) -> MeterIdentity:
        """Describe the BMC; the GUID of its system stands for a serial number, known after `open`."""
        return self._identity

    @property
    def channels(self) -> Sequence[Channel]:
        """List DCMI power, where the BMC has it, and its sensors; known after `open`."""
        return [*([DCMI_CHANNEL] if self._has_dcmi else []), *self._sensors.values()]

    async def open(self) -> None:
        """Open a session, try DCMI and list the sensors. Raises a `DriverError`."""
        await self.close()
        try:
            await self._start_session()
            self._unconfirmed = False
            self._has_dcmi = await self._try_dcmi()
            self._identity = identify(self._settings, self._declaration, await self._who())
            rows = await self._try_sensors()
        except BaseException:
            await self.close()
            raise
        self._sensors = sensor_channels(
            rows,
            self._table.sensor_units,
            take_power=not self._has_dcmi,
            period_s=self._table.sensors_period_s if self._has_dcmi else None,
        )
        self._sensors_due_ns = 0
        if not self.channels:
            await self.close()
            raise ConnectionFailed(f"The BMC at {self._address.host} has neither DCMI power nor readable sensors.")

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
            if isinstance(error, NoReply) and self._failures < FAILURES_BEFORE_RESPAWN:
                raise
            self._unconfirmed = True
            await self._start_session()
            readings = await self._poll()
        if self._unconfirmed:
            await self._confirm()
        self._failures = 0
        return readings

    async def close(self) -> None:
        """Stop the session."""
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

    async def _try_dcmi(self) -> bool:
        try:
            dcmi.parse_dcmi_power((await self._ask_dcmi()).output)
        except CompletionError as error:
            if error.code == INSUFFICIENT_PRIVILEGE:
                LOG.warning("Meter %s: %s Until then only its sensors are read.", self._identity.name, error)
            return False
        except NoReply:
            raise
        except BadReply:
            return False
        return True

    async def _who(self) -> str | None:
        """Read what identifies this BMC: the mark of a simulated one in its asset tag, else its system's GUID.

        None where it tells neither.
        """
        if self._has_dcmi:
            with contextlib.suppress(BadReply):
                tag = dcmi.parse_asset_tag((await self._run(dcmi.ASSET_TAG_COMMAND, "the asset tag")).output)
                if tag.startswith(SIMULATOR_MARK):
                    return tag
        with contextlib.suppress(BadReply):
            return dcmi.parse_guid((await self._run(dcmi.GUID_COMMAND, "the GUID of the system")).output)
        return None

    async def _confirm(self) -> None:
        """Check the identity in a new session, where it was known before. Raises `Exchanged`, or `BadReply`."""
        if self._identity.serial is not None:
            require_same(self._identity, serial=await self._who())
        self._unconfirmed = False

    async def _poll(self) -> list[Reading]:
        readings = await self._read_dcmi() if self._has_dcmi else []
        now_ns = self._clock.monotonic_ns()
        if self._sensors and (not self._has_dcmi or now_ns >= self._sensors_due_ns):
            self._sensors_due_ns = now_ns + int(0.9 * self._table.sensors_period_s * 1e9)
            try:
                readings += await self._read_sensors()
            except CompletionError:
                if not readings:
                    raise
        return readings

    async def _read_dcmi(self) -> list[Reading]:
        reply = await self._ask_dcmi()
        power = dcmi.parse_dcmi_power(reply.output)
        quality = Quality.GOOD if power.active else Quality.INVALID
        return [
            Reading(
                channel=POWER,
                value=float(power.present_w),
                unit="W",
                t_ns=reply.stamp.t_ns,
                u_t_ns=reply.stamp.u_t_ns,
                kind=Kind.INSTANTANEOUS,
                quality=quality | self._freshness(power),
                device_time_ns=power.time_s * 1_000_000_000,
            )
        ]

    def _freshness(self, power: dcmi.DcmiPower) -> Quality:
        """Mark a value stale when it and the BMC's stamp stand still for more than three updates, or polls."""
        now_ns = self._clock.monotonic_ns()
        if (power.time_s, power.present_w) != self._newest:
            self._newest, self._newest_ns = (power.time_s, power.present_w), now_ns
        stood_s = (now_ns - self._newest_ns) / 1e9
        longest_s = PERIODS * max(self._identity.update_period_s, self._settings.period_s)
        return Quality.STALE if stood_s > longest_s else Quality.GOOD

    async def _read_sensors(self) -> list[Reading]:
        reply = await self._list_sensors()
        return [
            Reading(
                channel=self._sensors[row.key].id,
                value=math.nan if row.value is None else row.value,
                unit=self._sensors[row.key].unit,
                t_ns=reply.stamp.t_ns,
                u_t_ns=reply.stamp.u_t_ns,
                kind=Kind.INSTANTANEOUS,
                quality=await self._sensor_quality(row),
            )
            for row in sdr.parse_sensor_list(reply.output)
            if row.key in self._sensors
        ]

    async def _sensor_quality(self, row: sdr.SensorRow) -> Quality:
        """Evaluate a reading; for watts also ask for the raw byte, which tells when the 8 bits are at their end."""
        if row.value is None:
            return Quality.INVALID
        if self._sensors[row.key].quantity != "power":
            return Quality.GOOD
        try:
            reply = await self._run(f"raw 0x04 0x2d {row.number:#04x}", f"sensor {row.name}")
        except CompletionError:
            return Quality.GOOD
        raw = dcmi.parse_raw(reply.output)
        if len(raw) >= 2 and raw[1] & READING_UNAVAILABLE:
            return Quality.INVALID
        return Quality.SATURATED if raw[:1] == bytes([LARGEST_RAW]) else Quality.GOOD
