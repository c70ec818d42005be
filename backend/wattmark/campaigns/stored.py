"""A campaign as the store keeps it: the plan as it was started, how far it came, and what writes it down."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from pydantic import ValidationError

from wattmark.bench.plan import Plan
from wattmark.bench.shareable import shareable_text
from wattmark.campaigns.planning.planned import PlannedRun, TableRow
from wattmark.campaigns.status import CampaignOut
from wattmark.core.errors import InputError, NotFound, StoreError
from wattmark.runs.record import RunRecord
from wattmark.runs.store import RunStore

log = logging.getLogger(__name__)
CAMPAIGN_KIND = "campaign"
START_KIND = "campaign-start"
START_ELSEWHERE_KIND = "campaign-start-elsewhere"
"""Kind of the stored plan and bench file of a campaign that another appliance ran."""
ENDED = {"complete", "failed", "skipped"}


def new_identifier() -> str:
    """Create an identifier that no other run or campaign has."""
    return uuid4().hex[:16]


class Journal:
    """Writes records and the campaign's state in the order in which they come, without holding up the event loop.

    One thread waits for the disk; a full disk shows at the next `flush`.
    """

    def __init__(self, runs: RunStore) -> None:
        self._runs = runs
        self._worker = ThreadPoolExecutor(1, "campaign-journal")
        self._pending: list[Future[None]] = []

    def put(self, record: RunRecord) -> None:
        """Write a run record."""
        self._submit(self._runs.put, record)

    def put_document(self, kind: str, name: str, document: dict[str, Any]) -> None:
        """Write a document."""
        self._submit(self._runs.put_document, kind, name, document)

    async def flush(self) -> None:
        """Wait until everything so far is on disk. Raises `StoreError` when something is not."""
        pending, self._pending = self._pending, []
        for future in pending:
            await asyncio.shield(asyncio.wrap_future(future))

    def close(self) -> None:
        """Write what is left and end the thread."""
        self._worker.shutdown()

    def _submit(self, write: Callable[..., None], *what: Any) -> None:
        self._pending.append(self._worker.submit(write, *what))


@dataclass(frozen=True, slots=True)
class StoredCampaign:
    """What is needed to go on: state, plan, number of CPUs at the start, bench file."""

    out: CampaignOut
    plan: Plan
    cpus: Mapping[str, int]
    """CPUs at the start, by server."""
    bench: Path | None


def start_document(plan: Plan, cpus: Mapping[str, int], bench: Path | None) -> dict[str, Any]:
    """Write down what the run table follows from, and what others may see of the bench file as it is now."""
    return {
        "plan": plan.model_dump(mode="json"),
        "cpus": cpus,
        "bench": str(bench.resolve()) if bench else None,
        "bench_text": shareable_text(bench.read_text("utf-8-sig", errors="replace")) if bench else None,
    }


def shareable_start(start: dict[str, Any]) -> dict[str, Any]:
    """Return what may leave of a start: its bench file by name alone, and not whom that tells.

    An earlier wattmark stored the whole text of the file.
    """
    bench, text = start.get("bench"), start.get("bench_text")
    return {
        **start,
        **({"bench": Path(bench).name} if isinstance(bench, str) else {}),
        **({"bench_text": shareable_text(text)} if isinstance(text, str) else {}),
    }


def unfinished(out: CampaignOut) -> bool:
    """Return whether runs of a campaign are still to be made."""
    return any(row.state not in ENDED for row in out.runs)


def find_campaign(runs: RunStore, campaign_id: str | None = None, bench: Path | None = None) -> StoredCampaign:
    """Find a campaign to resume: the one named, or the latest unfinished one (of a bench file, where one is given).

    Raises `NotFound`, `InputError` for one that is finished, and `StoreError` for one that cannot be read.
    """
    if campaign_id is None:
        campaign = latest_unfinished(runs, bench)
        if campaign is None:
            raise NotFound("There is no campaign to resume.", "Start a plan: wattmark run FILE.")
        return campaign
    stored = named_campaign(runs, campaign_id)
    if not unfinished(stored.out):
        raise InputError(f"Campaign {campaign_id} has ended.", "Start the plan again.")
    return stored


def named_campaign(runs: RunStore, campaign_id: str) -> StoredCampaign:
    """Read a campaign and its start. Raises `NotFound`, `InputError`, and `StoreError` for one that cannot be read."""
    document = runs.documents(CAMPAIGN_KIND).get(campaign_id)
    start = runs.documents(START_KIND).get(campaign_id)
    if document is None:
        raise NotFound(f"There is no campaign {campaign_id[:80]!r}.", "Omit the name to choose the latest one.")
    if start is None:
        raise InputError(f"The start record of campaign {campaign_id} cannot be read.", "Start the plan again.")
    return read_campaign(campaign_id, document, start)


def newest_campaign(runs: RunStore, bench: Path | None = None) -> StoredCampaign:
    """Find the campaign that was started last (of a bench file, where one is given). Raises `NotFound`."""
    newest = next(_newest_first(runs, bench), None)
    if newest is None:
        raise NotFound("There is no campaign.", "Start a plan: wattmark run FILE.")
    return newest


def latest_unfinished(runs: RunStore, bench: Path | None = None, *, newest_only: bool = False) -> StoredCampaign | None:
    """Find the latest campaign that can be resumed; None where there is none.

    With ``newest_only`` an unfinished one does not count after another campaign was started.
    """
    for stored in _newest_first(runs, bench):
        if unfinished(stored.out):
            return stored
        if newest_only:
            return None
    return None


def same_table(stored: StoredCampaign, planned: list[PlannedRun]) -> None:
    """Refuse to go on when the bench file now gives another run table. Raises `InputError` naming the first row."""

    def row(run: TableRow) -> str:
        return f"{run.server}/{run.configuration}, {run.workload}, {run.level}, repeat {run.repeat}"

    before, now = [row(run) for run in stored.out.runs], [row(run.row) for run in planned]
    if before == now:
        return
    pairs = zip(before, now, strict=False)
    index = next((index for index, (old, new) in enumerate(pairs) if old != new), min(len(before), len(now)))
    old = before[index] if index < len(before) else "nothing"
    new = now[index] if index < len(now) else "nothing"
    cause = f"The bench file has changed since the start: run {index + 1} was {old} and would now be {new}."
    raise InputError(cause, "Restore the bench file, or start the plan again.")


def _newest_first(runs: RunStore, bench: Path | None) -> Iterator[StoredCampaign]:
    starts = runs.documents(START_KIND)
    documents = {name: document for name, document in runs.documents(CAMPAIGN_KIND).items() if name in starts}
    wanted = str(bench.resolve()) if bench else None
    names = [name for name in documents if wanted is None or starts[name].get("bench") == wanted]
    yield from sorted(_readable(names, documents, starts), key=_started_s, reverse=True)


def _readable(
    names: Iterable[str], documents: Mapping[str, dict[str, Any]], starts: Mapping[str, dict[str, Any]]
) -> Iterator[StoredCampaign]:
    """Read campaigns; one that cannot be read is skipped, and the others can still be resumed."""
    for name in names:
        try:
            yield read_campaign(name, documents[name], starts[name])
        except StoreError as error:
            log.warning("%s", error)


def _started_s(stored: StoredCampaign) -> float:
    return stored.out.started_s or 0.0


def read_campaign(name: str, document: dict[str, Any], start: dict[str, Any]) -> StoredCampaign:
    """Read a campaign and its start. Raises `StoreError`."""
    return StoredCampaign(read_state(name, document), *read_start(name, start))


def read_state(name: str, document: dict[str, Any]) -> CampaignOut:
    """Read how far a campaign came. Raises `StoreError`."""
    try:
        return CampaignOut.model_validate(document)
    except ValidationError as error:
        raise _unreadable(name, error) from error


def read_start(name: str, start: dict[str, Any]) -> tuple[Plan, Mapping[str, int], Path | None]:
    """Read the plan of a campaign, the CPUs at its start and its bench file. Raises `StoreError`."""
    try:
        bench = start.get("bench")
        return Plan.model_validate(start["plan"]), dict(start["cpus"]), Path(bench) if bench else None
    except (KeyError, TypeError, ValueError) as error:
        raise _unreadable(name, error) from error


def _unreadable(name: str, error: Exception) -> StoreError:
    return StoreError(f"Campaign {name} cannot be read ({error}).", "Start the plan again.")
