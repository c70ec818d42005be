"""What a run's record says about the configuration it measured."""

from __future__ import annotations

from wattmark.runs.record import RunRecord


def configuration_title(run: RunRecord) -> str:
    """Take the configuration's title; its id where the record has none."""
    return str(run.configuration_snapshot.get("title") or run.configuration)


def dimm_count(run: RunRecord) -> int | None:
    """Take the number of memory modules; None where the record does not tell."""
    count = run.configuration_snapshot.get("dimm_count")
    return count if isinstance(count, int) and not isinstance(count, bool) else None


def memory_gib(run: RunRecord) -> float | None:
    """Take the memory capacity [GiB]; None where the record does not tell."""
    capacity = run.configuration_snapshot.get("memory_gib")
    return float(capacity) if isinstance(capacity, int | float) and not isinstance(capacity, bool) else None
