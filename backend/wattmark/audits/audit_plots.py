"""Figures of an audit for a paper: all submissions side by side, and the trace of one run."""

from __future__ import annotations

from collections.abc import Sequence

from wattmark.audits.audit import Audit, AuditedRun
from wattmark.reports.figures.plot import Plot, PlotSeries


def audits_plot(audits: Sequence[Audit]) -> Plot:
    """Build the plot of how far each published figure lies from the complete window [%]."""
    recomputed = [(audit, off) for audit in audits if (off := audit.difference_pct) is not None]
    ordered = sorted(recomputed, key=lambda pair: pair[1])
    series = PlotSeries(
        "published against the complete window",
        "points",
        tuple(off for _, off in ordered),
        tuple(float(index) for index in range(len(ordered))),
        values=tuple(f"{off:+.1f} %" for _, off in ordered),
    )
    without = len(audits) - len(recomputed)
    missing = f" {without} submissions have no readings to cut." if without else ""
    return Plot(
        "published-audit",
        "Published figures against the same readings over the complete window",
        "Difference [%]",
        "",
        (series,) if ordered else (),
        f"Below 0: published lower than measured over the timed part.{missing}",
        names=tuple(audit.title for audit, _ in ordered),
    )


def run_plot(audit: Audit, run: AuditedRun) -> Plot:
    """Build the plot of one run: power over time, with the window shaded."""
    return Plot(
        "published-audit-run",
        f"{audit.title}, run {run.title}",
        "Time from the start of the window [s]",
        "Power [W]",
        (PlotSeries("power as logged", "line", run.trace.t_s, run.trace.power_w, power=True),),
        audit.sentence,
        span=(0.0, run.window_s),
    )
