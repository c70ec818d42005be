"""A person's choice to rank a run although verdicts speak against it."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field, StringConstraints

from wattmark.core.inputs import FILLED_LINE, Input

Person = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200), FILLED_LINE]
Reason = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1000), FILLED_LINE]
Rule = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100), FILLED_LINE]


class Inclusion(Input):
    """Ranking override: who ranks a run although these rules failed, why, and since when. Shown on every output."""

    model_config = ConfigDict(frozen=True)

    by: Person
    reason: Reason
    rules: Annotated[tuple[Rule, ...], Field(min_length=1, max_length=50)]
    at: Annotated[str, StringConstraints(min_length=1, max_length=40), FILLED_LINE]
    """Instant of the choice, ISO 8601 in UTC."""
