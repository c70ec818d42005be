"""How a rule on an imported result's files becomes a verdict."""

from __future__ import annotations

from wattmark.runs.record import ImportedVerdict

CHECKER = "mlcommons/power-dev c4b3ad82, compliance/check.py"
SURVEY = "161 published results of MLPerf Inference v1.0, v4.1 and v5.1"


def at_most(
    rule: str, value: float, limit: float, unit: str, text: str, source: str, *, contradiction: bool = False
) -> ImportedVerdict:
    """Evaluate |value| <= limit; ``contradiction``: beyond it, the files deny each other."""
    return _judged(rule, value, limit, unit, text, source, abs(value) <= limit, contradiction)


def at_least(rule: str, value: float, limit: float, unit: str, text: str, source: str) -> ImportedVerdict:
    """Evaluate value >= limit."""
    return _judged(rule, value, limit, unit, text, source, value >= limit, contradiction=False)


def not_told(rule: str, limit: float | None, unit: str, text: str, source: str) -> ImportedVerdict:
    """Explain which file or entry is missing, so that the rule cannot be judged."""
    return ImportedVerdict(
        rule=rule, value=None, limit=limit, unit=unit, outcome="not-checked", text=text, source=source
    )


def _judged(
    rule: str, value: float, limit: float, unit: str, text: str, source: str, passed: bool, contradiction: bool
) -> ImportedVerdict:
    return ImportedVerdict(
        rule=rule,
        value=value,
        limit=limit,
        unit=unit,
        outcome="pass" if passed else "fail",
        text=text,
        source=source,
        contradicts=contradiction and not passed,
    )
