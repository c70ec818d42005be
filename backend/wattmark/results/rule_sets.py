"""Verdicts by the rule sets of others (SPEC CPU, MLPerf, EE HPC, IEC 62301), from known quantities only."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from wattmark.analysis.comparison.specpower import TARGET_TOLERANCE_PCT
from wattmark.analysis.efficiency.facts import run_facts
from wattmark.analysis.efficiency.run import RunAnalysis
from wattmark.analysis.efficiency.window import Window
from wattmark.analysis.energy.calibrated import LostCertificate
from wattmark.analysis.energy.idle_state import slope_share, uncertainty_limit_w
from wattmark.analysis.energy.power import PowerAnalysis, joined_samples
from wattmark.analysis.refusal import Refused
from wattmark.analysis.rules import EEHPC_LEVELS, IDLE_POWER, MLPERF_POWER, SPEC_CPU
from wattmark.analysis.rules.rule_set import Judgement, Level, RuleSetOutcome, judge, level
from wattmark.analysis.verdict import Outcome, Verdict, at_most, not_checked
from wattmark.core.numbers import format_number
from wattmark.results.loaded import LoadedRun
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.record import MeterRecord, RunRecord

EEHPC = "eehpc"
IDLE_RULES = IDLE_POWER.name
TOO_UNCERTAIN = "above_uncertainty_limit_pct"
TARGET_LOAD = "target-load"
JITTER = 0.01
"""Share of a sampling interval by which stamps scatter without making it another interval."""


def rule_set_verdicts(loaded: LoadedRun, analysis: RunAnalysis) -> tuple[Verdict, ...]:
    """Evaluate a run by the SPEC-CPU-like gate, the MLPerf-like rules and the levels of the EE HPC working group.

    A share of a calibrated maximum is held against its target too, and active idle against the rules of idle power.
    A rule whose quantity is not known is never counted as kept: the set is then "not-checked" unless another of
    its rules fails. Keeping the rules makes no result of those bodies.
    """
    facts = known_facts(loaded, analysis)
    spec, mlperf, eehpc = judge(SPEC_CPU, facts), judge(MLPERF_POWER, facts), level(EEHPC_LEVELS, facts)
    task = loaded.run.disclosure.task.task
    idle = (_set_verdict(judge(IDLE_POWER, facts | _idle_facts(loaded.run, analysis))),) if task == "idle" else ()
    target = (target_load(loaded.run, analysis),) if task == "share" else ()
    return _set_verdict(spec), _set_verdict(mlperf), _level_verdict(eehpc), *idle, *target


def asked_rate(run: RunRecord) -> float | None:
    """Return the rate of work that was asked for [unit/s]; None where the level of the run is no rate."""
    workload, level = run.disclosure.workload, run.disclosure.task.level
    declared = None if workload is None else workload.declaration.get("level")
    asks_per_s = declared.get("asks_per_s") if isinstance(declared, dict) else None
    return None if level is None or not isinstance(asks_per_s, int | float) else level * asks_per_s


def target_load(run: RunRecord, analysis: RunAnalysis) -> Verdict:
    """Hold the throughput of a share of the calibrated maximum against the rate that was asked for [% of it]."""
    asked, throughput = asked_rate(run), analysis.work.throughput
    if asked is None or throughput is None:
        text = "The rate that was asked for, or the throughput, is not known."
        return not_checked(TARGET_LOAD, TARGET_TOLERANCE_PCT, "%", text)
    off_pct = 100 * (throughput.value / asked - 1)
    text = (
        f"{format_number(throughput.value, 4)} {run.unit}/s were done of {format_number(asked, 4)} asked for "
        f"({off_pct:+.2f} %); SPECpower_ssj2008 allows {TARGET_TOLERANCE_PCT:g} %."
    )
    return at_most(TARGET_LOAD, off_pct, TARGET_TOLERANCE_PCT, "%", text)


def _idle_facts(run: RunRecord, analysis: RunAnalysis) -> dict[str, float]:
    """Return trend and expanded uncertainty of an idle server over their limits; what is not known is excluded."""
    power, window = analysis.power, analysis.window
    if power is None or window is None:
        return {}
    facts: dict[str, float] = {}
    with suppress(Refused):
        facts["idle_slope_share"] = slope_share(*joined_samples(power.meters, window.duration_s), window.duration_s)
    if power.mean.complete:
        ratio = run.facts.get("current_ratio")
        share = power.mean.expanded_u / uncertainty_limit_w(power.mean.value, ratio)
        # a limit that does not know the current ratio is the strictest: beyond it nothing is known
        if ratio is not None or share <= 1:
            facts["idle_uncertainty_share"] = share
    return facts


def known_facts(loaded: LoadedRun, analysis: RunAnalysis) -> dict[str, float]:
    """Collect the quantities that the rule sets require, by name; unknown ones are excluded.

    Fixed ranges and the accepted list are known only where an imported result's files name them; but a simulator is
    not on any list. The calibration is known where certificates corrected every meter. Of facts both in the files and
    from the analysis (samples that are too uncertain), the less favourable to the run counts.
    """
    if analysis.window is None or analysis.power is None:
        return {}
    run = loaded.run
    computed = {
        **run_facts(analysis, loaded.input.power),
        "sample_interval_s": _interval_s(loaded.meters, analysis.power.period_s),
        **_core_facts(run, analysis.window, analysis.power.period_s),
        **_meter_facts(loaded.meters),
        **_node_facts(run, loaded.meters),
        **_calibration_facts(analysis.power),
        **_pause_facts(run),
    }
    share = max(run.facts.get(TOO_UNCERTAIN, 0.0), computed.get(TOO_UNCERTAIN, 0.0))
    worse = {TOO_UNCERTAIN: share} if TOO_UNCERTAIN in run.facts else {}
    return {**run.facts, **computed, **worse}


def _interval_s(meters: Sequence[MeterRecord], seen_s: float) -> float:
    """Return the declared sampling interval where the stamps differ by jitter only, else that of the stamps [s]."""
    declared_s = max((m.period_s for m in meters), default=seen_s)
    return declared_s if abs(seen_s - declared_s) <= JITTER * declared_s else seen_s


def _core_facts(run: RunRecord, window: Window, period_s: float) -> dict[str, float]:
    """Return the facts about the core phase of EE HPC, which is the marked work; results report its mean power."""
    facts = {"core_mean_reported": 1.0}
    if run.window_begin_ns is None or run.window_end_ns is None or run.window_end_ns <= run.window_begin_ns:
        return facts
    core_ns = run.window_end_ns - run.window_begin_ns
    covered_ns = min(run.window_end_ns, window.end_ns) - max(run.window_begin_ns, window.begin_ns)
    return {
        **facts,
        "core_phase_s": core_ns * 1e-9,
        "core_phase_covered_pct": 100 * (max(covered_ns, 0) / core_ns),
        "reading_share_of_core_pct": 100 * period_s / (core_ns * 1e-9),
    }


def _meter_facts(meters: Sequence[MeterRecord]) -> dict[str, float]:
    """Return where the meters measure. Of a BMC that is not known."""
    facts = {"accepted_analyzer": 0.0} if any(m.simulated for m in meters) else {}
    if all(m.role == "wall" for m in meters):
        facts["upstream"] = 1.0
        if not any(m.partial for m in meters):
            facts["whole_system_at_wall"] = 1.0
    return facts


def _node_facts(run: RunRecord, meters: Sequence[MeterRecord]) -> dict[str, float]:
    """Return what EE HPC asks of machine and subsystems, where a program ran on one node that is measured whole.

    What feeds a node feeds its processors, memory, drives and network ports, and no other node takes part. A meter
    samples inside at least as often as it reports.
    """
    workload = run.disclosure.workload
    whole = "whole_system_at_wall" in _meter_facts(meters)
    if workload is None or not workload.one_node or not whole or run.disclosure.together is not None:
        return {}
    machine = ("machine_share_l1", "machine_share_l2", "whole_machine")
    subsystems = ("subsystems_l1", "subsystems_l2", "subsystems_l3")
    facts = dict.fromkeys((*machine, *subsystems), 1.0)
    if any(phase.name == PhaseName.IDLE for phase in run.phases):
        facts["idle_reported"] = 1.0
    slowest_s = max(meter.period_s for meter in meters)
    return {**facts, "internal_rate_hz": 1 / slowest_s} if slowest_s <= 1 else facts


def _calibration_facts(power: PowerAnalysis) -> dict[str, float]:
    """Return the age of the oldest calibration in use [d]; empty where a meter has none in force."""
    used = [m.calibrated for m in power.meters if m.calibrated is not None and m.calibrated.corrected is not None]
    if not used or len(used) < len(power.meters):
        return {}
    dated = [(calibrated.calibration.as_of.date(), calibrated.calibration.certificate) for calibrated in used]
    ages = [
        (day - certificate.calibrated_on).days
        for day, certificate in dated
        if not isinstance(certificate, LostCertificate)
    ]
    overridden = any(calibrated.corrected is not None and calibrated.corrected.overridden for calibrated in used)
    return {"calibration_age_d": float(max(ages)), **({} if overridden else {"traceable": 1.0})}


def _pause_facts(run: RunRecord) -> dict[str, float]:
    """Return the shorter of the pauses before and after the load, where both were recorded [s]."""
    lengths = {p.name: (p.end_ns - p.begin_ns) * 1e-9 for p in run.phases if p.end_ns is not None}
    pauses = [lengths[name] for name in (PhaseName.IDLE, PhaseName.COOL_DOWN) if name in lengths]
    return {"settle_s": min(pauses)} if len(pauses) == 2 else {}


def _set_verdict(judged: RuleSetOutcome) -> Verdict:
    outcome: Outcome = "pass" if judged.met else "fail" if judged.met is False else "not-checked"
    passed = sum(j.verdict.outcome == "pass" for j in judged.judgements)
    title = judged.rule_set.title
    if judged.met:
        text = f"{title}: all {passed} rules are kept."
    else:
        text = f"{title}: {passed} of {len(judged.judgements)} rules are kept. {_open(judged.missing)}"
    return Verdict(
        rule=judged.rule_set.name,
        value=float(passed) if judged.met is not None else None,
        limit=float(len(judged.judgements)),
        unit="rules",
        outcome=outcome,
        text=text,
    )


def _level_verdict(reached_level: Level) -> Verdict:
    """Return the EE HPC level reached and what is missing for the next."""
    reached = EEHPC_LEVELS.index(reached_level.met) + 1 if reached_level.met else 0
    failed = any(j.verdict.outcome == "fail" for j in reached_level.missing)
    outcome: Outcome = "pass" if reached else "fail" if failed else "not-checked"
    if reached_level.met is None and not failed:
        text = f"Whether this run meets {EEHPC_LEVELS[0].title} is not known. {_open(reached_level.missing)}"
    elif reached_level.next is None:
        text = reached_level.text
    else:
        met = reached_level.met.title if reached_level.met else "no EE HPC level"
        text = f"This run meets {met}. For {reached_level.next.title}: {_open(reached_level.missing)}"
    value = float(reached) if outcome != "not-checked" else None
    return Verdict(rule=EEHPC, value=value, limit=None, unit="level", outcome=outcome, text=text)


def _open(missing: Sequence[Judgement]) -> str:
    """List the failed rules with their values, then those that could not be judged."""
    failed = [_lower(j.verdict.text) for j in missing if j.verdict.outcome == "fail"]
    unknown = [j.rule.text for j in missing if j.verdict.outcome == "not-checked"]
    parts = [f"Not kept: {'; '.join(failed)}."] if failed else []
    parts += [f"Not known: {'; '.join(unknown)}."] if unknown else []
    return " ".join(parts)


def _lower(text: str) -> str:
    return text[0].lower() + text[1:].removesuffix(".")
