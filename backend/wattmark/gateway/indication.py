"""What a meter shows as speakers take it: channels by phase and in total, and the sum of several meters. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from wattmark_drivers.reading import Channel, Kind
from wattmark_drivers.speakers.indication import Indication

_PHASE = re.compile(r"(?P<quantity>.+)_(?:l|ch|phase)_?(?P<phase>[1-9])")
UNITS: Mapping[str, str] = {
    "voltage": "V",
    "current": "A",
    "power": "W",
    "apparent_power": "VA",
    "reactive_power": "var",
    "power_factor": "1",
    "frequency": "Hz",
    "energy": "Wh",
}
"""Units that speakers take; a value in another one is not spoken."""
OF_POWER = ("power", "apparent_power", "reactive_power", "power_factor")
"""Quantities that hold the power of the indication: none of them agrees with a corrected one."""


def indication_of(values: Iterable[tuple[Channel, float]], power: str, register: str | None, t_ns: int) -> Indication:
    """Arrange the values of one meter [unit of their channel], read at ``t_ns`` [UTC ns].

    ``power`` names the channel with its whole power, ``register`` that with its whole energy. A meter that names no
    phases measures one, which shows what the meter does.
    """
    total: dict[str, float] = {}
    phases: dict[int, dict[str, float]] = {}
    registers: dict[str, float] = {}
    for channel, value in values:
        quantity, match = channel.quantity, _PHASE.fullmatch(channel.id)
        if UNITS.get(quantity) != channel.unit:
            continue
        if quantity == "energy":
            registers |= {channel.id: value} if channel.kind is Kind.COUNTER else {}
        elif channel.id == (power if quantity == "power" else quantity):
            total[quantity] = value
        elif match is not None and match["quantity"] == quantity:
            phases.setdefault(int(match["phase"]), {})[quantity] = value
    by_phase = tuple(phases.get(number, {}) for number in range(1, max(phases, default=0) + 1))
    return Indication(
        phases=by_phase or (total,),
        total=total,
        energy_wh=registers.get(register or ""),
        energy_export_wh=registers.get("energy_export"),
        t_ns=t_ns,
    )


def sum_of(indications: Sequence[Indication]) -> Indication:
    """Add up what several meters show: their power [W], and their energy where all count it [Wh].

    A sum has no phases: several meters are no lines of one. The stamp is the oldest of theirs.
    """
    if len(indications) == 1:
        return indications[0]
    energies = [indication.energy_wh for indication in indications if indication.energy_wh is not None]
    stamps = [indication.t_ns for indication in indications if indication.t_ns is not None]
    return Indication(
        phases=(),
        total={"power": math.fsum(indication.total["power"] for indication in indications)},
        energy_wh=math.fsum(energies) if len(energies) == len(indications) else None,
        t_ns=min(stamps, default=None),
    )


def with_power(indication: Indication, power_w: float) -> Indication:
    """Put a corrected power [W] in place of the indicated one, and take away what holds the indicated one."""
    others = {quantity: value for quantity, value in indication.total.items() if quantity not in OF_POWER}
    total = {"power": power_w, **others}
    phases = [{name: v for name, v in phase.items() if name not in OF_POWER} for phase in indication.phases]
    one_phase = len(phases) == 1
    return replace(
        indication,
        phases=(total,) if one_phase else tuple(phases),
        total=total,
        energy_wh=None,
        energy_export_wh=None,
    )
