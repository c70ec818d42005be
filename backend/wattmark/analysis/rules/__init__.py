"""Rule sets as data: the requirements on a power measurement, with their sources."""

from __future__ import annotations

from collections.abc import Mapping

from wattmark.analysis.rules.eehpc import EEHPC_LEVELS
from wattmark.analysis.rules.iec62301 import IDLE_POWER
from wattmark.analysis.rules.mlperf import MLPERF_POWER
from wattmark.analysis.rules.rule_set import RuleSet
from wattmark.analysis.rules.spec import SPEC_CPU, SPEC_CPU_CONDITIONS, SPEC_POWER
from wattmark.analysis.rules.wattmark import WATTMARK

RULE_SETS: Mapping[str, RuleSet] = {
    rule_set.name: rule_set
    for rule_set in (WATTMARK, SPEC_CPU, SPEC_CPU_CONDITIONS, SPEC_POWER, MLPERF_POWER, IDLE_POWER, *EEHPC_LEVELS)
}
"""Every built-in rule set by its name."""

__all__ = [
    "EEHPC_LEVELS",
    "IDLE_POWER",
    "MLPERF_POWER",
    "RULE_SETS",
    "SPEC_CPU",
    "SPEC_CPU_CONDITIONS",
    "SPEC_POWER",
    "WATTMARK",
]
