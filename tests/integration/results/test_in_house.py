"""Two simulated meters beside each other over load steps: the certificate covers the planted error of the cheap one."""

from __future__ import annotations

from datetime import date

import pytest
from wattmark.core.errors import InputError
from wattmark.results.data_folder import Storage
from wattmark.results.evaluate import evaluate
from wattmark.results.in_house import InHouseOrder, calibrate_in_house
from wattmark.results.issued.calibration import Calibration
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.result import Result
from wattmark.traceability.certificates.register import CertificateRegister
from wattmark_calibration import CalibratedRange, Certificate, Point, canonical_json, fit_model
from wattmark_calibration.certificate.json_file import read_json
from wattmark_calibration.certificate.record import Laboratory, MeterIdentity
from wattmark_drivers.clock import SystemClock

from tests.integration.two_meters import ANALYSER, BEGIN_NS, PLUG, S, store_run

GAIN, OFFSET_W = 1.03, 1.5
LOADS_W = (120.0, 180.0, 240.0, 300.0)
NOTHING = CertificateRegister()
ORDER = InHouseOrder(
    meter="plug", reference="analyser", due_on=date(2027, 3, 1), laboratory="Example Lab", by="K. Berg"
)


def steps(storage: Storage, loads_w=LOADS_W, drift_w=0.0, **changes):
    """Record a run per load; the plug errs as planted, and by ``drift_w`` more from run to run."""
    return [
        store_run(
            storage, f"r{k}", load_w, begin_ns=BEGIN_NS + k * 400 * S, gain=GAIN, offset_w=OFFSET_W + drift_w * k,
            seed=k, **changes,
        )
        for k, load_w in enumerate(loads_w)
    ]  # fmt: skip


def test_the_certificate_covers_the_planted_error(storage: Storage) -> None:
    made = calibrate_in_house(steps(storage), storage.samples, NOTHING, ORDER)
    assert made.refusals == []
    assert made.steps == 8
    certificate = read_json((made.document or "").encode())
    assert certificate.in_house
    assert certificate.meter.serial == "PLUG-5"
    assert certificate.chain[0].serial == "WT-77"
    assert certificate.laboratory.name == "In house: Example Lab"
    model = fit_model(certificate.as_found[0])
    for true_w in (80.0, 200.0, 290.0):
        shown_w = OFFSET_W + GAIN * true_w
        miss_w = shown_w + model.correction(shown_w) - true_w
        assert abs(miss_w) <= 2 * model.standard_uncertainty(shown_w)
        # the reference's own 0.1 % of reading and 0.05 % of range, over sqrt(3), are in it
        assert model.standard_uncertainty(shown_w) >= (0.001 * true_w + 0.0005 * 600) / 3**0.5 * 0.9


def test_it_is_not_traceable_where_the_reference_has_a_specification_only(storage: Storage) -> None:
    made = calibrate_in_house(steps(storage), storage.samples, NOTHING, ORDER)
    assert not made.traceable
    assert made.reference_certificate == "maker's specification"


def test_doubtful_comparisons_are_refused_with_the_reason(storage: Storage) -> None:
    few = calibrate_in_house(steps(storage, (120.0, 300.0)), storage.samples, NOTHING, ORDER)
    assert [refusal.code for refusal in few.refusals] == ["too-few-steps"]
    assert few.document is None


def analyser_certificate(due_on: date) -> Certificate:
    """A laboratory's certificate of the analyser: it reads 0.05 % high, U = 0.04 %."""
    points = tuple(
        Point(reference_w=p, indication_w=1.0005 * p, expanded_u_w=4e-4 * p, k=2.0, power_factor=pf)
        for p, pf in ((50.0, 1.0), (150.0, 1.0), (300.0, 1.0), (450.0, 1.0), (300.0, 0.5), (300.0, 0.8))
    )
    return Certificate(
        id="CAL-WT",
        number="K-77",
        meter=MeterIdentity(manufacturer="Yokogawa", model="WT310E", serial="WT-77"),
        laboratory=Laboratory(name="Example Laboratory", accreditation="D-K-00000-01-00"),
        method="Comparison with a power standard",
        calibrated_on=date(2026, 3, 2),
        due_on=due_on,
        as_found=(CalibratedRange(name="300V/2A", points=points),),
    )


