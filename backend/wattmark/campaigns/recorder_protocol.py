"""What a campaign needs of whatever records the meters."""

from __future__ import annotations

from typing import Protocol


class RunRecorder(Protocol):
    """Records named sources under a run."""

    def begin(self, run_id: str, server: str, sources: set[str]) -> None:
        """Record the named meters, BMCs and "host" under ``run_id`` from now on."""
        ...

    async def end(self, run_id: str) -> None:
        """Stop recording; what was recorded is on disk when it returns. Raises `StoreError` when it is not."""
        ...

    def problems(self, run_id: str) -> list[str]:
        """List what went wrong so far, one sentence each; one about a single source begins with its name."""
        ...
