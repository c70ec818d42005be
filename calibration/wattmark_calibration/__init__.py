"""Pure metrology: specifications, certificates, corrections, budgets, uncertainty."""

from wattmark_calibration.budget import (
    INFINITE,
    Contribution,
    Kind,
    UncertainValue,
    ratio_uncertainty,
    welch_satterthwaite,
)
from wattmark_calibration.certificate.canonical import canonical_json, canonical_sha256, verify_file
from wattmark_calibration.certificate.conformity import Outcome, judge, judge_points, judge_range
from wattmark_calibration.certificate.points import CalibratedRange, CommonUncertainty, Point
from wattmark_calibration.certificate.record import Certificate
from wattmark_calibration.certificate.review import Review, Used, review
from wattmark_calibration.certificate.status import Status, status
from wattmark_calibration.check_standard.chart import Baseline, ControlChart, baseline, control_chart, drift_from_centre
from wattmark_calibration.correction.correct import Corrected, correct
from wattmark_calibration.correction.drift import drift_contribution, error_curve
from wattmark_calibration.correction.model import CorrectionModel, fit_model
from wattmark_calibration.correction.refusals import MeterInUse, Override
from wattmark_calibration.correction.york import StraightLine, york_line
from wattmark_calibration.coverage import coverage_factor, half_width, mixed_dof, probability_within, two_sided_p
from wattmark_calibration.errors import CertificateError, Refusal, Refused
from wattmark_calibration.influences import REFERENCE, Conditions, Influences, InputLimit, LoadStep
from wattmark_calibration.specification import Specification, counter_uncertainty, resolution_uncertainty

__all__ = [
    "INFINITE",
    "REFERENCE",
    "Baseline",
    "CalibratedRange",
    "Certificate",
    "CertificateError",
    "CommonUncertainty",
    "Conditions",
    "Contribution",
    "ControlChart",
    "Corrected",
    "CorrectionModel",
    "Influences",
    "InputLimit",
    "Kind",
    "LoadStep",
    "MeterInUse",
    "Outcome",
    "Override",
    "Point",
    "Refusal",
    "Refused",
    "Review",
    "Specification",
    "Status",
    "StraightLine",
    "UncertainValue",
    "Used",
    "baseline",
    "canonical_json",
    "canonical_sha256",
    "control_chart",
    "correct",
    "counter_uncertainty",
    "coverage_factor",
    "drift_contribution",
    "drift_from_centre",
    "error_curve",
    "fit_model",
    "half_width",
    "judge",
    "judge_points",
    "judge_range",
    "mixed_dof",
    "probability_within",
    "ratio_uncertainty",
    "resolution_uncertainty",
    "review",
    "status",
    "two_sided_p",
    "verify_file",
    "welch_satterthwaite",
    "york_line",
]
