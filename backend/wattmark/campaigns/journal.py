"""Write records and the campaign's state in the order in which they come, without holding up the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from wattmark.runs.record import RunRecord
from wattmark.storage.run_store import RunStore


class Journal:
    """One thread that waits for the disk; a full disk shows at the next `flush`."""

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
