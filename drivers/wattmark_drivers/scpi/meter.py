"""Any analyser that the catalogue declares: set up, asked when it has new values, left as it was found."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from wattmark_drivers.catalogue.declaration import Declaration
from wattmark_drivers.catalogue.scpi_map import ScpiMap
from wattmark_drivers.catalogue.scpi_query import FreshBy
from wattmark_drivers.catalogue.scpi_setting import OFF, ON
from wattmark_drivers.clock import Clock
from wattmark_drivers.errors import BadReply, ConfigurationError, ConnectionFailed, DriverError
from wattmark_drivers.identity import identify
from wattmark_drivers.meter import MeterIdentity, RangedInput, RangeInForce
from wattmark_drivers.pace import SAME
from wattmark_drivers.reading import Channel, Quality, Reading
from wattmark_drivers.scpi.dialogue import ScpiDialogue
from wattmark_drivers.scpi.fresh import OnHold
from wattmark_drivers.scpi.links import Link, NoAnswer
from wattmark_drivers.scpi.range_choice import automatic, change_range, choose_ranges, range_in_use
from wattmark_drivers.scpi.ranging import RangePlan
from wattmark_drivers.scpi.request import Request, UpdateValues
from wattmark_drivers.scpi.setup import Setup
from wattmark_drivers.scpi.wanted import crest_number, wanted
from wattmark_drivers.settings import MeterSettings

RESTORE_S = 1.8
"""Longest time for putting settings back [s]; the sampler gives closing two seconds."""
LINE_FILTER = "line_filter"


class ScpiMeter:
    """One analyser. Each `read` waits for the device's next update and asks once more after an answer went wrong."""

    def __init__(
        self,
        settings: MeterSettings,
        declaration: Declaration,
        table: ScpiMap,
        label: str,
        make_link: Callable[[], Link],
        *,
        timeout_s: float,
        clock: Clock,
    ) -> None:
        self._settings = settings
        self._declaration = declaration
        self._table = table
        self._label = label
        self._make_link = make_link
        self._timeout_s = timeout_s
        self._clock = clock
        self._wanted = wanted(settings, declaration, table)
        self._identity = identify(settings, declaration)
        self._dialogue: ScpiDialogue | None = None
        self._setup: Setup | None = None
        self._request: Request | None = None
        self._owed: list[str] = []
        self._range: str | None = None
        self._chosen: dict[RangedInput, float | None] = {}
        """Ranges that were set while open, which hold after a reconnect too; None: the device chooses."""
        self._who: tuple[str | None, str | None] = None, None
        self.plan: RangePlan | None = None
        """The ranges that were planned at the last `open`; None where they were given or kept."""

    @property
    def identity(self) -> MeterIdentity:
        """Describe the meter; serial number, firmware, range and update period are known after `open`."""
        return self._identity

    @property
    def channels(self) -> Sequence[Channel]:
        """List the channels of the chosen elements."""
        chosen = [field for field in self._table.measured if self._is_measured(field.element, field.integrates)]
        return [
            Channel(
                field.channel, field.quantity, field.unit, self._declaration.kind_of(field), field.label, field.step
            )
            for field in chosen
        ]

    @property
    def pushes(self) -> bool:
        """Return whether every update is wanted, so that `read` follows the device instead of the clock.

        A period no longer than the update period means every update: the device sets the pace then.
        """
        if self._table.fresh.by is FreshBy.UNKNOWN:
            return False
        every_update = self._settings.period_s <= SAME * self._identity.update_period_s
        return self._table.fresh.by is FreshBy.PUSH or every_update

    async def open(self) -> None:
        """Connect, identify, set up, read back, choose ranges. Raises a `DriverError`; a mismatch names the setting."""
        await self.close()
        link = self._make_link()
        self._dialogue = ScpiDialogue(
            *(link, self._table, self._clock),
            timeout_s=self._timeout_s,
            label=self._label,
            name=self._settings.name,
        )
        self._setup = Setup(self._dialogue, self._table, self._wanted.elements, self._owed)
        try:
            await self._open(self._dialogue, self._setup)
        except BaseException:
            await self.close()
            raise

    async def read(self) -> list[Reading]:
        """Read all channels of one update. Raises `BadReply`, or `ConnectionFailed` when the device is gone."""
        if self._request is None or self._setup is None:
            raise ConnectionFailed(f"Meter {self._settings.name} is not open.")
        retried = Quality.GOOD
        try:
            taken = await self._request.take(self._identity.update_period_s)
        except (NoAnswer, BadReply) as error:
            if self._table.fresh.by is FreshBy.PUSH or isinstance(error, OnHold):
                raise
            self._request.doubt()
            retried = Quality.RETRIED
            taken = await self._take_again(self._request)
        if self._is_automatic(self._setup):
            self._range = await range_in_use(self._setup, self._table)
        elif any(value.quality & Quality.OVER_RANGE for value in taken.values):
            await self._check_range(self._setup)
        return [self._reading(taken, number, retried) for number in range(len(taken.values))]

    @property
    def ranges_in_force(self) -> Mapping[RangedInput, RangeInForce]:
        """Return the ranges as they were last read; under auto-range those of the last reading."""
        ranges, setup = self._table.ranges, self._setup
        if ranges is None or setup is None:
            return {}
        shown = self._declaration.range(self._range) if self._range else None
        volts, amps = (shown.voltage_v, shown.current_a) if shown else (None, None)
        return {
            "voltage": RangeInForce(automatic(setup, ranges.voltage), volts),
            "current": RangeInForce(automatic(setup, ranges.current), amps),
        }

    async def set_range(self, which: RangedInput, least: float | None) -> float | None:
        """Set a range while open; see `SetsRanges`. Raises a `DriverError`."""
        setup, request, ranges = self._setup, self._request, self._table.ranges
        if setup is None or request is None:
            raise ConnectionFailed(f"Meter {self._settings.name} is not open.")
        if ranges is None:
            raise ConfigurationError(f"{self._declaration.id} has no ranges.", "Omit them.")
        try:
            await request.stop_pushing()
            nominal = await change_range(setup, ranges, which, least)
            self._chosen[which] = nominal
            self._range = await range_in_use(setup, self._table)
            await setup.check_errors()
            self._identify(*self._who, setup)
            await request.start_pushing()
        except (NoAnswer, BadReply):
            request.doubt()
            raise
        return nominal

    async def close(self) -> None:
        """Restore the settings, leave remote control and close the link. Never raises."""
        dialogue, setup, request = self._dialogue, self._setup, self._request
        self._dialogue = self._setup = self._request = None
        if dialogue is None:
            return
        try:
            async with asyncio.timeout(RESTORE_S):
                if request is not None:
                    await request.stop()
                if setup is not None:
                    await setup.restore()
        except (DriverError, TimeoutError):
            pass
        finally:
            self._owed = setup.owed if setup is not None else []
            await dialogue.close()

    async def _open(self, dialogue: ScpiDialogue, setup: Setup) -> None:
        who = (await dialogue.identify()).groupdict()
        await setup.forget_errors()
        request = Request(self._table, dialogue, self._wanted, self._clock)
        for item in self._table.settings:
            if item.name not in range_settings(self._table):
                await setup.apply(item.name, self._wanted.values.get(item.name))
        for query, places in request.plan:
            await setup.select(query, places)
        self.plan = await choose_ranges(setup, request, self._wanted, self._table, self._period_s(setup))
        if self._table.ranges is not None:
            for which, nominal in self._chosen.items():
                await change_range(setup, self._table.ranges, which, nominal)
        self._range = await range_in_use(setup, self._table)
        await setup.check_errors()
        self._who = who.get("serial"), who.get("firmware")
        self._identify(*self._who, setup)
        await request.start()
        self._request = request

    async def _check_range(self, setup: Setup) -> None:
        """Notice an instrument that went to another range to protect its input."""
        range_name = await range_in_use(setup, self._table)
        if range_name != self._range:
            raise ConnectionFailed(
                f"{self._label} changed its range from {self._range} to {range_name} by itself.",
                "wattmark sets the range again; choose a larger range if this repeats.",
            )

    async def _take_again(self, request: Request) -> UpdateValues:
        try:
            return await request.take(self._identity.update_period_s)
        except BadReply:
            request.doubt()
            raise

    def _identify(self, serial: str | None, firmware: str | None, setup: Setup) -> None:
        """Describe the meter as it is now: range, crest factor and filter in use decide the limit of error."""
        named = replace(self._settings, range=None if self._is_automatic(setup) else self._range)
        inputs, update_period_s = self._summed_elements(), self._period_s(setup)
        identity = identify(named, self._declaration, serial, firmware, update_period_s=update_period_s)
        accuracy = identity.power_accuracy
        if accuracy is not None and accuracy.range_value is not None:
            accuracy = replace(accuracy, range_value=accuracy.range_value * inputs)
        self._identity = replace(
            identity,
            range_w=identity.range_w and identity.range_w * inputs,
            range_limit_w=identity.range_limit_w and identity.range_limit_w * inputs,
            power_accuracy=accuracy,
            crest_factor=crest_in_force(setup.in_use, self._table, self._wanted.crest_factor),
            line_filter=filter_in_force(setup.in_use),
        )

    def _is_automatic(self, setup: Setup) -> bool:
        """Return whether the device chooses one of its ranges by itself: their limit of error is then not known."""
        ranges = self._table.ranges
        return ranges is not None and any(automatic(setup, kind) for kind in (ranges.voltage, ranges.current))

    def _summed_elements(self) -> int:
        """Count the elements whose ranges add up in the channel `power`."""
        power = next((field for field in self._table.measured if field.channel == "power"), None)
        return len(self._wanted.elements) if power is not None and power.element == "sum" else 1

    def _period_s(self, setup: Setup) -> float:
        update_period = setup.in_use.get(self._table.update_setting or "")
        return (
            update_period
            if isinstance(update_period, float) and update_period > 0
            else self._declaration.rhythm.update_period_s
        )

    def _is_measured(self, element: int | str | None, integrates: bool) -> bool:
        in_use = not isinstance(element, int) or element in self._wanted.elements
        return in_use and (self._wanted.integrate or not integrates)

    def _reading(self, taken: UpdateValues, number: int, retried: Quality) -> Reading:
        value = taken.values[number]
        return Reading(
            channel=value.field.channel,
            value=value.value,
            unit=value.field.unit,
            t_ns=taken.stamp.t_ns,
            u_t_ns=taken.stamp.u_t_ns,
            kind=self._declaration.kind_of(value.field),
            range=self._range,
            quality=value.quality | retried,
            device_time_ns=None if self._table.fresh.by is FreshBy.UNKNOWN else taken.stamp.t_ns,
        )


def range_settings(table: ScpiMap) -> tuple[str, ...]:
    """Return the settings that the choice of ranges handles."""
    if table.ranges is None:
        return ()
    kinds = (table.ranges.voltage, table.ranges.current)
    return tuple(name for kind in kinds for name in (kind.setting, kind.auto) if name)


def crest_in_force(
    in_use: Mapping[str, float | str], table: ScpiMap, fixed: float | None = None
) -> Literal[3, 6] | None:
    """Return the crest factor setting, 3 or 6; ``fixed`` is that of a device without one. None: another, or unknown."""
    setting = table.ranges.crest_setting if table.ranges else None
    crest = None if setting is None else in_use.get(setting)
    number = fixed if crest is None else crest_number(crest)
    if number == 3:
        return 3
    return 6 if number == 6 else None


def filter_in_force(in_use: Mapping[str, float | str]) -> bool | None:
    """Return whether the line filter is on; None where the device has none or does not report it."""
    return {ON: True, OFF: False}.get(str(in_use.get(LINE_FILTER)))
