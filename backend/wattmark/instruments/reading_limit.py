"""The limit of error of single readings: by a certificate, or by what the manufacturer states for the range in use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from wattmark_calibration import Certificate, Conditions, MeterInUse, Refused, Specification, correct
from wattmark_drivers.meter import Meter, MeterIdentity
from wattmark_drivers.settings import MeterSettings

from wattmark.instruments.instruments import meter_record
from wattmark.runs.limits_of_error import specification
from wattmark.runs.record import MeterRecord

LimitOfReading = Callable[[float, float | None, float | None, float | None], float | None]
"""Computes the limit of error of a power [fraction] from watts, volts, amperes and power factor; None: not known."""


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of a meter as it is now; ``range_w`` is that of one input."""

    identity: MeterIdentity
    record: MeterRecord
    stated: Specification | None
    range_w: float | None


def limit_of_readings(
    meter: Meter,
    settings: MeterSettings,
    inputs: int = 1,
    certificate: Certificate | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> LimitOfReading:
    """Return what computes the limit of error of a power that one of so many equal ``inputs`` of a meter measures.

    With a certificate it is the error that this states at that power, with its expanded uncertainty at 95 %: readings
    are not corrected by it. Otherwise it is the manufacturer's limit. None where neither applies: the certificate is of
    another meter or not in force, a limit depends on a range that is not known (auto-range), or does not hold under the
    conditions of use. A new identity of the meter, after a change of range, counts at once.
    """
    latest: list[_Known] = []

    def known() -> _Known:
        identity = meter.identity
        if not latest or latest[0].identity is not identity:
            record = meter_record(meter, "wall", settings)
            accuracy = identity.power_accuracy
            range_w = accuracy.range_value if accuracy is not None else None
            latest[:] = [_Known(identity, record, specification(record), None if range_w is None else range_w / inputs)]
        return latest[0]

    def limit(power_w: float, voltage_v: float | None, current_a: float | None, factor: float | None) -> float | None:
        if power_w <= 0:
            return None
        usable = None if factor is None or not 0 < abs(factor) <= 1 else abs(factor)
        if certificate is not None:
            return _by_certificate(certificate, known().record, power_w, voltage_v, usable, now())
        return _by_specification(known(), power_w, voltage_v, current_a, usable)

    return limit


def _by_specification(
    known: _Known, power_w: float, voltage_v: float | None, current_a: float | None, factor: float | None
) -> float | None:
    if known.stated is None:
        return None
    conditions = Conditions(
        power_factor=factor,
        current_a=current_a,
        voltage_v=voltage_v,
        crest_factor=known.identity.crest_factor,
        line_filter=known.identity.line_filter,
    )
    try:
        return float(known.stated.limit(power_w, known.range_w, conditions=conditions)) / power_w
    except ValueError:
        return None


def _by_certificate(
    certificate: Certificate,
    record: MeterRecord,
    power_w: float,
    voltage_v: float | None,
    factor: float | None,
    as_of: datetime,
) -> float | None:
    used = MeterInUse(
        record.serial or "", record.firmware, None, record.influences.pf0_pct, voltage_v=voltage_v and abs(voltage_v)
    )
    try:
        value = correct(certificate, power_w, factor, record.range_name or "", as_of, used).value
    except (Refused, ValueError):
        return None
    return (abs(value.value - power_w) + value.expanded_u) / power_w
