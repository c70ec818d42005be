"""A named rule with its value, its limit and its outcome."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Outcome = Literal["pass", "fail", "not-applicable"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Outcome of one rule; ``value`` and ``limit`` are in ``unit``, None where they do not exist."""

    rule: str
    value: float | None
    limit: float | None
    unit: str
    outcome: Outcome
    text: str


def at_most(rule: str, value: float, limit: float, unit: str, text: str) -> Verdict:
    """Evaluate |value| <= limit."""
    return Verdict(rule, value, limit, unit, "pass" if abs(value) <= limit else "fail", text)


def not_applicable(rule: str, limit: float | None, unit: str, text: str) -> Verdict:
    """Return a verdict "not applicable" with its reason."""
    return Verdict(rule, None, limit, unit, "not-applicable", text)
