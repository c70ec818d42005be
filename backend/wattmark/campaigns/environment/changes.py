"""What changed in the environment of a server from before a run to after it, as notes of the run."""

from __future__ import annotations

from wattmark.core.texts import first_of
from wattmark.runs.differences import differences
from wattmark.runs.environment import Environment

MOST_NAMED = 6


def environment_notes(before: Environment, after: Environment) -> tuple[str, ...]:
    """Say what changed during a run; empty where nothing is known to have."""
    named = [
        f"{change.title} from {change.a or 'none'} to {change.b or 'none'}" for change in differences(before, after)
    ]
    if not named:
        return ()
    return (f"The environment of the server changed during the run: {first_of(named, MOST_NAMED)}.",)
