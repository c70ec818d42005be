"""Impossible readings: the values of one reply checked by physics.

Active power never exceeds volts times amperes of the same phase, nothing flows without a voltage, a meter on the mains
sees volts and hertz, and the ends of integer formats stand for "no value". All drivers' readings pass through here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.reading import Channel, Kind, Quality, Reading

MOST_PF: Final = 1.05
"""Power factor that rounding and moments apart within one answer may feign."""
LEAST_W: Final = 5.0
"""Power that currents below a meter's starting current may carry."""
NOISE_W: Final = 2.0
"""Largest power that a meter may show of an open input, or behind a relay that is off [W]."""
RANGE_SHARE: Final = 0.005
"""Share of the range by which an analyser's zero may be off."""
SUM_SHARE: Final = 0.02
"""How far a total may be from the sum of its phases."""
INDICATIVE_PF: Final = 2.0
INDICATIVE_W: Final = 100.0
"""The sensors of a BMC have steps of up to half an ampere, and are not read at one moment."""
LIVE_VA: Final = 30.0
"""Apparent power from which a load must take active power [VA]."""
MOST_DECIMALS: Final = 6
USUAL_DECIMALS: Final = 1
"""Decimals assumed where a value was always zero."""
LOOKS: Final = 30
"""Replies from which the last digit of a value is learnt, where the declaration does not state it."""
_SUSPECT_W: Final = 3276.0
"""Power from here on may be the end of an integer format."""
ENDS: Final = tuple(end / tenth for end in (0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF) for tenth in (1, 10))
_NEGATIVE_ENDS: Final = tuple(end / tenth for end in (-0x8000, -0x80000000) for tenth in (1, 10, 100, 1000))
_GOOD: Final = Quality.GOOD
_MARK = Quality.IMPLAUSIBLE


@dataclass(slots=True)
class _Load:
    """Places of one power in an answer and of the volts and amperes behind it, each one phase or all three."""

    power: int
    inputs: tuple[tuple[int, int], ...]
    """Volts and amperes of each phase."""
    phases: tuple[int, ...] = ()
    """Powers of the phases, for a total."""
    before_va: float = 0.0
    """Volt-amperes of the answer before: power may follow a step of the load one answer later."""


