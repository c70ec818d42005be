"""Thin the raw samples of old runs: what it would do, and doing it. Stated results are never touched."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from wattmark_drivers.clock import Clock

from wattmark.appliance.statements import Statements
from wattmark.errors import Conflict, StoreError, WattmarkError
from wattmark.retention.mark import marked, may_thin
from wattmark.retention.thin import Thinned, thin
from wattmark.runs.record import RunRecord
from wattmark.storage.columns import SAMPLE_BYTES
from wattmark.storage.open import Storage
from wattmark.storage.rewrite import rewrite
from wattmark.storage.sample_store import Series
from wattmark.version import version

LOOK_EVERY_S = 3600.0
_DAY_NS = 86_400 * 10**9
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ThinnedRun:
    """What thinning a run saves; ``problem`` says why it is left as it is."""

    run_id: str
    created_ns: int
    samples_before: int
    samples_after: int
    problem: str | None = None

    @property
    def saved_bytes(self) -> int:
        """Estimate the space that becomes free in the file for new samples [bytes]."""
        return 0 if self.problem else (self.samples_before - self.samples_after) * SAMPLE_BYTES


class Retention:
    """Apply the policy "raw samples are kept for so many days" to one data folder."""

    def __init__(self, storage: Storage, statements: Statements, clock: Clock) -> None:
        self._storage = storage
        self._statements = statements
        self._clock = clock

    def plan(self, days: float) -> list[ThinnedRun]:
        """Tell which runs older than ``days`` would be thinned, and by how much; changes nothing."""
        return [one for run in self._old(days) if (one := self._planned(run)) is not None]

    def apply(self, days: float) -> Iterator[ThinnedRun]:
        """Thin runs older than ``days``, each in one transaction, and tell each as it is done.

        A run is stated first, so that its result stays. One whose samples are damaged or unsent is left as it is.
        """
        for one in self.plan(days):
            run = self._storage.runs.get(one.run_id)
            if run is None or one.problem:
                yield one
                continue
            try:
                self._statements.first(run)
                self._thin(run)
                yield one
            except (Conflict, StoreError) as error:
                yield replace(one, problem=error.cause)

    def _old(self, days: float) -> list[RunRecord]:
        before_ns = self._clock.utc_ns() - round(days * _DAY_NS)
        return [run for run in self._storage.runs.all() if may_thin(run, before_ns)]

    def _planned(self, run: RunRecord) -> ThinnedRun | None:
        before, after = 0, 0
        try:
            for series, thinned in self._thinned(run, self._storage):
                before += series.n
                after += len(thinned)
        except StoreError as error:
            return ThinnedRun(run.run_id, run.created_ns, before, after, error.cause)
        return ThinnedRun(run.run_id, run.created_ns, before, after) if before else None

    def _thin(self, run: RunRecord) -> None:
        day = datetime.fromtimestamp(self._clock.utc_ns() * 1e-9, UTC).date().isoformat()

        def change(storage: Storage) -> None:
            storage.samples.seal(run.run_id)
            told: list[dict[str, Any]] = []
            for series, thinned in self._thinned(run, storage):
                _replace(storage, series, thinned)
                told.append(
                    {
                        "source": series.key.source,
                        "channel": series.key.channel,
                        "range": series.key.range,
                        "before": series.n,
                        "after": len(thinned.samples),
                    }
                )
            storage.runs.put(marked(run, day, version(), told, {one["source"] for one in told}))

        self._storage.all_or_nothing(change)

    def _thinned(self, run: RunRecord, storage: Storage) -> Iterator[tuple[Series, Thinned]]:
        for series in storage.samples.list_series(run.run_id):
            thinned = thin(storage.samples.read(series.id), series.key.kind)
            if thinned is not None:
                yield series, thinned


def _replace(storage: Storage, series: Series, thinned: Thinned) -> None:
    rewrite(storage.database, series.id, thinned.samples)
    for name, samples in ("minimum", thinned.minimum), ("maximum", thinned.maximum):
        if samples is not None:
            key = replace(
                series.key,
                channel=f"{series.key.channel}.{name}",
                quantity=f"{series.key.quantity} {name}",
                label=f"{series.key.label or series.key.channel} ({name} of each second)",
                kind="instantaneous",
            )
            rewrite(storage.database, storage.samples.series(key).id, samples)


async def thin_by_itself(room: Retention, days: float, clock: Clock, busy: Callable[[], bool]) -> None:
    """Thin runs older than ``days`` for ever, looking every hour; a campaign comes first. Cancel it to end it."""
    while True:
        if not busy():
            await asyncio.to_thread(_thin_while_free, room, days, busy)
        await clock.sleep(LOOK_EVERY_S)


def _thin_while_free(room: Retention, days: float, busy: Callable[[], bool]) -> None:
    try:
        for one in room.apply(days):
            if one.problem:
                _log.warning("Run %s keeps its raw samples: %s", one.run_id, one.problem)
            if busy():
                return
    except WattmarkError as error:
        _log.error("Old samples were not thinned: %s", error)
