"""Disagreement of other sources of power with a result, from its verdicts."""

from __future__ import annotations

from collections.abc import Iterable

from wattmark.analysis.cross_check.rules import INDICATIVE_RULE, RULE
from wattmark.results.overrides import with_runs
from wattmark.results.result import Result


def disagreement(result: Result) -> str | None:
    """Return the disagreement of other sources of power with a result; None where none disagrees."""
    texts = [v.text for v in result.verdicts if v.rule in (RULE, INDICATIVE_RULE) and v.outcome == "fail"]
    return f"Power sources disagree: {' '.join(texts)}" if texts else None


def disagreements(results: Iterable[Result]) -> list[str]:
    """Merge the disagreements of other sources of power with several results, each text once with its run ids."""
    return with_runs((result.run_id, filter(None, [disagreement(result)])) for result in results)
