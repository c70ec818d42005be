"""The state of a run in words shared by all lists, pages, reports and exports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from wattmark.core.schema import Record
from wattmark.results.ranking_bars import failed_rules, has_figure, inclusion_text, why_not_ranked, without_words
from wattmark.results.result import CLAIMS, Claim, Result
from wattmark.runs.record import RunStatus

STATUS_WORDS: Mapping[RunStatus, str] = {
    RunStatus.RUNNING: "Running",
    RunStatus.COMPLETE: "Complete",
    RunStatus.FAILED: "Failed",
    RunStatus.ABORTED: "Stopped",
    RunStatus.INTERRUPTED: "Interrupted",
}
SOUND, UNCHECKED, BY_OVERRIDE = "OK", "Not checked", "Ranked by override"
RULE_WORDS: Mapping[str, str] = {
    "gaps": "Gaps in the readings",
    "bad-samples": "Bad samples",
    "over-range": "Meter over range",
    "stale": "Stale readings",
    "frozen": "Frozen readings",
    "flat-top": "Readings cut at one value",
    "lone-readings": "Single readings far off",
    "supply-rating": "Impossible power",
    "aliasing": "Sampling in step with the load",
    "register": "Energy counter differs",
    "window-length": "Window too short",
    "warm-up": "Still warming up",
    "drift": "Power drifted",
    "half-split": "Halves differ",
    "block-scatter": "Power not steady",
    "effective-samples": "Too few independent samples",
    "change-point": "Load changed",
    "full-load": "Below full load",
    "asked-length": "Ended early",
    "standstill": "Load paused",
    "bottleneck": "Unexpected bottleneck",
    "thermal-limit": "Slowed down by heat",
    "power-limit": "At a power limit",
    "current-limit": "At a limit of current",
    "clock-limit": "Clock held down",
    "clock-step": "Clock was set",
    "server-clock": "Server's clock was set",
    "recording": "Recording problem",
    "settled": "Power had not settled",
    "undisturbed": "Disturbed by other programs",
    "own-share": "Disturbed by wattmark itself",
    "alarms": "Limit exceeded",
    "started together": "Not started together",
    "cross-check": "Power sources disagree",
    "cross-check-indicative": "Power sources disagree",
    "metered-supplies": "Meters do not fit the power supplies",
    "idle-drift": "Idle power drifted",
    "cool-down": "Not cooled down",
    "power-settings": "Power settings changed",
    "memory-slots": "Memory differs from the bench",
}
"""Short description of a run that failed a rule."""


StateKey = Literal[
    "sound", "unchecked", "marked", "barred", "withheld", "override", "running", "failed", "aborted", "interrupted"
]


class RunState(Record):
    """The state of a run, said in these words wherever it is shown."""

    key: StateKey
    """Marked: rules failed that bar nothing; barred: some bar a claim; withheld: a figure is not given."""
    words: str
    """In a few words: "OK", "No power: 21 s lost", "Power sources disagree", "3 checks failed"."""
    reason: str | None = None
    """The same in whole sentences, with what to do."""
    ranked: tuple[Claim, ...] = ()
    """The claims that it is ranked by."""


def run_state(result: Result) -> RunState:
    """Return the state of a run: that it is not complete, else the figure that it lacks, else what failed."""
    if result.status is not RunStatus.COMPLETE:
        return RunState(key=result.status.value, words=STATUS_WORDS[result.status], reason=result.reason)
    ranked = tuple(c for c in CLAIMS if has_figure(result, c) and why_not_ranked(result, c) is None)
    failed, chosen = failed_rules(result), inclusion_text(result)
    if result.withheld:
        words = "; ".join(without_words(part) for part in result.withheld)
        reason = " ".join(part.text for part in result.withheld)
        return RunState(key="withheld", words=f"{words[:1].upper()}{words[1:]}", reason=reason, ranked=ranked)
    if chosen is not None and not any(why_not_ranked(result, claim) for claim in CLAIMS):
        return RunState(key="override", words=BY_OVERRIDE, reason=f"{chosen}.", ranked=ranked)
    if failed:
        barred = any(why_not_ranked(result, claim) for claim in CLAIMS)
        words = failed_words(failed[0]) if len(failed) == 1 else f"{len(failed)} checks failed"
        texts = [verdict.text for verdict in result.verdicts if verdict.outcome == "fail"]
        reason = " ".join(dict.fromkeys(texts))
        return RunState(key="barred" if barred else "marked", words=words, reason=reason, ranked=ranked)
    if any(verdict.outcome == "pass" for verdict in result.verdicts):
        return RunState(key="sound", words=SOUND, ranked=ranked)
    return RunState(key="unchecked", words=UNCHECKED, reason="No check of this run could be made.", ranked=ranked)


def failed_words(rule: str) -> str:
    """Describe a failed rule in a few words; by its name where it has no description."""
    return RULE_WORDS.get(rule) or f"{rule[:1].upper()}{rule[1:].replace('-', ' ')}: failed"
