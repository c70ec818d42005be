"""The newest latency of each meter that a campaign's load pulses have shown."""

from __future__ import annotations

from typing import Any

from wattmark.results.latency import EARLIER_LATENCIES
from wattmark.runs.result import MeterLatency, Result


class KnownLatencies:
    """Keeps estimates by server and meter, for later runs of the campaign whose own pulses cannot be seen."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], MeterLatency] = {}

    def take(self, result: Result) -> None:
        """Take what a run's own pulses showed; results come in the order of their runs."""
        for one in result.latencies:
            if one.basis == "pattern":
                self._known[result.server, one.meter] = one

    def facts(self, server: str) -> dict[str, Any]:
        """Give what a record discloses; nothing where nothing is known yet."""
        known = [one.model_dump(mode="json") for (where, _), one in self._known.items() if where == server]
        return {EARLIER_LATENCIES: known} if known else {}
