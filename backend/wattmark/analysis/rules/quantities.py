"""The quantities that verdict rules may judge: one name, one unit, one meaning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

YES_NO = "yes/no"


@dataclass(frozen=True, slots=True)
class RuleQuantity:
    """Something that is known of a run as one number; a yes/no quantity is 1 or 0."""

    name: str
    unit: str
    meaning: str


_TABLE = (
    ("average_uncertainty_pct", "%", "mean of the samples' limits of error over their watts"),
    ("unknown_uncertainty_pct", "%", "share of samples whose limit of error is not known (auto range)"),
    ("above_uncertainty_limit_pct", "%", "share of samples whose limit of error is above 1 % of their watts"),
    ("bad_samples_pct", "%", "share of bad samples in the window"),
    ("gaps_pct", "%", "share of the window without samples"),
    ("window_s", "s", "length of the window"),
    ("sample_interval_s", "s", "time between two readings as recorded"),
    ("internal_rate_hz", "1/s", "samples a second inside the meter"),
    ("n_eff", "1", "effective number of independent samples"),
    ("drift_pct", "%", "trend of power over the window"),
    ("half_split_pct", "%", "difference of the two halves of the window"),
    ("block_cv_pct", "%", "scatter of block means"),
    ("change_point_pct", "%", "largest step of the level inside the window"),
    ("expanded_uncertainty_pct", "%", "expanded uncertainty (95 %) of mean power"),
    ("meter_limit_pct", "%", "limit of error of the meters together at full load"),
    ("crest_factor", "1", "current crest factor that the meter can take in the range used"),
    ("current_ratio", "1", "crest factor of the current over power factor"),
    ("calibration_age_d", "d", "days since the last calibration"),
    ("repeats", "1", "whole runs of the same configuration and workload"),
    ("clock_difference_ms", "ms", "difference of the clocks of meter host and server"),
    ("phase_difference_ms", "ms", "largest difference of a phase boundary between the two clocks"),
    ("testing_below_ranging_pct", "%", "how far mean power of the testing run lies below that of the ranging run"),
    ("settle_s", "s", "shortest pause before and after the load"),
    ("ambient_min_c", "°C", "lowest inlet temperature in the window"),
    ("load_levels", "1", "graduated load levels, active idle included"),
    ("target_load_error_pct", "%", "largest difference of actual from target load"),
    ("idle_slope_share", "1", "trend of the last two thirds of the idle period, over its limit"),
    ("idle_uncertainty_share", "1", "expanded uncertainty (95 %) of idle power, over its limit by current ratio"),
    ("reading_share_of_core_pct", "%", "interval between readings as a share of the core phase"),
    ("core_phase_s", "s", "length of the core phase"),
    ("core_phase_covered_pct", "%", "share of the core phase that was measured"),
    ("full_run_covered_pct", "%", "share of the whole run that was measured"),
    ("core_means", "1", "means over equal parts of the core phase that are reported"),
    ("core_energy_readings", "1", "readings of integrated energy in the core phase"),
    ("energy_edge_s", "s", "largest distance of first and last energy reading from the ends of the core phase"),
    ("traceable", YES_NO, "every meter has a valid calibration"),
    ("same_run", YES_NO, "throughput and power are of the same run and window"),
    ("fixed_voltage_range", YES_NO, "the voltage range was fixed"),
    ("fixed_current_range", YES_NO, "the current range was fixed"),
    ("accepted_analyzer", YES_NO, "the meter is on the list of accepted analyzers"),
    ("whole_system_at_wall", YES_NO, "all input power of the system is measured on the AC side"),
    ("core_mean_reported", YES_NO, "mean power of the core phase is reported"),
    ("run_mean_reported", YES_NO, "mean power of the whole run is reported"),
    ("idle_reported", YES_NO, "idle power is reported"),
    ("energy_integrated", YES_NO, "the meter integrates energy itself"),
    ("machine_share_l1", YES_NO, "enough of the machine is measured for level 1"),
    ("machine_share_l2", YES_NO, "enough of the machine is measured for level 2"),
    ("whole_machine", YES_NO, "all of the machine is measured"),
    ("subsystems_l1", YES_NO, "compute is measured, interconnect measured or given an upper bound"),
    ("subsystems_l2", YES_NO, "all participating subsystems are measured or given an upper bound"),
    ("subsystems_l3", YES_NO, "all participating subsystems are measured"),
    ("upstream", YES_NO, "the meter sits upstream of power conversion"),
    ("loss_from_vendor", YES_NO, "conversion loss is taken from vendor data"),
    ("loss_of_one_supply", YES_NO, "conversion loss of one power supply was measured"),
    ("loss_measured_along", YES_NO, "conversion loss was measured at the same time"),
    ("revenue_grade", YES_NO, "the meter is of revenue grade"),
)
QUANTITIES: Mapping[str, RuleQuantity] = {row[0]: RuleQuantity(*row) for row in _TABLE}