class Physics:
    """Marks what breaks physics in the answers of one meter.

    Where each value stands in an answer is looked up once, as long as the answers have the same channels.
    """

    def __init__(self, identity: MeterIdentity, channels: Sequence[Channel]) -> None:
        self._channels = {channel.id: channel for channel in channels}
        self._indicative = identity.indicative
        self._rules = identity.suspicion
        self._least_w = max(LEAST_W, RANGE_SHARE * (identity.range_w or 0.0))
        self._names: list[str] = []
        self._loads: list[_Load] = []
        self._other_powers: tuple[int, ...] = ()
        """Powers that no volts and amperes belong to."""
        self._undeclared: tuple[int, ...] = ()
        """Volts and amperes whose last digit is learnt from the numbers."""
        self._decimals: dict[str, int] = {}
        self._looks = 0
        self._mains: tuple[int, ...] = ()
        """Quantities that are never all zero in a live meter: volts, amperes and hertz, where it has all of them."""

    def doubts(self, readings: Sequence[Reading]) -> Mapping[str, Quality]:
        """Return the marks of the channels whose values break physics; empty where all is well."""
        names = [reading.channel for reading in readings]
        if names != self._names:
            self._pair(names)
        if self._looks < LOOKS and self._undeclared:
            self._learn(readings)
        marks = self._impossible_loads(readings)
        for place in self._other_powers:
            reading = readings[place]
            if not 0 <= reading.value < _SUSPECT_W and self._is_end(reading, paired=False):
                marks[reading.channel] = Quality.NO_VALUE | _MARK
        if self._mains and not readings[self._mains[0]].value and self._is_dead(readings):
            for reading in readings:
                if reading.kind is not Kind.COUNTER:
                    marks.setdefault(reading.channel, Quality.NOT_LIVE | _MARK)
        return marks

    def _impossible_loads(self, readings: Sequence[Reading]) -> dict[str, Quality]:
        """Return the marks of powers that their volts and amperes exclude, and of a total that holds such a phase."""
        marks: dict[str, Quality] = {}
        for load in self._loads:
            va = 0.0
            for volts, amperes in load.inputs:
                va += abs(readings[volts].value * readings[amperes].value)
            most_va = load.before_va if load.before_va > va else va
            load.before_va = va
            watts = readings[load.power].value
            if 0 <= watts <= MOST_PF * most_va + NOISE_W and watts < _SUSPECT_W:
                continue
            if mark := self._judge(readings, load, va, most_va):
                marks[readings[load.power].channel] = mark | _MARK
        if marks and self._loads[-1].phases:
            self._hold_total(readings, self._loads[-1], marks)
        return marks

    def mark(self, readings: Sequence[Reading]) -> Sequence[Reading]:
        """Return the readings with their marks."""
        marks = self.doubts(readings)
        if not marks:
            return readings
        return [reading._replace(quality=reading.quality | marks.get(reading.channel, _GOOD)) for reading in readings]

    def _pair(self, names: list[str]) -> None:
        """Look up which values of an answer belong together."""
        self._names = names
        places = {name: place for place, name in enumerate(names)}

        def quantity(name: str) -> str:
            channel = self._channels.get(name)
            return channel.quantity if channel else name

        powers = [name for name in names if quantity(name) == "power"]
        loads: dict[str, _Load] = {}
        for name in powers:
            volts, amperes = name.replace("power", "voltage", 1), name.replace("power", "current", 1)
            if volts in places and amperes in places and volts != name:
                loads[name] = _Load(places[name], ((places[volts], places[amperes]),))
        if not self._rules.one_phase:
            loads.pop("power", None)
        phases = [f"power_l{phase}" for phase in (1, 2, 3)]
        if any(phase in places for phase in phases[1:]):
            # Volts and amperes of the whole device are means of three phases, if there are any.
            loads.pop("power", None)
            if "power" in places and all(phase in loads for phase in phases):
                loads["power"] = _Load(
                    places["power"],
                    tuple(loads[phase].inputs[0] for phase in phases),
                    tuple(places[phase] for phase in phases),
                )
        self._loads = list(loads.values())
        parts = {place for load in self._loads for pair in load.inputs for place in pair}
        self._undeclared = tuple(place for place in sorted(parts) if self._step(names[place]) is None)
        self._other_powers = tuple(places[name] for name in powers if name not in loads)
        alive = ("voltage",) if self._rules.on_the_mains else ("voltage", "current", "frequency")
        mains = [[places[name] for name in names if quantity(name) == wanted] for wanted in alive]
        self._mains = tuple(place for kind in mains for place in kind) if all(mains) and not self._indicative else ()

    def _judge(self, readings: Sequence[Reading], load: _Load, va: float, most_va: float) -> Quality:
        """Return why a power that is negative, large or near its volt-amperes is impossible; good where it is not."""
        power = readings[load.power]
        volts = [readings[place] for place, _ in load.inputs]
        amperes = [readings[place] for _, place in load.inputs]
        parts = [*volts, *amperes]
        seen = not any(part.quality & Quality.INVALID for part in parts)
        measured = seen and all(part.quality.usable for part in parts)
        watts = abs(power.value)
        if not power.quality.usable or watts != watts:
            return _GOOD
        if self._is_end(power, paired=measured and watts <= MOST_PF * most_va + self._least_w):
            return Quality.NO_VALUE
        if seen and not self._indicative and not any(part.value for part in volts):
            delta = load.phases and not any(readings[place].value for place in load.phases)
            carried = any(part.value for part in amperes)
            impossible = watts > (NOISE_W if carried else self._least_w) and not delta
            return Quality.NO_VOLTAGE if impossible else _GOOD
        if not measured or va != va:
            return _GOOD
        if power.value < 0 and va > LIVE_VA and power.value == -(self._step(power.channel) or 0.0):
            return Quality.NO_VALUE
        if self._indicative:
            return Quality.EXCEEDS_VA if va and watts > INDICATIVE_PF * va + INDICATIVE_W else _GOOD
        apart = self._rules.parts_apart or any(part.t_ns != power.t_ns for part in parts)
        most_w = (INDICATIVE_PF if apart else MOST_PF) * most_va + self._least_w + self._rounding(volts, amperes)
        if watts > most_w + (self._step(power.channel) or 0.0):
            return Quality.EXCEEDS_VA
        return _GOOD

    def _hold_total(self, readings: Sequence[Reading], load: _Load, marks: dict[str, Quality]) -> None:
        """Mark a total that is the sum of its phases where one of these is impossible."""
        total, phases = readings[load.power], [readings[place] for place in load.phases]
        doubt = next((marks[phase.channel] for phase in phases if phase.channel in marks), None)
        apart_w = abs(total.value - sum(phase.value for phase in phases))
        if doubt is not None and apart_w <= SUM_SHARE * abs(total.value) + self._least_w:
            marks.setdefault(total.channel, doubt)

    def _rounding(self, volts: Sequence[Reading], amperes: Sequence[Reading]) -> float:
        """Compute how much the last digits of volts and amperes may hide [VA]."""
        return sum(
            abs(volt.value) * self._digit(ampere) + abs(ampere.value) * self._digit(volt)
            for volt, ampere in zip(volts, amperes, strict=True)
        )

    def _digit(self, reading: Reading) -> float:
        """Return the last digit of a value: the declared one, else the finest that the device was seen to write."""
        declared = self._step(reading.channel)
        if declared is not None:
            return declared
        decimals = self._decimals.get(reading.channel, USUAL_DECIMALS)
        return float(10.0**-decimals) if decimals < MOST_DECIMALS else 0.0

    def _learn(self, readings: Sequence[Reading]) -> None:
        """Take note of the decimals that are written; a device whose amperes are whole ones never writes any.

        A zero shows nothing.
        """
        self._looks += 1
        for place in self._undeclared:
            name, value = readings[place].channel, readings[place].value
            if value and math.isfinite(value):
                written = f"{value:.{MOST_DECIMALS}f}"
                decimals = len(written.rstrip("0").partition(".")[2]) if float(written) else MOST_DECIMALS
                self._decimals[name] = max(decimals, self._decimals.get(name, 0))

    def _step(self, name: str) -> float | None:
        channel = self._channels.get(name)
        return channel.resolution if channel else None

    def _is_end(self, power: Reading, *, paired: bool) -> bool:
        """Return whether a power is the end of an integer format, which volts and amperes do not confirm."""
        if paired or not power.quality.usable:
            return False
        if power.value < 0:
            return power.value in _NEGATIVE_ENDS
        fine = (self._step(power.channel) or 0.1) < 0.1
        return power.value in ENDS and not fine

    def _is_dead(self, readings: Sequence[Reading]) -> bool:
        """Return whether everything is zero that is not in a live meter."""
        return not any(readings[place].value for place in self._mains)


def behind_open_relay(quantity: str, value: float) -> Quality:
    """Evaluate a value reported while the relay is off, when no current flows."""
    flows = quantity == "power" and abs(value) > NOISE_W
    return Quality.RELAY_OFF | Quality.IMPLAUSIBLE if flows else Quality.GOOD
