"""Rule sets as data: who demands what of a power measurement, with sources."""

from __future__ import annotations

from collections.abc import Mapping

from wattmark.analysis.rule_set import RuleSet
from wattmark.analysis.rules.eehpc import EEHPC_LEVELS
from wattmark.analysis.rules.mlperf import MLPERF_POWER
from wattmark.analysis.rules.spec import SPEC_CPU, SPEC_CPU_CONDITIONS, SPEC_POWER
from wattmark.analysis.rules.wattmark import WATTMARK

RULE_SETS: Mapping[str, RuleSet] = {
    one.name: one for one in (WATTMARK, SPEC_CPU, SPEC_CPU_CONDITIONS, SPEC_POWER, MLPERF_POWER, *EEHPC_LEVELS)
}
"""Every built-in rule set by its name."""

__all__ = ["EEHPC_LEVELS", "MLPERF_POWER", "RULE_SETS", "SPEC_CPU", "SPEC_CPU_CONDITIONS", "SPEC_POWER", "WATTMARK"]
