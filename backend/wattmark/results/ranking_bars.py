"""The table of failed rules that bar a run from a ranking, and the reasons why a run is not ranked."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from wattmark.core.schema import Schema
from wattmark.core.texts import all_of
from wattmark.results.inventory_part import MEMORY_SLOTS
from wattmark.results.overrides import with_runs
from wattmark.results.result import CLAIMS, Claim, Result, Withheld
from wattmark.runs.annotations.inclusion import Inclusion
from wattmark.runs.record import RunStatus

TITLES: Mapping[Claim, str] = {
    "throughput": "work per second",
    "efficiency": "work per joule",
    "power": "full-load power",
}
"""The name of each claim in a sentence."""
BY_CHOICE = "Ranked by override of"
"""Begin of every sentence that names the person who chose to rank a run."""
IMPORT = "import-"
"""Prefix of the rules that judge the evidence of an imported log."""
_ALL: tuple[Claim, ...] = CLAIMS
_WATTS: tuple[Claim, ...] = ("efficiency", "power")
_POWER: tuple[Claim, ...] = ("power",)


class RankingOut(Schema):
    """Whether a run is ranked by one figure, or why not and what to do."""

    claim: Claim
    title: str
    """What the claim is called in a sentence."""
    ranked: bool
    cause: str | None = None
    """Why it is not, in a few words."""
    why_not: str | None = None
    """The same with what the verdicts say to do."""
    inclusion: str | None = None
    """Whose choice it is ranked by, although which rule failed, and why."""


class Bar(NamedTuple):
    """A rule, the claims that it bars where it fails, the failure in a few words, and why it bars these claims."""

    rule: str
    claims: tuple[Claim, ...]
    cause: str
    why: str


TABLE = (
    Bar("gaps", _WATTS, "readings are missing", "the power between the readings is not known"),
    Bar("bad-samples", _WATTS, "too many bad readings", "readings are lost more often at peaks, so the mean is biased"),
    Bar("over-range", _WATTS, "readings over range", "a meter over its range reads too low"),
    Bar("stale", _WATTS, "stale readings", "a repeated value was not measured again"),
    Bar("frozen", _WATTS, "the reading never changed", "a reading that never changes does not measure the load"),
    Bar("flat-top", _WATTS, "readings cut at one value", "a meter at its limit reads too low"),
    Bar(
        "lone-readings",
        _WATTS,
        "single readings are far from all others",
        "a sum, an overflow or another unit among the readings is not a power",
    ),
    Bar(
        "supply-rating",
        _WATTS,
        "more power than the power supplies can draw",
        "a meter that shows impossible power cannot be trusted",
    ),
    Bar(
        "metered-supplies",
        _WATTS,
        "the wall meters do not fit the power supplies",
        "the sum of the meters is not the power of the server",
    ),
    Bar(
        "aliasing",
        _WATTS,
        "the load can hide between samples",
        "samples synchronous with a periodic load always see the same phase",
    ),
    Bar("register", _WATTS, "energy register and power disagree", "one of the two is wrong, but it is not known which"),
    Bar(
        "cross-check",
        _WATTS,
        "sources of power exclude each other",
        "one of the two is wrong, but it is not known which",
    ),
    Bar("window-length", _WATTS, "the window is too short", "its edges contribute too much to the energy"),
    Bar(
        "warm-up",
        _POWER,
        "unsteady",
        "full-load power is that of a settled server; work per joule needs none",
    ),
    Bar("drift", _POWER, "unsteady", "the mean depends on when it was taken"),
    Bar("half-split", _POWER, "unsteady", "the mean depends on when it was taken"),
    Bar("block-scatter", _POWER, "unsteady", "the mean depends on when it was taken"),
    Bar("effective-samples", _POWER, "unsteady", "there are too few independent readings to determine the mean"),
    Bar("change-point", _POWER, "unsteady", "the window covers two states of the server"),
    Bar("full-load", _POWER, "below full load", "the power is not that of full load; work per joule is marked"),
    Bar(
        "asked-length",
        _ALL,
        "the load ended early",
        "it did not do all of the planned work, and the reason is not known",
    ),
    Bar("standstill", _ALL, "the load paused", "work and power include a pause of the load"),
    Bar(
        "bottleneck", _ALL, "limited by another resource", "the measured limit is not the one that the workload is for"
    ),
    Bar(
        "thermal-limit",
        _ALL,
        "slowed down by heat",
        "work and power are those of the cooling, not of the configuration",
    ),
    Bar(
        "clock-step",
        ("throughput", "efficiency"),
        "the clock was set during the run",
        "the window is longer or shorter than its marks say",
    ),
    Bar(
        "server-clock",
        _ALL,
        "the server's clock was set during the run",
        "the marks of the load do not match the readings",
    ),
    Bar("recording", _WATTS, "the recording had a problem", "readings of the meter may be missing or wrong"),
    Bar("settled", _POWER, "power had not settled", "the window may begin before the server is settled"),
    Bar("undisturbed", _ALL, "disturbed by other programs", "work and power are not those of the load alone"),
    Bar("own-share", _ALL, "disturbed by wattmark itself", "work and power are not those of the load alone"),
    Bar(
        "power-settings",
        _ALL,
        "power settings were changed during the run",
        "work and power are not those under the settings that the row names",
    ),
    Bar(
        MEMORY_SLOTS,
        _ALL,
        "the memory differs from the bench file",
        "work and power may be those of other modules than the row names",
    ),
    Bar("alarms", _ALL, "outside a limit that excludes runs", "the bench file excludes such runs"),
    Bar(
        "started together", (), "did not start together", "it affects the group of servers, not the results of this run"
    ),
    Bar(
        "cross-check-indicative",
        (),
        "power sources disagree",
        "a source without stated limits of error proves nothing; the row is marked",
    ),
    Bar("idle-drift", (), "idle power drifted", "it affects only idle-subtracted values"),
    Bar("cool-down", (), "the server did not cool down", "it affects the runs after it, which have their own verdicts"),
    Bar("power-limit", (), "at a power limit", "a limit is a part of the configuration; the row is marked"),
    Bar("current-limit", (), "at a limit of current", "an alarm says that a limit was passed; the row is marked"),
    Bar("clock-limit", (), "the clock was held down", "it says that something held the clock, not what"),
)
"""All rules that every run is judged by, besides those of an import: passed, failed, or not checked with the reason.

