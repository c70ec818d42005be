"""Repeat the disturbed runs of a campaign that has ended: their rows of the run table are planned again.

They join the campaign, each with its next attempt, so that its order, levels and installations stay as they were.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from wattmark.campaigns.status import CampaignOut, CampaignRun, EarlierAttempt
from wattmark.campaigns.stored import StoredCampaign, named_campaign, newest_campaign, unfinished
from wattmark.core.errors import InputError
from wattmark.results.data_folder import Storage
from wattmark.results.pages.row import RunRow
from wattmark.results.undisturbed import UNDISTURBED
from wattmark.runs.annotations.inclusion import Inclusion


def judged_rows(storage: Storage, out: CampaignOut) -> dict[str, RunRow]:
    """Read the results of a campaign's runs as they are issued now, a row of the run list each, by run."""
    lines = storage.results.lines([row.run_id for row in out.runs if row.run_id])
    return {run_id: RunRow.model_validate_json(line) for run_id, line in lines.items()}


def disturbed_orders(
    out: CampaignOut, results: Mapping[str, RunRow], inclusions: Mapping[str, Inclusion]
) -> frozenset[int]:
    """Find the complete rows that the rule "undisturbed" bars, by order.

    A run that a person ranks in spite of the rule does not count.
    """

    def disturbed(run_id: str | None) -> bool:
        if run_id is None or run_id not in results or UNDISTURBED not in results[run_id].failed_rules:
            return False
        return run_id not in inclusions or UNDISTURBED not in inclusions[run_id].lifted

    return frozenset(row.order for row in out.runs if row.state == "complete" and disturbed(row.run_id))


def find_disturbed(storage: Storage, campaign_id: str | None = None, bench: Path | None = None) -> StoredCampaign:
    """Find a campaign that has ended, with its disturbed runs planned again; the newest one where none is named.

    Raises `NotFound`, and `InputError` where runs are still to be made, or none is disturbed.
    """
    runs = storage.runs
    stored = newest_campaign(runs, bench) if campaign_id is None else named_campaign(runs, campaign_id)
    out = stored.out
    if unfinished(out):
        raise InputError(f"Campaign {out.campaign_id} has not ended.", "Resume it, then repeat its disturbed runs.")
    disturbed = disturbed_orders(out, judged_rows(storage, out), storage.annotations.inclusions())
    if not disturbed:
        cause = f"No run of campaign {out.campaign_id} was disturbed by other programs."
        raise InputError(cause, "To repeat all of its runs, start the plan again.")
    rows = [planned_again(row) if row.order in disturbed else row for row in out.runs]
    return StoredCampaign(out.model_copy(update={"runs": rows}), stored.plan, stored.cpus, stored.bench)


def planned_again(row: CampaignRun) -> CampaignRun:
    """Plan a row of the run table once more; what it has given becomes an earlier attempt."""
    why = None if row.judged is None else row.judged.reason
    attempt = EarlierAttempt(run_id=row.run_id or "", state=row.state, reason=row.reason or why)
    none = dict.fromkeys(("run_id", "reason", "efficiency", "power", "throughput", "judged"))
    return row.model_copy(update={**none, "state": "planned", "earlier": [*row.earlier, attempt]})


def orders_planned_again(out: CampaignOut) -> list[int]:
    """List the rows of a stored campaign that were planned again and are not made yet, by order."""
    return [row.order for row in out.runs if row.state == "planned" and row.earlier]
