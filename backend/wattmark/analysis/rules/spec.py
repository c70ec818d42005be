"""Limits in the manner of SPEC CPU 2017 and SPECpower_ssj2008. Keeping them does not make a SPEC result."""

from __future__ import annotations

from wattmark.analysis.rules.rule_set import Rule, RuleSet, required

_HARNESS = "SPEC CPU 2017 harness, power validity constants"
_METHOD = "SPEC Power and Performance Benchmark Methodology V2.2, as quoted by the power analyzer acceptance process"
_SSJ = "SPECpower_ssj2008 run and reporting rules"

SPEC_CPU = RuleSet(
    name="spec-cpu",
    title="SPEC-CPU-like gate",
    rules=(
        Rule("average_uncertainty_pct", "at most", 1.0, _HARNESS),
        Rule("unknown_uncertainty_pct", "at most", 1.0, _HARNESS),
        Rule("above_uncertainty_limit_pct", "at most", 5.0, _HARNESS),
        Rule("bad_samples_pct", "at most", 5.0, _HARNESS),
    ),
    note="Uncertainty is the meter's limit of error per sample, as the harness takes it.",
)
SPEC_CPU_CONDITIONS = RuleSet(
    name="spec-cpu-conditions",
    title="SPEC-CPU-like conditions",
    rules=(
        Rule("ambient_min_c", "at least", 20.0, _HARNESS),
        required("fixed_voltage_range", _HARNESS),
        required("fixed_current_range", _HARNESS),
    ),
)
SPEC_POWER = RuleSet(
    name="specpower",
    title="SPECpower-like rules",
    rules=(
        Rule("average_uncertainty_pct", "at most", 1.0, _METHOD),
        Rule("crest_factor", "at least", 3.0, _METHOD),
        Rule("calibration_age_d", "at most", 365.0, _METHOD),
        required("traceable", _METHOD),
        Rule("sample_interval_s", "at most", 1.0, _METHOD),
        required("fixed_voltage_range", _SSJ),
        required("fixed_current_range", _SSJ),
        Rule("window_s", "at least", 240.0, _SSJ),
        Rule("load_levels", "at least", 11.0, _SSJ),
        Rule("target_load_error_pct", "at most", 2.0, _SSJ),
        Rule("ambient_min_c", "at least", 20.0, _SSJ),
    ),
)
