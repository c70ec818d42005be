"""Make the meter that a bench file names."""

from __future__ import annotations

import math
from dataclasses import replace

from wattmark_drivers.address import parse_address
from wattmark_drivers.catalogue import Declaration, find_model
from wattmark_drivers.clock import Clock, SystemClock
from wattmark_drivers.engines import find_engine
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.meter import Meter
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.simulators.on_demand import LoadModel, SimulatorMeter


def create_meter(settings: MeterSettings, clock: Clock | None = None) -> Meter:
    """Create a meter without opening it. Raises `ConfigurationError` with what is wrong and what is allowed."""
    declaration = find_model(settings.model)
    address, transport = parse_address(settings.url, declaration, f"the meter {settings.name}")
    _check_range(settings, declaration)
    _check_options(settings, declaration)
    timeout_s = transport.timeout_s if settings.timeout_s is None else settings.timeout_s
    for what, seconds in (("timeout_s", timeout_s), ("period_s", settings.period_s)):
        if not (math.isfinite(seconds) and seconds > 0):
            raise ConfigurationError(f"Meter {settings.name}: {what} is {seconds:g}.", "Write seconds above zero.")
    if isinstance(address, LoadModel):
        there = replace(settings, simulated=True)
        return SimulatorMeter(declaration, address, lambda url: create_meter(replace(there, url=url), clock))
    table = declaration.protocol
    make = find_engine(table.engine).make
    return make(settings, declaration, table, address, timeout_s=timeout_s, clock=clock or SystemClock())


def _check_range(settings: MeterSettings, declaration: Declaration) -> None:
    if settings.range is not None and declaration.range(settings.range) is None:
        listed = ", ".join(item.id for item in declaration.ranges)
        allowed = f"one of {listed}" if listed else declaration.protocol.range_form
        remedy = f"Write {allowed}." if allowed else "Omit the range."
        raise ConfigurationError(f"Meter {settings.name}: {declaration.id} has no range {settings.range}.", remedy)


def _check_options(settings: MeterSettings, declaration: Declaration) -> None:
    allowed = declaration.protocol.option_names
    unknown = sorted(set(settings.options) - set(allowed))
    if unknown:
        remedy = f"Allowed: {', '.join(allowed)}." if allowed else "Omit the options."
        raise ConfigurationError(f"Meter {settings.name}: {declaration.id} has no option {unknown[0]}.", remedy)
