"""Placeholder in lists for a run whose record is damaged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wattmark.core.amounts import LATEST_NS
from wattmark.core.errors import StoreError
from wattmark.runs.record import RunRecord, RunStatus

_UNKNOWN = "unknown"
_REMEDY = "Restore the data folder from a backup, or delete the run; its samples are kept."


class DamagedRun(RunRecord):
    """A failed run without any measured data; ``reason`` is the damage. It is never written."""

    cause: str

    @property
    def error(self) -> StoreError:
        """Explain the damage where the record itself is needed."""
        return StoreError(self.cause, _REMEDY)


def damaged_run(run_id: str, columns: Sequence[Any] | None, cause: str) -> DamagedRun:
    """Build the placeholder of a run; the columns beside the record show where to list it."""
    _, created_ns, campaign_id, server, configuration, workload, *_ = columns or (None, 0, None, *[_UNKNOWN] * 3)
    return DamagedRun(
        run_id=str(run_id),
        campaign_id=campaign_id if isinstance(campaign_id, str) else None,
        server=_name(server),
        configuration=_name(configuration),
        workload=_name(workload),
        level=_UNKNOWN,
        status=RunStatus.FAILED,
        reason=f"{cause} {_REMEDY}",
        created_ns=created_ns if isinstance(created_ns, int) and 0 <= created_ns <= LATEST_NS else 0,
        unit=_UNKNOWN,
        cause=cause,
    )


def _name(column: Any) -> str:
    """Take a name from a column that may be damaged itself."""
    return column if isinstance(column, str) and column else _UNKNOWN
