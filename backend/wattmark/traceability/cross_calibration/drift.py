"""Drift of a BMC by repeated cross-calibrations."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from wattmark.runs.record import MeterRecord
from wattmark.traceability.cross_calibration.record import CrossCalibrationRecord


def with_changes(record: CrossCalibrationRecord, earlier: Iterable[CrossCalibrationRecord]) -> CrossCalibrationRecord:
    """Return a record that states by how much the BMC changed from one good cross-calibration to the next [%].

    Compared is the power at the middle of the record's span. One of other firmware is of another instrument.
    """
    middle_w = (record.low_w + record.high_w) / 2
    same = [r for r in earlier if r.good and r.recorded_ns < record.recorded_ns and not exchanged(r.bmc, record.bmc)]
    shown = [r.offset_w + r.gain * middle_w for r in (*same, record) if r.covers(middle_w)]
    changes = tuple(100 * (after / before - 1) for before, after in pairwise(shown))
    return record.model_copy(update={"changes_pct": changes})


def exchanged(then: MeterRecord, now: MeterRecord) -> str | None:
    """Describe a replaced BMC in a few words: another serial number or firmware; None: no change seen."""
    for what, before, after in (("serial number", then.serial, now.serial), ("firmware", then.firmware, now.firmware)):
        if before and after and before != after:
            return f"{what} {before}, now {after}"
    return None
