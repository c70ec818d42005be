"""An appliance without meters: it records samples in a data folder of its own, and sends them by the product's sink."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from wattmark.fleet.clickhouse.settings import ClickHouseSettings
from wattmark.fleet.clickhouse.target import clickhouse_target
from wattmark.fleet.dossiers.dossiers import Dossiers
from wattmark.results.data_folder import open_storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.runs.record import RunStatus
from wattmark.store.columns import make_samples
from wattmark.store.outbox.outbox import Outbox
from wattmark.store.outbox.outbox_types import OutboxState
from wattmark.store.sample_store import Samples, SeriesKey
from wattmark_drivers.clock import SystemClock

from tests.stored_run import make_run

CHANNELS = ("power", "voltage", "current")
EACH_S, SAMPLES_EACH = 0.2, 20
"""A commit every so often, of so many samples of each channel: 300 samples/s."""
RUN_S = 20.0
T0 = 1_770_000_000_000_000_000
STEP_NS = 10_000_000
_DETAIL = re.compile(r" at http\S+| \(.*\)")


class Appliance:
    """Records from `start` to `stop_recording`, and sends until `stop`."""

    def __init__(self, number: int, folder: Path, settings: ClickHouseSettings) -> None:
        self.lab = f"Lab {number + 1}"
        self.storage = open_storage(folder)
        target = clickhouse_target(settings)
        self.outbox = Outbox(self.storage.database, target.address)
        dossiers = Dossiers(self.storage, Evaluations(self.storage), lambda: self.lab)
        self._sink = target.make_sink(self.outbox, dossiers, SystemClock())
        self._number = number
        self._random = np.random.default_rng(number)
        self._recording, self._sending = threading.Event(), threading.Event()
        self._threads = [threading.Thread(target=self._record), threading.Thread(target=self._send)]
        self.problems: set[str] = set()
        self.fault: BaseException | None = None

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop_recording(self) -> None:
        self._recording.set()
        self._threads[0].join()

    def stop(self) -> None:
        self._recording.set()
        self._sending.set()
        for thread in self._threads:
            thread.join()

    def close(self) -> None:
        self.storage.close()

    def state(self) -> OutboxState:
        return self.outbox.state()

    def drained(self) -> bool:
        state = self.state()
        return not state.waiting and not state.waiting_runs

    def recorded(self) -> Iterator[tuple[SeriesKey, Samples]]:
        """Iterate over everything that was recorded here."""
        for run in self.storage.runs.all():
            for series in self.storage.samples.list_series(run.run_id):
                yield series.key, self.storage.samples.read(series.id)

    def _record(self) -> None:
        try:
            number = 0
            while not self._recording.is_set():
                self._record_run(
                    f"lab{self._number + 1:02}-{number:04}", T0 + (self._number * 10_000 + number) * 10**11
                )
                number += 1
        except BaseException as error:
            self.fault = error

    def _record_run(self, run_id: str, begin_ns: int) -> None:
        run = make_run(
            run_id, begin_ns=begin_ns, server="alpha", configuration="8 FB-DIMMs", workload="rsa", level="1 process",
            status=RunStatus.RUNNING,
        )  # fmt: skip
        self.storage.runs.put(run)
        keys = [SeriesKey(run_id, "alpha", "wall", channel, channel, "W", "averaged") for channel in CHANNELS]
        numbers = [self.storage.samples.series(key).id for key in keys]
        end, taken = time.monotonic() + RUN_S, 0
        while time.monotonic() < end and not self._recording.is_set():
            stamps = begin_ns + (taken + np.arange(SAMPLES_EACH)) // 2 * STEP_NS
            """Two samples of a series with each stamp."""
            self.storage.samples.append(
                [(number, make_samples(stamps, self._random.normal(300, 5, SAMPLES_EACH))) for number in numbers]
            )
            taken += SAMPLES_EACH
            self._recording.wait(EACH_S)
        self.storage.samples.seal(run_id)
        self.storage.runs.put(run.model_copy(update={"status": RunStatus.COMPLETE}))

    def _send(self) -> None:
        try:
            while not self._sending.is_set():
                step = self._sink.step()
                if step.problem is not None:
                    self.problems.add(_DETAIL.sub("", step.problem.cause))
                self._sending.wait(step.wait_s)
        except BaseException as error:
            self.fault = error
