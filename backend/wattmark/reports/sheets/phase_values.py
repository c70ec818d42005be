"""Values of one phase of a run, idle or loaded."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from wattmark.analysis.energy.instrument_terms import worst_power_factor
from wattmark.core.instants import iso
from wattmark.core.quantity import Quantity
from wattmark.reports.sheets.sheet_run import NS, SheetAnswer, SheetPhase, SheetRun
from wattmark.runs.limits_of_error import specification, stated_conditions
from wattmark.runs.phase_name import PhaseName

TakeOfPhase = Callable[[SheetRun, SheetPhase], SheetAnswer]


def _quantity(quantity: Quantity | None, why: str) -> SheetAnswer:
    return SheetAnswer(why=why) if quantity is None else SheetAnswer(quantity.value, quantity.U95, quantity.unit, why)


def _power(_: SheetRun, phase: SheetPhase) -> SheetAnswer:
    return _quantity(phase.power, " ".join(phase.notes))


def _tolerance(of: SheetRun, phase: SheetPhase) -> SheetAnswer:
    """Compute the maker's limit of error of the meters at the power of the phase [%]; of several the sum."""
    if phase.power is None or phase.power.value <= 0:
        return SheetAnswer(why="Without power there is nothing to relate the limit of error to.")
    share_w = phase.power.value / max(len(of.meters), 1)
    limit_w = 0.0
    for meter in of.meters:
        maker = specification(meter)
        if maker is None or (maker.range_pct and meter.range_w is None):
            return SheetAnswer(why=f"No limit of error of {meter.name} is known in the range in use.")
        used = worst_power_factor(maker, stated_conditions(meter, phase.end_ns), share_w, meter.range_w)
        limit_w += float(maker.limit(share_w, meter.range_w, conditions=used))
    return SheetAnswer(100 * limit_w / phase.power.value, unit="%")


def _stabilised(of: SheetRun, phase: SheetPhase) -> SheetAnswer:
    """Return the running time of the load before the window [s]; no value for an idle machine."""
    if phase.state == "idle":
        return SheetAnswer()
    before = (p for p in of.run.phases if p.name in (PhaseName.RAMP, PhaseName.SETTLE))
    return SheetAnswer(sum(p.end_ns - p.begin_ns for p in before if p.end_ns is not None) / NS, unit="s")


def _iso(ns: int) -> str:
    return iso(ns, "milliseconds").replace("+00:00", "Z")


PHASE_VALUES: Mapping[str, TakeOfPhase] = {
    "phase_s": lambda _, phase: SheetAnswer(phase.seconds, unit="s"),
    "phase_begin": lambda _, phase: SheetAnswer(_iso(phase.begin_ns)),
    "phase_end": lambda _, phase: SheetAnswer(_iso(phase.end_ns)),
    "phase_power": _power,
    "phase_apparent": lambda _, phase: _quantity(phase.apparent.apparent, phase.apparent.reason),
    "phase_factor": lambda _, phase: _quantity(phase.apparent.factor, phase.apparent.reason),
    "stabilised_s": _stabilised,
    "tolerance_pct": _tolerance,
}
"""By the names that layouts use."""
