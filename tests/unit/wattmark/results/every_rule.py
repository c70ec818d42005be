"""What holds for the verdicts of every run: each rule passed, failed or was not checked, and says why."""

from __future__ import annotations

from wattmark.results.ranking_bars import IMPORT, TABLE
from wattmark.results.result import Result

RULES = [bar.rule for bar in TABLE]


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
