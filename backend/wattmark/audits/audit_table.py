"""The table of an audit for a paper: a row per submission, or per run of one submission."""

from __future__ import annotations

from collections.abc import Sequence

from wattmark.audits.audit import Audit, AuditedRun, Finding
from wattmark.tables.table import Cell, Column, LayoutColumn, Table

_SUBMISSIONS = (
    Column("submission", "Submission"),
    Column("submitter", "Submitter", for_people=False),
    Column("round", "Round", for_people=False),
    Column("quantity", "Quantity"),
    Column("published", "Published", unit_from="unit", kind="number", digits=9),
    Column("by_rule", "By its rule", unit_from="unit", kind="number", digits=8),
    Column("over_window", "Over the complete window", unit_from="unit", kind="number", digits=8),
    Column("unit", "Unit"),
    Column("difference_pct", "Published against window", "%", "number", digits=3),
    Column("runs", "Runs", kind="integer"),
    Column("refused_runs", "Runs without a figure here", kind="integer"),
    Column("findings", "Findings"),
    Column("sentence", "Explanation", for_people=False),
    Column("published_source", "Source of the published figure", for_people=False),
    Column("source", "Files", for_people=False),
)
_RUNS = (
    Column("run", "Run"),
    Column("counted", "In the mean", kind="flag"),
    Column("window_s", "Window", "s", "number", digits=6),
    Column("by_rule", "By its rule", unit_from="unit", kind="number", digits=8),
    Column("over_window", "Over the complete window", unit_from="unit", kind="number", digits=8),
    Column("unit", "Unit"),
    Column("difference_pct", "Rule against window", "%", "number", digits=3),
    Column("readings_before", "Readings before", kind="integer"),
    Column("mean_before_w", "Mean before", "W", "number", digits=4),
    Column("readings_inside", "Readings inside", kind="integer"),
    Column("mean_inside_w", "Mean inside", "W", "number", digits=4),
    Column("readings_after", "Readings after", kind="integer"),
    Column("mean_after_w", "Mean after", "W", "number", digits=4),
    Column("gaps", "Silences", kind="integer"),
    Column("estimated_w", "Estimated, not measured", "W", "number", digits=6),
    Column("findings", "Findings"),
    Column("run_id", "Run ID", for_people=False),
)
_PAPER = (
    LayoutColumn("submission"),
    LayoutColumn("published"),
    LayoutColumn("by_rule"),
    LayoutColumn("over_window"),
    LayoutColumn("unit", if_varies=True),
    LayoutColumn("difference_pct"),
    LayoutColumn("findings"),
)


def audits_table(audits: Sequence[Audit]) -> Table:
    """Build the table of submissions: published, by the rule, over the complete window."""
    return Table(
        "published-audit",
        "Published figures, recomputed from their own logs",
        _SUBMISSIONS,
        tuple(_submission(audit) for audit in audits),
        layout=_PAPER,
        footnotes=tuple(_explained(audits)),
        statements=tuple(f"{audit.title}: {audit.sentence}" for audit in audits),
        methods=tuple(dict.fromkeys(pair for audit in audits for pair in _methods(audit))),
    )


def runs_table(audit: Audit) -> Table:
    """Build the table of the runs of one submission."""
    return Table(
        "published-audit-runs",
        f"Runs of {audit.title}",
        _RUNS,
        tuple(_run(audit, run) for run in audit.runs),
        footnotes=(audit.sentence, *_explained([audit])),
        methods=tuple(_methods(audit)),
    )


def _methods(audit: Audit) -> list[tuple[str, str]]:
    return [("By its rule", audit.rule), ("Over the complete window", audit.window)]


def _submission(audit: Audit) -> tuple[Cell, ...]:
    return (
        audit.title,
        audit.submitter,
        audit.round,
        audit.quantity,
        audit.published,
        audit.by_rule,
        audit.over_window,
        audit.unit,
        audit.difference_pct,
        len(audit.runs) or None,
        sum(run.refused is not None for run in audit.runs) if audit.runs else None,
        _rules(audit.all_findings),
        audit.sentence,
        audit.published_source,
        audit.source,
    )


def _run(audit: Audit, run: AuditedRun) -> tuple[Cell, ...]:
    return (
        run.title,
        run.counted,
        run.window_s,
        run.by_rule,
        run.over_window,
        audit.unit,
        run.difference_pct,
        run.before.readings,
        run.before.mean_w,
        run.inside.readings,
        run.inside.mean_w,
        run.after.readings,
        run.after.mean_w,
        len(run.gaps),
        run.estimated_w or None,
        _rules(run.findings),
        run.id,
    )


def _rules(findings: Sequence[Finding]) -> str:
    return ", ".join(dict.fromkeys(finding.rule for finding in findings if finding.severity != "notes"))


def _explained(audits: Sequence[Audit]) -> list[str]:
    """List the findings of submissions in words, or those of the runs where it has none."""
    texts = [
        f"{audit.title}, {finding.rule}: {finding.text}"
        for audit in audits
        for finding in audit.findings
        if finding.severity != "notes"
    ]
    return list(dict.fromkeys(texts))
