"""Impossible readings: the values of one reply checked by physics.

Active power never exceeds volts times amperes of the same phase, nor is it next to nothing beside them; a total is the
sum of its phases; nothing flows without a voltage, a meter on the mains sees volts and hertz, and the ends of integer
formats stand for "no value". All drivers' readings pass through here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.reading import UNUSABLE, Channel, Kind, Quality, Reading

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
INDICATIVE_LIVE_VA: Final = 200.0
"""The same for the coarse sensors of a BMC: a supply that rests shows 0 W beside half an ampere [VA]."""
SMALLEST_PF: Final = 0.01
"""Only a bare capacitor has less; no server has."""
UNKNOWN_STEP_W: Final = 1.0
"""Last digit assumed of a power whose declaration states none [W]."""
SUM_APART: Final = 0.2
"""Share by which a total and the sum of its phases differ at most while a load moves."""
TURNED_PF: Final = 0.3
"""Power factor from which a phase that gives power, while another takes some, is connected the wrong way round."""
LEAST_SERVER_W: Final = 1.0
"""Power up to here is none that a whole server reports of itself: whoever answers takes more [W]."""
NOTHING: Final = 1e-9
"""Below this a value is zero or misread, in whatever unit: swapped words of a float give 1e-41."""
MOST_DECIMALS: Final = 6
USUAL_DECIMALS: Final = 1
"""Decimals assumed where a value was always zero."""
LOOKS: Final = 30
"""Replies from which the last digit of a value is learnt, where the declaration does not state it."""
_SUSPECT_W: Final = 3276.0
"""Power from here on may be the end of an integer format."""
ENDS: Final = tuple(
    end / tenth for end in (0x7FFF, 0xFFFF, 0x7FFFFF, 0xFFFFFF, 0x7FFFFFFF, 0xFFFFFFFF) for tenth in (1, 10)
)
_NEGATIVE_ENDS: Final = tuple(end / tenth for end in (-0x8000, -0x80000000) for tenth in (1, 10, 100, 1000))
NONE_BEFORE: Final = -1.0
_PMBUS: Final = re.compile(r"p(in|out[0-9]*)")
"""How the kernel labels the powers of a supply; its volts and amperes are vin and iin, vout1 and iout1."""
_GOOD: Final = Quality.GOOD
_UNUSABLE: Final = int(UNUSABLE)
"""Flags of plain integers cost a tenth of those of `Quality`."""
_MARK = Quality.IMPLAUSIBLE


@dataclass(slots=True)
class _Load:
    """Places of one power in an answer and of the volts and amperes behind it, each one phase or all three."""

    power: int
    inputs: tuple[tuple[int, int], ...]
    """Volts and amperes of each phase."""
    phases: tuple[int, ...] = ()
    """Powers of the phases, for a total."""
    apparent: int | None = None
    """Apparent power, which counts where volts or amperes have no number."""
    of_three: bool = False
    """Whether it is one of three phases."""
    before_va: float = NONE_BEFORE
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
        self._grid: tuple[int, ...] = ()
        """Volts and hertz, where it has both: a meter that sees none of them sees no watts."""
        self._powers: tuple[int, ...] = ()
        self._total: tuple[int, tuple[int, ...]] | None = None
        """The total and its three phases."""
        self._was_apart = True
        """Whether the total of the answer before was not the sum of its phases; so for the first answer."""

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
        for place in self._powers:
            if -NOTHING < readings[place].value < NOTHING and readings[place].value:
                marks[readings[place].channel] = Quality.NO_VALUE | _MARK
        if self._total is not None:
            self._hold_sum(readings, *self._total, marks)
        self._hold_grid(readings, marks)
        return marks

    def _hold_grid(self, readings: Sequence[Reading], marks: dict[str, Quality]) -> None:
        """Mark all of an answer in which everything is zero that is not in a live meter, and watts without a grid."""
        if self._mains and -NOTHING < readings[self._mains[0]].value < NOTHING and self._is_dead(readings):
            for reading in readings:
                if reading.kind is not Kind.COUNTER:
                    marks.setdefault(reading.channel, Quality.NOT_LIVE | _MARK)
        if self._grid and int(readings[self._grid[0]].quality) & _UNUSABLE and self._sees_no_grid(readings):
            for place in self._powers:
                marks.setdefault(readings[place].channel, Quality.AT_ODDS | _MARK)

    def _impossible_loads(self, readings: Sequence[Reading]) -> dict[str, Quality]:
        """Return the marks of powers that their volts and amperes exclude, and of a total that holds such a phase."""
        marks: dict[str, Quality] = {}
        for load in self._loads:
            va = 0.0
            for volts, amperes in load.inputs:
                va += abs(readings[volts].value * readings[amperes].value)
            inputs = load.inputs
            if load.apparent is not None and (va != va or not inputs):
                va, inputs = abs(readings[load.apparent].value), ()
            before_va, load.before_va = load.before_va, va
            most_va = before_va if before_va > va else va
            watts = readings[load.power].value
            if SMALLEST_PF * va <= watts <= MOST_PF * most_va + NOISE_W and watts < _SUSPECT_W:
                continue
            mark = self._judge(readings, load, inputs, va, most_va)
            if not mark and self._takes_nothing(readings, load, va if before_va < 0 else min(va, before_va)):
                mark = Quality.AT_ODDS
            if mark:
                marks[readings[load.power].channel] = mark | _MARK
        if marks and self._loads[-1].phases:
            self._hold_total(readings, self._loads[-1], marks)
        return marks

    def _takes_nothing(self, readings: Sequence[Reading], load: _Load, least_va: float) -> bool:
        """Return whether a load shows volt-amperes and hardly any watts, in this answer and in the one before.

        In a delta without a neutral, no phase has watts of its own.
        """
        power = readings[load.power]
        live_va = INDICATIVE_LIVE_VA if self._indicative else LIVE_VA
        if not power.quality.usable or not least_va > live_va:
            return False
        parts = [readings[place] for pair in load.inputs for place in pair]
        if any(part.quality & Quality.IMPLAUSIBLE for part in parts):
            return False
        if load.of_three and self._total is not None and not any(readings[place].value for place in self._total[1]):
            return False
        step_w = self._step(power.channel)
        return abs(power.value) + (UNKNOWN_STEP_W if step_w is None else step_w) < SMALLEST_PF * least_va

    def _hold_sum(
        self, readings: Sequence[Reading], total: int, phases: tuple[int, ...], marks: dict[str, Quality]
    ) -> None:
        """Mark a total that is not the sum of its phases, twice in a row, or in which a phase is counted wrongly.

        Without a neutral the phases show nothing. Values of separate requests are not of one moment.
        """
        whole, parts = readings[total], [readings[place] for place in phases]
        values = [part.value for part in parts]
        if not any(values) or any(item.t_ns != whole.t_ns or not item.quality.usable for item in (whole, *parts)):
            return
        total_w, sum_w = whole.value, math.fsum(values)
        steps_w = sum(self._step(item.channel) or 0.0 for item in (whole, *parts))
        apart = abs(total_w - sum_w) > SUM_APART * max(abs(total_w), abs(sum_w)) + self._least_w + steps_w
        if (apart and self._was_apart) or self._misses_a_phase(readings):
            marks.setdefault(whole.channel, Quality.AT_ODDS | _MARK)
        self._was_apart = apart

    def _misses_a_phase(self, readings: Sequence[Reading]) -> bool:
        """Return whether a phase is counted the wrong way, or not at all.

        One gives power while another takes some, as with a transformer the wrong way round; or amperes flow in a phase
        whose volts are zero while another has some, as behind a blown fuse of the voltage input.
        """
        gives = takes = False
        phases = [load for load in self._loads if load.of_three and load.inputs]
        live_v = max((abs(readings[volts].value) for load in phases for volts, _ in load.inputs), default=0.0)
        for load in phases:
            watts, ((volts, amperes),) = readings[load.power].value, load.inputs
            if abs(readings[volts].value) < NOTHING and live_v * abs(readings[amperes].value) > LIVE_VA:
                return True
            if load.before_va > LIVE_VA:
                gives |= watts < -TURNED_PF * load.before_va
                takes |= watts > TURNED_PF * load.before_va
        return gives and takes

    def _sees_no_grid(self, readings: Sequence[Reading]) -> bool:
        """Return whether volts and hertz are all outside the model's limits, or nothing."""
        grid = [readings[place] for place in self._grid]
        return all(item.quality & Quality.IMPLAUSIBLE or abs(item.value) < NOTHING for item in grid)

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
            volts, amperes = self._parts_of(name)
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
        for name, load in loads.items():
            load.apparent = places.get(name.replace("power", "apparent_power", 1))
            load.of_three = name in phases
        others = [name for name in powers if name not in loads and name.replace("power", "apparent_power", 1) in places]
        apart = {
            name: _Load(places[name], (), apparent=places[name.replace("power", "apparent_power", 1)])
            for name in others
        }
        self._loads = [*apart.values(), *loads.values()]
        self._powers = tuple(places[name] for name in powers)
        whole = not self._indicative and all(name in places for name in ("power", *phases))
        self._total = (places["power"], tuple(places[phase] for phase in phases)) if whole else None
        self._was_apart = True
        loads |= apart
        parts = {place for load in self._loads for pair in load.inputs for place in pair}
        self._undeclared = tuple(place for place in sorted(parts) if self._step(names[place]) is None)
        self._other_powers = tuple(places[name] for name in powers if name not in loads)
        alive = ("voltage",) if self._rules.on_the_mains else ("voltage", "current", "frequency")
        mains = [[places[name] for name in names if quantity(name) == wanted] for wanted in alive]
        self._mains = tuple(place for kind in mains for place in kind) if all(mains) and not self._indicative else ()
        grid = [[places[name] for name in names if quantity(name) == wanted] for wanted in ("frequency", "voltage")]
        self._grid = tuple(place for kind in grid for place in kind) if all(grid) and not self._indicative else ()

    def _parts_of(self, name: str) -> tuple[str, str]:
        """Return the channels of the volts and amperes behind a power: by their ids, or by the labels of PMBus."""
        labels = [channel.label.partition(" ")[0] for channel in self._channels.values()]
        own = self._channels[name].label.partition(" ")[0] if name in self._channels else ""
        if _PMBUS.fullmatch(own):
            wanted = [own.replace("p", letter, 1) for letter in "vi"]
            if all(labels.count(label) == 1 for label in (own, *wanted)):
                volts, amperes = (list(self._channels)[labels.index(label)] for label in wanted)
                return volts, amperes
        return name.replace("power", "voltage", 1), name.replace("power", "current", 1)

    def _judge(
        self,
        readings: Sequence[Reading],
        load: _Load,
        inputs: tuple[tuple[int, int], ...],
        va: float,
        most_va: float,
    ) -> Quality:
        """Return why a power that is negative, large or near its volt-amperes is impossible; good where it is not.

        Without ``inputs``, the volt-amperes are the apparent power that the device shows.
        """
        power = readings[load.power]
        volts = [readings[place] for place, _ in inputs]
        amperes = [readings[place] for _, place in inputs]
        apparent = [] if inputs or load.apparent is None else [readings[load.apparent]]
        parts = [*volts, *amperes, *apparent]
        seen = not any(part.quality & Quality.INVALID for part in parts)
        measured = seen and all(part.quality.usable for part in parts)
        watts = abs(power.value)
        if not power.quality.usable or watts != watts:
            return _GOOD
        if self._is_end(power, paired=measured and watts <= MOST_PF * most_va + self._least_w):
            return Quality.NO_VALUE
        if volts and seen and not self._indicative and all(abs(part.value) < NOTHING for part in volts):
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
        most_w += sum(self._step(part.channel) or UNKNOWN_STEP_W for part in apparent)
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
        return all(abs(readings[place].value) < NOTHING for place in self._mains)


def behind_open_relay(quantity: str, value: float) -> Quality:
    """Evaluate a value reported while the relay is off, when no current flows."""
    flows = quantity == "power" and abs(value) > NOISE_W
    return Quality.RELAY_OFF | Quality.IMPLAUSIBLE if flows else Quality.GOOD
