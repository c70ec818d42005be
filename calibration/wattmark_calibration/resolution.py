"""Uncertainty from the last digit of an indication or a register."""

from __future__ import annotations

import math


def resolution_uncertainty(step: float) -> float:
    """Compute step/sqrt(12), the standard uncertainty of one rounded indication (JCGM 100 F.2.2.1) [unit of step]."""
    return step / math.sqrt(12.0)


def counter_uncertainty(step: float) -> float:
    """Compute step/sqrt(6), the standard uncertainty of the difference of two rounded readings [unit of step]."""
    return step / math.sqrt(6.0)
