"""The campaigns that the store keeps, newest first: how each ended, and the outcomes of its runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Literal, get_args

from pydantic import BaseModel, Field

from wattmark.campaigns.repeating import disturbed_orders, judged_rows
from wattmark.campaigns.status import CampaignOut, CampaignRun
from wattmark.campaigns.stored import (
    CAMPAIGN_KIND,
    START_ELSEWHERE_KIND,
    START_KIND,
    read_start,
    read_state,
    unfinished,
)
from wattmark.core.errors import StoreError
from wattmark.core.schema import Schema
from wattmark.results.data_folder import Storage
from wattmark.results.pages.row import RunRow
from wattmark.results.state import STATUS_WORDS, UNCHECKED, failed_words
from wattmark.results.undisturbed import UNDISTURBED
from wattmark.runs.record import RunStatus

MOST = 200
Outcome = Literal[
    "ok", "marked", "barred", "withheld", "disturbed", "failed", "interrupted", "skipped", "running", "planned"
]
"""Of a complete run the state of its result: marked, where rules failed that bar nothing; barred; withheld, where it
lacks a figure; disturbed, where other programs are why. Interrupted: also a run that was stopped, or under way when
wattmark ended."""
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


class HistoryQuery(BaseModel):
    """A page of the stored campaigns."""

    offset: int = Field(0, ge=0)
    limit: int = Field(20, ge=1, le=MOST)


class OutcomeCount(Schema):
    """How many runs of a campaign ended alike."""

    outcome: Outcome
    words: str
    """What each of these runs is called in the list of runs."""
    runs: int


class StoredCampaignOut(Schema):
    """A campaign of the history."""

    campaign_id: str
    plan: str
    title: str
    """Title of the plan; empty where it has none or the start was not stored."""
    state: Literal["running", "complete", "failed", "aborted", "interrupted"]
    """Interrupted: wattmark ended while it ran."""
    message: str | None
    started_s: float | None
    """When it was first started [Unix seconds]."""
    ended_s: float | None
    """When it ended [Unix seconds]; None while it runs, after an interruption and where that was not stored."""
    servers: list[str]
    runs: int
    """Rows of its run table."""
    outcomes: list[OutcomeCount]
    """In a fixed order, runs with other words apart; an outcome that no run has is omitted."""
    resumable: bool
    """Whether runs are still to be made."""


class CampaignHistory(Schema):
    """A page of the stored campaigns, newest first."""

    total: int
    campaigns: list[StoredCampaignOut]
    unreadable: int = 0
    """Campaigns of this page that cannot be read."""
    next_offset: int | None = None
    """Where the next page begins; None: this is the last one."""


class StoredCampaigns:
    """List the campaigns of a data folder; safe to call from several threads."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    def page(self, query: HistoryQuery, running: str | None) -> CampaignHistory:
        """Return a page of the history; ``running`` is the campaign under way."""
        names = self._storage.runs.document_names(CAMPAIGN_KIND, "started_s")
        end = query.offset + query.limit
        asked = names[query.offset : end]
        shown = [campaign for _, campaign in self.described(asked, running)]
        following = end if end < len(names) else None
        return CampaignHistory(
            total=len(names), campaigns=shown, unreadable=len(asked) - len(shown), next_offset=following
        )

    def described(self, names: Sequence[str], running: str | None) -> list[tuple[CampaignOut, StoredCampaignOut]]:
        """Read some campaigns by name and describe each; those that cannot be read are excluded."""
        documents = self._storage.runs.some_documents(CAMPAIGN_KIND, names)
        starts = {
            **self._storage.runs.some_documents(START_ELSEWHERE_KIND, names),
            **self._storage.runs.some_documents(START_KIND, names),
        }
        described = []
        for name in (name for name in names if name in documents):
            try:
                out = read_state(name, documents[name])
                title = read_start(name, starts[name])[0].title if name in starts else ""
            except StoreError:
                continue
            described.append((out, self._campaign(name, out, title, name == running)))
        return described

    def _campaign(self, name: str, out: CampaignOut, title: str, running: bool) -> StoredCampaignOut:
        results = judged_rows(self._storage, out)
        disturbed = disturbed_orders(out, results, self._storage.annotations.inclusions())
        counts = Counter(outcome_of(row, results, disturbed, running=running) for row in out.runs)
        kept = sorted(counts, key=lambda alike: (OUTCOMES.index(alike[0]), alike[1]))
        return StoredCampaignOut(
            campaign_id=name,
            plan=out.plan or "",
            title=title,
            state=_state(out, running=running),
            message=out.message,
            started_s=out.started_s,
            ended_s=None if running else out.ended_s,
            servers=list(dict.fromkeys(row.server for row in out.runs)),
            runs=len(out.runs),
            outcomes=[OutcomeCount(outcome=alike[0], words=alike[1], runs=counts[alike]) for alike in kept],
            resumable=not running and unfinished(out),
        )


def outcome_of(
    row: CampaignRun, results: Mapping[str, RunRow], disturbed: Collection[int], *, running: bool
) -> tuple[Outcome, str]:
    """Return the outcome of a row of the run table, and its text; its result is judged as it is issued now."""
    if row.state == "complete":
        result = results.get(row.run_id or "")
        judged = row.judged if result is None else result.state
        if row.order in disturbed:
            return "disturbed", failed_words(UNDISTURBED)
        return ("ok", UNCHECKED) if judged is None else (_OUTCOMES.get(judged.key, "ok"), judged.words)
    if row.state == "running" and not running:
        return "interrupted", STATUS_WORDS[RunStatus.INTERRUPTED]
    words = _TABLE_WORDS.get(row.state) or STATUS_WORDS[RunStatus(row.state)]
    return ("interrupted" if row.state == "aborted" else row.state), words


_OUTCOMES: Mapping[str, Outcome] = {"marked": "marked", "barred": "barred", "withheld": "withheld"}
_TABLE_WORDS = {"planned": "Not made yet", "skipped": "Skipped"}


def _state(out: CampaignOut, *, running: bool) -> Literal["running", "complete", "failed", "aborted", "interrupted"]:
    if running:
        return "running"
    return out.state if out.state in ("complete", "failed", "aborted") else "interrupted"
