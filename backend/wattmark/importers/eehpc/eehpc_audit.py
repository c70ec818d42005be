"""The audit of an HPL run: performance per watt as published, by level 3 of EE HPC, over the whole core phase."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from wattmark.analysis.efficiency.window import COMPLETE, EEHPC_L2, EEHPC_L3, WindowRule
from wattmark.analysis.refusal import Refused
from wattmark.analysis.rules import EEHPC_LEVELS
from wattmark.analysis.rules.rule_set import Level, level
from wattmark.audits.audit import Audit, AuditedRun, Finding, Stretch, difference_pct, drawn
from wattmark.audits.each import each_audit
from wattmark.audits.findings import printed_finding
from wattmark.core.numbers import format_number
from wattmark.core.version import version
from wattmark.importers.eehpc.hpl_power import mean_power_w, run_facts, total_power
from wattmark.importers.eehpc.hpl_run import HplRun, find_folders, read_run
from wattmark.importers.importer import Choices

UNIT = "GFLOPS/W"
METHODOLOGY = "EEHPCWG Power Measurement Methodology, text of 2024-11-08"
RULE = (
    f"HPL's Gflops over the energy from the first to the last reading inside the core phase ({METHODOLOGY}, level 3)."
)
WINDOW = "The same counters from begin to end of the core phase, interpolated at both edges."
_ROUNDING = 0.0005
"""The summary prints three decimals."""
_DIFFERENCE_PCT = 1.0


def audit_eehpc(root: Path, choices: Choices) -> Iterator[Audit]:
    """Audit every run of a tree. Raises `InputError` after the others where one cannot be read."""
    return each_audit(find_folders(root), lambda folder: [audit_run(read_run(folder, choices.zone))])


def audit_run(run: HplRun) -> Audit:
    """Audit one run."""
    by_rule, over_window = _efficiency(run, EEHPC_L3), _efficiency(run, COMPLETE)
    audited = _audited(run, by_rule, over_window)
    return Audit(
        id=run.id,
        kind="eehpc",
        title=f"HPL on {run.folder.source}",
        submitter=run.folder.path.parent.name,
        round=None,
        system=run.folder.path.name,
        benchmark="HPL",
        source=run.folder.source,
        quantity="performance per watt",
        unit=UNIT,
        published=run.summary.published,
        published_source=f"{run.folder.where}/summary.txt" if run.summary.published is not None else None,
        by_rule=by_rule,
        rule=RULE,
        over_window=over_window,
        window=WINDOW,
        sentence=_sentence(run, by_rule, over_window),
        findings=tuple(_findings(run, by_rule, over_window)),
        runs=(audited,),
        software=version(),
    )


def _efficiency(run: HplRun, rule: WindowRule) -> float | None:
    try:
        return run.hpl.gflops / mean_power_w(run, rule)
    except (Refused, ZeroDivisionError):
        return None


def _audited(run: HplRun, by_rule: float | None, over_window: float | None) -> AuditedRun:
    refused = None
    try:
        mean_power_w(run, COMPLETE)
    except Refused as reason:
        refused = str(reason)
    total = total_power(run)
    before, after = total.t_s <= 0, total.t_s > run.duration_s
    return AuditedRun(
        id=run.id,
        title=f"N = {run.hpl.order}",
        begin_ns=run.begin_ns,
        end_ns=run.end_ns,
        meters=len(run.counters),
        by_rule=by_rule,
        over_window=over_window,
        refused=refused,
        before=_stretch(total.power_w[before]),
        inside=_stretch(total.power_w[~before & ~after]),
        after=_stretch(total.power_w[after]),
        trace=drawn(total.t_s.tolist(), total.power_w.tolist()),
    )


def _stretch(power_w: np.ndarray) -> Stretch:
    return Stretch(readings=len(power_w), mean_w=float(power_w.mean()) if len(power_w) else None)


def _sentence(run: HplRun, by_rule: float | None, over_window: float | None) -> str:
    off = difference_pct(by_rule, over_window)
    if off is None:
        return "The counters give no energy of the core phase."
    facts = run_facts(run)
    return (
        "Level 3 counts from the first to the last reading, which lie up to "
        f"{format_number(facts['energy_edge_s'], 3)} s inside the "
        f"core phase of {run.duration_s:g} s; its figure lies {off:+.3f} % from that over the whole core phase."
    )


def _findings(run: HplRun, by_rule: float | None, over_window: float | None) -> Iterator[Finding]:
    published, off = run.summary.published, difference_pct(by_rule, over_window)
    if published is not None and by_rule is not None:
        text = f"Published are {published:g} {UNIT}; the counters give {format_number(by_rule, 5)} by level 3."
        limit_pct = 100 * _ROUNDING / by_rule
        if finding := printed_finding(published, by_rule, limit_pct, text, "half of the last digit printed"):
            yield finding
    if off is not None and abs(off) > _DIFFERENCE_PCT:
        yield Finding(
            rule="window",
            severity="differs",
            value=off,
            limit=_DIFFERENCE_PCT,
            unit="%",
            text=f"Level 3 lies {off:+.2f} % from the whole core phase.",
            source=f"{_DIFFERENCE_PCT:g} %",
        )
    if not run.hpl.passed:
        yield Finding(
            rule="residual",
            severity="hides",
            text="HPL's residual check failed or is not in its output.",
            source="HPL",
        )
    judged = level(EEHPC_LEVELS, _facts(run))
    by_level = [("1 and 2", _efficiency(run, EEHPC_L2)), ("3", by_rule)]
    figures = ", ".join(
        f"level {name} {format_number(value, 5)} {UNIT}" for name, value in by_level if value is not None
    )
    yield Finding(
        rule="eehpc-level",
        severity="notes",
        value=float(EEHPC_LEVELS.index(judged.met) + 1) if judged.met else None,
        unit="level",
        text=f"By the rules of each level the counters give: {figures}. {_level_text(judged)}",
        source=METHODOLOGY,
    )


def _level_text(judged: Level) -> str:
    """Describe the level reached; a requirement that the files leave open is neither met nor broken."""
    if judged.met is not None or any(each.verdict.outcome == "fail" for each in judged.missing):
        return judged.text
    unknown = "; ".join(each.rule.text for each in judged.missing)
    return f"Whether the run meets {EEHPC_LEVELS[0].title} is not known, as the files do not tell: {unknown}."


def _facts(run: HplRun) -> dict[str, float]:
    """Add what is known of the core phase itself: it was measured all through where level 3's edges are met."""
    period_s = max(counter.period_s for counter in run.counters)
    return run_facts(run) | {
        "core_phase_s": run.duration_s,
        "core_phase_covered_pct": 100.0,
        "reading_share_of_core_pct": 100 * period_s / run.duration_s,
        "core_mean_reported": 1.0,
        "upstream": 1.0,
    }
