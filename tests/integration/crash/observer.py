"""Watches a recording service from outside: what is committed, read from the file, and what the live stream told."""

from __future__ import annotations

import http.client
import json
import threading
import time
from contextlib import suppress
from pathlib import Path

from wattmark.core.errors import StoreError
from wattmark.results.data_folder import open_storage
from wattmark.store.sample_store import Samples, SeriesKey

MS = 10**6


class Observer:
    """Collect until `stop`: ``seen`` are samples that a reader found, ``streamed`` stamps of the stream [ms]."""

    def __init__(self, folder: Path, netloc: str) -> None:
        self.seen: dict[SeriesKey, Samples] = {}
        self.streamed: set[tuple[str, str, int]] = set()
        self.whole = True
        """False once the stream told that it left something out."""
        self._folder, self._netloc = folder, netloc
        self._ended = threading.Event()
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._read, self._listen)]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """End; nothing is collected afterwards."""
        self._ended.set()
        for thread in self._threads:
            thread.join(20)
            assert not thread.is_alive()

    def _read(self) -> None:
        while not self._ended.wait(0.05):
            with suppress(StoreError):
                storage = open_storage(self._folder, read_only=True)
                try:
                    for run in storage.runs.all():
                        for series in storage.samples.list_series(run.run_id):
                            self.seen[series.key] = storage.samples.read(series.id)
                finally:
                    storage.close()

    def _listen(self) -> None:
        connection = http.client.HTTPConnection(self._netloc, timeout=5)
        with suppress(OSError, http.client.HTTPException, ValueError):
            connection.request("GET", "/api/live/stream")
            answer = connection.getresponse()
            while not self._ended.is_set() and (line := answer.readline()):
                if line.startswith(b"data:"):
                    self._take(json.loads(line[5:]))
        connection.close()

    def _take(self, event: dict) -> None:
        self.whole &= not event.get("dropped")
        for channel in event.get("channels") or []:
            stamps = channel["t_s"]
            self.streamed.update((channel["source"], channel["channel"], round(t_s * 1e3)) for t_s in stamps)


def wait_for_runs(observer: Observer, runs: int, seconds: float = 60) -> None:
    """Wait until a reader has found samples of so many runs."""
    end = time.monotonic() + seconds
    while len({key.run_id for key, samples in list(observer.seen.items()) if len(samples)}) < runs:
        assert time.monotonic() < end, "nothing is recorded"
        time.sleep(0.02)
