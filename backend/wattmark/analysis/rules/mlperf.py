"""Limits in the manner of MLPerf Power. Keeping them is not an MLPerf result: that needs its daemon and review."""

from __future__ import annotations

from wattmark.analysis.rules.rule_set import Rule, RuleSet, required

_CHECKER = "mlcommons/power-dev c4b3ad82, compliance/check.py"
_FLOW = "mlcommons/power-dev c4b3ad82, ptd_client_server"
_POLICY = "mlcommons/inference_policies ac93e89c, power_measurement.adoc"

MLPERF_POWER = RuleSet(
    name="mlperf-power",
    title="MLPerf-like power rules",
    rules=(
        required("accepted_analyzer", _CHECKER),
        Rule("above_uncertainty_limit_pct", "at most", 0.0, _CHECKER),
        Rule("clock_difference_ms", "at most", 400.0, _FLOW),
        Rule("phase_difference_ms", "at most", 800.0, _CHECKER),
        Rule("testing_below_ranging_pct", "at most", 5.0, _CHECKER),
        Rule("settle_s", "at least", 10.0, _FLOW),
        Rule("sample_interval_s", "at most", 1.0, _FLOW),
        required("fixed_voltage_range", _FLOW),
        required("fixed_current_range", _FLOW),
        required("same_run", _POLICY),
        required("whole_system_at_wall", _POLICY),
    ),
    note=(
        "The checker has no rule on gaps or numbers of samples, and tests power against the ranging run downwards only."
    ),
)
