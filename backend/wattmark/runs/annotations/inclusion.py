"""A person's choice to rank a run although verdicts speak against it."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field, StringConstraints

from wattmark.core.inputs import FILLED_LINE, Input

Person = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200), FILLED_LINE]
Reason = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1000), FILLED_LINE]
Rule = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100), FILLED_LINE]


class Choice(Input):
    """Who ranks a run although these rules failed, why, and since when."""

    model_config = ConfigDict(frozen=True)

    by: Person
    reason: Reason
    rules: Annotated[tuple[Rule, ...], Field(min_length=1, max_length=50)]
    at: Annotated[str, StringConstraints(min_length=1, max_length=40), FILLED_LINE]
    """Instant of the choice, ISO 8601 in UTC."""


class Inclusion(Choice):
    """Ranking override of a run: the newest choice, and earlier ones about other rules. Shown on every output."""

    beside: Annotated[tuple[Choice, ...], Field(max_length=50)] = ()

    @property
    def choices(self) -> tuple[Choice, ...]:
        """Return all choices in the order in which they were signed; each rule is in one of them."""
        return (*self.beside, Choice(by=self.by, reason=self.reason, rules=self.rules, at=self.at))

    @property
    def lifted(self) -> tuple[Rule, ...]:
        """Return all rules that are overridden."""
        return tuple(rule for choice in self.choices for rule in choice.rules)


def joined(earlier: Inclusion, newest: Inclusion) -> Inclusion:
    """Put earlier choices beside the newest one, but for the rules that it is about; one signed alike is one choice."""
    rules, others = newest.rules, []
    for choice in earlier.choices:
        left = tuple(rule for rule in choice.rules if rule not in newest.rules)
        if (choice.by, choice.reason) == (newest.by, newest.reason):
            rules = (*left, *rules)
        elif left:
            others.append(choice.model_copy(update={"rules": left}))
    return newest.model_copy(update={"rules": rules, "beside": tuple(others)})
