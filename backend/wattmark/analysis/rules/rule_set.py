"""Verdict rules as data: a limit on a quantity with its source, sets of them, and levels of sets."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from wattmark.analysis.refusal import Refused
from wattmark.analysis.rules.quantities import QUANTITIES, YES_NO, RuleQuantity
from wattmark.analysis.verdict import Verdict, not_checked
from wattmark.core.numbers import format_number

Bound = Literal["at most", "at least"]
Facts = Mapping[str, float]
"""Known quantities of a run, by name; an absent quantity is not known."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A limit on one quantity, with its source. ``otherwise`` lists rules of which any may replace it.

    Signs do not count for "at most": a drift of -2 % is 2 % of drift. Raises `Refused` for an unknown quantity or a
    limit that is not a number.
    """

    quantity: str
    bound: Bound
    limit: float
    source: str
    otherwise: tuple[Rule, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a rule without a known quantity, a usable limit or a source."""
        if self.quantity not in QUANTITIES:
            raise Refused(
                "unknown-quantity", f"There is no quantity named {self.quantity!r}; see the table of quantities."
            )
        if not math.isfinite(self.limit) or self.limit < 0:
            raise Refused(
                "bad-limit", f"The limit of {self.quantity} is {self.limit:g}; it must be finite and not negative."
            )
        if self.bound not in ("at most", "at least"):
            raise Refused("bad-bound", f"A limit must be 'at most' or 'at least', not {self.bound!r}.")
        if not self.source.strip():
            raise Refused(
                "no-source", f"The rule on {self.quantity} names no source; name the document that sets the limit."
            )

    @property
    def of(self) -> RuleQuantity:
        """Return the quantity that the rule judges."""
        return QUANTITIES[self.quantity]

    def holds(self, value: float) -> bool:
        """Return whether a value keeps the limit."""
        return abs(value) <= self.limit if self.bound == "at most" else value >= self.limit

    @property
    def text(self) -> str:
        """Describe what the rule requires, with its alternatives."""
        own = (
            self.of.meaning
            if self.of.unit == YES_NO
            else f"{self.of.meaning}: {self.bound} {_shown(self.limit, self.of)}"
        )
        return " or ".join((own, *(other.text for other in self.otherwise)))


def required(quantity: str, source: str, *otherwise: Rule) -> Rule:
    """Build a rule that requires a yes/no quantity to be yes."""
    return Rule(quantity, "at least", 1.0, source, otherwise)


@dataclass(frozen=True, slots=True)
class RuleSet:
    """Rules that must all hold."""

    name: str
    title: str
    rules: tuple[Rule, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Outcome of one rule; ``rule`` is the decisive one among alternatives."""

    rule: Rule
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class RuleSetOutcome:
    """All rules of a set with their values. ``met`` is None where no rule fails but something is not known."""

    rule_set: RuleSet
    judgements: tuple[Judgement, ...]

    @property
    def met(self) -> bool | None:
        """Return whether every rule holds; a rule that cannot be judged never counts as kept."""
        outcomes = {judgement.verdict.outcome for judgement in self.judgements}
        return False if "fail" in outcomes else None if "not-checked" in outcomes else True

    @property
    def missing(self) -> tuple[Judgement, ...]:
        """List the rules that fail or cannot be judged, those that fail first."""
        open_ones = [j for j in self.judgements if j.verdict.outcome != "pass"]
        return tuple(sorted(open_ones, key=lambda j: j.verdict.outcome != "fail"))


@dataclass(frozen=True, slots=True)
class Level:
    """The highest set of a ladder that a run meets, and what the next one still requires (None: there is none)."""

    met: RuleSet | None
    next: RuleSet | None
    missing: tuple[Judgement, ...]
    judged: tuple[RuleSetOutcome, ...]

    @property
    def text(self) -> str:
        """Describe the level and the missing rules in one sentence."""
        reached = f"This run meets {self.met.title}" if self.met else "This run meets no level"
        if self.next is None:
            return f"{reached}, the highest there is."
        asks = "; ".join(judgement.rule.text for judgement in self.missing)
        return f"{reached}. Missing for {self.next.title}: {asks}."


def judge(rule_set: RuleSet, facts: Facts) -> RuleSetOutcome:
    """Evaluate every rule of a set. Raises `Refused` for an empty set, an unknown quantity or a non-numeric fact."""
    if not rule_set.rules:
        raise Refused("empty", f"{rule_set.title} has no rules.")
    _require_facts(facts)
    return RuleSetOutcome(rule_set, tuple(_judge(rule, facts) for rule in rule_set.rules))


def level(ladder: Sequence[RuleSet], facts: Facts) -> Level:
    """Find the highest set of a ladder, lowest first, that a run meets together with all below it."""
    if not ladder:
        raise Refused("empty", "There are no levels to evaluate.")
    judged = tuple(judge(rule_set, facts) for rule_set in ladder)
    steps = next((i for i, judgement in enumerate(judged) if judgement.met is not True), len(judged))
    above = judged[steps] if steps < len(judged) else None
    return Level(
        met=judged[steps - 1].rule_set if steps else None,
        next=above.rule_set if above else None,
        missing=above.missing if above else (),
        judged=judged,
    )


def _require_facts(facts: Facts) -> None:
    for name, value in facts.items():
        if name not in QUANTITIES:
            raise Refused("unknown-quantity", f"There is no quantity named {name!r}; see the table of quantities.")
        if not math.isfinite(value):
            raise Refused("not-finite", f"{name} is not a finite number; omit it where it is not known.")
        if QUANTITIES[name].unit == YES_NO and value not in (0, 1):
            raise Refused("not-yes-or-no", f"{name} is {value:g}; a yes/no quantity is 1 or 0.")


def _judge(rule: Rule, facts: Facts) -> Judgement:
    """Evaluate a rule, or the first of its alternatives that holds."""
    own = Judgement(rule, _verdict(rule, facts))
    if own.verdict.outcome == "pass":
        return own
    others = [_judge(other, facts) for other in rule.otherwise]
    passing = next((other for other in others if other.verdict.outcome == "pass"), None)
    if passing is not None:
        return passing
    unknown = any(other.verdict.outcome == "not-checked" for other in others)
    if own.verdict.outcome == "fail" and unknown:
        return Judgement(rule, not_checked(rule.quantity, rule.limit, rule.of.unit, f"Not known: {rule.text}."))
    return own


def _verdict(rule: Rule, facts: Facts) -> Verdict:
    value = facts.get(rule.quantity)
    if value is None:
        return not_checked(rule.quantity, rule.limit, rule.of.unit, f"Not known: {rule.of.meaning}.")
    text = f"{rule.of.meaning}: {_shown(value, rule.of)}"
    if rule.of.unit != YES_NO:
        text += f", {rule.bound} {_shown(rule.limit, rule.of)}"
    outcome: Literal["pass", "fail"] = "pass" if rule.holds(value) else "fail"
    return Verdict(rule.quantity, value, rule.limit, rule.of.unit, outcome, f"{text[0].upper()}{text[1:]}.")


def _shown(value: float, quantity: RuleQuantity) -> str:
    if quantity.unit == YES_NO:
        return "yes" if value else "no"
    return f"{format_number(value, 4)}" if quantity.unit == "1" else f"{format_number(value, 4)} {quantity.unit}"