def later_run(storage: Storage) -> Result:
    """Measure 220 W with the plug alone, and evaluate it with the certificates of the register."""
    alone = PLUG.model_copy(update={"role": "wall"})
    run = store_run(
        storage, "later", 220.0, begin_ns=BEGIN_NS + 9000 * S, gain=GAIN, offset_w=OFFSET_W, meters=(alone,),
        campaign_id=None,
    )  # fmt: skip
    return evaluate(run, storage.samples, register=storage.certificates.register())


def test_the_chain_of_the_reference_reaches_the_results_of_the_cheap_meter(storage: Storage) -> None:
    """Reference certified, plug calibrated in house, then a run with the plug alone: certificate, chain, ±."""
    calibration = Calibration(storage, Evaluations(storage), SystemClock())
    due_on = date(2027, 2, 1)
    calibration.certificates.add(canonical_json(analyser_certificate(due_on)).encode(), "wt.json", approved_by="E. B.")
    steps(storage)
    order = ORDER.model_copy(update={"campaign_id": "stepped"})
    made = calibration.certificates.in_house(order)
    assert (made.traceable, made.due_on) == (True, due_on.isoformat())
    assert made.reference_certificate == "K-77 (CAL-WT v1)"
    added = calibration.certificates.issue_in_house(order)
    assert added.certificate.in_house
    assert added.certificate.approved_by == "K. Berg"
    result = later_run(storage)
    (used,) = result.calibrations
    assert (used.basis, used.in_house, used.chained, result.traceable) == ("certificate", True, True, True)
    # the power is what the analyser would show, less its own error of 0.05 %
    assert abs(result.power.value - 220.0 / 1.0005) <= result.power.U95
    assert result.power.U95 < 0.01 * 220


def test_a_result_by_an_untraceable_in_house_certificate_is_not_traceable(storage: Storage) -> None:
    calibration = Calibration(storage, Evaluations(storage), SystemClock())
    steps(storage)
    added = calibration.certificates.issue_in_house(ORDER.model_copy(update={"campaign_id": "stepped"}))
    assert "not traceable" in " ".join(added.warnings)
    result = later_run(storage)
    assert (result.basis, result.traceable) == ("certificate", False)
    assert abs(result.power.value - 220.0) <= result.power.U95


def test_drift_within_the_comparison_is_refused(storage: Storage) -> None:
    drifting = calibrate_in_house(steps(storage, drift_w=0.5), storage.samples, NOTHING, ORDER)
    assert [refusal.code for refusal in drifting.refusals] == ["drift"]


def test_a_reference_without_specification_and_certificate_is_refused(storage: Storage) -> None:
    unknown = ANALYSER.model_copy(update={"reading_pct": None, "range_pct": None})
    made = calibrate_in_house(steps(storage, meters=(unknown, PLUG)), storage.samples, NOTHING, ORDER)
    assert [refusal.code for refusal in made.refusals] == ["reference"]


def test_orders_that_cannot_be_met_say_what_to_do(storage: Storage) -> None:
    runs = steps(storage)
    with pytest.raises(InputError, match="has no meter 'lamp'"):
        calibrate_in_house(runs, storage.samples, NOTHING, ORDER.model_copy(update={"meter": "lamp"}))
    with pytest.raises(InputError, match="There are no runs"):
        calibrate_in_house([], storage.samples, NOTHING, ORDER)


def test_a_meter_without_serial_number_gets_no_certificate(storage: Storage) -> None:
    nameless = PLUG.model_copy(update={"serial": None})
    with pytest.raises(InputError, match="has no serial number"):
        calibrate_in_house(steps(storage, meters=(ANALYSER, nameless)), storage.samples, NOTHING, ORDER)
