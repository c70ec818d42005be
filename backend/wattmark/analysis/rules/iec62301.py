"""Limits on the measured power of an idle server in the manner of IEC 62301 (EN 50564)."""

from __future__ import annotations

from wattmark.analysis.rules.rule_set import Rule, RuleSet, required

_SAMPLING = "IEC 62301:2011, 5.3.2, sampling method"
_UNCERTAINTY = "IEC 62301:2011, 4.4.1"

IDLE_POWER = RuleSet(
    name="iec-62301",
    title="IEC-62301-like idle power",
    rules=(
        Rule("window_s", "at least", 900.0, _SAMPLING),
        Rule("sample_interval_s", "at most", 1.0, _SAMPLING),
        Rule("idle_slope_share", "at most", 1.0, _SAMPLING),
        Rule("idle_uncertainty_share", "at most", 1.0, _UNCERTAINTY),
        required("whole_system_at_wall", "Regulation (EU) 2019/424: power of the server in its idle state"),
    ),
    note="The crest factor of the current is not recorded; without it the strictest limit of uncertainty counts.",
)
