"""Which meter it was: one name for one physical meter, and never the same name for two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wattmark.runs.origin import RECORDED_BY, lab_of
from wattmark.runs.record import MeterRecord, RunRecord

NO_SERIAL = frozenset(
    {"na", "none", "unknown", "default", "notspecified", "tobefilledbyoem", "serial", "serialnumber"}
    | {"123456", "1234567", "12345678", "123456789", "1234567890", "0123456789"}
)
"""What devices answer that know no serial number, without signs between the letters. One sign only is none either."""
TAKEN_AS_ONE = (
    "the meter tells no serial number, so it is taken as the same one for as long as bench, name and calibration stay"
)


def meter_identity(run: RunRecord, meter: MeterRecord) -> str:
    """Name the physical meter of a run, so that what it does to several runs can be told to be the same error.

    Maker, model and serial number where the device tells it, else bench, name of the meter and day of its calibration;
    always with the place where the run was recorded, so that meters of two labs, appliances, submitters or rounds are
    never one.
    """
    serial = told_serial(meter)
    if serial is not None:
        return f"{_place(run)}: {meter.title} ({meter.model}), serial {serial}"
    calibrated = meter.conditions.calibrated_on
    day = f"calibrated {calibrated}" if calibrated else "calibration date not stated"
    return f"{_place(run)}, {_bench(run)}: {meter.title} ({meter.model}) {meter.name}, {day}"


def told_serial(meter: MeterRecord) -> str | None:
    """Give a meter's serial number; None where it tells none, or one that no device is told apart by."""
    if meter.serial is None:
        return None
    signs = "".join(sign for sign in meter.serial.lower() if sign.isalnum())
    return None if len(set(signs)) < 2 or signs in NO_SERIAL else meter.serial.strip()


def identity_note(meter: MeterRecord) -> str:
    """Say what the identity of a meter takes for granted; nothing where it tells its serial number."""
    return "" if told_serial(meter) is not None else TAKEN_AS_ONE


def _place(run: RunRecord) -> str:
    """Name where a run was recorded: the appliance that disclosed itself, a submitter and round, or what it came from.

    A run that comes back from an archive names the same appliance as before, and so the same meter.
    """
    submitter, of_round = run.disclosure.get("submitter"), run.disclosure.get("round")
    if submitter or of_round:
        return f"{submitter or 'submitter not named'}, round {of_round or 'not named'}"
    recorded = _recorded(run)
    if recorded:
        return f"{recorded.get('lab') or 'lab not named'}, appliance {recorded.get('appliance')}"
    lab = lab_of(run.source)
    return run.source if lab is None else f"archive of {lab}"


def _bench(run: RunRecord) -> str:
    """Name what a meter stays at: the bench file; the system of a submitter, whose session names no bench."""
    if run.disclosure.get("submitter"):
        return run.server
    return f"bench {_recorded(run).get('bench') or 'not named'}"


def _recorded(run: RunRecord) -> Mapping[str, Any]:
    told = run.disclosure.get(RECORDED_BY)
    return told if isinstance(told, dict) else {}
