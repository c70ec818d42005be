"""The rules of wattmark that a run must keep before its power counts as full-load power with an uncertainty."""

from __future__ import annotations

from wattmark.analysis.rules.rule_set import Rule, RuleSet, required
from wattmark.analysis.verdict import Limits

_LIMITS = Limits()
_STEADY = "method, steady state: Theil-Sen drift, halves, blocks, change points, effective samples"
_WINDOW = "method, windows and gaps"

WATTMARK = RuleSet(
    name="wattmark",
    title="wattmark's own rules",
    rules=(
        required("same_run", "method, rule 2: throughput and power of the same run and window"),
        Rule("window_s", "at least", _LIMITS.short_window_s, _WINDOW),
        Rule("gaps_pct", "at most", _LIMITS.gap_share_pct, _WINDOW),
        Rule("bad_samples_pct", "at most", _LIMITS.bad_samples_pct, "SPEC CPU 2017 harness, power validity constants"),
        Rule("n_eff", "at least", _LIMITS.n_eff, _STEADY),
        Rule("drift_pct", "at most", _LIMITS.drift_pct, _STEADY),
        Rule("half_split_pct", "at most", _LIMITS.half_split_pct, _STEADY),
        Rule("block_cv_pct", "at most", _LIMITS.block_cv_pct, _STEADY),
        Rule("change_point_pct", "at most", _LIMITS.change_point_pct, _STEADY),
        Rule("repeats", "at least", 3.0, "method, repeats: three whole runs, five preferred"),
        required("traceable", "method, rule 10: no valid calibration is labelled not traceable"),
    ),
)
