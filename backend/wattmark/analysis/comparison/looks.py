"""Tests that are looked at while runs are still added."""

from __future__ import annotations

from typing import Final

from wattmark.analysis.comparison.comparison import Estimate, equivalent

LOOK_SIGNIFICANCE: Final = 0.001
"""Level of every look before the last. It is so strict that the last look keeps its 5 %, however many came before
(Haybittle 1971; Peto et al. 1976)."""


def ends_early(estimate: Estimate, margin: float, pairs: int = 1) -> bool:
    """Return whether a look before the last may end it: a difference is shown, or excluded beyond ``margin`` [1].

    ``pairs`` is how many pairs are looked at together (Bonferroni).
    """
    level = LOOK_SIGNIFICANCE / pairs
    return estimate.p < level or equivalent(estimate, margin, level)
