"""Thin the raw samples of old runs, with a preview. Issued results never change."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from wattmark_drivers.clock import Clock

from wattmark.core.errors import Conflict, StoreError, WattmarkError
from wattmark.core.version import version
from wattmark.results.data_folder import Storage
from wattmark.results.issued.issuer import Issuer
from wattmark.runs.channels import BIT_MASKS
from wattmark.runs.disclosure import ThinnedSeries
from wattmark.runs.record import RunRecord
from wattmark.runs.thinned import marked, may_thin
from wattmark.runs.thinning import Thinned, thin
from wattmark.store.columns import SAMPLE_BYTES
from wattmark.store.rewrite import rewrite
from wattmark.store.sample_store import Series

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

    def __init__(self, storage: Storage, issuer: Issuer, clock: Clock) -> None:
        self._storage = storage
        self._issuer = issuer
        self._clock = clock

    def plan(self, days: float) -> list[ThinnedRun]:
        """List the runs older than ``days`` [d] that would be thinned, and by how much. Changes nothing."""
        return [planned for run in self._old(days) if (planned := self._planned(run)) is not None]

    def apply(self, days: float) -> Iterator[ThinnedRun]:
        """Apply the thinning to runs older than ``days`` [d], each in one transaction; yield each when done.

        A run is issued first, so that its result stays. One whose samples are damaged or unsent is left unchanged.
        """
        for planned in self.plan(days):
            run = self._storage.runs.get(planned.run_id)
            if run is None or planned.problem:
                yield planned
                continue
            try:
                self._issuer.first(run)
                self._thin(run)
                yield planned
            except (Conflict, StoreError) as error:
                yield replace(planned, problem=error.cause)

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
        day = datetime.fromtimestamp(self._clock.utc_ns() * 1e-9, UTC).date()

        def change(storage: Storage) -> None:
            storage.samples.seal(run.run_id)
            shorter: list[ThinnedSeries] = []
            for series, thinned in self._thinned(run, storage):
                _replace(storage, series, thinned)
                shorter.append(
                    ThinnedSeries(
                        source=series.key.source,
                        channel=series.key.channel,
                        range=series.key.range,
                        before=series.n,
                        after=len(thinned.samples),
                    )
                )
            storage.runs.put(marked(run, day, version(), shorter))
            storage.issued.refresh([run.run_id])

        self._storage.all_or_nothing(change)

    def _thinned(self, run: RunRecord, storage: Storage) -> Iterator[tuple[Series, Thinned]]:
        for series in storage.samples.list_series(run.run_id):
            masks = series.key.quantity == BIT_MASKS
            thinned = None if masks else thin(storage.samples.read(series.id), series.key.kind)
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
    """Run the thinning of runs older than ``days`` [d] every hour, never during a campaign, until cancelled."""
    while True:
        if not busy():
            await asyncio.to_thread(_thin_while_free, room, days, busy)
        await clock.sleep(LOOK_EVERY_S)


def _thin_while_free(room: Retention, days: float, busy: Callable[[], bool]) -> None:
    try:
        for thinned in room.apply(days):
            if thinned.problem:
                _log.warning("Run %s keeps its raw samples: %s", thinned.run_id, thinned.problem)
            if busy():
                return
    except WattmarkError as error:
        _log.error("Old samples were not thinned: %s", error)
