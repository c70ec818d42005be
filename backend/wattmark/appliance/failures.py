"""Whatever an evaluation raises is the failure of its one run."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from wattmark.errors import EVALUATION_REMEDY, EvaluationFailed, StoreError

_log = logging.getLogger(__name__)
_MOST = 300
"""Characters of an error that are said."""


class Failures:
    """Turn errors into `EvaluationFailed`; the traceback of each is logged once."""

    def __init__(self) -> None:
        self._logged: set[tuple[str, str]] = set()

    @contextmanager
    def of(self, run_id: str) -> Iterator[None]:
        """Evaluate a run inside the block. Raises `EvaluationFailed`; `StoreError` passes, as it names its cause."""
        try:
            yield
        except (StoreError, MemoryError):
            raise
        except Exception as error:
            what = f"{type(error).__name__}: {' '.join(str(error).split())}"[:_MOST]
            if (run_id, what) not in self._logged:
                self._logged.add((run_id, what))
                _log.exception("Run %s cannot be evaluated.", run_id)
            raise EvaluationFailed(f"Run {run_id} cannot be evaluated ({what}).", EVALUATION_REMEDY) from error
