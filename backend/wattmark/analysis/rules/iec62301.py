"""Limits on the measured power of an idle server in the manner of IEC 62301 (EN 50564).

Public descriptions of the second edition confirm that a straight line decides on stability (nbn, software PCM), and
that the limit of uncertainty depends on crest factor over power factor, from 10 on (Najumudeen and Kroon, Power Systems
Design, July 2014); the U.S. Department of Energy states 2 % at 95 % for the first edition. The other numbers and the
clauses are unconfirmed: the text of the standard was not at hand. Its third edition (2026) is not followed.
"""

from __future__ import annotations

from wattmark.analysis.rules.rule_set import Rule, RuleSet, required

_SAMPLING = "IEC 62301:2011, 5.3.2, sampling method"
_UNCERTAINTY = "IEC 62301:2011, 4.4.1"
UNCONFIRMED = (
    "What is said of IEC 62301 and of Regulation (EU) 2019/424 was written without their texts at hand: check it "
    "before you cite it."
)

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
    note="The crest factor of the current is not recorded; without it the strictest limit of uncertainty counts. "
    + UNCONFIRMED,
)
