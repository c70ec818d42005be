"""The stream of PowerSensor3: two bytes per sample, nine samples per set, and what the levels mean."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wattmark_drivers.errors import BadReply

SENSORS = 8
SET = 1 + SENSORS
"""Samples of a set: the device's time, then each sensor."""
RECORD = struct.Struct("<16s16sff?")
"""Type, name of the pair, reference voltage [V], sensitivity [V/A or 1], whether it is in use."""
SUPPLY_V = 3.3
TOP_LEVEL = 1023
_CLOCK = SENSORS - 1
Levels = NDArray[np.uint16]


@dataclass(frozen=True, slots=True)
class SensorSetup:
    """How one sensor's levels become amperes or volts."""

    pair: str
    vref: float
    sensitivity: float
    in_use: bool

    def values(self, levels: Levels) -> NDArray[np.float64]:
        """Convert levels [A or V]."""
        return (SUPPLY_V * levels / TOP_LEVEL - self.vref) / self.sensitivity


def parse_setup(record: bytes) -> SensorSetup:
    """Parse the record of one sensor. Raises `BadReply` for one that cannot be used."""
    _, pair, vref, sensitivity, in_use = RECORD.unpack(record)
    if in_use and not (math.isfinite(vref) and math.isfinite(sensitivity) and sensitivity != 0):
        raise BadReply("A sensor in use has no valid calibration.", "Set it up with psconfig of PowerSensor3.")
    name = re.sub(r"[^ -~]", "?", pair.split(b"\0")[0].decode("ascii", "replace")).strip()
    return SensorSetup(name, vref, sensitivity, in_use)


class SampleBuffer:
    """Collects bytes; gives the whole sets of samples that they complete and drops what belongs to none."""

    def __init__(self) -> None:
        self._pending = b""

    def feed(self, data: bytes) -> Levels:
        """Add bytes; return the levels of the sensors, one row per whole set."""
        pairs, rest = _pairs(self._pending + data)
        first, second = pairs[:, 0], pairs[:, 1]
        sensors = (first >> 4) & 7
        marked = (second >> 6) & 1 == 1
        levels = ((first & 15).astype(np.uint16) << 6) | (second & 63)
        begins = np.flatnonzero((sensors == _CLOCK) & marked)
        ended = begins[begins + SET <= len(pairs)]
        open_from = int(begins[-1]) if len(begins) > len(ended) else len(pairs)
        self._pending = pairs[open_from:].tobytes() + rest
        rows = ended[:, None] + np.arange(1, SET)
        whole = (sensors[rows] == np.arange(SENSORS)).all(axis=1) & ~marked[rows[:, 1:]].any(axis=1)
        sets: Levels = levels[rows[whole]]
        return sets


def _pairs(data: bytes) -> tuple[NDArray[np.uint8], bytes]:
    """Cut bytes into samples: the first byte of each has its top bit set, the second has not."""
    octets = np.frombuffer(data, np.uint8)
    first = octets >= 128
    starts = np.flatnonzero(first[:-1] & ~first[1:])
    rest = data[-1:] if len(data) and first[-1] else b""
    return np.stack([octets[starts], octets[starts + 1]], axis=1), rest


@dataclass(frozen=True, slots=True)
class PairMeans:
    """Means of one pair of sensors over many sets [A, V, W]; ``clipped``: a level was at the end of the converter."""

    current_a: float
    voltage_v: float
    power_w: float
    clipped: bool


def mean_of_pair(current: SensorSetup, voltage: SensorSetup, levels: Levels, pair: int) -> PairMeans:
    """Average one pair over the sets of ``levels``; there must be at least one."""
    raw_a, raw_v = levels[:, 2 * pair], levels[:, 2 * pair + 1]
    amperes, volts = current.values(raw_a), voltage.values(raw_v)
    clipped = bool((raw_a == 0).any() or (raw_a == TOP_LEVEL).any() or (raw_v == TOP_LEVEL).any())
    return PairMeans(float(amperes.mean()), float(volts.mean()), float((amperes * volts).mean()), clipped)


def pairs_in_use(setups: Sequence[SensorSetup]) -> list[int]:
    """List the pairs whose current and voltage sensors are both in use."""
    return [n for n in range(SENSORS // 2) if setups[2 * n].in_use and setups[2 * n + 1].in_use]
