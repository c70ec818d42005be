"""Measurements with meters of this machine, for a program that has no service and no event loop of its own."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError
from wattmark_drivers.clock import SystemClock
from wattmark_drivers.errors import DriverError
from wattmark_drivers.meter_url import parse_meter_url

from wattmark.core.data_dir import default_data_dir
from wattmark.core.errors import NotFound, WattmarkError
from wattmark.core.validation import first_mistake
from wattmark.measurements.choice import choose
from wattmark.measurements.lab import MeasuringLab
from wattmark.measurements.opened import OpenMeasurements
from wattmark.measurements.views import EndMeasurement, NewMeasurement
from wattmark.results.data_folder import Storage, open_storage
from wattmark.service.measuring import measuring_bench, measuring_lab
from wattmark.store.lock import FolderInUse

T = TypeVar("T")
MakeFailure = Callable[[str, str], Exception]
"""Makes the caller's error from a cause and a remedy."""
BENCH = "WATTMARK_BENCH"


@contextmanager
def failures(make: MakeFailure) -> Iterator[None]:
    """Raise what fails as the caller's own error."""
    try:
        yield
    except FolderInUse as held:
        remedy = f"Measure through it: set WATTMARK_URL to {held.address}." if held.address else held.remedy
        raise make(held.cause, remedy) from None
    except (WattmarkError, DriverError) as error:
        raise make(error.cause, error.remedy) from None
    except ValidationError as error:
        raise make(f"This cannot be measured: {first_mistake(error)}.", "Correct it.") from None


class LocalAppliance:
    """Samples meters in a thread of its own until it is closed, and measures like a service does."""

    def __init__(self, targets: Sequence[str], data: Path | None, make_failure: MakeFailure) -> None:
        """Choose the meters, and begin to sample them. Raises `WattmarkError` and `DriverError`."""
        self._failure = make_failure
        folder = data or default_data_dir()
        bench_file = os.environ.get(BENCH)
        bench = measuring_bench(Path(bench_file) if bench_file else None, folder)
        self._loop: asyncio.AbstractEventLoop
        self._measurements: OpenMeasurements
        self._stopping: asyncio.Event
        ready: Future[None] = Future()
        storage = open_storage(folder)

        async def sample() -> None:
            clock = SystemClock()
            machine = await choose(targets, bench, parse_meter_url, clock)
            async with measuring_lab(storage, machine, clock) as lab:
                self._loop, self._stopping = asyncio.get_running_loop(), asyncio.Event()
                self._measurements = OpenMeasurements(storage.runs, partial(_only, lab), lambda _: None)
                ready.set_result(None)
                try:
                    await self._stopping.wait()
                finally:
                    await self._measurements.close()

        self._thread = threading.Thread(target=_run, args=(sample, storage, ready), name="wattmark", daemon=True)
        self._thread.start()
        ready.result()

    def open(self, order: Mapping[str, Any]) -> dict[str, Any]:
        """Begin to record, and return the measurement."""
        with failures(self._failure):
            wanted = NewMeasurement.model_validate(order)
            return self._wait(self._measurements.open(wanted)).model_dump(mode="json")

    def begin(self, identifier: str) -> None:
        """Begin the window."""
        with failures(self._failure):
            self._wait(self._measurements.begin(identifier))

    def end(self, identifier: str, order: Mapping[str, Any]) -> dict[str, Any]:
        """End the window, and return its figures."""
        with failures(self._failure):
            done = EndMeasurement.model_validate(order)
            return self._wait(self._measurements.end(identifier, done)).model_dump(mode="json")

    def drop(self, identifier: str) -> None:
        """End a measurement without a result."""
        with failures(self._failure):
            self._wait(self._measurements.drop(identifier, "Dropped before its end."))

    def page(self, run_id: str) -> str | None:  # noqa: ARG002 - no service shows it
        """Return None: no service is running."""
        return None

    def close(self) -> None:
        """Stop sampling, and close meters and store."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stopping.set)
            self._thread.join()

    def _wait(self, coroutine: Coroutine[Any, Any, T]) -> T:
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return future.result()
        except KeyboardInterrupt:
            future.cancel()
            raise


def _only(lab: MeasuringLab, server: str | None) -> MeasuringLab:
    """Return the laboratory of this machine. Raises `NotFound` where another server is named."""
    if server is None or server == lab.server:
        return lab
    raise NotFound(
        f"Meters of this machine measure {lab.server}, not {server[:80]!r}.", "Name no server, or an appliance by url."
    )


def _run(sample: Callable[[], Coroutine[Any, Any, None]], storage: Storage, ready: Future[None]) -> None:
    failure: BaseException | None = None
    try:
        asyncio.run(sample())
    except BaseException as error:
        failure = error
    finally:
        storage.close()
    if failure is not None and not ready.done():
        ready.set_exception(failure)
    elif failure is not None:
        raise failure
