"""What a meter shows as speakers take it: channels by phase and in total, and the sum of several meters. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from wattmark_drivers.reading import Channel, Kind
from wattmark_drivers.speakers.indication import Behind, Indication

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

    A sum has no phases: several meters are no lines of one. With each reading of one of them it is another sum, whose
    stamp is the newest of theirs.
    """
    if len(indications) == 1:
        return indications[0]
    energies = [indication.energy_wh for indication in indications if indication.energy_wh is not None]
    stamps = tuple(indication.t_ns for indication in indications if indication.t_ns is not None)
    return Indication(
        phases=(),
        total={"power": math.fsum(indication.total["power"] for indication in indications)},
        energy_wh=math.fsum(energies) if len(energies) == len(indications) else None,
        t_ns=max(stamps, default=None),
        parts_ns=stamps,
        behind=_behind_all(indications),
    )


def _behind_all(indications: Sequence[Indication]) -> Behind | None:
    """Say of several meters what holds for their sum; None where one of them is not described.

    Their sum is wholly new as often as the slowest of them, and their limits of error add up [W]. Beside each other at
    one voltage range they reach as far as one meter with all of their current ranges together; at several voltage
    ranges their sum has no range.
    """
    behind = [indication.behind for indication in indications if indication.behind is not None]
    if len(behind) < len(indications):
        return None
    volts = {of.voltage_range_v for of in behind}
    amps = [of.current_range_a for of in behind if of.current_range_a is not None]
    is_known = len(volts) == 1 and None not in volts and len(amps) == len(behind)
    powers_w = [indication.total["power"] for indication in indications]
    limits_w = [
        of.power_limit * abs(power_w)
        for of, power_w in zip(behind, powers_w, strict=True)
        if of.power_limit is not None
    ]
    is_limited = len(limits_w) == len(behind) and math.fsum(powers_w) > 0
    updates_s = [of.update_s for of in behind if of.update_s is not None]
    return Behind(
        update_s=max(updates_s) if len(updates_s) == len(behind) else None,
        voltage_range_v=volts.pop() if is_known else None,
        current_range_a=math.fsum(amps) if is_known else None,
        automatic=whether_automatic(of.automatic for of in behind),
        power_limit=math.fsum(limits_w) / math.fsum(powers_w) if is_limited else None,
    )


def whether_automatic(ranges: Iterable[bool | None]) -> bool | None:
    """Return whether one of several ranges is chosen by its device; None where that is not known of one."""
    flags = set(ranges)
    return True if True in flags else False if flags == {False} else None


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
