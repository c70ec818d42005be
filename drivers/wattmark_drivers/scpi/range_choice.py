"""Choose and change the ranges of an analyser that is open: as told, from a plan, from a probe, or as found."""

from __future__ import annotations

from wattmark_drivers.catalogue.scpi_map import InputRanges, Ranges, ScpiMap
from wattmark_drivers.catalogue.scpi_setting import OFF, ON
from wattmark_drivers.errors import BadReply, ConfigurationError
from wattmark_drivers.meter import RangedInput
from wattmark_drivers.reading import Quality
from wattmark_drivers.scpi.ranging import Extent, RangePlan, plan_ranges, range_name, ranges_at, smallest
from wattmark_drivers.scpi.request import Request
from wattmark_drivers.scpi.setup import Setup
from wattmark_drivers.scpi.wanted import CheckedOptions, check_range, crest_number

LEAST_PROBES = 3


async def choose_ranges(
    setup: Setup, request: Request, wanted: CheckedOptions, table: ScpiMap, update_period_s: float
) -> RangePlan | None:
    """Set the requested ranges, with auto-range off; return the plan where one was made.

    Where nothing is asked for, the ranges that are found are kept, and auto-range is switched off all the same: a
    change of range while measuring loses values and leaves their limit of error unknown. Raises a `DriverError`.
    """
    if table.ranges is None:
        return None
    ranges = table.ranges
    if wanted.auto_range:
        await _let_choose(setup, ranges.voltage, ranges.current)
        return None
    crest = _crest(setup, ranges)
    extent = wanted.extent
    if wanted.probe_s:
        await _let_choose(setup, ranges.voltage, ranges.current)
        extent = await probe(request, wanted.probe_s, update_period_s)
    plan = None
    if extent is not None:
        plan = _plan(ranges, extent, crest)
    for kind, planned, unit in (
        (ranges.voltage, plan.voltage_v if plan else None, "V"),
        (ranges.current, plan.current_a if plan else None, "A"),
    ):
        value = wanted.values.get(kind.setting, planned)
        _check(table, kind, value, crest, unit)
        await _fix(setup, kind, value)
    return plan


async def change_range(setup: Setup, ranges: Ranges, which: RangedInput, least: float | None) -> float | None:
    """Set the smallest range that holds a value, or let the device choose; return the range, None for the latter.

    Raises `ConfigurationError` where the device has no such range.
    """
    kind, unit = (ranges.voltage, "V") if which == "voltage" else (ranges.current, "A")
    if least is None:
        if automatic(setup, kind) is False:
            await setup.remember(kind.setting)
        await _let_choose(setup, kind)
        return None
    try:
        nominal = smallest(kind, least, None, _crest(setup, ranges), 1.0, unit)
    except ValueError as error:
        raise ConfigurationError(f"There is no such range: {error}.", "Choose a smaller value.") from None
    await _fix(setup, kind, nominal)
    return nominal


def automatic(setup: Setup, kind: InputRanges) -> bool | None:
    """Return whether the device chooses a range by itself; None where it does not report that."""
    if kind.auto is None:
        return False
    in_use = setup.in_use.get(kind.auto)
    return None if in_use is None else in_use == ON


async def _fix(setup: Setup, kind: InputRanges, value: float | str | None) -> None:
    """Write a range, with auto-range off; None keeps the range that is found."""
    if kind.auto and kind.fixed_by_range:
        await setup.fix(kind.auto, kind.setting, value)
        return
    if kind.auto:
        await setup.apply(kind.auto, OFF)
    await setup.apply(kind.setting, value)


async def range_in_use(setup: Setup, table: ScpiMap) -> str | None:
    """Read the name of the ranges in use; None where there are none, or where elements differ."""
    if table.ranges is None:
        return None
    ranges = []
    for kind in (table.ranges.voltage, table.ranges.current):
        setting = table.setting(kind.setting)
        values = {await setup.read(setting, element) for element in setup.elements_of(setting)}
        if len(values) != 1:
            return None
        ranges.append(values.pop())
    voltage_v, current_a = ranges
    if not isinstance(voltage_v, float) or not isinstance(current_a, float):
        return None
    return range_name(voltage_v, current_a)


async def probe(request: Request, seconds: float, update_period_s: float) -> Extent:
    """Observe the load for some time with auto-range on. Raises `ConfigurationError` when nothing usable came."""
    largest: dict[str, float] = {}
    await request.start_pushing()
    for _ in range(max(LEAST_PROBES, round(seconds / update_period_s))):
        try:
            taken = await request.take(update_period_s)
        except BadReply:
            request.doubt()
            continue
        for value in taken.values:
            if value.quality is Quality.GOOD:
                key = value.field.quantity
                largest[key] = max(largest.get(key, 0.0), abs(value.value))
    await request.stop_pushing()
    if not {"voltage", "current"} <= largest.keys():
        raise ConfigurationError(
            "The range search saw no usable voltage and current.", "Switch the load on, or enter the ranges."
        )
    return Extent(largest["voltage"], largest["current"], largest.get("voltage_peak"), largest.get("current_peak"))


async def _let_choose(setup: Setup, *kinds: InputRanges) -> None:
    for kind in kinds:
        if kind.auto is None:
            raise ConfigurationError("This model has no auto-range.", "Enter the ranges.")
        await setup.apply(kind.auto, ON)


def _crest(setup: Setup, ranges: Ranges) -> float:
    if ranges.crest_setting is None:
        return next(iter(ranges.voltage.crest))
    return crest_number(setup.in_use[ranges.crest_setting])


def _plan(ranges: Ranges, extent: Extent, crest: float) -> RangePlan:
    try:
        return plan_ranges(ranges, extent, crest)
    except ValueError as error:
        raise ConfigurationError(
            f"The ranges cannot be planned: {error}.", "Enter other ranges or another load."
        ) from None


def _check(table: ScpiMap, kind: InputRanges, value: float | str | None, crest: float, unit: str) -> None:
    """Refuse a range that the crest factor in use does not have."""
    try:
        check_range(table.setting(kind.setting), value, ranges_at(kind, crest), crest, unit)
    except ValueError as error:
        raise ConfigurationError(f"A range does not exist: {error}.", "Correct the options of the meter.") from None
