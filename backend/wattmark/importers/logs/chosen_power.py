"""Which series a person chose as the power of the server, in which unit, and whether its name denies it."""

from __future__ import annotations

from wattmark.core.errors import InputError
from wattmark.importers.csv_mapping.units import UNITS, no_power, written_factor, written_units

WATTS = UNITS["power"]
NO_SERVER_POWER = "it is not the power that the server takes"


def watts_unit(text: str) -> str:
    """Return the unit of power of that spelling; empty for what is none. Small letters are those of mW."""
    return text if text in WATTS else {unit.lower(): unit for unit in ("W", "kW", "mW")}.get(text.lower(), "")


def require_watts(name: str, series: str) -> None:
    """Refuse a series whose name says another quantity or unit than W where a person says none. Raises `InputError`.

    ``series``: what a person wrote, behind which a unit may stand.
    """
    shown, series = name[:80], series[:80]
    if factor := written_factor(name):
        raise InputError(
            f"{shown!r} says {factor!r}, and --power names no unit.",
            f"Name it behind the series: --power '{series} dW' where 10 are a watt; W if the name is wrong.",
        )
    written = written_units(name)
    power = [unit for unit in written if unit in WATTS]
    if (not written or power) and (word := no_power(name)):
        raise InputError(
            f"{shown!r} says {word!r}: {NO_SERVER_POWER}.",
            f"Name a series that holds that. If the name is wrong: --power '{series} W'.",
        )
    if not written or "W" in written:
        return
    if not power:
        raise InputError(f"{shown!r} says {written[0]}, which is not a unit of power.", "Name a series of power.")
    raise InputError(
        f"{shown!r} says {' or '.join(power)}, and --power names no unit.",
        f"Name it behind the series: --power '{series} {power[0]}'; W if the name is wrong.",
    )
