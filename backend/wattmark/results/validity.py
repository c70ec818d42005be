"""Whether a row may be used by its work per joule, as codes for programs, and the version of what it means."""

from __future__ import annotations

from typing import Final

from wattmark.results.ranking_bars import barring_rules, has_figure
from wattmark.results.result import Result
from wattmark.runs.record import RunStatus

MEANING: Final = "wattmark-result/1"
"""Version of what the figures of a row mean; rows of different versions must not be compared."""
VALID: Final = "valid"
NO_FIGURE: Final = "no-figure"


def validity(result: Result) -> str:
    """Return "valid", or why not, in codes: "run-failed", "no-figure", and the names of failed rules."""
    return ", ".join(validity_codes(result)) or VALID


def validity_codes(result: Result) -> tuple[str, ...]:
    """List the codes; none where the row may be used. A person who ranks a run all the same lifts the rules named."""
    if result.status is not RunStatus.COMPLETE:
        return (f"run-{result.status.value}",)
    missing = () if has_figure(result, "efficiency") else (NO_FIGURE,)
    return (*missing, *barring_rules(result, "efficiency"))
