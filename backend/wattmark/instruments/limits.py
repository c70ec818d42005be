"""The maker's limit of error of power at a load, from the declaration of a model alone."""

from __future__ import annotations

from wattmark_drivers.catalogue.declaration import Declaration

from wattmark.instruments.model_views import LimitOut

MAINS_V = 230.0


def limit_at(declaration: Declaration, load_w: float) -> LimitOut | None:
    """Compute the maker's limit of error of power at a load [W], on the smallest range that includes it.

    None where it is not stated, needs the voltage and the current, or no range includes the load.
    """
    term = next((item for item in declaration.accuracy if item.quantity == "power"), None)
    if term is None or term.influences.voltage is not None:
        return None
    fitting = [item for item in declaration.ranges if item.power_w >= load_w and (item.voltage_v or MAINS_V) >= MAINS_V]
    span = min(fitting, key=lambda item: item.power_w, default=None)
    if span is None and term.range_pct:
        return None
    reading_w = term.reading_pct_at(declaration.rhythm.update_period_s) / 100 * load_w
    range_w = term.range_pct / 100 * span.power_w if span else 0.0
    limit_w = reading_w + range_w + term.fixed
    return LimitOut(power_w=load_w, limit_w=limit_w, range=span.id if span and term.range_pct else None)


def energy_class(declaration: Declaration) -> str | None:
    """Name the class of active energy that the maker states; None where there is none."""
    classes = (item.energy_class for item in declaration.accuracy)
    return next((f"class {item.name}, {item.standard}" for item in classes if item is not None), None)
