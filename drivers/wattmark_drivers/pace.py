"""How often a meter is polled, when in each period, and what share of the time its readings cover."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from hashlib import blake2b

from wattmark_drivers.catalogue import find_model
from wattmark_drivers.catalogue.declaration import Declaration
from wattmark_drivers.catalogue.modbus_map import ModbusMap
from wattmark_drivers.catalogue.scpi_map import ScpiMap
from wattmark_drivers.meter import Meter, MeterIdentity
from wattmark_drivers.reading import Kind
from wattmark_drivers.settings import MeterSettings

USUAL_PERIOD_S = 1.0
SAME = 1.01
"""Two times up to this ratio are the same: the clocks of device and computer differ."""
Offsets = Callable[[int], float]
"""Returns for a period, by its number, the place of the poll within it, from 0 up to 1."""


def random_offsets(key: bytes | None = None) -> Offsets:
    """Return a generator of random offsets of polls within each period; the same ``key`` gives the same offsets.

    One poll at a uniformly random place in each period (jittered sampling) gives an unbiased mean whatever the load
    repeats, and turns aliases into noise (Dippé and Wold, Antialiasing through stochastic sampling, SIGGRAPH 1985).
    """
    secret = secrets.token_bytes(16) if key is None else blake2b(key, digest_size=16).digest()

    def offset(period: int) -> float:
        drawn = blake2b(period.to_bytes(16, "big", signed=True), digest_size=8, key=secret).digest()
        return (int.from_bytes(drawn, "big") >> 11) / (1 << 53)

    return offset


def is_dithered(meter: Meter, period_s: float) -> bool:
    """Return whether polls each ``period_s`` [s] are dithered, because the readings leave time uncovered.

    A meter that sets the pace itself, or whose mean covers all the time since its last reading, needs no such thing;
    nor does an energy register. Complete only after the meter was opened.
    """
    if meter.pushes:
        return False
    kinds = {channel.kind for channel in meter.channels if channel.quantity == "power"}
    if Kind.INSTANTANEOUS in kinds:
        return True
    return Kind.AVERAGED in kinds and uncovered_share(meter.identity.averaging_s, period_s) > 0


def uncovered_share(averaging_s: float | None, period_s: float) -> float:
    """Compute the share of time not covered by means over ``averaging_s`` [s] (None: all covered), one a period [s]."""
    if averaging_s is None or period_s <= SAME * averaging_s:
        return 0.0
    return 1 - averaging_s / period_s


def averaging_s(declaration: Declaration, options: Mapping[str, object]) -> float | None:
    """Return over how long a value averages with these options [s]; None: since the previous value, or no mean."""
    table, update_s = declaration.protocol, declaration.rhythm.update_period_s
    chosen = options.get(table.update_setting or "") if isinstance(table, ScpiMap) else None
    return declaration.rhythm.averaging_s(float(chosen) if isinstance(chosen, int | float) and chosen > 0 else update_s)


def default_period_s(declaration: Declaration, url: str, options: Mapping[str, object]) -> float:
    """Choose the default polling period [s]: the period of new means, if that is shorter.

    Where meters share the speed of a line (Modbus RTU) the usual period stays, and more is for a person to choose.
    """
    if declaration.rhythm.poll_period_s is not None:
        return declaration.rhythm.poll_period_s
    mean_s = averaging_s(declaration, options)
    transport = declaration.transport(url.partition(":")[0])
    shared = isinstance(declaration.protocol, ModbusMap) and transport is not None and transport.baud is not None
    return USUAL_PERIOD_S if mean_s is None or shared else min(USUAL_PERIOD_S, mean_s)


def pace_remark(identity: MeterIdentity, now_ns: int) -> str | None:
    """Explain how often a meter publishes and how old its newest reading is at an instant [UTC ns].

    None for a meter that is polled, or whose rate is declared.
    """
    pace = identity.pace
    if pace is None:
        return None
    if pace.newest_ns is None:
        silent_s = (now_ns - pace.since_ns) / 1e9
        return (
            f"Meter {identity.name} is only listened to and has published nothing for {silent_s:.0f} s. {pace.advice}."
        )
    age = f"the newest reading is {(now_ns - pace.newest_ns) / 1e9:.1f} s old"
    if pace.interval_s is None:
        return f"Meter {identity.name} is only listened to; {age}, and it is the only one. {pace.advice}."
    rate = f"publishes a reading every {pace.interval_s:.3g} s ({pace.readings} seen)"
    return f"Meter {identity.name} is only listened to: it {rate}, and {age}. If that is too rare: {pace.advice}."


def uncovered_remark(settings: MeterSettings) -> str | None:
    """Explain what share of the time a meter's readings leave uncovered, and the remedy; None where they cover all."""
    declaration = find_model(settings.model)
    mean_s = averaging_s(declaration, settings.options)
    share = 0.0 if declaration.rhythm.pushes else uncovered_share(mean_s, settings.period_s)
    if mean_s is None or not share:
        return None
    return (
        f"Meter {settings.name} averages over {mean_s:g} s and is polled every {settings.period_s:g} s: "
        f"{100 * share:.0f} % of the time is not measured. Set period_s: {mean_s:g}."
    )
