"""Which runs a command packs: those named, those of a campaign, or all."""

from __future__ import annotations

from collections.abc import Sequence

from wattmark.core.errors import InputError


def require_choice(runs: Sequence[str] | None, campaign: str | None, *, every: bool) -> None:
    """Raise `InputError` unless runs are chosen in exactly one way."""
    if sum((bool(runs), campaign is not None, every)) != 1:
        raise InputError("Which runs are meant is not clear.", "Add --all, --campaign ID, or the ids of runs.")
