"""Relation of a run of an archive to the data folder that may import it."""

from __future__ import annotations

from typing import Literal

from wattmark.archives.gather import Gatherer, Stores
from wattmark.archives.read import Archive
from wattmark.core.errors import Conflict

Presence = Literal["new", "already here", "in the trash", "contradicts"]
"""contradicts: another run of this id is here, with another record or other samples."""


def presence(archive: Archive, run_id: str, stores: Stores, gatherer: Gatherer) -> Presence:
    """Return whether a run would come in."""
    stored = stores.runs.get(run_id)
    if stored is None:
        return "in the trash" if stores.samples.list_series(run_id) else "new"
    return "already here" if gatherer.run_digest(stored) == archive.digest(run_id) else "contradicts"


def refusal(run_id: str, why: Presence) -> Conflict:
    """Explain why a run does not come in, and with it nothing of its archive."""
    if why == "in the trash":
        return Conflict(
            f"Run {run_id} is in the trash here. Nothing was imported.",
            "Restore the run from the trash, or delete it for good.",
        )
    return Conflict(
        f"Run {run_id} is already here with a different record or different samples. Nothing was imported.",
        f"Restore the archive into another data folder, or delete run {run_id} here if the one in the archive is "
        "right. (Thinned samples also make runs differ.)",
    )
