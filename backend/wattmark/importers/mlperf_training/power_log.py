"""Power logs of MLPerf Training: ``node_K.txt`` with readings, ``sw_K.txt`` with an estimate of a switch."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wattmark.audits.audit import Stretch
from wattmark.core.amounts import MOST
from wattmark.importers.cut_stamps import SECOND_NS, CutStamps, cut_stamps, spread
from wattmark.importers.mlperf_training.mllog import Event, read_events
from wattmark.importers.text_lines import TextLines
from wattmark.importers.unread import Unread
from wattmark.runs.disclosure import SourceFileNote
from wattmark.workloads.loadgen.source_file import broken

START, STOP, READING = "power_measurement_start", "power_measurement_stop", "power_reading"
EFFICIENCY, ESTIMATE = "conversion_eff", "interconnect_power_est"
_MOST_FACTOR = 10.0
"""A conversion factor beyond this is none: a supply loses some percent."""
_FEWEST_VALUES = 5
"""Different readings that make equal logs more than a coincidence."""
_KNOWN = frozenset({START, STOP, READING, EFFICIENCY, ESTIMATE})


@dataclass(frozen=True, slots=True)
class NodeLog:
    """The readings of one node in the order of the file; times are s since 1970."""

    name: str
    t_s: NDArray[np.float64]
    power_w: NDArray[np.float64]
    begin_s: float
    end_s: float
    """The stop of the measurement, or the last reading where the stop is not after the start, as in most files."""
    conversion: float
    """Factor on the readings for the losses between meter and wall; 1: none."""
    note: SourceFileNote

    @property
    def cut(self) -> CutStamps:
        """Judge whether the stamps were cut to whole seconds."""
        return cut_stamps(self._t_ns)

    @property
    def taken_s(self) -> NDArray[np.float64]:
        """Return when the readings were taken [s]: stamps that were cut to whole seconds are spread within them."""
        return spread(self._t_ns) / SECOND_NS if self.cut.are_cut else self.t_s

    @property
    def _t_ns(self) -> NDArray[np.int64]:
        return np.rint(self.t_s * 1e3).astype(np.int64) * 10**6

    @property
    def backward_steps(self) -> int:
        """Count readings whose stamp is not after the one before; those of stamps cut to the second are none."""
        return int(np.count_nonzero(np.diff(self.taken_s) <= 0))

    @property
    def bad(self) -> NDArray[np.bool_]:
        """Mark readings that are not power: below 0 W, as meters report an error. The rule adds them all the same."""
        return np.asarray(self.power_w < 0)

    @property
    def is_dead(self) -> bool:
        """Return whether the log never shows power: a meter that is switched off, or not connected."""
        return not bool(np.any(self.power_w > 0))

    @property
    def readings_digest(self) -> str | None:
        """Return what two logs share that hold the same readings, also at shifted stamps.

        Of few different values the stamps count as well; None where one value stands in all of them.
        """
        different = len(np.unique(self.power_w))
        if different == 1:
            return None
        stamps = b"" if different >= _FEWEST_VALUES else self.t_s.tobytes()
        return hashlib.sha256(stamps + self.power_w.tobytes()).hexdigest()

    def mean_w(self, edges_s: NDArray[np.float64]) -> NDArray[np.float64]:
        """Compute the mean of the readings between each two edges [W]; NaN where there are none."""
        place = np.digitize(self.taken_s, edges_s)
        count = np.bincount(place, minlength=len(edges_s) + 1)[1:-1]
        total = np.bincount(place, self.power_w, minlength=len(edges_s) + 1)[1:-1]
        return np.where(count > 0, total / np.maximum(count, 1), np.nan)

    @property
    def period_s(self) -> float:
        """Compute the usual time between two readings [s]."""
        steps = np.diff(np.sort(self.taken_s))
        return max(round(float(np.median(steps)), 1), 0.1) if len(steps) else 1.0


@dataclass(frozen=True, slots=True)
class SwitchLog:
    """The constant power that a submitter estimates for a switch, not measured [W].

    Some logs hold readings and no estimate: the rule then counts 0 W, and ``left_out`` are the readings.
    """

    name: str
    power_w: float
    conversion: float
    note: SourceFileNote
    left_out: Stretch | None = None


def read_node(file: TextLines, unread: Unread) -> NodeLog:
    """Read the log of a node. Raises `InputError` without a start or readings, and for a reading that is not power."""
    t_ms: list[int] = []
    power_w: list[float] = []
    start_ms = stop_ms = None
    conversion = 1.0
    stated: dict[str, float] = {}
    for event in read_events(file, unread):
        if event.key == START:
            start_ms = event.time_ms
        elif event.key == STOP:
            stop_ms = event.time_ms
        elif event.key == EFFICIENCY:
            conversion = _same(file.name, event, stated, _factor(file.name, event))
        elif event.key == READING:
            power_w.append(_watts(file.name, event))
            t_ms.append(event.time_ms)
        elif event.key not in _KNOWN:
            unread.add(file.name, event.line, event.key, "its key is not one of a power log")
    if start_ms is None:
        raise broken(file.name, None, f"it holds no {START}", "Restore the file from its source.")
    times, watts = np.array(t_ms, dtype=np.float64) / 1e3, np.array(power_w, dtype=np.float64)
    begin_s = start_ms / 1e3
    end_s = begin_s if stop_ms is None else stop_ms / 1e3
    within = (times >= begin_s) & ((times <= end_s) | (end_s <= begin_s))
    times, watts = times[within], watts[within]
    if not len(times):
        raise broken(file.name, None, "it holds no reading after its start", "Restore the file from its source.")
    end_s = end_s if end_s > begin_s else float(times.max())
    if end_s <= begin_s:
        raise broken(file.name, None, "its readings take no time", "Restore the file from its source.")
    return NodeLog(file.name, times, watts, begin_s, end_s, conversion, file.note)


def read_switch(file: TextLines, unread: Unread) -> SwitchLog:
    """Read the estimate for a switch. Raises `InputError` where there is neither one nor readings."""
    power_w, conversion = None, 1.0
    stated: dict[str, float] = {}
    readings, sum_w = 0, 0.0
    for event in read_events(file, unread):
        if event.key == EFFICIENCY:
            conversion = _same(file.name, event, stated, _factor(file.name, event))
        elif event.key == ESTIMATE:
            power_w = _same(file.name, event, stated, _estimate(file.name, event))
        elif event.key == READING:
            readings, sum_w = readings + 1, sum_w + _watts(file.name, event)
    if power_w is not None:
        return SwitchLog(file.name, power_w, conversion, file.note)
    if not readings:
        raise broken(file.name, None, f"it holds no {ESTIMATE} and no {READING}", "Restore the file from its source.")
    left_out = Stretch(readings=readings, mean_w=sum_w / readings)
    return SwitchLog(file.name, 0.0, conversion, file.note, left_out)


def _same(name: str, event: Event, stated: dict[str, float], value: float) -> float:
    """Return what a log states once for all its readings. Raises `InputError` where it stated another value before."""
    if stated.setdefault(event.key, value) != value:
        earlier = f"{stated[event.key]:g} before and {value:g} here"
        raise broken(name, event.line, f"{event.key} is {earlier}", "Give a log for each measurement.")
    return value


def _estimate(name: str, event: Event) -> float:
    value = _watts(name, event)
    if value < 0:
        raise broken(name, event.line, f"{value:g} W is not a power that a switch takes", "Restore the file.")
    return value


def _watts(name: str, event: Event) -> float:
    for stated in (event.value, event.metadata):
        unit = stated.get("unit") if isinstance(stated, dict) else None
        if isinstance(unit, str) and unit.strip().lower() not in ("", "w", "watt", "watts"):
            raise broken(name, event.line, f"its unit is {unit[:20]!r}, and power is logged in W", "Log it in W.")
    value = _number(event.value)
    if value is None or abs(value) > MOST:
        raise broken(name, event.line, f"{str(event.value)[:40]!r} is not a power in watts", "Restore the file.")
    return value


def _factor(name: str, event: Event) -> float:
    value = _number(event.value)
    if value is None or not 0 < value <= _MOST_FACTOR:
        raise broken(
            name,
            event.line,
            f"{str(event.value)[:40]!r} is not a conversion factor",
            "Restore the file from its source.",
        )
    return value


def _number(value: Any) -> float | None:
    """Return a finite number; power logs nest it as {"value": ...} in some rounds."""
    if isinstance(value, dict):
        value = value.get("value")
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
