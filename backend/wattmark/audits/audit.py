"""What was published, recomputed by its own rule and over the complete window, with everything that a checker passes.

One document per submission: it is printed, drawn, and stored when the submission is imported.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from wattmark.core.amounts import Count, Instant, Number
from wattmark.core.schema import Record

KIND, ROW_KIND = "published-audit", "published-audit-row"
"""Kinds of the stored documents: an audit, and its row in a list."""
MOST_POINTS = 2000
"""Points of a drawn trace."""
Severity = Literal["differs", "hides", "notes"]
"""The figure differs from what the log supports; a fault that the publisher's checker lets through; worth knowing."""


class Finding(Record):
    """One thing that was found, with its value and the limit that it is held against."""

    rule: str
    severity: Severity
    value: Number | None = None
    limit: Number | None = None
    unit: str = ""
    text: str
    source: str
    """Who sets the limit, or what it was derived from."""


class Stretch(Record):
    """Readings of one part of a log: how many, and their mean [W]."""

    readings: Count
    mean_w: Number | None


class Gap(Record):
    """A time without readings [s from the start of the window]."""

    begin_s: Number
    end_s: Number


class Trace(Record):
    """Power over time, as drawn: seconds from the start of the window, and watts of all meters."""

    t_s: tuple[Number, ...]
    power_w: tuple[Number, ...]
    thinned: bool = False


class AuditedLevel(Record):
    """One printed load level."""

    target_pct: Number
    throughput: Number
    power_w: Number
    printed_ratio: Number | None
    ratio: Number


class AuditedRun(Record):
    """One run of a submission."""

    id: str
    title: str
    counted: bool = True
    """False: its rule excludes this run from the mean."""
    begin_ns: Instant
    end_ns: Instant
    meters: Count
    by_rule: Number | None
    """The figure of this run by the publisher's rule, in the audit's unit."""
    over_window: Number | None
    """The same over the complete window."""
    refused: str | None = None
    """Why wattmark itself gives no figure for this run."""
    before: Stretch
    inside: Stretch
    after: Stretch
    estimated_w: Number = 0.0
    """Constant power that nobody measured, in both figures [W]."""
    gaps: tuple[Gap, ...] = ()
    findings: tuple[Finding, ...] = ()
    trace: Trace

    @property
    def window_s(self) -> float:
        """Return the length of the window [s]."""
        return (self.end_ns - self.begin_ns) / 1e9

    @property
    def difference_pct(self) -> float | None:
        """Compute how far the publisher's rule lies from the complete window [%]."""
        return difference_pct(self.by_rule, self.over_window)


class AuditHead(Record):
    """A submission with its figure: published, by its own rule, over the complete window."""

    id: Annotated[str, Field(max_length=200)]
    kind: str
    title: str
    submitter: str
    round: str | None
    quantity: str
    """What the figure is, such as "energy to train"."""
    unit: str
    published: Number | None
    """As printed by the publisher; None: it is not known here."""
    by_rule: Number | None
    over_window: Number | None


class Audit(AuditHead):
    """A submission with everything that was found in it."""

    system: str
    benchmark: str
    source: str
    published_source: str | None = None
    rule: str
    """The publisher's rule in one sentence, with its source."""
    window: str
    """What the complete window is, or why there is none."""
    sentence: str
    """What explains the difference."""
    findings: tuple[Finding, ...] = ()
    runs: tuple[AuditedRun, ...] = ()
    levels: tuple[AuditedLevel, ...] = ()
    software: str

    @property
    def round_missing(self) -> bool:
        """Return whether the published figure was not looked up because nothing names the round."""
        return self.kind.startswith("mlperf") and self.round is None and self.published is None

    @property
    def reference(self) -> float | None:
        """Return the published figure, or what its rule gives where the published one is not known."""
        return self.by_rule if self.published is None else self.published

    @property
    def difference_pct(self) -> float | None:
        """Compute how far the published figure lies from the complete window [%]."""
        return difference_pct(self.reference, self.over_window)

    @property
    def all_findings(self) -> list[Finding]:
        """List the findings of the submission and of its runs."""
        return [*self.findings, *(finding for run in self.runs for finding in run.findings)]


class AuditRow(AuditHead):
    """A submission in a list of audits."""

    difference_pct: Number | None
    """How far the published figure, or the rule's, lies from the complete window [%]."""
    runs: Count
    refused_runs: Count
    rules: tuple[str, ...]
    """What was found, but for what is only worth knowing."""


def audit_row(audit: Audit) -> AuditRow:
    """Build the row of an audit."""
    rules = (finding.rule for finding in audit.all_findings if finding.severity != "notes")
    return AuditRow(
        **audit.model_dump(include=set(AuditHead.model_fields)),
        difference_pct=audit.difference_pct,
        runs=len(audit.runs),
        refused_runs=sum(run.refused is not None for run in audit.runs),
        rules=tuple(dict.fromkeys(rules)),
    )


def difference_pct(value: float | None, reference: float | None) -> float | None:
    """Compute (value / reference - 1) in percent; None where one of them is missing."""
    return None if value is None or not reference else 100 * (value / reference - 1)


def drawn(t_s: list[float], power_w: list[float]) -> Trace:
    """Thin a trace to what a figure can show: of every stretch its lowest and its highest reading."""
    if len(t_s) <= MOST_POINTS:
        return Trace(t_s=tuple(t_s), power_w=tuple(power_w))
    width = -(-len(t_s) // (MOST_POINTS // 2))
    chosen: list[int] = []
    for first in range(0, len(t_s), width):
        part = range(first, min(first + width, len(t_s)))
        chosen += sorted({min(part, key=power_w.__getitem__), max(part, key=power_w.__getitem__)})
    return Trace(t_s=tuple(t_s[i] for i in chosen), power_w=tuple(power_w[i] for i in chosen), thinned=True)
