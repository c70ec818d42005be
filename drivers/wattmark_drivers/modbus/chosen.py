"""The registers that a bench asks of a Modbus meter: all that are declared, or some of them."""

from __future__ import annotations

from wattmark_drivers.catalogue.modbus_map import ModbusMap
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.settings import MeterSettings


def chosen_registers(settings: MeterSettings, declared: ModbusMap) -> ModbusMap:
    """Keep the channels that the option ``channels`` names, and the blocks that hold them.

    Raises `ConfigurationError` for a channel that the model does not have.
    """
    if "channels" not in settings.options:
        return declared
    names = {name.strip() for name in str(settings.options["channels"]).split(",")}
    channels = [register.channel for register in declared.registers]
    for name in sorted(names.difference(channels)):
        problem = f"Meter {settings.name}: {settings.model} has no channel {name or 'without a name'}."
        raise ConfigurationError(problem, f"Write some of {', '.join(channels)} with commas between them.")
    registers = tuple(register for register in declared.registers if register.channel in names)
    blocks = tuple(block for block in declared.blocks if any(map(block.covers, registers)))
    return declared.model_copy(update={"registers": registers, "blocks": blocks})
