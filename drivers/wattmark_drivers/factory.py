"""Make the meter that a bench file names."""

from __future__ import annotations

import math
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache

from wattmark_drivers.address import Address, IpmiAddress, RtuAddress, SerialAddress, TcpAddress, parse_address
from wattmark_drivers.ascii.wattsup import WattsUpMeter
from wattmark_drivers.bus import SharedLines
from wattmark_drivers.catalogue import Declaration, load_catalogue
from wattmark_drivers.catalogue.ipmi_map import IpmiMap
from wattmark_drivers.catalogue.modbus_map import ModbusMap
from wattmark_drivers.catalogue.wattsup_map import WattsUpMap
from wattmark_drivers.clock import Clock, SystemClock
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.ipmi.meter import IpmiMeter
from wattmark_drivers.meter import Meter
from wattmark_drivers.modbus.line import ModbusLine
from wattmark_drivers.modbus.meter import ModbusMeter
from wattmark_drivers.settings import MeterSettings

OPTIONS: Mapping[str, tuple[str, ...]] = {"modbus": ("word_order",), "wattsup": (), "ipmi": ()}


def create_meter(settings: MeterSettings, clock: Clock | None = None) -> Meter:
    """Make a meter; nothing is opened yet. Raises `ConfigurationError` saying what is wrong and what is allowed."""
    declaration = find_model(settings.model)
    address, transport = parse_address(settings.url, declaration, f"the meter {settings.name}")
    _check_range(settings, declaration)
    _check_options(settings, declaration)
    timeout_s = transport.timeout_s if settings.timeout_s is None else settings.timeout_s
    for what, seconds in (("timeout_s", timeout_s), ("period_s", settings.period_s)):
        if not (math.isfinite(seconds) and seconds > 0):
            raise ConfigurationError(f"Meter {settings.name}: {what} is {seconds:g}.", "Write seconds above zero.")
    return _build(settings, declaration, address, timeout_s, clock or SystemClock())


def find_model(model: str) -> Declaration:
    """Find a declaration. Raises `ConfigurationError` with close matches and all models."""
    catalogue = load_catalogue()
    if model in catalogue:
        return catalogue[model]
    close = get_close_matches(model.lower(), catalogue, n=3, cutoff=0.4)
    hint = f"Did you mean {' or '.join(close)}? " if close else ""
    raise ConfigurationError(f"No meter model {model}.", f"{hint}Known models: {', '.join(sorted(catalogue))}.")


def _build(
    settings: MeterSettings, declaration: Declaration, address: Address, timeout_s: float, clock: Clock
) -> Meter:
    protocol = declaration.protocol
    if isinstance(protocol, ModbusMap) and isinstance(address, TcpAddress | RtuAddress):
        lines = _modbus_lines()
        return ModbusMeter(settings, declaration, protocol, address, timeout_s=timeout_s, clock=clock, lines=lines)
    if isinstance(protocol, WattsUpMap) and isinstance(address, SerialAddress):
        return WattsUpMeter(settings, declaration, protocol, address, timeout_s=timeout_s, clock=clock)
    if isinstance(protocol, IpmiMap) and isinstance(address, IpmiAddress):
        return IpmiMeter(settings, declaration, protocol, address, timeout_s=timeout_s, clock=clock)
    raise ConfigurationError(f"{declaration.id} declares a protocol that does not fit its address.")


@cache
def _modbus_lines() -> SharedLines[ModbusLine]:
    """Share gateways and serial ports among all meters of this process."""
    return SharedLines()


def _check_range(settings: MeterSettings, declaration: Declaration) -> None:
    if settings.range is not None and declaration.range(settings.range) is None:
        allowed = ", ".join(item.id for item in declaration.ranges)
        remedy = f"Write one of {allowed}." if allowed else "Leave the range out."
        raise ConfigurationError(f"Meter {settings.name}: {declaration.id} has no range {settings.range}.", remedy)


def _check_options(settings: MeterSettings, declaration: Declaration) -> None:
    allowed = OPTIONS[declaration.protocol.engine]
    unknown = sorted(set(settings.options) - set(allowed))
    if unknown:
        remedy = f"Allowed: {', '.join(allowed)}." if allowed else "Leave the options out."
        raise ConfigurationError(f"Meter {settings.name}: {declaration.id} has no option {unknown[0]}.", remedy)
