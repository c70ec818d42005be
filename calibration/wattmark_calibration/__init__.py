"""Pure metrology: specifications, budgets, uncertainty."""

from wattmark_calibration.budget import INFINITE, Contribution, UncertainValue, coverage_factor, welch_satterthwaite
from wattmark_calibration.ratio import ratio_uncertainty
from wattmark_calibration.resolution import counter_uncertainty, resolution_uncertainty
from wattmark_calibration.specification import Specification

__all__ = [
    "INFINITE",
    "Contribution",
    "Specification",
    "UncertainValue",
    "counter_uncertainty",
    "coverage_factor",
    "ratio_uncertainty",
    "resolution_uncertainty",
    "welch_satterthwaite",
]
