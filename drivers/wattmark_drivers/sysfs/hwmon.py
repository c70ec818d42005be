"""The kernel's hwmon sensors as a meter: ACPI power meters, power supplies, voltages, fans. Indicative only."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeVar

from wattmark_drivers.catalogue.declaration import Declaration
from wattmark_drivers.catalogue.hwmon_map import HwmonMap
from wattmark_drivers.clock import Clock, Stamp, stamp_since
from wattmark_drivers.errors import ConnectionFailed
from wattmark_drivers.identity import SIMULATOR_MARK, identify
from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.reading import Channel, Kind, Quality, Reading
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.sysfs.address import HwmonAddress
from wattmark_drivers.sysfs.attribute import (
    FORBIDDEN,
    VANISHED,
    forbidden,
    parse_integer,
    read_optional,
    read_text,
)
from wattmark_drivers.sysfs.hwmon_sensors import Sensor, find_sensors
from wattmark_drivers.worker import Worker

INTEGER_ENDS = frozenset((0x7FFFFFFF, -0x80000000, 0xFFFFFFFF))
"""Ends of the 32-bit numbers in which drivers keep what a chip sends."""
_T = TypeVar("_T")


class HwmonMeter:
    """Reads every sensor of the chosen chips at each poll."""

    pushes = False

    def __init__(
        self,
        settings: MeterSettings,
        declaration: Declaration,
        table: HwmonMap,
        address: HwmonAddress,
        *,
        timeout_s: float,
        clock: Clock,
    ) -> None:
        self._table = table
        self._address = address
        self._timeout_s = timeout_s
        self._clock = clock
        self._settings, self._declaration = settings, declaration
        self._identity = identify(settings, declaration)
        self._worker: Worker | None = None
        self._sensors: list[Sensor] = []

    @property
    def identity(self) -> MeterIdentity:
        return self._identity

    @property
    def channels(self) -> Sequence[Channel]:
        """List the sensors, the power of the whole server first; known after `open`."""
        return [
            Channel(
                sensor.id,
                sensor.attribute.quantity,
                sensor.attribute.unit,
                sensor.attribute.kind,
                sensor.label,
                1 / sensor.attribute.divisor,
            )
            for sensor in self._sensors
        ]

    async def open(self) -> None:
        """Find the sensors and read each once. Raises a `DriverError`."""
        await self.close()
        self._worker = Worker("hwmon")
        try:
            where = self._address
            self._sensors = await self._run(
                lambda: find_sensors(where.root, self._table, where.name, where.sensor, where.slot)
            )
            await self._run(self._read)
            (simulated,) = await self._run(lambda: [(where.root / SIMULATOR_MARK).exists()])
            self._identity = identify(self._settings, self._declaration, self._serial(), simulated=simulated)
        except BaseException:
            await self.close()
            raise

    async def read(self) -> list[Reading]:
        """Read all sensors. Raises `ConnectionFailed` when a chip is gone."""
        return await self._run(self._read)

    async def close(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.close()

    async def _run(self, call: Callable[[], list[_T]]) -> list[_T]:
        if self._worker is None:
            raise ConnectionFailed(f"Meter {self._identity.name} is not open.")
        return await self._worker.run(call, self._timeout_s, f"A sensor in {self._address.root}")

    def _serial(self) -> str | None:
        """Read the serial number of the device or of an ACPI power meter; None where there is none."""
        if self._table.serial_file:
            return read_optional(self._address.root / self._sensors[0].chip.number / self._table.serial_file) or None
        stem = self._sensors[0].path.name.partition("_")[0]
        return read_optional(self._sensors[0].path.with_name(f"{stem}_serial_number")) or None

    def _read(self) -> list[Reading]:
        return [self._read_one(sensor) for sensor in self._sensors]

    def _read_one(self, sensor: Sensor) -> Reading:
        asked_ns = self._clock.monotonic_ns()
        value = _value(sensor)
        stamp = stamp_since(self._clock, asked_ns)
        return _reading(sensor, value, stamp, judge(sensor, value))


def judge(sensor: Sensor, value: float) -> Quality:
    """Evaluate a value by its limits and by the chip's own fault flag.

    Its alarm flags say that a value is beyond what somebody set (a power cap), not that it could not be measured.
    The machine or the device that answers runs, so its meter cannot mean 0 W.
    """
    if math.isnan(value) or (sensor.fault is not None and _raised(read_optional(sensor.fault))):
        return Quality.INVALID
    if sensor.never is not None and 0 <= value <= sensor.never:
        return Quality.INVALID
    if sensor.most is not None and value > sensor.most:
        return Quality.ABOVE_LIMIT | Quality.IMPLAUSIBLE
    low, high = sensor.attribute.limits
    return Quality.GOOD if low <= value <= high else Quality.IMPLAUSIBLE


def _value(sensor: Sensor) -> float:
    """Read the value in its unit; NaN where the chip has none now. Raises `DriverError`."""
    try:
        number = parse_integer(read_text(sensor.path))
        if number in sensor.attribute.invalid or (number in INTEGER_ENDS and sensor.attribute.kind is not Kind.COUNTER):
            return math.nan
        return number / sensor.attribute.divisor
    except ValueError:
        return math.nan
    except OSError as error:
        if error.errno in FORBIDDEN:
            raise forbidden(sensor.path) from None
        if error.errno in VANISHED:
            raise ConnectionFailed(f"The sensor {sensor.label} is gone.", "wattmark keeps looking for it.") from None
        return math.nan


def _raised(text: str | None) -> bool:
    return text not in (None, "0")


def _reading(sensor: Sensor, value: float, stamp: Stamp, quality: Quality) -> Reading:
    attribute = sensor.attribute
    return Reading(sensor.id, value, attribute.unit, stamp.t_ns, stamp.u_t_ns, attribute.kind, quality=quality)