What the guide shows in "Which verdicts bar what claim"; a test keeps the two equal."""
BARS: Mapping[str, frozenset[Claim]] = {bar.rule: frozenset(bar.claims) for bar in TABLE}
"""Rule -> claims that it bars; a rule that is not in it bars all, and so do those that begin with `IMPORT`."""
_CAUSES: Mapping[str, str] = {bar.rule: bar.cause for bar in TABLE}


def why_not_ranked(result: Result, claim: Claim) -> str | None:
    """Return in a few words why a run is not ranked by a claim; None where it is.

    A person's inclusion lifts the rules that it names, and nothing else: not a run that did not complete.
    """
    return why_barred(result.status, failed_rules(result), claim, result.inclusion)


def memory_contradicted(result: Result) -> tuple[str, str] | None:
    """Return in a few words, and in sentences, why the DIMM count of a run is not the declared one; None where it is.

    A person who ranks such a run does not make its memory known: it stays in no comparison by memory, and in no line of
    watts against other parts, since modules that are not declared are in its watts too.
    """
    failed = [verdict.text for verdict in result.verdicts if verdict.rule == MEMORY_SLOTS and verdict.outcome == "fail"]
    return (f"{_cause(MEMORY_SLOTS)} ({_named([MEMORY_SLOTS])})", failed[0]) if failed else None


def why_without(result: Result, claim: Claim) -> str | None:
    """Return in a few words why a run is not ranked by a claim, or why it gives no figure to rank."""
    complete = result.status is RunStatus.COMPLETE
    missing = missing_figure(result, claim) if complete and not has_figure(result, claim) else None
    return missing or why_not_ranked(result, claim)


def missing_figure(result: Result, claim: Claim) -> str | None:
    """Return in a few words why a run does not give the figure of a claim; None where it was not requested."""
    causes = (without_words(part) for part in result.withheld if claim in part.claims)
    return "; ".join(causes) or None


def without_words(part: Withheld) -> str:
    """Describe the missing figure of a run, with the reason: "no power: 21 s lost"."""
    whole = len(part.claims) == len(CLAIMS)
    figure = "figures" if whole else "power" if "power" in part.claims else "throughput"
    return f"no {figure}: {part.cause}"


def why_barred(
    status: RunStatus, failed: Collection[str], claim: Claim, inclusion: Inclusion | None = None
) -> str | None:
    """Return the same for a status and failed rules, as the list of runs stores them."""
    if status is not RunStatus.COMPLETE:
        return status.value
    causes: dict[str, list[str]] = {}
    for rule in _barring(failed, claim, inclusion):
        causes.setdefault(_cause(rule), []).append(rule)
    return "; ".join(f"{cause} ({_named(rules)})" for cause, rules in causes.items()) or None


def barring_rules(result: Result, claim: Claim) -> list[str]:
    """List the failed rules that bar a run from a claim, without those that a person lifted."""
    return _barring(failed_rules(result), claim, result.inclusion)


def failed_rules(result: Result) -> list[str]:
    """List the rules that failed, each once."""
    return list(dict.fromkeys(verdict.rule for verdict in result.verdicts if verdict.outcome == "fail"))


def bars(rule: str) -> frozenset[Claim]:
    """Return the claims that a rule bars where it fails; an unknown rule bars all."""
    return BARS.get(rule, frozenset(CLAIMS))


def not_ranked_explanation(result: Result, claim: Claim) -> str | None:
    """Explain why a run is not ranked by a claim and what its verdicts advise; None where it is ranked."""
    why = why_not_ranked(result, claim)
    if why is None:
        return None
    return " ".join([f"{why[0].upper()}{why[1:]}.", *barring_texts(result, claim)])


def barring_texts(result: Result, claim: Claim) -> list[str]:
    """List the texts of the verdicts that bar a run from a claim, or the reason why it did not complete."""
    if result.status is not RunStatus.COMPLETE:
        return [result.reason or "No reason was recorded."]
    barring = barring_rules(result, claim)
    failed = (verdict for verdict in result.verdicts if verdict.outcome == "fail" and verdict.rule in barring)
    return list(dict.fromkeys(verdict.text for verdict in failed))


def ranking(result: Result) -> list[RankingOut]:
    """List for every claim whether a run is ranked by it, and why not."""
    return [_claim(result, claim) for claim in CLAIMS]


def _claim(result: Result, claim: Claim) -> RankingOut:
    chosen = inclusion_text(result, claim)
    cause, why = why_without(result, claim), not_ranked_explanation(result, claim)
    if not has_figure(result, claim) and result.status is RunStatus.COMPLETE:
        cause = cause or "no figure"
        texts = [part.text for part in result.withheld if claim in part.claims]
        why = " ".join(texts) or why or f"The run gives no {TITLES[claim]}."
    return RankingOut(
        claim=claim, title=TITLES[claim], ranked=cause is None, cause=cause, why_not=why, inclusion=chosen
    )


def has_figure(result: Result, claim: Claim) -> bool:
    """Return whether a run has the figure of a claim; without it the run cannot be ranked."""
    figures = {"throughput": result.throughput, "efficiency": result.efficiency, "power": result.power}
    return figures[claim] is not None


def includable_rules(result: Result) -> list[str]:
    """List the failed rules that a person may lift: they bar a figure of a run that completed and gives it."""
    if result.status is not RunStatus.COMPLETE:
        return []
    barred = {claim for claim in CLAIMS if has_figure(result, claim)}
    return [rule for rule in failed_rules(result) if bars(rule) & barred]


def included_rules(result: Result) -> list[str]:
    """List the failed rules that a person lifted, as far as they bar anything."""
    if result.inclusion is None or result.status is not RunStatus.COMPLETE:
        return []
    return [rule for rule in failed_rules(result) if rule in result.inclusion.lifted and bars(rule)]


def inclusion_text(result: Result, claim: Claim | None = None) -> str | None:
    """Return who ranked a run although rules failed, and why; None where that changes no ranking (by the claim)."""
    if result.inclusion is None:
        return None
    claims = {
        candidate for candidate in CLAIMS if claim in (None, candidate) and why_not_ranked(result, candidate) is None
    }
    lifted = [rule for rule in included_rules(result) if bars(rule) & claims]
    said = [
        f"{choice.by} although {_named(rules)} failed: {choice.reason.rstrip('.')}"
        for choice in result.inclusion.choices
        if (rules := [rule for rule in lifted if rule in choice.rules])
    ]
    return f"{BY_CHOICE} {'; and by '.join(said)}" if said else None


def inclusions_by_run(results: Iterable[Result], claim: Claim | None = None) -> list[str]:
    """Merge the choices that several results are ranked by, each text once with the ids of its runs."""
    return with_runs((result.run_id, filter(None, [inclusion_text(result, claim)])) for result in results)


def not_ranked_text(result: Result) -> str | None:
    """Return by which claims a run is not ranked and why, in one line; None where it is ranked by all that it gives.

    A figure that is withheld is named with its cause.
    """
    return barred_text({claim: why for claim in CLAIMS if (why := why_without(result, claim)) is not None})


def barred_text(barred: Mapping[Claim, str]) -> str | None:
    """Return in one line why a run is not ranked, from the reasons by claim; None where there are none."""
    claims: dict[str, list[str]] = {}
    for claim, why in barred.items():
        claims.setdefault(why, []).append(TITLES[claim])
    if not claims:
        return None
    parts = (why if len(titles) == len(CLAIMS) else f"by {all_of(titles)}: {why}" for why, titles in claims.items())
    return "; ".join(parts)


def _barring(failed: Iterable[str], claim: Claim, inclusion: Inclusion | None) -> list[str]:
    lifted = () if inclusion is None else inclusion.lifted
    return [rule for rule in dict.fromkeys(failed) if claim in bars(rule) and rule not in lifted]


def _cause(rule: str) -> str:
    if rule.startswith(IMPORT):
        return "a check of the imported log failed"
    return _CAUSES.get(rule, "a verdict failed")


def _named(rules: Sequence[str]) -> str:
    return f"rule{'' if len(rules) == 1 else 's'} {all_of(rules)}"
