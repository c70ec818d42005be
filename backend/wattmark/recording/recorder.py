"""From readings to the store: in memory at once, on disk every second, never in the way of a meter."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from wattmark_drivers.clock import Clock
from wattmark_drivers.meter import Meter
from wattmark_drivers.reading import Reading

from wattmark.core.errors import StoreError, WattmarkError
from wattmark.recording.backlog import Backlog
from wattmark.recording.batch import Batch
from wattmark.recording.open_run import OpenRun
from wattmark.recording.series_index import SeriesIndex
from wattmark.store.sample_store import SampleSink

COMMIT_EVERY_S = 1.0
LIMIT_SAMPLES = 1_000_000
"""Samples that may wait for a disk that does not answer: 30 MB, two hours of 12 channels at 10 Hz."""
_REMEMBERED_RUNS = 256
_log = logging.getLogger(__name__)


class Recorder:
    """Record the sources of any number of runs. All methods belong to the event loop's thread."""

    def __init__(
        self,
        samples: SampleSink,
        clock: Clock,
        *,
        commit_every_s: float = COMMIT_EVERY_S,
        limit_samples: int = LIMIT_SAMPLES,
    ) -> None:
        self._samples = samples
        self._clock = clock
        self._commit_every_s = commit_every_s
        self._backlog = Backlog(limit_samples)
        self._index = SeriesIndex()
        self._stored: dict[int, int] = {}
        self._runs: dict[str, OpenRun] = {}
        self._ended: dict[str, OpenRun] = {}
        self._lost: dict[str, tuple[int, str]] = {}
        self.dropped_samples = 0
        """Samples that the store never took, since the start."""
        self._worker = ThreadPoolExecutor(1, "wattmark-recorder")
        self._alarm: str | None = None
        self._committing: asyncio.Task[None] | None = None

    def begin(self, run_id: str, server: str, sources: set[str]) -> None:
        """Record the named meters, BMCs or "host" under ``run_id`` from now on."""
        if run_id in self._runs:
            raise WattmarkError(f"Run {run_id} is already recording.", "Use another id for the new run.")
        self._runs[run_id] = OpenRun(run_id, server, frozenset(sources), self._clock.utc_ns())
        if self._committing is None:
            self._committing = asyncio.create_task(self._commit_regularly(), name="recorder")

    def is_recording(self, run_id: str) -> bool:
        """Return whether a run has begun and not ended."""
        return run_id in self._runs

    def feed(self, meter: Meter, readings: Sequence[Reading]) -> None:
        """Take readings of one meter for every run that wants them; never waits for the disk."""
        name = meter.identity.name
        if name in self._lost:
            self._found(name)
        runs = [run for run in self._runs.values() if name in run.sources]
        if not (runs and readings):
            return
        channels, values, units, t_ns, u_t_ns, kinds, ranges, qualities, _ = zip(*readings, strict=True)
        for run in runs:
            run.heard.add(name)
            series = self._index.numbers(run, meter, (channels, units, kinds, ranges))
            lost = self._backlog.add(series, (t_ns, values, qualities, u_t_ns))
            if lost:
                self._overflow(run, lost)

    def opened(self, source: str) -> None:
        """Note that a source was opened: it may describe its channels otherwise now."""
        self._index.look_again(source)

    def lose(self, source: str, problem: str) -> None:
        """Note that a source does not answer; its next reading ends the gap."""
        self._lost.setdefault(source, (self._clock.utc_ns(), problem))

    def forget(self, source: str) -> None:
        """Note that a source was taken from the bench: what comes back under its name ends no gap."""
        self._lost.pop(source, None)

    async def end(self, run_id: str) -> None:
        """Stop recording a run, write the rest and seal it.

        Raises `StoreError` when samples could not be written; they are then discarded, and `problems` has their number.
        """
        if run_id not in self._runs:
            raise WattmarkError(f"Run {run_id} is not recording.", "Start the run first.")
        run = self._runs.pop(run_id)
        self._remember(run)
        for source in sorted(run.sources & self._lost.keys()):
            since_ns, problem = self._lost[source]
            run.note_gap(source, since_ns, self._clock.utc_ns(), problem)
        for source in sorted(run.sources - run.heard):
            run.note_fault(f"{source} gave no reading.")
        if not self._runs and self._committing is not None:
            self._committing.cancel()
            self._committing = None
        series = self._index.of_run(run_id)
        try:
            await asyncio.get_running_loop().run_in_executor(self._worker, self._finish, run, series)
        finally:
            self._index.forget(run_id)

    def problems(self, run_id: str) -> list[str]:
        """List gaps and disk errors of a run that records or has ended lately, one sentence each."""
        run = self._runs.get(run_id) or self._ended.get(run_id)
        return run.problems() if run else []

    @property
    def alarm(self) -> str | None:
        """Explain why samples wait in memory instead of going to disk; None while the disk takes them."""
        return self._alarm

    def _overflow(self, run: OpenRun, lost: int) -> None:
        if not run.overflowed:
            _log.error("Run %s is losing samples: they cannot be saved.", run.run_id)
        run.overflowed += lost
        self.dropped_samples += lost

    def _found(self, source: str) -> None:
        since_ns, problem = self._lost.pop(source)
        for run in self._runs.values():
            if source in run.sources:
                run.note_gap(source, since_ns, self._clock.utc_ns(), problem)

    def _remember(self, run: OpenRun) -> None:
        self._ended[run.run_id] = run
        while len(self._ended) > _REMEMBERED_RUNS:
            del self._ended[next(iter(self._ended))]

    async def _commit_regularly(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._clock.sleep(self._commit_every_s)
            await loop.run_in_executor(self._worker, self._commit)

    def _commit(self) -> Exception | None:
        batch = self._backlog.take()
        if not len(batch):
            self._alarm = None
            return None
        try:
            self._enter(batch)
            self._samples.append(batch.sample_batch(self._stored))
        except Exception as error:
            self._keep_for_later(batch, error)
            return error
        self._backlog.done(batch)
        self._alarm = None
        return None

    def _enter(self, batch: Batch) -> None:
        new = sorted(set(batch.series) - self._stored.keys())
        if new:
            self._stored.update(zip(new, self._samples.enter([self._index.key(number) for number in new]), strict=True))

    def _keep_for_later(self, batch: Batch, error: Exception) -> None:
        self._stored.clear()
        self._alarm = f"Samples cannot be saved and wait in memory. {error}"
        runs = {self._index.key(series).run_id for series in set(batch.series)}
        self._backlog.give_back(batch)
        for run in [*self._runs.values(), *self._ended.values()]:
            if run.run_id in runs and str(error) not in run.faults:
                _log.error("Run %s: %s", run.run_id, error, exc_info=not isinstance(error, StoreError))
                run.note_fault(str(error))

    def _finish(self, run: OpenRun, series: set[int]) -> None:
        error = self._commit() and self._commit()  # a run deleted meanwhile spoils the first try only
        self._stored = {ours: number for ours, number in self._stored.items() if ours not in series}
        if error is not None:
            given_up = self._backlog.discard(series)
            run.overflowed += given_up
            self.dropped_samples += given_up
            raise error
        try:
            self._samples.seal(run.run_id)
        except StoreError as broken:
            run.note_fault(str(broken))
            raise
