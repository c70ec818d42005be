"""Findings that audits of several kinds share, and a finding as the evidence that an imported run carries."""

from __future__ import annotations

from wattmark.audits.audit import Finding, Severity, difference_pct
from wattmark.runs.record import ImportedVerdict

_PREFIX = "import-"


def finding_of(verdict: ImportedVerdict, severity: Severity) -> Finding:
    """Return a rule that an imported log broke as a finding."""
    return Finding(
        rule=verdict.rule.removeprefix(_PREFIX),
        severity=severity,
        value=verdict.value,
        limit=verdict.limit,
        unit=verdict.unit,
        text=verdict.text,
        source=verdict.source,
    )


def evidence_of(finding: Finding) -> ImportedVerdict:
    """Return a finding as the broken rule of an imported run."""
    return ImportedVerdict(
        rule=f"{_PREFIX}{finding.rule}",
        value=finding.value,
        limit=finding.limit,
        unit=finding.unit,
        outcome="fail",
        text=finding.text,
        source=finding.source,
    )


def count_finding(rule: str, count: int, unit: str, text: str, source: str, limit: float = 0.0) -> Finding:
    """Return a finding of things that a checker lets through, counted."""
    return Finding(rule=rule, severity="hides", value=float(count), limit=limit, unit=unit, text=text, source=source)


def printed_finding(printed: float, by_rule: float, most_pct: float, text: str, source: str) -> Finding | None:
    """Return a finding where a printed figure lies further than ``most_pct`` from what its rule gives; else None."""
    off = difference_pct(printed, by_rule)
    if off is None or abs(off) <= most_pct:
        return None
    return Finding(
        rule="published-figure", severity="differs", value=off, limit=most_pct, unit="%", text=text, source=source
    )
