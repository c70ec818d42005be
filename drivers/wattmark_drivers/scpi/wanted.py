"""Requested settings of an analyser, checked against its declaration before anything is opened. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from wattmark_drivers.catalogue.declaration import Declaration
from wattmark_drivers.catalogue.scpi_map import ENGINE_OPTIONS, ScpiMap
from wattmark_drivers.catalogue.scpi_setting import OFF, ON, Setting
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.scpi.ranging import Extent, expect_power, expect_supply, plan_ranges, ranges_at
from wattmark_drivers.settings import MeterSettings

LONGEST_PROBE_S = 600.0
_RANGE_WORDS = ("expected_w", "psu_rating_w", "probe_s")


@dataclass(frozen=True, slots=True)
class CheckedOptions:
    """The checked options: values by setting, input elements, and options of the engine itself."""

    values: Mapping[str, float | str]
    elements: tuple[int, ...]
    auto_range: bool = False
    probe_s: float = 0.0
    integrate: bool = False
    crest_factor: float | None = None
    """Requested crest factor; None keeps the present one."""
    extent: Extent | None = None
    """The load that ranges are chosen for; None where they are given, probed or kept."""


def wanted(settings: MeterSettings, declaration: Declaration, table: ScpiMap) -> CheckedOptions:
    """Check all options and the range. Raises `ConfigurationError` naming the option and what is allowed."""
    options = settings.options
    try:
        values = {name: _setting(table, name, options[name]) for name in options if name not in ENGINE_OPTIONS}
        _add_range(values, settings.range, declaration, table)
        extent = _extent(options)
        probe_s = _number(options, "probe_s", 0.0, LONGEST_PROBE_S)
        auto_range = _switch(options, "auto_range")
        _one_way(values, table, auto_range=auto_range, extent=extent, probe_s=probe_s)
        crest = _crest(values, table)
        if table.ranges and extent and crest:
            plan_ranges(table.ranges, extent, crest)
        integrate = _switch(options, "integrate")
        if integrate and table.integration is None:
            raise ValueError(f"integrate: {declaration.id} is not declared to integrate")
        elements = _elements(options, table)
    except ValueError as error:
        raise ConfigurationError(f"Meter {settings.name}: {error}.", "Correct the options of the meter.") from None
    return CheckedOptions(values, elements, auto_range, probe_s, integrate, crest, extent)


def _setting(table: ScpiMap, name: str, value: object) -> float | str:
    setting = table.setting(name)
    try:
        return setting.normal(value)
    except ValueError:
        raise ValueError(f"{name} is {value}; write {setting.allowed}") from None


def _add_range(values: dict[str, float | str], name: str | None, declaration: Declaration, table: ScpiMap) -> None:
    """Split the name of a range into the two settings; the options may not contradict it."""
    if name is None or table.ranges is None:
        return
    declared = declaration.range(name)
    if declared is None or declared.voltage_v is None or declared.current_a is None:
        raise ValueError(f"there is no range {name}; use {table.range_form}")
    for kind, nominal in ((table.ranges.voltage, declared.voltage_v), (table.ranges.current, declared.current_a)):
        setting = table.setting(kind.setting)
        if not setting.same(values.setdefault(setting.name, nominal), nominal):
            raise ValueError(f"the range {name} and the option {setting.name} contradict each other")


def _one_way(
    values: Mapping[str, float | str], table: ScpiMap, *, auto_range: bool, extent: Extent | None, probe_s: float
) -> None:
    """Allow one way of choosing ranges only."""
    options: list[str] = []
    if table.ranges:
        options = [kind.setting for kind in (table.ranges.voltage, table.ranges.current) if kind.setting in values]
    elif auto_range or extent or probe_s:
        raise ValueError("this model declares no ranges, so none can be chosen")
    ways = [", ".join(options)] * bool(options) + ["auto_range"] * auto_range
    ways += ["expected_w or psu_rating_w"] * (extent is not None) + ["probe_s"] * (probe_s > 0)
    if len(ways) > 1:
        raise ValueError(f"the ranges are chosen in {len(ways)} ways ({' and '.join(ways)}); remove all but one")


def _crest(values: Mapping[str, float | str], table: ScpiMap) -> float | None:
    """Find the requested crest factor, and check that the ranges exist with it."""
    if table.ranges is None:
        return None
    crest: float | None = None
    if table.ranges.crest_setting is None:
        (crest,) = table.ranges.voltage.crest or (None,)
    elif table.ranges.crest_setting in values:
        crest = crest_number(values[table.ranges.crest_setting])
    if crest is not None:
        for kind, unit in ((table.ranges.voltage, "V"), (table.ranges.current, "A")):
            check_range(table.setting(kind.setting), values.get(kind.setting), ranges_at(kind, crest), crest, unit)
    return crest


def check_range(setting: Setting, value: float | str | None, row: object, crest: float, unit: str) -> None:
    """Raise ValueError when a range is not among those at a crest factor."""
    allowed = list(row) if isinstance(row, tuple | list) else []
    if value is not None and not any(setting.same(choice, value) for choice in allowed):
        listed = ", ".join(f"{choice:g}" for choice in allowed)
        raise ValueError(f"{setting.name} is {value:g}; at crest factor {crest:g} use one of {listed} {unit}")


def crest_number(value: float | str) -> float:
    """Read a crest factor setting as a number: `A6` of a Yokogawa allows the peaks of 6."""
    return float(str(value).strip("Aa"))


def _extent(options: Mapping[str, str | int | float]) -> Extent | None:
    ways = [name for name in ("expected_w", "psu_rating_w") if name in options]
    if not ways:
        return None
    if len(ways) > 1:
        raise ValueError("expected_w and psu_rating_w are both given; remove one")
    if "mains_v" not in options:
        raise ValueError(f"{ways[0]} needs mains_v, the mains voltage, to compute the current")
    power_w = _number(options, ways[0], 0.001, 1e7)
    mains_v = _number(options, "mains_v", 1.0, 1e4)
    return (expect_power if ways[0] == "expected_w" else expect_supply)(power_w, mains_v)


def _elements(options: Mapping[str, str | int | float], table: ScpiMap) -> tuple[int, ...]:
    if "elements" not in options:
        return table.elements
    text = str(options["elements"]).replace(" ", "")
    elements = ", ".join(map(str, table.elements))
    numbers = [part for part in text.split(",") if part.isascii() and part.isdecimal()]
    chosen = tuple(sorted({int(part) for part in numbers}))
    if len(numbers) != text.count(",") + 1 or set(chosen) - set(table.elements):
        raise ValueError(f"elements is {options['elements']}; use one or more of {elements}, separated by commas")
    return chosen


def _switch(options: Mapping[str, str | int | float], name: str) -> bool:
    text = str(options.get(name, OFF)).lower()
    if text not in {ON, OFF, "0", "1", "true", "false"}:
        raise ValueError(f"{name} is {options[name]}; write {ON} or {OFF}")
    return text in {ON, "1", "true"}


def _number(options: Mapping[str, str | int | float], name: str, low: float, high: float) -> float:
    if name not in options:
        return 0.0
    try:
        number = float(options[name])
    except ValueError:
        number = -1.0
    if not low <= number <= high:
        raise ValueError(f"{name} is {options[name]}; write a number from {low:g} to {high:g}")
    return number
