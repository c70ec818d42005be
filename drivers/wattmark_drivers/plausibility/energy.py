"""Does the energy register count what the power says?"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from itertools import pairwise

from wattmark_drivers.catalogue.modbus_map import ModbusMap, RegisterType
from wattmark_drivers.plausibility.recording import MeterRecording
from wattmark_drivers.plausibility.verdict import PlausibilityVerdict, name_factor, not_checked
from wattmark_drivers.reading import Reading

RULE = "energy"
TOLERANCE = 0.10
STEPS_NEEDED = 5.0
"""Least advance of the register before it is judged, as a multiple of its uncertainty."""
REGISTERS = ("energy_import", "energy")


def energy(recording: MeterRecording) -> PlausibilityVerdict:
    """Test the change of the energy register against power integrated over the same time."""
    name = next((channel for channel in REGISTERS if recording.has(channel)), None)
    counted = recording.series(name) if name else []
    power = recording.series("power")
    if name is None or len(counted) < 2 or len(power) < 2:
        return not_checked(
            RULE, "The meter does not provide both power and an energy register, or they were read only once."
        )
    begin_ns, end_ns = counted[0].t_ns, counted[-1].t_ns
    expected = integrate_wh(power, begin_ns, end_ns)
    if not expected > 0:
        return not_checked(RULE, "No power is flowing.")
    mean_w = expected / ((end_ns - begin_ns) / 3.6e12)
    jumps = [b.value - a.value for a, b in pairwise(counted) if b.value != a.value]
    if not jumps:
        return not_checked(
            RULE, f"The register did not move while the integral of power is {expected:.3g} Wh; test for longer."
        )
    # A maker who does not state the step shows it: no change is smaller than one.
    step = max(_step(recording, name, counted[-1].value), min(map(abs, jumps)))
    doubt = step + mean_w * recording.declaration.rhythm.update_period_s / 3600
    moved = counted[-1].value - counted[0].value
    # A register that is a thousand times too fast shows itself long before the right one would have moved enough.
    if max(expected, moved) < STEPS_NEEDED * doubt:
        need_s = STEPS_NEEDED * doubt / mean_w * 3600
        return not_checked(RULE, f"The register moves too slowly for this test; test for {need_s:.0f} s.")
    ratio = moved / expected
    limit = TOLERANCE + doubt / expected
    good = abs(ratio - 1) <= limit
    words = name_factor(ratio) or "no common factor; possibly another register (export, tariff, other phases)"
    return PlausibilityVerdict(
        RULE,
        "pass" if good else "fail",
        f"The register counted {moved:.4g} Wh; the integral of power is {expected:.4g} Wh.",
        ratio - 1,
        limit,
        "1",
        "" if good else f"the energy register is {words}; check model and firmware",
    )


def integrate_wh(power: Sequence[Reading], begin_ns: int, end_ns: int) -> float:
    """Integrate power [W] between two instants by the mean of the readings there [Wh]."""
    inside = [reading.value for reading in power if begin_ns <= reading.t_ns <= end_ns]
    if not inside:
        return math.nan
    return math.fsum(inside) / len(inside) * (end_ns - begin_ns) / 3.6e12


def _step(recording: MeterRecording, name: str, value: float) -> float:
    """Find the step of the register [Wh]; that of a single-precision number grows with its value."""
    table = recording.declaration.protocol
    if isinstance(table, ModbusMap):
        register = next(candidate for candidate in table.registers if candidate.channel == name)
        if register.type is RegisterType.FLOAT32:
            return max(_float32_step(value / register.scale) * register.scale, recording.step(name))
    return recording.step(name)


def _float32_step(value: float) -> float:
    (bits,) = struct.unpack(">I", struct.pack(">f", abs(value)))
    (above,) = struct.unpack(">f", struct.pack(">I", bits + 1))
    return float(above) - abs(value)
