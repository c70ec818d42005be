"""What the files of an MLPerf Power result say for and against it, and what the rule sets want to know of it."""

from __future__ import annotations

from wattmark.exchange.importers.mlperf.judge_log import above_limit_pct, judge_log
from wattmark.exchange.importers.mlperf.judge_session import ACCEPTED_DRIVERS, judge_session, shortfall_pct
from wattmark.exchange.importers.mlperf.judge_work import judge_work
from wattmark.exchange.importers.mlperf.mlperf_evidence import Evidence
from wattmark.runs.record import ImportedVerdict

_AUTO = "auto"


def judge_evidence(evidence: Evidence) -> tuple[ImportedVerdict, ...]:
    """Evaluate everything that the files tell; what is missing is "not-applicable" with its reason."""
    return (*judge_work(evidence), *judge_log(evidence), *judge_session(evidence))


def evidence_facts(evidence: Evidence) -> dict[str, float]:
    """Collect the quantities of the rule sets that only the files tell; what they do not tell is omitted."""
    session = evidence.session
    identity, clocks_s, phases_s = session.identity, session.clock_difference_s, session.phase_difference_s
    counted = evidence.loadgen.queries or evidence.loadgen.work.samples
    facts = {
        "same_run": 1.0 if counted else None,
        "accepted_analyzer": None if identity is None else float(identity.driver in ACCEPTED_DRIVERS),
        "above_uncertainty_limit_pct": above_limit_pct(evidence),
        "clock_difference_ms": None if clocks_s is None else 1e3 * clocks_s,
        "phase_difference_ms": None if phases_s is None else 1e3 * phases_s,
        "testing_below_ranging_pct": shortfall_pct(evidence),
        "settle_s": session.settle_s,
        "fixed_voltage_range": _fixed(session.volt_range),
        "fixed_current_range": _fixed(session.amp_range),
    }
    return {name: value for name, value in facts.items() if value is not None}


def _fixed(asked: str | None) -> float | None:
    return None if asked is None else float(asked.lower() != _AUTO)
