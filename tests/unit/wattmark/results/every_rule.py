"""What holds for the verdicts of every run: each rule passed, failed or was not checked, and says why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wattmark.results.ranking_bars import IMPORT, TABLE
from wattmark.results.result import Result

from ..conftest import BEGIN_NS

RULES = [bar.rule for bar in TABLE]
COMMAND = {"declaration": {"command": ["openssl", "speed"], "hook": None}}
_EXCHANGES = [[BEGIN_NS + k * 10**10 + ms * 10**6 for ms in (0, 1, 1, 2)] for k in range(6)]
_LISTED = {"share_pct": 0.5, "unseen_pct": 0.1, "over_s": 100.5, "cpus": 2}
WAYS: Mapping[str, dict[str, Any]] = {
    "local": {
        "workload": COMMAND,
        "clock": {"remark": "The same clock stamps the load and the readings."},
        "window": {"load_cpu_share_pct": 99.0, "clock_step_s": 0.0},
        "host": {"wattmark": "0.1.0"},
    },
    "ssh": {"workload": COMMAND, "clock": {"exchanges": _EXCHANGES}, "other_programs": _LISTED},
    "ssh without an answer": {"workload": COMMAND, "clock": {"problem": "The server does not answer."}},
    "http hook": {
        "workload": {"declaration": {"command": [], "hook": {"begin": {}}}},
        "other_programs": _LISTED,
    },
    "started from outside": {
        "workload": {"declaration": {"command": [], "hook": None}},
        "other_programs": _LISTED,
    },
    "group of servers": {
        "workload": COMMAND,
        "together": {"barrier": "b", "target_s": 0.01, "start_ns": BEGIN_NS, "spread_s": 0.004, "u_s": 0.001},
    },
    "alone": {"workload": COMMAND},
}
"""What a run discloses of how its load was run."""


def assert_every_rule(result: Result, *, imported: bool = False) -> dict[str, set[str]]:
    """Check that no rule is absent and each verdict has its words; return the outcomes by rule."""
    outcomes: dict[str, set[str]] = {}
    for verdict in result.verdicts:
        outcomes.setdefault(verdict.rule, set()).add(verdict.outcome)
        assert verdict.outcome in ("pass", "fail", "not-checked")
        assert len(verdict.text.split()) > 2, (verdict.rule, verdict.text)
        assert verdict.text == verdict.text.strip()
    assert not set(RULES) - outcomes.keys(), "rules without a verdict"
    beyond = outcomes.keys() - set(RULES)
    assert all(rule.startswith(IMPORT) for rule in beyond), "verdicts of rules that no table names"
    assert bool(beyond) <= imported
    return outcomes
