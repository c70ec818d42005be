"""Who measures: identity and accuracy of a meter, from its declaration and its settings."""

from __future__ import annotations

from wattmark_drivers.catalogue.declaration import Declaration, Range
from wattmark_drivers.catalogue.influences import Influences
from wattmark_drivers.meter import Accuracy, MeterIdentity
from wattmark_drivers.settings import MeterSettings

SIMULATOR_SERIALS = range(0x53494D00, 0x53494E00)
"""Serial numbers of the simulated Modbus meters: "SIM" and a running number. A real meter may have one of them."""
BEHIND_APPARENT_POWER = ("apparent_power", "power_factor", "voltage", "current")
SIMULATOR_MARK = "SIMULATED"
"""The answer that only simulated devices give, as or before their name, description, version, tag or serial text."""


def identify(
    settings: MeterSettings,
    declaration: Declaration,
    serial: str | None = None,
    firmware: str | None = None,
    *,
    simulated: bool = False,
    update_period_s: float | None = None,
) -> MeterIdentity:
    """Describe a meter; ``serial`` and ``firmware`` are known only after it was opened, and not for every model.

    ``simulated``: the device said so by a reserved answer. A number alone proves nothing. ``update_period_s`` is the
    update interval in use, None: the declared one.
    """
    update_period_s = update_period_s or declaration.rhythm.update_period_s
    measuring = declaration.range(settings.range)
    return MeterIdentity(
        name=settings.name,
        model=declaration.id,
        maker=declaration.maker,
        title=declaration.title,
        serial=serial,
        firmware=firmware,
        simulated=settings.simulated or simulated or (serial or "").startswith(SIMULATOR_MARK),
        indicative=declaration.indicative,
        update_period_s=update_period_s,
        averaging_s=declaration.rhythm.averaging_s(update_period_s),
        range_w=measuring.power_w if measuring else None,
        range_limit_w=measuring.limit_w if measuring else None,
        power_accuracy=power_accuracy(declaration, settings.range, update_period_s),
        other_accuracies=other_accuracies(declaration, settings.range),
        suspicion=declaration.suspicion,
        unconfirmed=declaration.unconfirmed,
    )


def power_accuracy(
    declaration: Declaration, range_name: str | None, update_period_s: float | None = None
) -> Accuracy | None:
    """Find the maker's limits of error for active power [W]; None where the maker gives none."""
    term = next((item for item in declaration.accuracy if item.quantity == "power"), None)
    if term is None:
        return None
    measuring = declaration.range(range_name)
    return Accuracy(
        reading_pct=term.reading_pct_at(update_period_s or declaration.rhythm.update_period_s),
        range_pct=term.range_pct,
        fixed=term.fixed,
        range_value=measuring.power_w if measuring else None,
        source=declaration.cite(term),
        range_name=measuring.id if measuring else None,
        influences=_in_range(term.influences, measuring),
    )


def other_accuracies(declaration: Declaration, range_name: str | None) -> dict[str, Accuracy]:
    """Find the maker's limits of error for what makes up apparent power and power factor, by quantity."""
    measuring = declaration.range(range_name)
    full_scale = (
        {}
        if measuring is None
        else {"voltage": measuring.voltage_v, "current": measuring.current_a, "apparent_power": measuring.power_w}
    )
    return {
        term.quantity: Accuracy(
            reading_pct=term.reading_pct,
            range_pct=term.range_pct,
            fixed=term.fixed,
            range_value=full_scale.get(term.quantity),
            source=declaration.cite(term),
        )
        for term in declaration.accuracy
        if term.quantity in BEHIND_APPARENT_POWER
    }


def _in_range(influences: Influences, measuring: Range | None) -> Influences:
    """Put the ranges in use into the limits of the inputs."""
    if measuring is None or influences.voltage is None or influences.current is None:
        return influences
    voltage = influences.voltage.model_copy(update={"range_value": measuring.voltage_v})
    current = influences.current.model_copy(update={"range_value": measuring.current_a})
    return influences.model_copy(update={"voltage": voltage, "current": current})


def may_be_simulated(serial: str | None) -> bool:
    """Return whether a simulated device may have that serial number: any that has none, or one of the simulators'."""
    if serial is None or serial.startswith(SIMULATOR_MARK):
        return True
    return serial.isdecimal() and int(serial) in SIMULATOR_SERIALS
