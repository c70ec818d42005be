"""Power by the certificate in force: the computation of results, applied to one reading."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from wattmark_drivers.reading import Reading
from wattmark_drivers.speakers.indication import Behind, Indication

from wattmark.analysis.energy.calibrated import calibrate
from wattmark.gateway.feed import Correct, Withheld
from wattmark.gateway.indication import with_power
from wattmark.results.series import power_factor
from wattmark.runs.record import MeterRecord
from wattmark.traceability.certificates.in_use import calibration_of
from wattmark.traceability.certificates.register import CertificateRegister


def corrector(meter: Callable[[], MeterRecord], register: CertificateRegister) -> Correct:
    """Return what corrects the power of a meter by the certificate that is in force at the stamp of the reading.

    ``meter`` describes it as a run would record it now.
    """

    def correct(indication: Indication, reading: Reading) -> Indication | Withheld:
        record = meter()
        used = dict(indication.total)
        factor = power_factor(used, one_phase=len(indication.phases) == 1)
        as_of = datetime.fromtimestamp(reading.t_ns / 1e9, tz=UTC)
        ranges = [reading.range or record.range_name]
        calibration = calibration_of(register, record, ranges, used, factor, as_of)
        if calibration is None:
            return Withheld(
                "not-accepted",
                "It has no certificate in force, so its power cannot be corrected.",
                "Add its certificate, or speak the indication: corrected: false.",
            )
        try:
            calibrated = calibrate(record.name, reading.value, calibration)
        except ValueError as error:
            text = f"Its certificate does not apply to {reading.value:g} W: {error}"
            return Withheld("not-accepted", text, "See the page of its certificate.")
        if calibrated.corrected is None:
            reasons = " ".join(refusal.text for refusal in calibrated.refusals)
            text = f"Its certificate does not apply: {reasons}"
            return Withheld("not-accepted", text, "See the page of its certificate.")
        corrected = with_power(indication, calibrated.power_w)
        limit = calibrated.corrected.value.expanded_u / calibrated.power_w if calibrated.power_w > 0 else None
        return replace(corrected, behind=Behind(power_limit=limit))

    return correct
